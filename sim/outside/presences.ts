/** Who outside falls silent and comes back, each by a machine of its own once somebody says so. */
import { EntityHost } from '../../src/runtime/entity-host.ts';
import type { Inhabitant } from './inhabitants.ts';
import type { Surroundings } from './parties.ts';
import { Phone } from './phone.ts';
import { type PresenceFact, presenceMachine } from './presence-machine.ts';

export class Presences {
  readonly #told = new Map<string, Inhabitant>();
  readonly #host: EntityHost<typeof presenceMachine>;

  constructor({ clock, counters, onCrash }: Surroundings) {
    this.#host = new EntityHost({
      ...{ clock, counters, onCrash },
      machine: presenceMachine,
      onOrder: (endpoint, order) => this.#set(endpoint, order.type === 'fall.silent'),
    });
  }

  tell(inhabitant: Inhabitant, fact: PresenceFact): void {
    const { endpoint } = inhabitant.entry;
    if (!this.#told.has(endpoint)) {
      this.#told.set(endpoint, inhabitant);
      this.#host.start(endpoint, undefined);
    }
    this.#host.send(endpoint, fact);
  }

  stop(): void {
    this.#host.stopAll();
  }

  /** A phone that comes back registers at once, as one that is switched on. */
  #set(endpoint: string, isSilent: boolean): void {
    const inhabitant = this.#told.get(endpoint);
    if (inhabitant === undefined) return;
    inhabitant.party.isSilent = isSilent;
    if (!isSilent && inhabitant instanceof Phone) inhabitant.register();
  }
}
