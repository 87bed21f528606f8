/** The outcome of one seed as a line of the sweep's file, and failures grouped by cause. */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import { jsonOr } from '../../src/model/json.ts';
import { campaignParts } from '../campaign/parts.ts';
import { makeFolders } from '../data/make-folders.ts';
import { type Failure, fruitlessParts, neverSeen, type RunReport } from '../scenario/report.ts';

/**
 * The file of a sweep: one outcome a line, appended as they arrive, so that a stopped sweep can resume and the files of
 * several shards form one sweep. The last line may be incomplete after a crash.
 */
export class SweepRecord {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
    makeFolders(dirname(file));
    // An incomplete line at the end would corrupt the next one.
    if (existsSync(file) && !readFileSync(file, 'utf8').endsWith('\n')) appendFileSync(file, '\n');
  }

  add(outcome: SeedOutcome): void {
    appendFileSync(this.#file, `${JSON.stringify(outcome)}\n`);
  }
}

/** The outcomes in a file; invalid lines are left out. */
export function readRecord(file: string): SeedOutcome[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line) => {
      const read = outcomeSchema.safeParse(jsonOr(line, undefined));
      return read.success ? [read.data] : [];
    });
}

/** Of several outcomes of one scenario and seed, the last. */
export function merged(outcomes: readonly SeedOutcome[]): SeedOutcome[] {
  const bySeed = new Map(outcomes.map((outcome) => [`${outcome.scenario} ${outcome.seed}`, outcome] as const));
  return [...bySeed.values()].sort((a, b) => compare(a.scenario, b.scenario) || a.seed - b.seed);
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

export const partSeedsSchema = z.partialRecord(z.enum(campaignParts), z.int());
export const outcomeSchema = z.strictObject({
  scenario: z.string(),
  seed: z.int(),
  build: z.string(),
  /** Digest of the scenario and its topology: an edited scenario has runs of its own. */
  source: z.string(),
  /** Seeds of the parts of a guided run that were not drawn with its own. */
  parts: partSeedsSchema.optional(),
  verdict: z.enum(['pass', 'fail', 'unknown']),
  /** The first failure: its kind, name, step and text. */
  kind: z.enum(['step', 'oracle', 'eventually', 'promise']).optional(),
  step: z.int().optional(),
  what: z.string().optional(),
  failure: z.string().optional(),
  /** Reasons of an unknown verdict. */
  unproved: z.array(z.string()).optional(),
  /** How often each `sometimes` was seen. */
  seen: z.record(z.string(), z.int()).optional(),
  /** How often each oracle was exercised. */
  checks: z.record(z.string(), z.int()).optional(),
  /** Virtual milliseconds from the start of the cluster to the last step or the failure. */
  virtualMs: z.number(),
  traceHash: z.string().optional(),
});
export type SeedOutcome = z.infer<typeof outcomeSchema>;

/**
 * A `sometimes` that this seed did not see, and a part of the workload without a success, may be seen with another seed, so
 * they are no reasons here.
 */
export function outcomeOf(report: RunReport, of: Pick<SeedOutcome, 'build' | 'source' | 'parts'>): SeedOutcome {
  const { name: scenario, seed, verdict, oracles, traceHash } = report;
  const [failed] = report.failures;
  const goals = goalsOf(report);
  const unseen = new Set(goals.filter(({ count }) => count === 0).map(({ reason }) => reason));
  const unproved = report.unproved.filter((reason) => !unseen.has(reason));
  const isProved = verdict === 'unknown' && unproved.length === 0;
  return {
    scenario,
    seed,
    ...of,
    verdict: isProved ? 'pass' : verdict,
    ...(failed !== undefined && { kind: failed.kind, step: failed.step, what: failed.name, failure: failed.text }),
    ...(unproved.length > 0 && { unproved }),
    ...(goals.length > 0 && { seen: Object.fromEntries(goals.map(({ name, count }) => [name, count])) }),
    ...(oracles.length > 0 && { checks: Object.fromEntries(oracles.map(({ name, checks }) => [name, checks])) }),
    virtualMs: failed?.atMs ?? report.steps.at(-1)?.atMs ?? 0,
    ...(traceHash !== undefined && { traceHash }),
  };
}

interface Goal {
  readonly name: string;
  readonly count: number;
  /** Why a run without it is unknown. */
  readonly reason: string;
}

/** What at least one seed of a sweep must see. */
function goalsOf({ sometimes, workload }: RunReport): Goal[] {
  const fruitless = new Map(fruitlessParts(workload).map(({ part, reason }) => [part, reason]));
  return [
    ...sometimes.map(({ name, count }) => ({ name, count, reason: neverSeen(name) })),
    ...[...new Set(workload.map(({ part }) => part))].map((part) => {
      const reason = fruitless.get(part) ?? '';
      return { name: `a success of the workload's ${part}`, count: reason === '' ? 1 : 0, reason };
    }),
  ];
}

export interface FailureGroup {
  readonly scenario: string;
  readonly kind: Failure['kind'];
  readonly step: number;
  readonly what: string;
  /** Of the fastest seed. */
  readonly failure: string;
  /** Sorted by the time to the failure. */
  readonly seeds: readonly number[];
}

/** The text of a failure without numbers, names of endpoints, ids and actual values; the status of an answer stays, and that a value is absent. */
export function causeOf(failure: string): string {
  const [, status] = /^status: expected .*?, got (\d+)/.exec(failure) ?? [];
  const text = failure
    .replace(/[\w./-]+ \((\d+(?:\.\d+){3}:\d+)\)/g, '$1')
    .replace(/, got .*$/s, '')
    .replace(/"[^"]*\d[^"]*"|\b[0-9a-f-]{8,}\b/g, '#')
    .replace(/\d+/g, '#');
  const [, absent] = /^[^\n]*?, got (none|nothing)(?=\n|$)/.exec(failure) ?? [];
  const got = status ?? absent;
  return got === undefined ? text : `${text}, got ${got}`;
}

/** The group of a failure: an oracle counts as one cause in any step. */
export function groupKeyOf({
  scenario,
  kind = 'step',
  step,
  what,
  failure = '',
}: Pick<SeedOutcome, 'scenario' | 'kind' | 'step' | 'what' | 'failure'>): string {
  return JSON.stringify([scenario, kind, kind === 'step' ? step : what, causeOf(failure)]);
}

/** Failures of one cause, fastest seed first. */
export function groupsOf(outcomes: readonly SeedOutcome[]): FailureGroup[] {
  const groups = new Map<string, SeedOutcome[]>();
  for (const outcome of outcomes.filter(({ verdict }) => verdict === 'fail')) {
    const key = groupKeyOf(outcome);
    groups.set(key, [...(groups.get(key) ?? []), outcome]);
  }
  return [...groups.values()].map((members) => {
    const sorted = members.toSorted((a, b) => a.virtualMs - b.virtualMs || a.seed - b.seed);
    const [{ scenario = '', kind = 'step', step = 0, what = '', failure = '' } = {}] = sorted;
    return { scenario, kind, step, what, failure, seeds: sorted.map(({ seed }) => seed) };
  });
}

export interface VerdictCounts {
  readonly scenario: string;
  readonly pass: number;
  readonly fail: number;
  readonly unknown: number;
  /** Goals under `sometimes` that no seed has seen. */
  readonly neverSeen: readonly string[];
}

/** Passed, failed and unknown runs of each scenario. */
export function talliesOf(outcomes: readonly SeedOutcome[]): VerdictCounts[] {
  const scenarios = [...new Set(outcomes.map(({ scenario }) => scenario))];
  return scenarios.map((scenario) => {
    const own = outcomes.filter((outcome) => outcome.scenario === scenario);
    const count = (verdict: SeedOutcome['verdict']) => own.filter((outcome) => outcome.verdict === verdict).length;
    const seen = new Map<string, number>();
    for (const [name, times] of own.flatMap((outcome) => Object.entries(outcome.seen ?? {}))) {
      seen.set(name, (seen.get(name) ?? 0) + times);
    }
    const never = [...seen].flatMap(([name, times]) => (times === 0 ? [name] : []));
    return { scenario, pass: count('pass'), fail: count('fail'), unknown: count('unknown'), neverSeen: never };
  });
}

/**
 * The verdict of all runs: a goal that no seed has seen makes it unknown. For a part of a sweep (`isPart`) that is left
 * open, because another part may have seen it.
 */
export function verdictOfAll(outcomes: readonly SeedOutcome[], { isPart = false } = {}): SeedOutcome['verdict'] {
  if (outcomes.some(({ verdict }) => verdict === 'fail')) return 'fail';
  const isProved = outcomes.length > 0 && outcomes.every(({ verdict }) => verdict === 'pass');
  const isSeen = isPart || talliesOf(outcomes).every((tally) => tally.neverSeen.length === 0);
  return isProved && isSeen ? 'pass' : 'unknown';
}
