/** Explores systems of interacting machines and reports the result. */
import type { CounterExample } from '../kit/counter-example.ts';
import { type Explorable, type ExploreBound, type Explored, explore } from '../kit/explore.ts';
import type { ScenarioStep } from '../machine/machine-check.ts';
import { System } from './system.ts';
import type { SystemCheck } from './system-check.ts';
import { expectSystemCheck } from './system-form.ts';

export interface SystemReport extends Omit<Explored, 'violation'> {
  readonly system: string;
  /** `unknown`: less was explored than the check states, or no run came to an end, so the exploration proves little. */
  readonly verdict: 'pass' | 'fail' | 'unknown';
  /** Reasons of an `unknown` verdict. */
  readonly doubts: readonly string[];
  readonly bound: ExploreBound;
  /** Most messages in flight. */
  readonly inFlight: number;
  readonly counterExample: CounterExample | undefined;
}

const defaultBound: ExploreBound = { depth: 20, states: 20_000, healedWithinMs: 60_000 };

/** Explores several interacting machines, exhaustively to a bound. The result is deterministic. */
export function exploreExhaustively(check: SystemCheck, bound: Partial<ExploreBound> = {}): SystemReport {
  expectSystemCheck(check, bound);
  const { name, channel, scenario } = check;
  return exploreWorld(new System(check), {
    name,
    inFlight: channel.inFlight,
    scenario,
    stated: check.bound,
    bound: { ...defaultBound, ...check.bound, ...bound },
  });
}

export interface Exploring {
  readonly name: string;
  readonly inFlight: number;
  readonly bound: ExploreBound;
  /** The bound that the check requires; a smaller one proves less. */
  readonly stated?: Partial<ExploreBound> | undefined;
  /** A move as steps of a scenario. */
  readonly scenario?: ((move: string) => readonly ScenarioStep[]) | undefined;
}

/** Explores any `Explorable`. */
export function exploreWorld<S>(world: Explorable<S>, exploring: Exploring): SystemReport {
  const { name, inFlight, bound } = exploring;
  const { violation, ...counts } = explore(world, bound);
  const doubts = violation === undefined ? doubtsOf(counts, exploring) : [];
  const verdict = violation !== undefined ? 'fail' : doubts.length > 0 ? 'unknown' : 'pass';
  return {
    system: name,
    verdict,
    doubts,
    bound,
    inFlight,
    ...counts,
    counterExample: violation && exampleOf(exploring, violation),
  };
}

function doubtsOf(
  { met, rests, transitions }: Omit<Explored, 'violation'>,
  { bound, stated = {} }: Exploring,
): string[] {
  if (transitions === 0 && met === undefined)
    return ['nothing happens: no part gets an event, and none has a deadline'];
  const wanted = met && (stated[met] ?? 0);
  const isLess = met !== undefined && wanted !== undefined && bound[met] < wanted;
  const unit = met === 'depth' ? 'moves' : 'states';
  return [
    ...(isLess ? [`it was stopped at ${bound[met]} ${unit}, and its check states ${wanted}`] : []),
    ...(rests ? [] : ['no run came to an end: except at the start, all parts never agree with nothing in flight']),
  ];
}

function exampleOf({ name, scenario }: Exploring, violation: NonNullable<Explored['violation']>): CounterExample {
  const { rule, detail, steps } = violation;
  const made = steps.map(({ name: type, atMs, after, commands }) => {
    return { atMs, event: { type }, before: '', after, commands, scenario: scenario?.(type) ?? [] };
  });
  return { machine: name, way: 'explored', rule, detail, steps: made, seed: undefined, path: undefined };
}
