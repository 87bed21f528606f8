/** What one kind of thing of a workload came to: counts that add up, and why what failed did. */
import type { FailureReason, WorkloadReport } from '../report.ts';

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
