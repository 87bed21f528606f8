/** Checks one machine: decisions, coverage, and commands against its rules, each way. */
import fc from 'fast-check';
import type { AnyStateMachine } from 'xstate';
import { type Command, commandLists } from './commands.ts';
import type { CounterExample } from './counter-example.ts';
import { Coverage, type Reach } from './coverage.ts';
import { type Decisions, decisionsOf } from './decided.ts';
import { BadCheck } from './form.ts';
import { type AnyCheck, checkOf, type MachineCheck, nameOf } from './machine-check.ts';
import { expectMachineCheck, expectOptions } from './machine-form.ts';
import { Player } from './player.ts';
import { type Bench, type Way, ways } from './playing.ts';
import { runCommands, violationOf } from './running.ts';
import { survey } from './survey.ts';

export interface CheckOptions {
  /** Lists of commands in each way. Default 100. */
  readonly runs?: number;
  /** Default 1. */
  readonly seed?: number;
  /** As a counter-example names it (`disordered:12:0:3`): only that run is made. */
  readonly path?: string;
}

export type Verdict = 'pass' | 'fail' | 'unknown';

export interface WayReport {
  readonly way: Way;
  readonly runs: number;
  /** Commands. */
  readonly generated: number;
  readonly executed: number;
}

export interface MachineReport {
  readonly machine: string;
  /** `unknown`: less than 80 % of the commands could be executed, or an order was never given, so that little was proved. */
  readonly verdict: Verdict;
  readonly seed: number;
  readonly decisions: Decisions;
  readonly states: Reach;
  readonly transitions: Reach;
  /** States and transitions that are declared to be out of reach, and why; and those of them that were reached. */
  readonly unreachable: { readonly declared: Readonly<Record<string, string>>; readonly wrong: readonly string[] };
  readonly ways: readonly WayReport[];
  /** Orders that `once` or `last` name and that were never given: nothing was proved of them, so the verdict is `unknown`. */
  readonly ungiven: readonly string[];
  readonly counterExample: CounterExample | undefined;
}

/** So much of what is generated must be executed. */
export const leastExecuted = 0.8;

/** Checks a machine. The same seed gives the same report. */
export function checkMachine<M extends AnyStateMachine>(
  given: MachineCheck<M>,
  options: CheckOptions = {},
): MachineReport {
  const check = checkOf(given);
  expectMachineCheck(check, 'checkMachine');
  expectOptions(options, 'checkMachine');
  const { runs = 100, seed = 1, path } = options;
  const player = new Player(check.machine);
  const coverage = new Coverage(player, Object.keys(check.unreachable ?? {}));
  const replayed = path === undefined ? undefined : readPath(path);
  if (replayed === undefined) survey({ check, player, coverage });
  const reports: WayReport[] = [];
  let counterExample: CounterExample | undefined;
  for (const way of replayed === undefined ? ways : [replayed.way]) {
    const bench = { check, player, coverage, way };
    const tried = tryWay(bench, { runs, seed, path: replayed?.path });
    reports.push(tried.report);
    counterExample = tried.counterExample;
    if (counterExample !== undefined) break;
  }
  return judged({ check, coverage, seed, reports, counterExample, isReplay: replayed !== undefined });
}

/** The coverage of a machine by all facts that its check can make. */
export function coverageOf<M extends AnyStateMachine>(
  given: MachineCheck<M>,
): { readonly states: Reach; readonly transitions: Reach } {
  const check = checkOf(given);
  expectMachineCheck(check, 'coverage');
  const player = new Player(check.machine);
  const coverage = new Coverage(player, Object.keys(check.unreachable ?? {}));
  survey({ check, player, coverage });
  return { states: coverage.states, transitions: coverage.transitions };
}

export class BadPath extends BadCheck {}

function readPath(text: string): { way: Way; path: string } {
  const [, way, path] = /^([a-z]+):(\d+(?::\d+)*)$/.exec(text) ?? [];
  const known = ways.find((each) => each === way);
  if (known === undefined || path === undefined)
    throw new BadPath(`expected a path such as plain:12:0:3, got "${text}"; ways are ${ways.join(', ')}`);
  return { way: known, path };
}

interface Trial {
  readonly runs: number;
  readonly seed: number;
  readonly path: string | undefined;
}

function tryWay(bench: Bench, { runs, seed, path }: Trial) {
  const counts = { generated: 0, executed: 0, runs: 0 };
  let hasFailed = false;
  const property = fc.property(commandLists, (commands) => {
    const { violation, generated, executed } = runCommands(bench, commands);
    if (hasFailed) return violation === undefined;
    counts.runs += 1;
    counts.generated += generated;
    counts.executed += executed;
    hasFailed = violation !== undefined;
    return !hasFailed;
  });
  const how = path === undefined ? { numRuns: runs } : { numRuns: 1, path, endOnFailure: true };
  const details = fc.check(property, { seed, ...how });
  const report: WayReport = { way: bench.way, ...counts };
  if (details.errorInstance instanceof Error && details.counterexample === null) throw details.errorInstance;
  const [commands] = details.counterexample ?? [];
  const shrunk = { seed, path: `${bench.way}:${details.counterexamplePath}` };
  return { report, counterExample: commands && counterExampleOf(bench, commands, shrunk) };
}

function counterExampleOf(
  bench: Bench,
  commands: readonly Command[],
  replay: { readonly seed: number; readonly path: string },
): CounterExample | undefined {
  const violation = violationOf(bench, commands);
  if (violation === undefined) return undefined;
  const { check, way } = bench;
  const { scenario } = check;
  const steps = violation.steps.map((step) => ({ ...step, scenario: scenario?.(step.fact) ?? [] }));
  return { machine: nameOf(check), way, rule: violation.rule, detail: violation.detail, steps, ...replay };
}

interface Findings {
  readonly check: AnyCheck;
  readonly coverage: Coverage;
  readonly seed: number;
  readonly reports: readonly WayReport[];
  readonly counterExample: CounterExample | undefined;
  readonly isReplay: boolean;
}

function judged({ check, coverage, seed, reports, counterExample, isReplay }: Findings): MachineReport {
  const { unreachable = {} } = check;
  const decisions = decisionsOf(check);
  const { wrong } = coverage;
  // One run alone need not reach all.
  const states = isReplay ? { ...coverage.states, missed: [] } : coverage.states;
  const transitions = isReplay ? { ...coverage.transitions, missed: [] } : coverage.transitions;
  const missed = states.missed.length + transitions.missed.length;
  const wrongs = [decisions.undecided, decisions.stale, wrong].some((names) => names.length > 0);
  const isFailed = counterExample !== undefined || missed > 0 || wrongs;
  const ungiven = isReplay ? [] : ungivenIn(check, coverage);
  const isIdle = reports.some(({ generated, executed }) => executed < generated * leastExecuted);
  const verdict = isFailed ? 'fail' : isIdle || ungiven.length > 0 ? 'unknown' : 'pass';
  return {
    machine: nameOf(check),
    verdict,
    seed,
    decisions,
    states,
    transitions,
    unreachable: { declared: unreachable, wrong },
    ways: reports,
    ungiven: isFailed ? [] : ungiven,
    counterExample,
  };
}

function ungivenIn({ once = [], last }: AnyCheck, coverage: Coverage): string[] {
  const given = new Set(coverage.orders);
  return [...new Set([...once, ...(last === undefined ? [] : [last])])].filter((order) => !given.has(order));
}
