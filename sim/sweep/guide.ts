/**
 * Guides a sweep of the campaign by what its runs reach. A run that reached something new is kept; later runs vary it: they have its parts
 * except for some, which they draw themselves. Kept runs that reached what few have reached are varied more often, as in FairFuzz (Lemieux and
 * Sen, 2018).
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { jsonOr } from '../../src/model/json.ts';
import { type Chance, seededChance } from '../campaign/chance.ts';
import { campaignParts, type PartSeeds } from '../campaign/parts.ts';
import type { Reached } from '../ledger/coverage.ts';
import { type CoverageLedger, type ReachedItem, reachedItemSchema } from '../ledger/coverage-ledger.ts';
import { partSeedsSchema } from './outcome.ts';

/** Share of the runs that vary a kept one. The others are drawn afresh, for what no kept run is near to. */
const variedShare = 1 / 2;
const mostRedrawn = 3;

const keptSchema = z.strictObject({
  build: z.string(),
  seed: z.int(),
  parts: partSeedsSchema,
  /** What it was the first to reach. */
  first: z.array(reachedItemSchema),
});
type Kept = z.infer<typeof keptSchema>;

/** The file of the kept runs beside the outcomes of a sweep. */
export function corpusFile(outcomes: string): string {
  return outcomes.replace(/\.jsonl$/, '-corpus.jsonl');
}

export class CampaignGuide {
  readonly #ledger: CoverageLedger;
  readonly #file: string;
  readonly #build: string;
  readonly #kept: Kept[] = [];

  /** Goes on with the runs in `file` that this build has kept. */
  constructor(ledger: CoverageLedger, { file, build }: { file: string; build: string }) {
    this.#ledger = ledger;
    this.#file = file;
    this.#build = build;
    const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
    for (const line of lines) {
      const read = keptSchema.safeParse(jsonOr(line, undefined));
      if (read.success && read.data.build === build) this.#kept.push(read.data);
    }
  }

  /** The parts of the run with this seed that are not drawn with it. */
  partsOf(seed: number): PartSeeds {
    const chance = seededChance(seed, 'the guide');
    const model = chance.is(variedShare) ? this.#drawKept(chance) : undefined;
    if (model === undefined) return {};
    const redrawn = new Set(Array.from({ length: chance.integer(1, mostRedrawn) }, () => chance.one(campaignParts)));
    const taken = campaignParts.filter((part) => part !== 'times' && !redrawn.has(part));
    // Times are drawn with the faults, unless they have a seed.
    const times = redrawn.has('times') ? seed : model.parts.times;
    const parts = taken.map((part) => [part, model.parts[part] ?? model.seed] as const);
    return { ...Object.fromEntries(parts), ...(times !== undefined && { times }) };
  }

  /** Counts what a run has reached, and keeps the run if no other had reached some of it. */
  add({ seed, parts = {} }: { readonly seed: number; readonly parts?: PartSeeds | undefined }, reached: Reached): void {
    const first = this.#ledger.add(reached);
    if (first.length === 0) return;
    const kept = { build: this.#build, seed, parts, first: [...first] };
    this.#kept.push(kept);
    appendFileSync(this.#file, `${JSON.stringify(kept)}\n`);
  }

  /** A kept run, drawn in proportion to how rare is what it reached first. */
  #drawKept(chance: Chance): Kept | undefined {
    const weights = this.#kept.map(({ first }) => first.reduce((sum, item) => sum + this.#rarity(item), 0));
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    let left = chance.float() * total;
    return this.#kept.find((_, index) => {
      left -= weights[index] ?? 0;
      return left < 0;
    });
  }

  #rarity(item: ReachedItem): number {
    return 1 / Math.max(1, this.#ledger.countOf(item));
  }
}
