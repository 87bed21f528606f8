/**
 * How long the cluster has been stable: no fault is active, no node is starting, stopping or unreachable, and all see
 * each other. Oracles demand what must happen within a bound only after that time of stability.
 */
import { targetOfVerb } from '../faults/verbs.ts';
import type { ObservationOf } from '../observation/observation.ts';
import type { World } from '../world/world.ts';

/** By then every node has heard of what has changed at another. */
const heardMs = 10_000;

export class Stability {
  readonly #world: World;
  readonly #standing = new Set<string>();
  /** Active faults. */
  readonly #open = new Set<number>();
  readonly #stops: (() => void)[] = [];
  #disturbedMs: number;
  /** No clock was set so far. */
  areClocksRight = true;
  /** Whether nothing has happened since all had heard of the last change, and agreed. */
  #isKnown = false;

  constructor(world: World) {
    this.#world = world;
    this.#disturbedMs = world.now();
    this.#stops.push(
      world.observe<'fault.inflicted'>((fault) => this.#inflicted(fault), { kinds: ['fault.inflicted'] }),
      world.observe<'fault.mended'>((fault) => this.#mended(fault), { kinds: ['fault.mended'] }),
      world.observe(({ atMs }) => this.#disturbed(atMs), {
        kinds: ['node.started', 'node.ended', 'instance.status', 'instance.crashed', 'entity.state'],
        types: ['peer'],
      }),
    );
  }

  /** Milliseconds; 0 while the cluster is not stable. */
  get forMs(): number {
    if (this.#standing.size > 0 || this.#open.size > 0) return 0;
    const ms = observedMs(this.#world) - this.#disturbedMs;
    if (ms <= 0) return 0;
    if (this.#isKnown) return ms;
    // This goes through all views of all nodes.
    if (!this.#world.isSettled) return 0;
    this.#isKnown = ms > heardMs;
    return ms;
  }

  stop(): void {
    for (const stop of this.#stops.splice(0)) stop();
  }

  #inflicted({ fault, verb, args, atMs }: ObservationOf<'fault.inflicted'>): void {
    this.#disturbed(atMs);
    this.#open.add(fault);
    if (verb === 'skew') this.areClocksRight = false;
    const name = String(args[0]);
    const { undoneBy } = targetOfVerb(verb);
    if (undoneBy !== undefined) this.#standing.add(`${undoneBy} ${name}`);
    this.#standing.delete(`${verb} ${name}`);
  }

  #mended({ fault, verb, atMs }: ObservationOf<'fault.mended'>): void {
    this.#disturbed(atMs);
    // `mend` lifts every fault of traffic without a call of the single lift functions.
    if (verb === 'mend') this.#open.clear();
    this.#open.delete(fault);
  }

  #disturbed(atMs: number): void {
    this.#disturbedMs = Math.max(this.#disturbedMs, atMs);
    this.#isKnown = false;
  }
}

/** The time of the observations: that of the world, or a moment before it where they come from other processes. */
export function observedMs(world: Pick<World, 'now' | 'observedMs'>): number {
  return world.observedMs?.() ?? world.now();
}
