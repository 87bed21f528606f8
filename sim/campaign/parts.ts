/** The parts of a run of the campaign: each is drawn with the seed of the run, or with one of its own. */
import { SeededRandom } from '../ports/random.ts';

/** `times`: when faults begin and end; drawn with them unless it has a seed. */
export const campaignParts = [
  'topology',
  'faults',
  'times',
  'takeovers',
  'logouts',
  'scripts',
  'clients',
  'phones',
  'subscribers',
] as const;

export type CampaignPart = (typeof campaignParts)[number];
/** The seeds of the parts that are not drawn with the seed of the run. */
export type PartSeeds = Readonly<Partial<Record<CampaignPart, number>>>;

export class PartRandoms {
  readonly #seed: number;
  readonly #seeds: PartSeeds;
  /** By seed: parts of one seed share its forks. */
  readonly #randoms = new Map<number, SeededRandom>();

  constructor(seed: number, seeds: PartSeeds) {
    this.#seed = seed;
    this.#seeds = seeds;
  }

  has(part: CampaignPart): boolean {
    return this.#seeds[part] !== undefined;
  }

  of(part: CampaignPart): SeededRandom {
    const seed = this.#seeds[part] ?? this.#seed;
    const random = this.#randoms.get(seed) ?? new SeededRandom(seed).fork('the campaign');
    this.#randoms.set(seed, random);
    return random;
  }
}
