/**
 * For how long a world has been left alone: no fault stands, nobody starts, stops or is missed, and all are together. What
 * must hold within a bound is only asked for where the world was calm for that long.
 */
import { aboutVerb } from '../faults/verbs.ts';
import type { World } from '../world/world.ts';
import type { ObservationOf } from './observation.ts';

export class Stability {
  readonly #world: World;
  readonly #standing = new Set<string>();
  /** Faults that were inflicted and are not over. */
  readonly #open = new Set<number>();
  readonly #stops: (() => void)[] = [];
  #disturbedMs: number;

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

  /** Milliseconds; 0 while it is not calm. */
  get forMs(): number {
    if (this.#standing.size > 0 || this.#open.size > 0) return 0;
    const ms = this.#world.now() - this.#disturbedMs;
    return ms > 0 && this.#world.isSettled ? ms : 0;
  }

  stop(): void {
    for (const stop of this.#stops.splice(0)) stop();
  }

  #inflicted({ fault, verb, args, atMs }: ObservationOf<'fault.inflicted'>): void {
    this.#disturbed(atMs);
    this.#open.add(fault);
    const name = String(args[0]);
    const { undoneBy } = aboutVerb(verb);
    if (undoneBy !== undefined) this.#standing.add(`${undoneBy} ${name}`);
    this.#standing.delete(`${verb} ${name}`);
  }

  #mended({ fault, verb, atMs }: ObservationOf<'fault.mended'>): void {
    this.#disturbed(atMs);
    // `mend` lifts every fault of the traffic, and so those who have inflicted them are not told.
    if (verb === 'mend') this.#open.clear();
    this.#open.delete(fault);
  }

  #disturbed(atMs: number): void {
    this.#disturbedMs = Math.max(this.#disturbedMs, atMs);
  }
}
