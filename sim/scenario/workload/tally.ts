import type { Clock, Timer } from '../../../src/ports/clock.ts';
import type { RandomStream } from '../../../src/ports/random.ts';
import type { FailureReason, WorkloadReport } from '../report.ts';

/** What one kind of thing of a workload came to: counts that add up, and why what failed did. */

export type Tally = Omit<WorkloadReport, 'part'>;

/** Counts of one kind of thing. What was begun and has come to nothing yet is open. */
export class Account {
  readonly #name: string;
  readonly #why = new Map<string, number>();
  started = 0;
  acknowledged = 0;

  constructor(name: string) {
    this.#name = name;
  }

  /** What was begun is answered, or not at all; whether as it was meant. */
  settle(answer: { readonly status: number } | undefined, isGood = (answer?.status ?? 400) < 400): boolean {
    if (isGood) this.acknowledged += 1;
    else this.#fail(answer === undefined ? 'no answer' : String(answer.status));
    return isGood;
  }

  report(): Tally {
    const { started, acknowledged } = this;
    return tallyOf({ name: this.#name, started, acknowledged, why: this.#why });
  }

  #fail(why: string): void {
    this.#why.set(why, (this.#why.get(why) ?? 0) + 1);
  }
}

/** `why`: how often for which reason. */
export function tallyOf({
  name,
  started,
  acknowledged,
  why,
}: Pick<Tally, 'name' | 'started' | 'acknowledged'> & { readonly why: ReadonlyMap<string, number> }): Tally {
  const reasons = [...why].map(([reason, count]): FailureReason => ({ why: reason, count }));
  const ranked = reasons.filter(({ count }) => count > 0).sort((a, b) => b.count - a.count);
  const failed = ranked.reduce((sum, { count }) => sum + count, 0);
  return { name, started, acknowledged, failed, open: started - acknowledged - failed, reasons: ranked };
}

/** All of them as one. */
export function totalOf(name: string, tallies: readonly Tally[]): Tally {
  const why = new Map<string, number>();
  for (const { reasons } of tallies) {
    for (const { why: reason, count } of reasons) why.set(reason, (why.get(reason) ?? 0) + count);
  }
  const sum = (of: 'started' | 'acknowledged') => tallies.reduce((total, tally) => total + tally[of], 0);
  return tallyOf({ name, started: sum('started'), acknowledged: sum('acknowledged'), why });
}

/** A part of a workload: things that begin at random moments (Poisson), and an account of what came of them. */

export interface Part {
  start(): void;
  /** Begins nothing more. */
  stop(): void;
  /** Everybody is about to hang up, because the load is over: what nobody has answered by then has not failed. */
  hangUp?(): void;
  account(): Tally[];
}

/** What one part is made of. */
export interface PartScene {
  readonly clock: Clock;
  readonly random: RandomStream;
}

/** Calls `begin` so many times a second in the mean, until it is stopped. */
export class Beat {
  readonly #rate: number;
  readonly #scene: PartScene;
  readonly #begin: () => void;
  #next: Timer | undefined;

  constructor(rate: number, scene: PartScene, begin: () => void) {
    this.#rate = rate;
    this.#scene = scene;
    this.#begin = begin;
  }

  start(): void {
    if (this.#rate === 0 || this.#next !== undefined) return;
    const { clock, random } = this.#scene;
    this.#next = clock.setTimer((-Math.log(1 - random.float()) * 1_000) / this.#rate, () => {
      this.#next = undefined;
      this.start();
      this.#begin();
    });
  }

  stop(): void {
    this.#next?.cancel();
    this.#next = undefined;
  }
}

/** One of them, by their shares; `undefined` where none has any. */
export function drawn<T>(shares: Iterable<readonly [T, number]>, random: RandomStream): T | undefined {
  const all = [...shares].filter(([, share]) => share > 0);
  let left = random.float() * all.reduce((sum, [, share]) => sum + share, 0);
  for (const [item, share] of all) {
    left -= share;
    if (left < 0) return item;
  }
  return undefined;
}

export function oneOf<T>(items: readonly T[], random: RandomStream): T | undefined {
  return items.length === 0 ? undefined : items[random.integer(0, items.length - 1)];
}
