/** How many steps of a scenario a run has done, in words: told in the same way wherever a run is told. */
import type { RunReport, StepReport } from '../scenario/report.ts';
import { counted } from './counted.ts';

/** By which a step is known in all of its rounds. */
export function placeOf({ number, path = String(number) }: Pick<StepReport, 'number' | 'path'>): string {
  return path;
}

/** `9 steps`; of a run that ended early `4 of 9 steps`; where some are repeated `9 steps (41 times)`. */
export function stepsText({ steps, stepCount }: Pick<RunReport, 'steps' | 'stepCount'>): string {
  const done = steps.filter((step) => step.is === undefined);
  const places = placesOf(done);
  const of = places < stepCount ? `${places} of ` : '';
  return `${of}${counted(stepCount, 'step')}${done.length > places ? ` (${done.length} times)` : ''}`;
}

/** How many of the steps that were done expect something. */
export function expectationsText({ steps }: Pick<RunReport, 'steps'>): string {
  const expecting = steps.filter((step) => step.is === undefined && step.isExpectation);
  return counted(placesOf(expecting), 'expectation');
}

function placesOf(steps: readonly StepReport[]): number {
  return new Set(steps.map(placeOf)).size;
}
