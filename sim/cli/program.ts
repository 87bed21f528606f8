/** The command line with all its commands, each in its own file. */
import { Command, CommanderError } from 'commander';
import { version } from '../scenario/maker.ts';
import { exitCodes, reportFailure } from './process.ts';

/** Makes each command. Its module is loaded when the command is wanted: loading all takes most of the time of a short run. */
const makers: ReadonlyMap<string, () => Promise<Command>> = new Map([
  ['serve', async () => (await import('./serve/serve.ts')).serveCommand()],
  ['run', async () => (await import('./run.ts')).runCommand()],
  ['sweep', async () => (await import('./sweep/sweep.ts')).sweepCommand()],
  ['worker', async () => (await import('./sweep/worker.ts')).workerCommand()],
  ['replay', async () => (await import('./replay/replay.ts')).replayCommand()],
  ['shrink', async () => (await import('./sweep/shrink.ts')).shrinkCommand()],
  ['report', async () => (await import('./report.ts')).reportCommand()],
  ['scenario', async () => (await import('./validate.ts')).scenarioCommand()],
  ['script', async () => (await import('./script.ts')).scriptCommand()],
  ['validate', async () => (await import('./validate.ts')).validateCommand()],
  ['check', async () => (await import('./check.ts')).checkCommand()],
  ['node', async () => (await import('./serve/node.ts')).nodeCommand()],
  ['record', async () => (await import('./record.ts')).recordCommand()],
  ['up', async () => (await import('./serve/up.ts')).upCommand()],
  ['export', async () => (await import('./domain.ts')).exportCommand()],
  ['import', async () => (await import('./domain.ts')).importCommand()],
  ['data', async () => (await import('./data.ts')).dataCommand()],
  ['topology', async () => (await import('./topology.ts')).topologyCommand()],
  ['bench', async () => (await import('./development.ts')).benchCommand()],
  ['docs', async () => (await import('./development.ts')).docsCommand()],
]);

/** The program with one command, or with all if there is no command of this name. */
export async function newProgram(only?: string): Promise<Command> {
  const program = new Command('strowger')
    .description('A simulated multi-site telephony cluster: serve its interface, inject faults, check what holds.')
    .option('--debug', 'print stack traces of errors')
    .showHelpAfterError('(strowger --help lists the commands)')
    .addHelpText('after', '\nExit codes: 0 pass, 1 fail, 2 unknown, 64 wrong usage, 130 stopped by a signal.');

  // `docs` has an option of this name, which the program would take.
  if (only !== 'docs') program.version(version());
  // Documents describe all commands.
  const make = only === undefined || only === 'docs' ? undefined : makers.get(only);
  const commands = await Promise.all((make === undefined ? [...makers.values()] : [make]).map((each) => each()));
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
  const program = await newProgram(args.find((arg) => !arg.startsWith('-')));
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
