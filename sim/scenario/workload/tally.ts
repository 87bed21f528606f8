/** A part of a workload: operations at random intervals (Poisson), and their counts. */
import type { Clock, Timer } from '../../../src/ports/clock.ts';
import type { RandomStream } from '../../../src/ports/random.ts';
import type { FailureReason, WorkloadReport } from '../report.ts';

/** Counts of a workload: started, acknowledged, failed with reasons, open. */
export type Tally = Omit<WorkloadReport, 'part'>;

/** Counts of one kind of operation. An operation without a result yet is open. */
export class OperationCounter {
  readonly #name: string;
  readonly #why = new Map<string, number>();
  started = 0;
  acknowledged = 0;

  constructor(name: string) {
    this.#name = name;
  }

  /** Records the result of an operation: its answer, or `undefined` for no answer. */
  record(answer: { readonly status: number } | undefined, isGood = (answer?.status ?? 400) < 400): boolean {
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

/** `why`: counts by reason. */
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

/** The sum of several tallies. */
export function totalOf(name: string, tallies: readonly Tally[]): Tally {
  const why = new Map<string, number>();
  for (const { reasons } of tallies) {
    for (const { why: reason, count } of reasons) why.set(reason, (why.get(reason) ?? 0) + count);
  }
  const sum = (of: 'started' | 'acknowledged') => tallies.reduce((total, tally) => total + tally[of], 0);
  return tallyOf({ name, started: sum('started'), acknowledged: sum('acknowledged'), why });
}

export interface WorkloadPart {
  start(): void;
  /** Starts nothing more. */
  stop(): void;
  /** Called before the load ends and all endpoints hang up: calls that ring by then have not failed. */
  hangUp?(): void;
  tallies(): Tally[];
}

/** What a part needs of its run. */
export interface PartContext {
  readonly clock: Clock;
  readonly random: RandomStream;
}

/** Calls `begin` at the given mean rate until it is stopped. */
export class PoissonTimer {
  readonly #rate: number;
  readonly #context: PartContext;
  readonly #begin: () => void;
  #next: Timer | undefined;

  constructor(rate: number, context: PartContext, begin: () => void) {
    this.#rate = rate;
    this.#context = context;
    this.#begin = begin;
  }

  start(): void {
    if (this.#rate === 0 || this.#next !== undefined) return;
    const { clock, random } = this.#context;
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

/** Draws one item by the shares; `undefined` if all shares are zero. */
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
