/** The command line with all its commands, each in its own file. */
import { Command, CommanderError } from 'commander';
import { version } from '../scenario/build-info.ts';
import { listedCommands } from './commands.ts';
import { exitCodes, reportFailure } from './process.ts';

/** The program with one command, or with all. One with a name that is not listed refuses it without loading a command. */
export async function newProgram(only?: string): Promise<Command> {
  const found = listedCommands.filter(({ name }) => name === only);
  if (only !== undefined && found.length === 0) return listProgram();
  // Documents describe all commands.
  const wanted = only === undefined || only === 'docs' ? listedCommands : found;
  const commands = wanted.map(async ({ description, make }) => (await make()).description(description));
  return programOf(await Promise.all(commands), { hasVersion: only !== 'docs' });
}

/** The program with the name, usage and description of each command: enough for a list of all. */
export function listProgram(): Command {
  const commands = listedCommands.map(({ name, usage, description }) =>
    new Command(name).usage(usage).description(description),
  );
  return programOf(commands, { hasVersion: true });
}

/** `hasVersion`: `docs` has an option of this name, which the program would take. */
function programOf(commands: readonly Command[], { hasVersion }: { readonly hasVersion: boolean }): Command {
  const program = new Command('strowger')
    .description('A simulated multi-site telephony cluster: serve its interface, inject faults, check what holds.')
    .option('--debug', 'print stack traces of errors')
    .configureHelp({ subcommandTerm: (command) => `${command.name()} ${command.usage()}` })
    .showHelpAfterError('(strowger --help lists the commands)')
    .addHelpText('after', '\nExit codes: 0 pass, 1 fail, 2 unknown, 64 wrong usage, 130 stopped by a signal.');
  if (hasVersion) program.version(version());
  for (const command of commands) program.addCommand(command.copyInheritedSettings(program));
  for (const command of [program, ...program.commands, ...program.commands.flatMap(({ commands }) => commands)]) {
    command.exitOverride().configureOutput({ outputError });
  }
  return program;
}

/** The errors of commander begin like all others. */
function outputError(text: string, write: (text: string) => void): void {
  write(text.replace(/^error: /, 'strowger: '));
}

/** The end of a command line: its exit code, and whether the command threw, in which case parts of it may still run. */
interface CommandEnd {
  readonly code: number;
  readonly hasFailed: boolean;
}

/** Runs a command line, given without the names of the interpreter and the script. */
export async function runCommandLine(args: readonly string[]): Promise<CommandEnd> {
  const [first, second] = args.filter((arg) => !arg.startsWith('-'));
  const command = first === 'help' ? second : first;
  const program = command === undefined ? listProgram() : await newProgram(command);
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
