/** The phones and providers of a process, by name. */

import { EntityHost } from '../../src/actors/entity-host.ts';
import type { ClusterMap } from '../../src/model/cluster/cluster-map.ts';
import { NotInTopology } from '../faults/places.ts';
import { deviceMachine } from './device-machine.ts';
import type { Surroundings } from './parties.ts';
import { Phone } from './phone.ts';
import { isPhoneNamed, isProviderNamed, namesOutside, phonesOf, providersOf } from './population.ts';
import { Provider } from './provider.ts';

export type Inhabitant = Phone | Provider;

export interface InhabitantsOptions {
  readonly surroundings: Surroundings;
  /** Whether this process runs a node. The process runs the endpoints behind that node's gates. */
  readonly isHere: (node: string) => boolean;
  /** The first attempt of a phone or an account to register has ended. */
  readonly onSettled: (name: string) => void;
}

export class Inhabitants {
  readonly phones: readonly Phone[];
  readonly providers: readonly Provider[];
  /** Phones and accounts whose first attempt has not ended. */
  readonly unsettled = new Set<string>();
  readonly #map: ClusterMap;
  readonly #devices: EntityHost<typeof deviceMachine>;

  constructor(options: InhabitantsOptions) {
    const { clock, counters, onCrash, map } = options.surroundings;
    this.#map = map;
    const phones = new Map<string, Phone>();
    this.#devices = new EntityHost({
      ...{ clock, counters, onCrash },
      machine: deviceMachine,
      onCommand: (name, order) => phones.get(name)?.obey(order),
    });
    const onSettled = (name: string) => {
      if (this.unsettled.delete(name)) options.onSettled(name);
    };
    for (const phone of this.#makePhones(options, onSettled)) phones.set(phone.entry.name, phone);
    this.phones = [...phones.values()];
    this.providers = this.#makeProviders(options, onSettled);
  }

  get all(): readonly Inhabitant[] {
    return [...this.phones, ...this.providers];
  }

  phonesNamed(name: string): Phone[] {
    return this.phones.filter(({ entry }) => isPhoneNamed(entry, name));
  }

  providersNamed(name: string): Provider[] {
    return this.providers.filter(({ entry }) => isProviderNamed(entry, name));
  }

  /** All endpoints of a name. Throws if there is none. */
  named(name: string): Inhabitant[] {
    const found = [...this.phonesNamed(name), ...this.providersNamed(name)];
    if (found.length > 0) return found;
    throw new NotInTopology(
      `no phone or provider is named "${name}"; expected one of ${namesOutside(this.#map).join(', ') || '(none)'}`,
    );
  }

  stop(): void {
    this.#devices.stopAll();
    for (const { party } of this.all) party.stop();
  }

  /** The phones whose first gate is in this process, with the gates of this process only. */
  #makePhones({ surroundings, isHere }: InhabitantsOptions, onSettled: (name: string) => void): Phone[] {
    const entries = phonesOf(this.#map).filter(({ gates: [first] }) => first !== undefined && isHere(first.node));
    return entries.map(({ gates, ...entry }) => {
      this.unsettled.add(entry.name);
      return new Phone({
        ...surroundings,
        entry: { ...entry, gates: gates.filter(({ node }) => isHere(node)) },
        devices: this.#devices,
        onSettled: () => onSettled(entry.name),
      });
    });
  }

  /**
   * Candidates for the gate of an account: its own gate, or another of the site. Its registration knows the present
   * one.
   */
  #makeProviders({ surroundings, isHere }: InhabitantsOptions, onSettled: (name: string) => void): Provider[] {
    const gates = this.#map.instancesOf('esg').filter(({ node }) => isHere(node));
    const entries = providersOf(this.#map).filter(({ accounts }) =>
      accounts.some(({ gate }) => gates.some(({ site }) => site === gate.site)),
    );
    for (const { accounts } of entries) {
      for (const { key, provider, gate } of accounts) {
        if (provider.registration && isHere(gate.node)) this.unsettled.add(key);
      }
    }
    return entries.map((entry) => new Provider({ ...surroundings, entry, onSettled }));
  }
}
