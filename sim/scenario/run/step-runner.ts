/** Runs steps: waits for their condition, repeats them, and runs blocks in sequence or in parallel. */

import { describe } from '../language/describe.ts';
import type { EventMatcher, When } from '../language/event-matcher.ts';
import type { Branch, ScenarioStep } from '../language/steps.ts';
import type { Mismatch, StepReport } from '../report.ts';
import type { RunContext } from './context.ts';
import type { Unmet } from './expectations.ts';
import { runAction } from './step-actions.ts';

/** Position of a step in the tree, and the state of its round. */
interface StepPosition {
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

export class StepRunner {
  readonly #context: RunContext;
  readonly #onStep: (report: StepReport) => void;

  constructor(context: RunContext, onStep: (report: StepReport) => void) {
    this.#context = context;
    this.#onStep = onStep;
  }

  /** Runs steps in sequence until one fails. */
  async run(steps: readonly ScenarioStep[], position: StepPosition = { path: [] }): Promise<void> {
    for (const [index, step] of steps.entries()) {
      if (this.#context.isOver) return;
      const path = [...position.path, index + 1];
      if (path.length === 1) this.#context.step = index + 1;
      await this.#begin(step, { ...position, path });
    }
  }

  async #begin(step: ScenarioStep, position: StepPosition): Promise<void> {
    const context = this.#context;
    if (step.at !== undefined) await context.until(step.at);
    const { when, until } = step;
    const { step: resolved, values, problems } = context.resolveTargets({ when, until });
    if (problems.length > 0) return this.#report(step, position, problems);
    if (resolved.when !== undefined) {
      const unseen = await this.#await(resolved.when);
      if (unseen !== undefined) return this.#report(step, position, [unseen]);
    }
    if (step.every === undefined) await this.#runOnce(step, { ...position, values });
    else await this.#repeat({ ...step, until: resolved.until }, step.every, position);
  }

  /** Rounds do not overlap: a late round begins when the one before it has ended. */
  async #repeat(step: ScenarioStep, everyMs: number, position: StepPosition): Promise<void> {
    const context = this.#context;
    const { times = Number.POSITIVE_INFINITY, until } = step;
    const others = times === Number.POSITIVE_INFINITY && until === undefined ? position.others : undefined;
    const end = this.#endOf(until, others);
    let nextMs = context.atMs;
    for (let round = 1; round <= times && !end.hasCome() && !context.isOver; round += 1) {
      await this.#runOnce(step, { ...position, round });
      nextMs += everyMs;
      if (round < times && !end.hasCome()) await context.until(nextMs, end.come);
    }
    end.forget();
  }

  /** The condition that ends a repetition early, if it has one. */
  #endOf(until: number | EventMatcher | undefined, others: Promise<unknown> | undefined) {
    const context = this.#context;
    let hasCome = false;
    let forget = () => {};
    const come = new Promise<void>((resolve) => {
      const end = () => {
        hasCome = true;
        resolve();
      };
      others?.then(end);
      if (typeof until === 'object') forget = context.matchers.await(until, end);
    });
    const untilMs = typeof until === 'number' ? until : Number.POSITIVE_INFINITY;
    return { come, forget: () => forget(), hasCome: () => hasCome || context.atMs >= untilMs };
  }

  async #runOnce(step: ScenarioStep, position: StepPosition): Promise<void> {
    const { steps, parallel, repeat, note } = step;
    const isBlock = steps !== undefined || parallel !== undefined || repeat !== undefined;
    if (isBlock && note !== undefined) this.#report(step, position, [], { is: 'block' });
    if (steps !== undefined) return this.run(steps, position);
    if (parallel !== undefined) return this.#runBranches(parallel, position);
    if (repeat !== undefined) {
      for (let round = 1; round <= repeat.times; round += 1) await this.run(repeat.steps, { ...position, round });
      return undefined;
    }
    const context = this.#context;
    const values = context.values.text(step) || position.values;
    const { step: resolved, problems } = context.resolveTargets({ ...step, when: undefined, until: undefined });
    if (problems.length > 0) return this.#report(step, position, problems);
    const begun = { ...position, values, beganMs: context.atMs };
    const unmet = await runAction(context, resolved);
    const texts = unmet.map(({ text }) => text);
    return this.#report(step, begun, texts, mismatchOf(unmet));
  }

  /** Branches without an end of their own stop when all other branches have ended. */
  async #runBranches(branches: readonly Branch[], position: StepPosition): Promise<void> {
    let end = () => {};
    const others = new Promise<void>((resolve) => {
      end = resolve;
    });
    const running = branches.map((branch, i) => {
      const done = this.run(branch.steps, { ...position, path: [...position.path, i + 1], others });
      return { isEndless: isEndless(branch.steps), done };
    });
    await Promise.all(running.filter((each) => !each.isEndless).map(({ done }) => done));
    end();
    await Promise.all(running.map(({ done }) => done));
  }

  /** Resolves when the matcher has matched, or with the text of the failure. */
  #await(when: When): Promise<string | undefined> {
    const context = this.#context;
    return new Promise((resolve) => {
      const timer = context.clock.setTimer(when.within, () => {
        stop();
        resolve(`not seen within ${when.within / 1_000} s`);
      });
      const stop = context.matchers.await(when, () => {
        timer.cancel();
        resolve(undefined);
        stop();
      });
    });
  }

  #report(
    step: ScenarioStep,
    { path, round, values = '', beganMs }: StepPosition,
    failures: readonly string[],
    more: Pick<StepReport, 'is' | 'mismatch'> = {},
  ): void {
    const context = this.#context;
    if (context.isOver) return;
    const [number = 0] = path;
    const { atMs } = context;
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
    for (const text of failures) context.fail({ kind: 'step', name: what, text });
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
