/** Checks one machine: decisions, coverage, and rules under stimuli, in each way. */
import fc from 'fast-check';
import type { AnyStateMachine } from 'xstate';
import { Choices } from '../kit/choices.ts';
import type { CounterExample } from '../kit/counter-example.ts';
import { BadCheck } from '../kit/form.ts';
import type { Event } from '../player/moment.ts';
import { MachinePlayer } from '../player/player.ts';
import { Coverage, type Decisions, decisionsOf, type Reach } from './coverage.ts';
import { type AnyCheck, checkOf, type MachineCheck, nameOf } from './machine-check.ts';
import { expectMachineCheck, expectOptions } from './machine-form.ts';
import { attempt, type Bench, fewest, Playing, type Violation, type Way, ways } from './playing.ts';
import { type Action, actionOf, inputOf, type Stimulus, stimulusLists, waitsOf } from './stimuli.ts';
import { survey } from './survey.ts';

export interface Ran {
  readonly generated: number;
  readonly executed: number;
  readonly violation: Violation | undefined;
}

/** Runs a list of stimuli, which choose events and times, life after life. */
export function runStimuli(bench: Bench, stimuli: readonly Stimulus[]): Ran {
  const running = new Running(bench);
  const violation = attempt(running, () => {
    for (const stimulus of stimuli) running.execute(stimulus);
    running.end();
  });
  return { ...running.counts, violation };
}

/** The fewest actions that break the same rule as these stimuli. */
export function violationOf(bench: Bench, stimuli: readonly Stimulus[]): Violation | undefined {
  const running = new Running(bench);
  const violation = attempt(running, () => {
    for (const stimulus of stimuli) running.execute(stimulus);
    running.end();
  });
  const { playing } = running;
  if (violation === undefined || playing === undefined) return violation;
  return fewest(bench, playing.start, playing.actions) ?? violation;
}

class Running {
  readonly #bench: Bench;
  /** Late events, and after how many stimuli they come. */
  #late: { readonly event: Event; readonly after: number }[] = [];
  #generated = 0;
  #executed = 0;
  playing: Playing | undefined;

  constructor(bench: Bench) {
    this.#bench = bench;
  }

  get counts(): { generated: number; executed: number } {
    return { generated: this.#generated, executed: this.#executed };
  }

  get steps(): Violation['steps'] {
    return this.playing?.steps ?? [];
  }

  execute(stimulus: Stimulus): void {
    const { check, way } = this.#bench;
    this.#generated += 1;
    const playing = this.playing === undefined || this.playing.isOver ? this.#begin(stimulus) : this.playing;
    const action = actionOf(stimulus, check, playing.moment);
    if (action === undefined) return;
    this.#executed += 1;
    if (way === 'restored' && stimulus.fate % 2 === 1) playing.do('restart');
    if (way === 'disordered') this.#doDisordered(playing, action, stimulus.fate);
    else playing.do(action);
    for (let left = waitsOf(stimulus); left > 0; left--) this.#wait(playing);
  }

  /** Goes to the next deadline, if there is one. */
  #wait(playing: Playing): void {
    const [due] = playing.moment.deadlines;
    if (due !== undefined) playing.do({ passMs: due.dueMs - playing.moment.nowMs });
  }

  end(): void {
    for (const { event } of this.#late) this.playing?.do({ late: event });
    this.playing?.end();
  }

  #begin({ which, picks }: Stimulus): Playing {
    const nowMs = this.playing?.moment.nowMs ?? 0;
    const input = inputOf(this.#bench.check, new Choices([which, ...picks]), nowMs);
    this.playing = new Playing(this.#bench, { input, nowMs });
    this.#late = [];
    this.playing.begin();
    return this.playing;
  }

  #doDisordered(playing: Playing, action: Action, fate: number): void {
    const isEvent = 'event' in action;
    if (isEvent && fate >= 6) this.#late.push({ event: action.event, after: fate % 3 });
    if (!(isEvent && fate >= 8)) playing.do(action);
    const due = this.#late.filter(({ after }) => after <= 0);
    this.#late = this.#late.filter(({ after }) => after > 0).map(({ event, after }) => ({ event, after: after - 1 }));
    for (const { event } of due) playing.do({ late: event });
  }
}

export interface CheckOptions {
  /** Lists of stimuli in each way. Default 100. */
  readonly runs?: number;
  /** Default 1. */
  readonly seed?: number;
  /** The path of a counter-example (`disordered:12:0:3`): only that run is made and judged. */
  readonly path?: string;
}

export type Verdict = 'pass' | 'fail' | 'unknown';

export interface WayReport {
  readonly way: Way;
  readonly runs: number;
  /** Stimuli. */
  readonly generated: number;
  readonly executed: number;
}

export interface MachineReport {
  readonly machine: string;
  /**
   * `unknown`: less than 80 % of the stimuli could be executed, or a command was never given, so the check proves
   * little.
   */
  readonly verdict: Verdict;
  readonly seed: number;
  readonly decisions: Decisions;
  readonly states: Reach;
  readonly transitions: Reach;
  /** States and transitions that are declared unreachable, with the reason; and those of them that were reached. */
  readonly unreachable: { readonly declared: Readonly<Record<string, string>>; readonly wrong: readonly string[] };
  readonly ways: readonly WayReport[];
  /** Commands that `once` or `last` name and that were never given. They make the verdict `unknown`. */
  readonly ungiven: readonly string[];
  readonly counterExample: CounterExample | undefined;
  /** The result of a replay by path. Nothing else is judged; if it breaks nothing the verdict is `unknown`. */
  readonly replay: PathReplay | undefined;
}

export interface PathReplay {
  readonly path: string;
  readonly came: 'breaks' | 'breaks nothing' | 'does not exist';
}

/** Share of the generated stimuli that must be executed. */
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
  const player = new MachinePlayer(check.machine);
  const coverage = new Coverage(player, Object.keys(check.unreachable ?? {}));
  if (path !== undefined) return replayed({ check, player, coverage }, { seed, path });
  survey({ check, player, coverage });
  const reports: WayReport[] = [];
  let counterExample: CounterExample | undefined;
  for (const way of ways) {
    const tried = tryWay({ check, player, coverage, way }, { runs, seed });
    reports.push(tried.report);
    counterExample = tried.counterExample;
    if (counterExample !== undefined) break;
  }
  return judged({ check, coverage, seed, reports, counterExample });
}

