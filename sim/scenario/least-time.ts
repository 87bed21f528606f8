/** The time that a scenario takes at least, by what is written in it: its waits and its intervals. In real time it matters. */
import type { ScenarioStep } from './language/steps.ts';

/** Milliseconds from its start until its last step can end. */
export function leastMs(steps: readonly ScenarioStep[], fromMs = 0): number {
  return steps.reduce((atMs, step) => afterStep(step, Math.max(atMs, Number(step.at ?? 0))), fromMs);
}

function afterStep(step: ScenarioStep, fromMs: number): number {
  const { every, times = 1, parallel = [], repeat } = step;
  const rounds = repeat?.times ?? 1;
  const inner = leastMs(repeat?.steps ?? step.steps ?? [], fromMs) - fromMs;
  const intervals = every === undefined ? 0 : Number(every) * (times - 1);
  const ends = parallel.map((branch) => leastMs(branch.steps, fromMs));
  return Math.max(fromMs + intervals + Number(step.wait ?? 0) + rounds * inner, ...ends);
}
