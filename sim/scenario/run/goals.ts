/** Goals of a run: `eventually` must become true once, `sometimes` must be seen at least once. */

import type { Eventually } from '../language/scenario.ts';
import type { SeenReport } from '../report.ts';
import { retryMs, type Stage } from './context.ts';
import { ask, lookAt } from './step-actions.ts';

interface Awaited {
  readonly name: string;
  count: number;
  atMs: number | undefined;
}

export class Holds {
  readonly #stage: Stage;
  readonly #sometimes: readonly Awaited[];
  readonly #eventually: readonly Awaited[];
  #stops: readonly (() => void)[] = [];
  #pending: Promise<unknown> = Promise.resolve();

  constructor(stage: Stage) {
    this.#stage = stage;
    const { sometimes, eventually } = stage.scenario;
    this.#sometimes = sometimes.map(awaited);
    this.#eventually = eventually.map(awaited);
  }

  /** Starts to watch and to ask. */
  start(): void {
    const { scenario, sights } = this.#stage;
    this.#stops = scenario.sometimes.map(({ seen }, i) => {
      const one = this.#sometimes[i];
      return sights.watch(seen, () => one && this.#see(one));
    });
    this.#pending = Promise.all(scenario.eventually.map((wanted, i) => this.#await(wanted, this.#eventually[i])));
  }

  /** Resolves when each `eventually` has become true or has timed out. */
  async settle(): Promise<void> {
    await this.#pending;
  }

  /** Stops watching. */
  end(): void {
    for (const stop of this.#stops) stop();
    this.#stops = [];
  }

  reports(): { sometimes: SeenReport[]; eventually: SeenReport[] } {
    return {
      sometimes: this.#sometimes.map((one) => ({ ...one })),
      eventually: this.#eventually.map((one) => ({ ...one })),
    };
  }

  #see(one: Awaited): void {
    one.count += 1;
    one.atMs ??= this.#stage.atMs;
  }

  async #await(wanted: Eventually, one: Awaited | undefined): Promise<void> {
    const stage = this.#stage;
    if (one === undefined) return;
    const failures = wanted.seen === undefined ? await this.#askUntil(wanted) : await this.#seeUntil(wanted);
    if (stage.isOver) return;
    if (failures.length === 0) return this.#see(one);
    for (const text of failures) stage.fail({ kind: 'eventually', name: wanted.name, text });
  }

  async #askUntil({ request, look, expect, within }: Eventually): Promise<readonly string[]> {
    const stage = this.#stage;
    if (request !== undefined) stage.demands += 1;
    const attempt = () => {
      if (request !== undefined) return ask(stage, request, expect);
      return look === undefined ? [] : lookAt(stage, look, expect);
    };
    const unmet = await stage.fulfil(attempt, Math.max(retryMs, within - stage.atMs));
    return unmet.map(({ text }) => text);
  }

  #seeUntil({ seen, within }: Eventually): Promise<readonly string[]> {
    const stage = this.#stage;
    return new Promise((resolve) => {
      if (seen === undefined) return resolve([]);
      const timer = stage.clock.setTimer(within - stage.atMs, () => {
        stop();
        resolve([`not seen within ${within / 1_000} s`]);
      });
      const stop = stage.sights.await(seen, () => {
        timer.cancel();
        stop();
        resolve([]);
      });
    });
  }
}

function awaited({ name }: { readonly name: string }): Awaited {
  return { name, count: 0, atMs: undefined };
}
