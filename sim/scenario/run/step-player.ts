/** Runs steps: waits for their condition, repeats them, and runs blocks in sequence or in parallel. */

import { describe } from '../language/describe.ts';
import type { Sight, When } from '../language/observations.ts';
import type { Branch, ScenarioStep } from '../language/steps.ts';
import type { Mismatch, StepReport } from '../report.ts';
import type { Stage } from './context.ts';
import type { Unmet } from './expectations.ts';
import { perform } from './step-actions.ts';

/** Position of a step in the tree, and the state of its round. */
interface Place {
  /** Numbers from the top-level step down, from 1. */
  readonly path: readonly number[];
  readonly round?: number | undefined;
  /** When the action of the step began. */
  readonly beganMs?: number;
  /** Resolves when the other branches have ended, for steps that repeat as long as these run. */
  readonly others?: Promise<unknown> | undefined;
  /** The values that the step refers to, as text. */
  readonly values?: string | undefined;
}

export class Player {
  readonly #stage: Stage;
  readonly #onStep: (report: StepReport) => void;

  constructor(stage: Stage, onStep: (report: StepReport) => void) {
    this.#stage = stage;
    this.#onStep = onStep;
  }

  /** Runs steps in sequence until one fails. */
  async play(steps: readonly ScenarioStep[], place: Place = { path: [] }): Promise<void> {
    for (const [index, step] of steps.entries()) {
      if (this.#stage.isOver) return;
      const path = [...place.path, index + 1];
      if (path.length === 1) this.#stage.step = index + 1;
      await this.#begin(step, { ...place, path });
    }
  }

  async #begin(step: ScenarioStep, place: Place): Promise<void> {
    const stage = this.#stage;
    if (step.at !== undefined) await stage.until(step.at);
    const { when, until } = step;
    const { step: seen, values, problems } = stage.settle({ when, until });
    if (problems.length > 0) return this.#tell(step, place, problems);
    if (seen.when !== undefined) {
      const unseen = await this.#await(seen.when);
      if (unseen !== undefined) return this.#tell(step, place, [unseen]);
    }
    if (step.every === undefined) await this.#do(step, { ...place, values });
    else await this.#repeat({ ...step, until: seen.until }, step.every, place);
  }

  /** Rounds do not overlap: a late round begins when the one before it has ended. */
  async #repeat(step: ScenarioStep, everyMs: number, place: Place): Promise<void> {
    const stage = this.#stage;
    const { times = Number.POSITIVE_INFINITY, until } = step;
    const others = times === Number.POSITIVE_INFINITY && until === undefined ? place.others : undefined;
    const end = this.#endOf(until, others);
    let nextMs = stage.atMs;
    for (let round = 1; round <= times && !end.hasCome() && !stage.isOver; round += 1) {
      await this.#do(step, { ...place, round });
      nextMs += everyMs;
      if (round < times && !end.hasCome()) await stage.until(nextMs, end.come);
    }
    end.forget();
  }

  /** The condition that ends a repetition early, if it has one. */
  #endOf(until: number | Sight | undefined, others: Promise<unknown> | undefined) {
    const stage = this.#stage;
    let hasCome = false;
    let forget = () => {};
    const come = new Promise<void>((resolve) => {
      const end = () => {
        hasCome = true;
        resolve();
      };
      others?.then(end);
      if (typeof until === 'object') forget = stage.sights.await(until, end);
    });
    const untilMs = typeof until === 'number' ? until : Number.POSITIVE_INFINITY;
    return { come, forget: () => forget(), hasCome: () => hasCome || stage.atMs >= untilMs };
  }

  async #do(step: ScenarioStep, place: Place): Promise<void> {
    const { steps, parallel, repeat, note } = step;
    const isBlock = steps !== undefined || parallel !== undefined || repeat !== undefined;
    if (isBlock && note !== undefined) this.#tell(step, place, [], { is: 'block' });
    if (steps !== undefined) return this.play(steps, place);
    if (parallel !== undefined) return this.#playBranches(parallel, place);
    if (repeat !== undefined) {
      for (let round = 1; round <= repeat.times; round += 1) await this.play(repeat.steps, { ...place, round });
      return undefined;
    }
    const stage = this.#stage;
    const values = stage.values.text(step) || place.values;
    const { step: settled, problems } = stage.settle({ ...step, when: undefined, until: undefined });
    if (problems.length > 0) return this.#tell(step, place, problems);
    const told = { ...place, values, beganMs: stage.atMs };
    const unmet = await perform(stage, settled);
    const texts = unmet.map(({ text }) => text);
    return this.#tell(step, told, texts, mismatchOf(unmet));
  }

  /** Branches without an end of their own stop when all other branches have ended. */
  async #playBranches(branches: readonly Branch[], place: Place): Promise<void> {
    let end = () => {};
    const others = new Promise<void>((resolve) => {
      end = resolve;
    });
    const played = branches.map((branch, i) => {
      const done = this.play(branch.steps, { ...place, path: [...place.path, i + 1], others });
      return { isEndless: isEndless(branch.steps), done };
    });
    await Promise.all(played.filter((each) => !each.isEndless).map(({ done }) => done));
    end();
    await Promise.all(played.map(({ done }) => done));
  }

  /** Resolves when the matcher has matched, or with the text of the failure. */
  #await(when: When): Promise<string | undefined> {
    const stage = this.#stage;
    return new Promise((resolve) => {
      const timer = stage.clock.setTimer(when.within, () => {
        stop();
        resolve(`not seen within ${when.within / 1_000} s`);
      });
      const stop = stage.sights.await(when, () => {
        timer.cancel();
        resolve(undefined);
        stop();
      });
    });
  }

  #tell(
    step: ScenarioStep,
    { path, round, values = '', beganMs }: Place,
    failures: readonly string[],
    more: Pick<StepReport, 'is' | 'mismatch'> = {},
  ): void {
    const stage = this.#stage;
    if (stage.isOver) return;
    const [number = 0] = path;
    const { atMs } = stage;
    const what = values === '' ? describe(step) : `${describe(step)} (${values})`;
    this.#onStep({
      number,
      ...(path.length > 1 && { path: path.join('.') }),
      ...(round !== undefined && { round }),
      what,
      ...(step.converge !== undefined && { converges: true }),
      ...(beganMs !== undefined && beganMs !== atMs && { beganMs }),
      atMs,
      isExpectation: step.expect !== undefined || step.when !== undefined || step.converge !== undefined,
      failures,
      ...more,
    });
    for (const text of failures) stage.fail({ kind: 'step', name: what, text });
  }
}

/** Expected and actual value of an answer, and where they differ. */
function mismatchOf(unmet: readonly Unmet[]): { mismatch?: Mismatch } {
  const { compared } = unmet[0] ?? {};
  if (compared === undefined) return {};
  const actualAt = unmet.flatMap(({ at }) => at ?? []);
  const expectedAt = unmet.flatMap(({ at, wantedAt = at }) => wantedAt ?? []);
  return { mismatch: { ...compared, expectedAt: [...new Set(expectedAt)], actualAt: [...new Set(actualAt)] } };
}

/** Whether a block has a step that repeats as long as other branches run. */
export function isEndless(steps: readonly ScenarioStep[]): boolean {
  return steps.some(
    ({ every, times, until, steps: block = [], repeat }) =>
      (every !== undefined && times === undefined && until === undefined) ||
      isEndless(block) ||
      isEndless(repeat?.steps ?? []),
  );
}
