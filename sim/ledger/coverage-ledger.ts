/** The ledger of a sweep: what its runs have reached, with how many of them, kept in a file between sweeps. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import type { Reached } from './coverage.ts';
import { type CoverageKind, coverageKinds, universeOf } from './universe.ts';

const counts = z.record(z.string(), z.int());
/** The counts of a ledger: of so many runs, how many have reached each name, by kind. */
export const countsSchema = z.strictObject({ runs: z.int(), reached: z.record(z.string(), counts) });
export type CoverageCounts = z.infer<typeof countsSchema>;
const ledgerSchema = countsSchema.extend({ build: z.string() });

const kinds = Object.keys(coverageKinds) as readonly CoverageKind[];
/** Names of a kind that were never reached, at most. */
const mostShown = 40;

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
    const kept = ledgerSchema.safeParse(isThere ? parsed(readFileSync(file, 'utf8')) : undefined);
    const isOurs = kept.success && kept.data.build === build;
    if (isOurs) this.#runs = kept.data.runs;
    for (const kind of kinds)
      this.#reached.set(kind, new Map(Object.entries((isOurs && kept.data.reached[kind]) || {})));
  }

  get runs(): number {
    return this.#runs;
  }

  add(reached: Reached): void {
    this.#runs += 1;
    for (const kind of kinds) {
      const known = this.#reached.get(kind);
      for (const name of reached[kind]) known?.set(name, (known.get(name) ?? 0) + 1);
    }
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

  save(): void {
    if (this.#file !== undefined)
      writeFileSync(this.#file, `${JSON.stringify({ build: this.#build, ...this.counts })}\n`);
  }

  /** The shares of what can be listed, the counts of the rest, and what was never reached. */
  text(): string {
    const rows = kinds.map((kind) => this.#row(kind));
    return `\nreached by ${this.#runs} runs:\n${rows.join('')}`;
  }

  /** The states are limited to machines that the probe observes. */
  #listed(kind: CoverageKind, reached: ReadonlyMap<string, number>): readonly string[] | undefined {
    const all = universeOf(kind);
    if (kind !== 'states') return all;
    const observed = new Set([...reached.keys()].map(machineOf));
    return all?.filter((name) => observed.has(machineOf(name)));
  }

  #row(kind: CoverageKind): string {
    const reached = this.#reached.get(kind) ?? new Map<string, number>();
    const all = this.#listed(kind, reached);
    if (all === undefined) return `  ${coverageKinds[kind]}: ${reached.size}\n`;
    const never = all.filter((name) => !reached.has(name));
    const share = Math.floor(((all.length - never.length) / Math.max(1, all.length)) * 1_000) / 10;
    const shown = never.slice(0, mostShown).join(', ') + (never.length > mostShown ? ', …' : '');
    const missing = never.length === 0 ? '' : `    never: ${shown}\n`;
    return `  ${coverageKinds[kind]}: ${all.length - never.length} of ${all.length}, ${share} %\n${missing}`;
  }
}

function machineOf(state: string): string {
  return state.slice(0, state.indexOf(':'));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
