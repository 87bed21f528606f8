/** `strowger check [MACHINE…]`: checks the state machines, and explores interacting ones. */
import { Command } from 'commander';
import { counterText, machineLine, machineNotes, systemLine, systemNotes } from '../check/kit/report-text.ts';
import { BadPath, checkMachine, type MachineReport } from '../check/machine/check-machine.ts';
import { type AnyCheck, nameOf } from '../check/machine/machine-check.ts';
import { machineChecks } from '../check/machines/all.ts';
import type { SystemReport } from '../check/system/check-system.ts';
import { type ExploredSystem, exploredSystems } from '../check/systems/all.ts';
import { exitCodes, integerArgument, UsageError } from './process.ts';

interface CheckCommandOptions {
  readonly runs?: number;
  readonly seed?: number;
  readonly path?: string;
  readonly states?: number;
  readonly json?: boolean;
}

const defaults = { runs: 100, seed: 1 };

type Report = MachineReport | SystemReport;

export function checkCommand(): Command {
  return new Command('check')
    .argument('[machines...]', 'names of machines, as listed below; default: all')
    .option(
      '--runs <number>',
      `single machines: how many lists of events each machine gets, in each of three modes (default: ${defaults.runs})`,
      integerArgument('--runs', 1, 1_000_000),
    )
    .option(
      '--seed <number>',
      `single machines: seed of the lists (default: ${defaults.seed})`,
      integerArgument('--seed', 0, 2 ** 31),
    )
    .option('--path <path>', 'with --seed and one machine: run only this counter-example')
    .option(
      '--states <number>',
      'interacting machines (a + in the name): how many states to explore (default: set for each; fewer prove less)',
      integerArgument('--states', 1, 10_000_000),
    )
    .option('--json', 'print the report as JSON')
    .addHelpText('after', notes)
    .action(check);
}

const notes = `
Machines: ${machineChecks.map(nameOf).join(', ')}
Interacting machines: ${exploredSystems.map(({ name }) => name).join(', ')}

Examples:
  npx strowger check                         all machines; takes some minutes
  npx strowger check dialog --runs 5000      one machine, with more lists of events
  npx strowger check dialog --seed 7 --path plain:12:0:3   one counter-example

Exit codes: 0 pass, 1 fail, 2 unknown (too little was checked), 64 wrong usage.
docs/reference/check.md of the package says what is checked, and how to check your own machines with strowger/testing.`;

function check(names: string[], options: CheckCommandOptions): void {
  const { json = false, seed = defaults.seed } = options;
  const [machines, systems] = chosen(names, options);
  expectApplied({ machines, systems }, options);
  const startMs = performance.now();
  const reports: Report[] = [];
  const done = (report: Report, lines: (tookMs: number) => string, sinceMs: number) => {
    reports.push(report);
    if (!json) process.stdout.write(lines(performance.now() - sinceMs));
  };
  for (const machine of machines) {
    const sinceMs = performance.now();
    const report = checked(machine, options);
    done(report, (tookMs) => linesOf(machineLine(report), machineNotes(report), tookMs), sinceMs);
  }
  for (const system of systems) {
    const sinceMs = performance.now();
    const report = system.explore(options.states === undefined ? {} : { states: options.states });
    done(report, (tookMs) => linesOf(systemLine(report), systemNotes(report), tookMs), sinceMs);
  }
  if (json) process.stdout.write(`${JSON.stringify({ seed, reports }, undefined, 2)}\n`);
  else process.stdout.write(summary(reports, options, performance.now() - startMs));
  process.exitCode = exitCodes[verdictOf(reports)];
}

interface Chosen {
  readonly machines: readonly AnyCheck[];
  readonly systems: readonly ExploredSystem[];
}

/** An option without effect on the chosen machines is an error. */
function expectApplied({ machines, systems }: Chosen, { runs, seed, path, states }: CheckCommandOptions): void {
  const only = (names: readonly string[]) => `${names.join(', ')} ${names.length === 1 ? 'is' : 'are'}`;
  const drawn = Object.entries({ runs, seed }).filter(([, value]) => value !== undefined);
  for (const [name] of machines.length === 0 ? drawn : [])
    throw new UsageError(
      `--${name}: applies to single machines; ${only(systems.map((system) => system.name))} explored, the same each time (--states)`,
    );
  if (states !== undefined && systems.length === 0)
    throw new UsageError(
      `--states: applies to interacting machines; ${only(machines.map(nameOf))} checked by lists of events (--runs)`,
    );
  if (path !== undefined && runs !== undefined)
    throw new UsageError('--runs: cannot be combined with --path, which makes one run');
}

function checked(machine: AnyCheck, { runs, seed, path }: CheckCommandOptions): MachineReport {
  try {
    return checkMachine(machine, {
      runs: runs ?? defaults.runs,
      seed: seed ?? defaults.seed,
      ...(path !== undefined && { path }),
    });
  } catch (error) {
    throw error instanceof BadPath ? new UsageError(`--path: ${error.message}`) : error;
  }
}

/** The named machines; all if none is named. */
function chosen(
  names: readonly string[],
  { path }: CheckCommandOptions,
): [readonly AnyCheck[], readonly ExploredSystem[]] {
  const known = [...machineChecks.map(nameOf), ...exploredSystems.map(({ name }) => name)];
  for (const name of names) {
    if (!known.includes(name)) throw new UsageError(`no machine "${name}"; expected one of ${known.join(', ')}`);
  }
  const isChosen = (name: string) => names.length === 0 || names.includes(name);
  const machines = machineChecks.filter((machine) => isChosen(nameOf(machine)));
  const systems = exploredSystems.filter(({ name }) => isChosen(name));
  if (path !== undefined && (machines.length !== 1 || systems.length > 0))
    throw new UsageError('--path: expected one machine: the machine of the counter-example');
  return [machines, systems];
}

function linesOf(line: string, notes: readonly string[], tookMs: number): string {
  return [`${line}  ${(tookMs / 1_000).toFixed(1)} s`, ...notes.map((note) => `        ${note}`), ''].join('\n');
}

function summary(reports: readonly Report[], { seed = defaults.seed }: CheckCommandOptions, tookMs: number): string {
  const count = (verdict: string) => reports.filter((report) => report.verdict === verdict).length;
  const counts = (['pass', 'fail', 'unknown'] as const).filter((verdict) => count(verdict) > 0);
  const told = counts.map((verdict) => `${count(verdict)} ${verdict}`).join(', ');
  return `${reports.map(counterText).join('')}${told}: seed ${seed}, ${(tookMs / 1_000).toFixed(1)} s\n`;
}

function verdictOf(reports: readonly Report[]): 'pass' | 'fail' | 'unknown' {
  const has = (verdict: string) => reports.some((report) => report.verdict === verdict);
  return has('fail') ? 'fail' : has('unknown') ? 'unknown' : 'pass';
}
