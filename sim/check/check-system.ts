/** Explores machines that talk, and reports what was found. */
import type { CounterExample } from './counter-example.ts';
import { type Explorable, type ExploreBound, type Explored, explore } from './explore.ts';
import type { ScenarioStep } from './machine-check.ts';
import { System } from './system.ts';
import type { SystemCheck } from './system-check.ts';
import { expectSystemCheck } from './system-form.ts';

export interface SystemReport extends Omit<Explored, 'violation'> {
  readonly system: string;
  readonly verdict: 'pass' | 'fail';
  readonly bound: ExploreBound;
  /** Letters under way at most. */
  readonly inFlight: number;
  readonly counterExample: CounterExample | undefined;
}

const defaultBound: ExploreBound = { depth: 20, states: 20_000, healedWithinMs: 60_000 };

/** Explores several machines that talk, exhaustively to a bound. It is the same each time. */
export function exploreExhaustively(check: SystemCheck, bound: Partial<ExploreBound> = {}): SystemReport {
  expectSystemCheck(check, bound);
  const { name, channel, scenario } = check;
  return exploreWorld(new System(check), {
    name,
    inFlight: channel.inFlight,
    scenario,
    bound: { ...defaultBound, ...check.bound, ...bound },
  });
}

export interface Exploring {
  readonly name: string;
  readonly inFlight: number;
  readonly bound: ExploreBound;
  /** What a move would be as steps of a scenario. */
  readonly scenario?: ((move: string) => readonly ScenarioStep[]) | undefined;
}

/** Explores whatever can say what can happen next. */
export function exploreWorld<S>(world: Explorable<S>, exploring: Exploring): SystemReport {
  const { name, inFlight, bound } = exploring;
  const { violation, ...counts } = explore(world, bound);
  const verdict = violation === undefined ? 'pass' : 'fail';
  return {
    system: name,
    verdict,
    bound,
    inFlight,
    ...counts,
    counterExample: violation && exampleOf(exploring, violation),
  };
}

function exampleOf({ name, scenario }: Exploring, violation: NonNullable<Explored['violation']>): CounterExample {
  const { rule, detail, steps } = violation;
  const made = steps.map(({ name: type, atMs, after, orders }) => {
    return { atMs, fact: { type }, before: '', after, orders, scenario: scenario?.(type) ?? [] };
  });
  return { machine: name, way: 'explored', rule, detail, steps: made, seed: undefined, path: undefined };
}
