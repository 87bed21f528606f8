/** The phones and providers of a process, by name. */

import { EntityHost } from '../../src/actors/entity-host.ts';
import type { ClusterMap } from '../../src/model/cluster/cluster-map.ts';
import { NotInTopology } from '../faults/places.ts';
import { deviceMachine } from './endpoints/device-machine.ts';
import type { EndpointContext } from './endpoints/parties.ts';
import { Phone } from './endpoints/phone.ts';
import { Provider } from './endpoints/provider.ts';
import {
  type AddedPhone,
  addedPhoneOf,
  elsewhereText,
  isOutside,
  isPhoneNamed,
  isProviderNamed,
  namesOutside,
  type PhoneEntry,
  phonesOf,
  providersOf,
} from './population.ts';

export type Endpoint = Phone | Provider;

export interface EndpointsOptions {
  readonly context: EndpointContext;
  /** Whether this process runs a node. The process runs the endpoints behind that node's gates. */
  readonly isHere: (node: string) => boolean;
  /** The first attempt of a phone or an account to register has ended. */
  readonly onSettled: (name: string) => void;
}

export class Endpoints {
  readonly providers: readonly Provider[];
  /** Phones and accounts whose first attempt has not ended. */
  readonly unsettled = new Set<string>();
  readonly #options: EndpointsOptions;
  readonly #map: ClusterMap;
  /** By name. */
  readonly #phones = new Map<string, Phone>();
  #added = 0;
  readonly #devices: EntityHost<typeof deviceMachine>;

  constructor(options: EndpointsOptions) {
    const { clock, counters, onCrash, map } = options.context;
    this.#options = options;
    this.#map = map;
    this.#devices = new EntityHost({
      clock,
      counters,
      onCrash,
      machine: deviceMachine,
      onCommand: (name, order) => this.#phones.get(name)?.obey(order),
    });
    for (const entry of phonesOf(map)) if (this.#isHere(entry)) this.#make(entry);
    this.providers = this.#makeProviders(options);
  }

  get phones(): readonly Phone[] {
    return [...this.#phones.values()];
  }

  /** Adds a phone. Throws if no sg of this process serves its domain. */
  add(added: AddedPhone): Phone {
    const { site } = added;
    if (site !== undefined && !this.#map.sites.has(site)) {
      throw new NotInTopology(`no site named "${site}"; expected one of ${[...this.#map.sites.keys()].join(', ')}`);
    }
    const owner = `${added.domain}/${added.login}`;
    const device = 1 + this.phones.filter(({ entry }) => `${entry.domain}/${entry.user.login}` === owner).length;
    const entry = addedPhoneOf(this.#map, added, this.#added, device);
    if (!this.#isHere(entry)) {
      throw new NotInTopology(`no sg serves the domain "${added.domain}"; expected one that the topology serves`);
    }
    this.#added += 1;
    return this.#make(entry);
  }

  get all(): readonly Endpoint[] {
    return [...this.phones, ...this.providers];
  }

  phonesNamed(name: string): Phone[] {
    return this.phones.filter(({ entry }) => isPhoneNamed(entry, name));
  }

  providersNamed(name: string): Provider[] {
    return this.providers.filter(({ entry }) => isProviderNamed(entry, name));
  }

  /** All endpoints of a name. Throws if there is none. */
  named(name: string): Endpoint[] {
    const found = [...this.phonesNamed(name), ...this.providersNamed(name)];
    if (found.length > 0) return found;
    if (isOutside(this.#map, name)) throw new NotInTopology(elsewhereText(this.#map, name));
    // Clients may have added phones.
    const names = new Set([...namesOutside(this.#map), ...this.phones.map(({ entry }) => entry.name)]);
    throw new NotInTopology(
      `no phone or provider is named "${name}"; expected one of ${[...names].join(', ') || '(none)'}`,
    );
  }

  stop(): void {
    this.#devices.stopAll();
    for (const { party } of this.all) party.stop();
  }

  /** A phone runs in the process of its first gate. */
  #isHere({ gates: [first] }: PhoneEntry): boolean {
    return first !== undefined && this.#options.isHere(first.node);
  }

  /** With the gates of this process only. */
  #make({ gates, ...entry }: PhoneEntry): Phone {
    const { context, isHere } = this.#options;
    this.unsettled.add(entry.name);
    const phone = new Phone({
      ...context,
      entry: { ...entry, gates: gates.filter(({ node }) => isHere(node)) },
      devices: this.#devices,
      onSettled: () => this.#settle(entry.name),
    });
    this.#phones.set(entry.name, phone);
    return phone;
  }

  #settle(name: string): void {
    if (this.unsettled.delete(name)) this.#options.onSettled(name);
  }

  /**
   * Candidates for the gate of an account: its own gate, or another of the site. Its registration knows the present
   * one.
   */
  #makeProviders({ context, isHere }: EndpointsOptions): Provider[] {
    const gates = this.#map.instancesOf('esg').filter(({ node }) => isHere(node));
    const entries = providersOf(this.#map).filter(({ accounts }) =>
      accounts.some(({ gate }) => gates.some(({ site }) => site === gate.site)),
    );
    for (const { accounts } of entries) {
      for (const { key, provider, gate } of accounts) {
        if (provider.registration && isHere(gate.node)) this.unsettled.add(key);
      }
    }
    return entries.map((entry) => new Provider({ ...context, entry, onSettled: (name) => this.#settle(name) }));
  }
}
