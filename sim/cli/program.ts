/** The command line with all its commands, each in its own file. */
import { Command, CommanderError } from 'commander';
import { version } from '../scenario/maker.ts';
import { checkCommand } from './check.ts';
import { dataCommand } from './data.ts';
import { benchCommand, docsCommand } from './development.ts';
import { exportCommand, importCommand } from './domain.ts';
import { exitCodes, reportFailure } from './process.ts';
import { replayCommand } from './replay/replay.ts';
import { reportCommand } from './report.ts';
import { runCommand } from './run.ts';
import { scriptCommand } from './script.ts';
import { nodeCommand } from './serve/node.ts';
import { serveCommand } from './serve/serve.ts';
import { upCommand } from './serve/up.ts';
import { shrinkCommand } from './shrink.ts';
import { sweepCommand } from './sweep.ts';
import { scenarioCommand, validateCommand } from './validate.ts';
import { workerCommand } from './worker.ts';

export function newProgram(): Command {
  const program = new Command('strowger')
    .description('A simulated multi-site telephony cluster: serve its interface, inject faults, check what holds.')
    .version(version())
    .option('--debug', 'print stack traces of errors')
    .showHelpAfterError('(strowger --help lists the commands)')
    .addHelpText('after', '\nExit codes: 0 pass, 1 fail, 2 unknown, 64 wrong usage, 130 stopped by a signal.');

  const commands = [
    serveCommand(),
    runCommand(),
    sweepCommand(),
    workerCommand(),
    replayCommand(),
    shrinkCommand(),
    reportCommand(),
    scenarioCommand(),
    scriptCommand(),
    validateCommand(),
    checkCommand(),
    nodeCommand(),
    upCommand(),
    exportCommand(),
    importCommand(),
    dataCommand(),
    benchCommand(),
    docsCommand(),
  ];
  for (const command of commands) {
    program.addCommand(command.copyInheritedSettings(program));
  }
  for (const command of [program, ...program.commands, ...program.commands.flatMap(({ commands }) => commands)]) {
    command.exitOverride();
  }
  return program;
}

/** The end of a command line: its exit code, and whether the command threw, in which case parts of it may still run. */
interface CommandEnd {
  readonly code: number;
  readonly hasFailed: boolean;
}

/** Runs a command line, given without the names of the interpreter and the script. */
export async function runCommandLine(args: readonly string[]): Promise<CommandEnd> {
  const program = newProgram();
  try {
    await program.parseAsync(args, { from: 'user' });
    return { code: Number(process.exitCode ?? exitCodes.pass), hasFailed: false };
  } catch (error) {
    if (error instanceof CommanderError)
      return { code: error.exitCode === 0 ? exitCodes.pass : exitCodes.usage, hasFailed: false };
    const isDebug = program.opts<{ debug?: boolean }>().debug === true;
    return { code: reportFailure(error, { debug: isDebug }), hasFailed: true };
  }
}
