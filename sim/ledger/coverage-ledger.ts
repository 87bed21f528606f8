/** The ledger of a sweep: what its runs have reached, with how many of them, kept in a file between sweeps. */

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { jsonOr } from '../../src/model/json.ts';
import type { Reached } from './coverage.ts';
import { type CoverageKind, coverageKinds, universeOf } from './universe.ts';

interface CoverageGoal {
  readonly kind: CoverageKind;
  /** What a run reaches that meets it. */
  readonly reached: string;
}

/** Named goals of a long campaign: rare situations without which it shows little about races and recovery. */
export const coverageGoals: Readonly<Record<string, CoverageGoal>> = {
  'an answer crosses a CANCEL': { kind: 'transitions', reached: 'leg: cancelling > clearing' },
  'an answered call is ended before its ACK': { kind: 'transitions', reached: 'leg: answering > hanging' },
  'both ends of a leg offer media at once': { kind: 'transitions', reached: 'leg: offering > glare' },
  'a call ends during a transfer': { kind: 'transitions', reached: 'transfer: passing > over' },
  'a call ends while it is recorded': { kind: 'transitions', reached: 'recording: on > over' },
  'a held participant leaves': { kind: 'transitions', reached: 'participant: held > gone' },
  'an expired device registers again': { kind: 'transitions', reached: 'binding: expired > registered' },
  'a unique value is refused': { kind: 'answers', reached: 'POST /rest/v1/uc/sipusers 409' },
  'a list of calls comes in pieces': { kind: 'messages', reached: 'callstore.rest' },
  'recordings are removed': { kind: 'messages', reached: 'callstore.recordings.deleted' },
  'an answer comes after its deadline': { kind: 'events', reached: 'dead_letter.answer_too_late' },
  'an instance crashes': { kind: 'events', reached: 'instance.crashed' },
};

const counts = z.record(z.string(), z.int());
/** The counts of a ledger: of so many runs, how many have reached each name, by kind. */
export const countsSchema = z.strictObject({ runs: z.int(), reached: z.record(z.string(), counts) });
export type CoverageCounts = z.infer<typeof countsSchema>;
/** Something that a run can reach: its kind and its name. */
export const reachedItemSchema = z.tuple([z.enum(Object.keys(coverageKinds) as [CoverageKind]), z.string()]);
export type ReachedItem = z.infer<typeof reachedItemSchema>;
const ledgerSchema = countsSchema.extend({ build: z.string() });

const kinds = Object.keys(coverageKinds) as readonly CoverageKind[];
/** What a long campaign must reach, in percent. (chosen) */
const bars: Readonly<Partial<Record<CoverageKind, number>>> = {
  operations: 95,
  messages: 95,
  states: 95,
  transitions: 90,
  faults: 100,
  faultPoints: 100,
  oracles: 100,
};
/** A shorter one may miss what is rare. */
const longCampaign = 200;
/** Names of a kind that were never reached, at most. */
const mostShown = 40;

/** The file of the ledger beside the outcomes of a sweep. */
export function coverageFile(outcomes: string): string {
  return outcomes.replace(/\.jsonl$/, '-coverage.json');
}

export class CoverageLedger {
  readonly #file: string | undefined;
  readonly #build: string;
  readonly #reached = new Map<CoverageKind, Map<string, number>>();
  #runs = 0;

  /** Continues the ledger in a file; one of another build, or one that cannot be read, begins anew. No file: it is not kept. */
  constructor(file: string | undefined, build: string) {
    this.#file = file;
    this.#build = build;
    const isThere = file !== undefined && existsSync(file);
    const kept = ledgerSchema.safeParse(isThere ? jsonOr(readFileSync(file, 'utf8'), undefined) : undefined);
    const isOurs = kept.success && kept.data.build === build;
    if (isOurs) this.#runs = kept.data.runs;
    for (const kind of kinds)
      this.#reached.set(kind, new Map(Object.entries((isOurs && kept.data.reached[kind]) || {})));
  }

  get runs(): number {
    return this.#runs;
  }

