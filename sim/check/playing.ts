/** Plays one life by what is done to its machine: facts, time, restarts. What was done can be done again, or less of it. */
import type { Coverage } from './coverage.ts';
import { BrokenRule, Life } from './life.ts';
import type { AnyCheck, RunStep } from './machine-check.ts';
import type { Fact, Moment, Player } from './player.ts';
import { Restored } from './restored.ts';

/**
 * `plain`: facts as they were made. `restored`: between them the machine is kept as JSON and made anew from it, and must go
 * on as if nothing had happened. `disordered`: facts come twice, late, and so in another order.
 */
export const ways = ['plain', 'restored', 'disordered'] as const;
export type Way = (typeof ways)[number];

export interface Bench {
  readonly check: AnyCheck;
  readonly player: Player;
  readonly coverage: Coverage;
  readonly way: Way;
}

/** What is done to a machine. `late`: a fact that was made before, told at last. */
export type Deed = { readonly tell: Fact } | { readonly late: Fact } | { readonly passMs: number } | 'restart';

export interface Birth {
  readonly input: unknown;
  readonly nowMs: number;
}

export interface Violation {
  readonly rule: string;
  readonly detail: string;
  readonly steps: readonly RunStep<AnyCheck['machine']>[];
}

export class Playing {
  readonly birth: Birth;
  readonly deeds: Deed[] = [];
  readonly #bench: Bench;
  readonly #life: Life;
  readonly #restored: Restored | undefined;

  /** Throws what the machine throws when it begins, and `BrokenRule` from then on. */
  constructor(bench: Bench, birth: Birth) {
    const { check, player, coverage, way } = bench;
    this.birth = birth;
    this.#bench = bench;
    this.#life = new Life({ check, player, coverage, ...birth, isInOrder: way !== 'disordered' });
    this.#restored = way === 'restored' ? new Restored(player, check, this.#life) : undefined;
  }

  get moment(): Moment {
    return this.#life.moment;
  }

  get isOver(): boolean {
    return this.#life.isOver;
  }

  get steps(): Violation['steps'] {
    return this.#life.steps;
  }

  begin(): void {
    this.#life.begin();
  }

  do(deed: Deed): void {
    this.deeds.push(deed);
    if (deed === 'restart') return this.#restored?.restart();
    if (this.isOver) return;
    if ('passMs' in deed) this.#life.pass(deed.passMs);
    else if ('tell' in deed) this.#life.tell(deed.tell);
    else this.#life.tell(this.#bench.check.stamp?.(deed.late, this.moment.nowMs) ?? deed.late);
    this.#restored?.follow();
  }

  /** Brings the life to its end, where facts come in order. */
  end(): void {
    if (this.#bench.way === 'disordered') return;
    this.#restored?.restart();
    this.#life.close();
    this.#restored?.follow();
  }
}

/** Does deeds from a birth on; answers the rule that they break, if they do. */
export function replay(bench: Bench, birth: Birth, deeds: readonly Deed[]): Violation | undefined {
  const playing = new Playing(bench, birth);
  return attempt(playing, () => {
    playing.begin();
    for (const deed of deeds) playing.do(deed);
    playing.end();
  });
}

/** What breaks while something is done. */
export function attempt(playing: Pick<Playing, 'steps'>, work: () => void): Violation | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    if (!(error instanceof BrokenRule)) throw error;
    return { rule: error.rule, detail: error.message, steps: playing.steps };
  }
}

/** The fewest of these deeds that break the same rule: each is left out, as long as it goes on breaking. */
export function fewest(bench: Bench, birth: Birth, deeds: readonly Deed[]): Violation | undefined {
  let violation = replay(bench, birth, deeds);
  if (violation === undefined) return undefined;
  let left = deeds;
  for (let index = left.length - 1; index >= 0; index--) {
    const fewer = left.filter((_, each) => each !== index);
    const found = replay(bench, birth, fewer);
    if (found?.rule !== violation.rule) continue;
    violation = found;
    left = fewer;
    // Others may be spared now that this one is.
    index = left.length;
  }
  return violation;
}