/** Repeats one list of stimuli, and judges nothing else. */
function replayed(parts: Omit<Bench, 'way'>, { seed, path }: { readonly seed: number; readonly path: string }) {
  const { way, path: within } = readPath(path);
  const bench = { ...parts, way };
  const stimuli = stimuliAt(seed, within);
  const ran = stimuli && runStimuli(bench, stimuli);
  const counterExample = ran?.violation && stimuli && counterExampleOf(bench, stimuli, { seed, path });
  const { generated = 0, executed = 0 } = ran ?? {};
  const reports = [{ way, runs: stimuli === undefined ? 0 : 1, generated, executed }];
  const came = stimuli === undefined ? 'does not exist' : counterExample === undefined ? 'breaks nothing' : 'breaks';
  const { check, coverage } = parts;
  return judged({ check, coverage, seed, reports, counterExample, replay: { path, came } });
}

/** The stimuli at a path of the generator, with its shrinking; `undefined`: the path does not exist. */
function stimuliAt(seed: number, path: string): readonly Stimulus[] | undefined {
  const [first = 0] = path.split(':').map(Number);
  if (first >= mostRuns) return undefined;
  try {
    // As the property draws them.
    const [found] = fc.sample(fc.tuple(stimulusLists), { seed, path, numRuns: 1 });
    return found?.[0];
  } catch (error) {
    if (String(error).includes('wrong path')) return undefined;
    throw error;
  }
}

/** No check makes more. */
const mostRuns = 1_000_000;

/** The coverage of a machine by all events that its check can make. */
export function coverageOf<M extends AnyStateMachine>(
  given: MachineCheck<M>,
): { readonly states: Reach; readonly transitions: Reach } {
  const check = checkOf(given);
  expectMachineCheck(check, 'coverage');
  const player = new MachinePlayer(check.machine);
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

function tryWay(bench: Bench, { runs, seed }: { readonly runs: number; readonly seed: number }) {
  const counts = { generated: 0, executed: 0, runs: 0 };
  let hasFailed = false;
  const property = fc.property(stimulusLists, (stimuli) => {
    const { violation, generated, executed } = runStimuli(bench, stimuli);
    if (hasFailed) return violation === undefined;
    counts.runs += 1;
    counts.generated += generated;
    counts.executed += executed;
    hasFailed = violation !== undefined;
    return !hasFailed;
  });
  const details = fc.check(property, { seed, numRuns: runs });
  const report: WayReport = { way: bench.way, ...counts };
  if (details.errorInstance instanceof Error && details.counterexample === null) throw details.errorInstance;
  const [stimuli] = details.counterexample ?? [];
  const shrunk = { seed, path: `${bench.way}:${details.counterexamplePath}` };
  return { report, counterExample: stimuli && counterExampleOf(bench, stimuli, shrunk) };
}

function counterExampleOf(
  bench: Bench,
  stimuli: readonly Stimulus[],
  replay: { readonly seed: number; readonly path: string },
): CounterExample | undefined {
  const violation = violationOf(bench, stimuli);
  if (violation === undefined) return undefined;
  const { check, way } = bench;
  const { scenario } = check;
  const steps = violation.steps.map((step) => ({ ...step, scenario: scenario?.(step.event) ?? [] }));
  return { machine: nameOf(check), way, rule: violation.rule, detail: violation.detail, steps, ...replay };
}

interface Findings {
  readonly check: AnyCheck;
  readonly coverage: Coverage;
  readonly seed: number;
  readonly reports: readonly WayReport[];
  readonly counterExample: CounterExample | undefined;
  readonly replay?: PathReplay;
}

function judged({ check, coverage, seed, reports, counterExample, replay }: Findings): MachineReport {
  const found = {
    machine: nameOf(check),
    seed,
    decisions: decisionsOf(check, coverage),
    states: coverage.states,
    transitions: coverage.transitions,
    unreachable: { declared: check.unreachable ?? {}, wrong: coverage.wrong },
    ways: reports,
    ungiven: ungivenIn(check, coverage),
    counterExample,
    replay,
  };
  const verdict = replay === undefined ? verdictOf(found) : counterExample === undefined ? 'unknown' : 'fail';
  return { verdict, ...found, ungiven: verdict === 'fail' || replay !== undefined ? [] : found.ungiven };
}

function verdictOf(found: Omit<MachineReport, 'verdict'>): Verdict {
  const { counterExample, states, transitions, decisions, unreachable, ways: reports, ungiven } = found;
  const amiss = [states.missed, transitions.missed, decisions.undecided, decisions.stale, unreachable.wrong];
  if (counterExample !== undefined || amiss.some((names) => names.length > 0)) return 'fail';
  const isIdle = reports.some(({ generated, executed }) => executed < generated * leastExecuted);
  return isIdle || ungiven.length > 0 ? 'unknown' : 'pass';
}

function ungivenIn({ once = [], last }: AnyCheck, coverage: Coverage): string[] {
  const given = new Set(coverage.commands);
  return [...new Set([...once, ...(last === undefined ? [] : [last])])].filter((command) => !given.has(command));
}
