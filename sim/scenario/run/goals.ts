/** Goals of a run: `eventually` must become true once, `sometimes` must be seen at least once. */

import type { Eventually } from '../language/scenario.ts';
import type { SeenReport } from '../report.ts';
import { type RunContext, retryMs } from './context.ts';
import { compareState, tryRequest } from './step-actions.ts';

interface Goal {
  readonly name: string;
  count: number;
  atMs: number | undefined;
}

export class Goals {
  readonly #context: RunContext;
  readonly #sometimes: readonly Goal[];
  readonly #eventually: readonly Goal[];
  #stops: readonly (() => void)[] = [];
  #pending: Promise<unknown> = Promise.resolve();

  constructor(context: RunContext) {
    this.#context = context;
    const { sometimes, eventually } = context.scenario;
    this.#sometimes = sometimes.map(goal);
    this.#eventually = eventually.map(goal);
  }

  /** Starts to watch and to ask. */
  start(): void {
    const { scenario, matchers } = this.#context;
    this.#stops = scenario.sometimes.map(({ seen }, i) => {
      const goal = this.#sometimes[i];
      return matchers.watch(seen, () => goal && this.#count(goal));
    });
    this.#pending = Promise.all(scenario.eventually.map((wanted, i) => this.#await(wanted, this.#eventually[i])));
  }

  /** Resolves when each `eventually` has become true or has timed out. */
  async whenDone(): Promise<void> {
    await this.#pending;
  }

  /** Stops watching. */
  end(): void {
    for (const stop of this.#stops) stop();
    this.#stops = [];
  }

  reports(): { sometimes: SeenReport[]; eventually: SeenReport[] } {
    return {
      sometimes: this.#sometimes.map((goal) => ({ ...goal })),
      eventually: this.#eventually.map((goal) => ({ ...goal })),
    };
  }

  #count(goal: Goal): void {
    goal.count += 1;
    goal.atMs ??= this.#context.atMs;
  }

  async #await(wanted: Eventually, goal: Goal | undefined): Promise<void> {
    const context = this.#context;
    if (goal === undefined) return;
    const failures = wanted.seen === undefined ? await this.#askUntil(wanted) : await this.#seeUntil(wanted);
    if (context.isOver) return;
    if (failures.length === 0) return this.#count(goal);
    for (const text of failures) context.fail({ kind: 'eventually', name: wanted.name, text });
  }

  async #askUntil({ request, look, expect, within }: Eventually): Promise<readonly string[]> {
    const context = this.#context;
    if (request !== undefined) context.requestCount += 1;
    const attempt = () => {
      if (request !== undefined) return tryRequest(context, request, expect);
      return look === undefined ? [] : compareState(context, look, expect);
    };
    const unmet = await context.retry(attempt, Math.max(retryMs, within - context.atMs));
    return unmet.map(({ text }) => text);
  }

  #seeUntil({ seen, within }: Eventually): Promise<readonly string[]> {
    const context = this.#context;
    return new Promise((resolve) => {
      if (seen === undefined) return resolve([]);
      const timer = context.clock.setTimer(within - context.atMs, () => {
        stop();
        resolve([`not seen within ${within / 1_000} s`]);
      });
      const stop = context.matchers.await(seen, () => {
        timer.cancel();
        stop();
        resolve([]);
      });
    });
  }
}

function goal({ name }: { readonly name: string }): Goal {
  return { name, count: 0, atMs: undefined };
}
