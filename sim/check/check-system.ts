/** Explores machines that talk, and reports what was found. */
import type { CounterExample } from './counter-example.ts';
import { type Explorable, type ExploreBound, type Explored, explore } from './explore.ts';
import { System } from './system.ts';
import type { SystemCheck } from './system-check.ts';

export interface SystemReport extends Omit<Explored, 'violation'> {
  readonly system: string;
  readonly verdict: 'pass' | 'fail';
  readonly bound: ExploreBound;
  /** Letters under way at most. */
  readonly inFlight: number;
  readonly counterExample: CounterExample | undefined;
}

/** Explores several machines that talk, exhaustively to a bound. It is the same each time. */
export function exploreExhaustively(check: SystemCheck, bound: Partial<ExploreBound> = {}): SystemReport {
  const { name, channel } = check;
  return exploreWorld(new System(check), { name, inFlight: channel.inFlight, bound: { ...check.bound, ...bound } });
}

export interface Exploring {
  readonly name: string;
  readonly inFlight: number;
  readonly bound: ExploreBound;
}

/** Explores whatever can say what can happen next. */
export function exploreWorld<S>(world: Explorable<S>, { name, inFlight, bound }: Exploring): SystemReport {
  const { violation, ...counts } = explore(world, bound);
  const verdict = violation === undefined ? 'pass' : 'fail';
  return { system: name, verdict, bound, inFlight, ...counts, counterExample: violation && exampleOf(name, violation) };
}

function exampleOf(name: string, { rule, detail, steps }: NonNullable<Explored['violation']>): CounterExample {
  const made = steps.map(({ name: type, ...step }) => ({ ...step, fact: { type }, scenario: [] }));
  return { machine: name, way: 'explored', rule, detail, steps: made, seed: undefined, path: undefined };
}
