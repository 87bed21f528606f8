/**
 * What a run has reached: operations with the statuses of their answers, message types, states and transitions of
 * machines, those also by the faults that lasted, faults that struck, fault points that fired, rare events that were logged or counted.
 */
import { declaredOf } from '../oracles/rules/kit/declared-operations.ts';
import type { World } from '../world/world.ts';
import type { CoverageKind } from './universe.ts';

/** Names of what was reached, by kind. */
export type Reached = Readonly<Record<CoverageKind, readonly string[]>>;

export class SweepCoverage {
  readonly #world: World;
  readonly #stop: () => void;
  readonly #sets: Readonly<Record<CoverageKind, Set<string>>> = {
    operations: new Set(),
    answers: new Set(),
    messages: new Set(),
    states: new Set(),
    transitions: new Set(),
    troubled: new Set(),
    faults: new Set(),
    faultPoints: new Set(),
    events: new Set(),
    oracles: new Set(),
  };

  constructor(world: World) {
    this.#world = world;
    const { operations, answers, messages, states, transitions, troubled, faults, events } = this.#sets;
    /** Verbs of the faults that last, by number. */
    const lasting = new Map<number, string>();
    const stops = [
      world.observe<'request.answered'>(
        ({ method, target, status }) => {
          const declared = status === 0 ? undefined : declaredOf(method, target.replace(/\?.*/s, ''));
          if (declared === undefined) return;
          operations.add(declared.name);
          answers.add(`${declared.name} ${status}`);
        },
        { kinds: ['request.answered'] },
      ),
      world.observe<'envelope.delivered'>(({ envelope }) => void messages.add(envelope.type), {
        kinds: ['envelope.delivered'],
      }),
      world.observe<'entity.state'>(
        ({ machine, state, before }) => {
          // Some machines are shown from their first transition on.
          for (const each of [before, state]) if (each !== undefined) states.add(`${machine}: ${each}`);
          if (before === state) return;
          const transition = `${machine}: ${before ?? 'new'} > ${state ?? 'gone'}`;
          transitions.add(transition);
          for (const verb of lasting.values()) troubled.add(`${transition} during ${verb}`);
        },
        { kinds: ['entity.state'] },
      ),
      // Of a socket there is no answer to observe, but what is said over it.
      world.observe<'socket.message'>(
        () => {
          operations.add('GET /ws');
          answers.add('GET /ws 101');
        },
        { kinds: ['socket.message'] },
      ),
      // Faults of traffic count when they affect a frame.
      world.observe<'fault.inflicted'>(
        ({ fault, verb }) => {
          faults.add(verb);
          lasting.set(fault, verb);
        },
        { kinds: ['fault.inflicted'] },
      ),
      world.observe<'fault.mended'>(
        ({ fault, verb }) => {
          // `mend` lifts every fault of traffic without a call of the single lift functions.
          if (verb === 'mend') lasting.clear();
          lasting.delete(fault);
        },
        { kinds: ['fault.mended'] },
      ),
      world.observe<'logged'>(({ event }) => void events.add(event), { kinds: ['logged'] }),
      world.observe<'counted'>(({ name }) => void events.add(name), { kinds: ['counted'] }),
    ];
    this.#stop = () => {
      for (const stop of stops) stop();
    };
  }

  /** What was reached until now. `checks`: how often each oracle was exercised. */
  end(checks: Readonly<Record<string, number>>): Reached {
    this.#stop();
    const { faults, faultPoints, oracles } = this.#sets;
    const { affectedCounts } = this.#world.faults;
    for (const verb of trafficVerbs) if (faults.has(verb) && !affectedCounts.has(verb)) faults.delete(verb);
    for (const point of this.#world.faultPoints?.fired.keys() ?? []) faultPoints.add(point);
    for (const [name, count] of Object.entries(checks)) if (count > 0) oracles.add(name);
    const all = Object.entries(this.#sets).map(([kind, set]) => [kind, [...set].sort()] as const);
    return Object.fromEntries(all) as unknown as Reached;
  }
}

const trafficVerbs = [
  ...['cut', 'hold', 'delay', 'lose', 'duplicate', 'flap', 'swizzle'],
  ...['loseOutside', 'duplicateOutside', 'delayOutside', 'cutOutside'],
  ...['refuseHttp', 'delayHttp', 'duplicateHttp', 'reorderHttp', 'forgeHttp', 'truncateHttp'],
];