  /** Adds a run. Returns what it is the first to reach. */
  add(reached: Reached): readonly ReachedItem[] {
    this.#runs += 1;
    const first: ReachedItem[] = [];
    for (const kind of kinds) {
      const known = this.#reached.get(kind);
      for (const name of reached[kind]) {
        const count = known?.get(name) ?? 0;
        if (count === 0) first.push([kind, name]);
        known?.set(name, count + 1);
      }
    }
    return first;
  }

  /** How many runs have reached it. */
  countOf([kind, name]: ReachedItem): number {
    return this.#reached.get(kind)?.get(name) ?? 0;
  }

  /** Adds the runs of another ledger. */
  merge({ runs, reached }: CoverageCounts): void {
    this.#runs += runs;
    for (const kind of kinds) {
      const known = this.#reached.get(kind);
      for (const [name, count] of Object.entries(reached[kind] ?? {})) known?.set(name, (known.get(name) ?? 0) + count);
    }
  }

  get counts(): CoverageCounts {
    const reached = Object.fromEntries([...this.#reached].map(([kind, names]) => [kind, Object.fromEntries(names)]));
    return { runs: this.#runs, reached };
  }

  /** Writes the counts to the ledger's own file, or to another one. */
  save(file = this.#file): void {
    if (file !== undefined) writeFileSync(file, `${JSON.stringify({ build: this.#build, ...this.counts })}\n`);
  }

  /** The bars and the named goals that a long campaign has not reached, each in one line. */
  missed(): string[] {
    if (this.#runs < longCampaign) return [];
    const low = Object.entries(bars).flatMap(([name, least]) => {
      const kind = name as CoverageKind;
      const share = shareOf(this.#never(kind).length, this.#all(kind)?.length ?? 0);
      return share >= least ? [] : [`${coverageKinds[kind]}: ${share} % in ${this.#runs} runs, expected ${least} %`];
    });
    return [...low, ...this.#unmet().map((goal) => `${goal}: in none of ${this.#runs} runs`)];
  }

  /** The shares of what can be listed, the counts of the rest, and what was never reached. */
  text(): string {
    const rows = kinds.map((kind) => this.#row(kind));
    const unmet = this.#unmet();
    const goals = Object.keys(coverageGoals).length;
    const never = unmet.length === 0 ? '' : `    never: ${unmet.join(', ')}\n`;
    return `\nreached by ${this.#runs} runs:\n${rows.join('')}  named goals: ${goals - unmet.length} of ${goals}\n${never}`;
  }

  #unmet(): string[] {
    const isMet = ({ kind, reached }: CoverageGoal) => this.#reached.get(kind)?.has(reached) === true;
    return Object.entries(coverageGoals).flatMap(([name, goal]) => (isMet(goal) ? [] : [name]));
  }

  /** States and transitions are limited to machines that the probe observes. */
  #all(kind: CoverageKind): readonly string[] | undefined {
    const all = universeOf(kind);
    if (kind !== 'states' && kind !== 'transitions') return all;
    const observed = new Set([...(this.#reached.get(kind)?.keys() ?? [])].map(machineOf));
    return all?.filter((name) => observed.has(machineOf(name)));
  }

  #never(kind: CoverageKind): string[] {
    const reached = this.#reached.get(kind);
    return (this.#all(kind) ?? []).filter((name) => reached?.has(name) !== true);
  }

  #row(kind: CoverageKind): string {
    const all = this.#all(kind);
    if (all === undefined) return `  ${coverageKinds[kind]}: ${this.#reached.get(kind)?.size ?? 0}\n`;
    const never = this.#never(kind);
    const share = shareOf(never.length, all.length);
    const shown = never.slice(0, mostShown).join(', ') + (never.length > mostShown ? ', …' : '');
    const missing = never.length === 0 ? '' : `    never: ${shown}\n`;
    return `  ${coverageKinds[kind]}: ${all.length - never.length} of ${all.length}, ${share} %\n${missing}`;
  }
}

/** In percent, rounded down to a tenth. */
function shareOf(never: number, all: number): number {
  return Math.floor(((all - never) / Math.max(1, all)) * 1_000) / 10;
}

function machineOf(state: string): string {
  return state.slice(0, state.indexOf(':'));
}
