/** The newest observations of a world, for waits that look back and for the journal. */
import { catalogue } from '../../../src/model/protocol/catalogue.ts';
import type { Observation, ObservationKind } from '../../oracles/observation.ts';
import type { World } from '../../world/world.ts';

/** Limit of the kept observations. Beyond it the oldest fifth is dropped. */
const usualMost = 50_000;

const kinds: readonly ObservationKind[] = [
  'entity.state',
  'instance.status',
  'instance.crashed',
  'logged',
  'request.received',
  'request.answered',
  'outside.sent',
  'fault.inflicted',
  'fault.mended',
  'node.started',
  'node.ended',
];

/** Pings say nothing about requests and calls, and are the most of all messages. */
const messages = Object.keys(catalogue).filter((type) => !type.startsWith('peer.'));

export class ObservationLog {
  readonly #kept: Observation[] = [];
  readonly #stops: readonly (() => void)[];
  readonly #most: number;
  #dropped = 0;

  constructor(world: World, most = usualMost) {
    this.#most = most;
    const keep = (observation: Observation) => this.#keep(observation);
    this.#stops = [
      world.observe<ObservationKind>(keep, { kinds }),
      world.observe(keep, { kinds: ['envelope.sent'], types: messages }),
    ];
  }

  /** The oldest first. */
  get all(): readonly Observation[] {
    return this.#kept;
  }

  /** How many observations are no longer kept. */
  get dropped(): number {
    return this.#dropped;
  }

  stop(): void {
    for (const stop of this.#stops) stop();
  }

  #keep(observation: Observation): void {
    this.#kept.push(observation);
    if (this.#kept.length <= this.#most) return;
    this.#dropped += this.#kept.splice(0, Math.ceil(this.#most / 5)).length;
  }
}
