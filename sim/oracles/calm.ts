/**
 * For how long a world has been left alone: no fault stands, nobody starts, stops or is missed, and all are together. What
 * must hold within a bound is only asked for where the world was calm for that long.
 */
import { aboutVerb } from '../faults/verbs.ts';
import type { World } from '../world/world.ts';
import type { ObservationOf } from './observation.ts';

/** Whether it loses what was sent to whom it ends, and nothing else. */
function isDeath(verb: string): boolean {
  const { on } = aboutVerb(verb);
  return (on === 'node' || on === 'instance') && verb !== 'pauseNode';
}

export class Calm {
  readonly #world: World;
  readonly #standing = new Set<string>();
  /** Faults that were inflicted and are not over. */
  readonly #open = new Set<number>();
  readonly #stops: (() => void)[] = [];
  #disturbedMs: number;
  /** When a message between two that live may have been lost for the last time, and how many unlikely things there were. */
  #lossyMs: number;
  #unlikely = 0;

  constructor(world: World) {
    this.#world = world;
    this.#disturbedMs = world.now();
    this.#lossyMs = world.now();
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

  /** For how long no message was lost between two that live; those who died have asked again. To be read now and then. */
  get soundMs(): number {
    const nowMs = this.#world.now();
    let unlikely = 0;
    for (const count of this.#world.faultPoints?.fired.values() ?? []) unlikely += count;
    if (unlikely !== this.#unlikely || this.#open.size > 0) this.#lossyMs = nowMs;
    this.#unlikely = unlikely;
    return nowMs - this.#lossyMs;
  }

  stop(): void {
    for (const stop of this.#stops.splice(0)) stop();
  }

  #inflicted({ fault, verb, args, atMs }: ObservationOf<'fault.inflicted'>): void {
    this.#disturbed(atMs);
    if (!isDeath(verb)) this.#lossyMs = atMs;
    this.#open.add(fault);
    const name = String(args[0]);
    const { undoneBy } = aboutVerb(verb);
    if (undoneBy !== undefined) this.#standing.add(`${undoneBy} ${name}`);
    this.#standing.delete(`${verb} ${name}`);
  }

  #mended({ fault, verb, atMs }: ObservationOf<'fault.mended'>): void {
    this.#disturbed(atMs);
    if (!isDeath(verb)) this.#lossyMs = atMs;
    // `mend` lifts every fault of the traffic, and so those who have inflicted them are not told.
    if (verb === 'mend') this.#open.clear();
    this.#open.delete(fault);
  }

  #disturbed(atMs: number): void {
    this.#disturbedMs = Math.max(this.#disturbedMs, atMs);
  }
}
