/** The provider accounts of an esg instance: one registration entity each. */
import { type RegistrationOrder, registrationMachine } from '../machines/registration.ts';
import type { Account } from '../model/protocol/edge.ts';
import type { Regstate } from '../model/states.ts';
import type { TopologyProvider } from '../model/topology/schema.ts';
import { EntityHost } from '../runtime/entity-host.ts';
import type { RoleScope } from '../runtime/role.ts';

interface Pinned {
  readonly domain: string;
  readonly provider: TopologyProvider;
}

export class Accounts {
  readonly #scope: RoleScope;
  readonly #pinned: ReadonlyMap<string, Pinned>;
  readonly #registrations: EntityHost<typeof registrationMachine>;

  constructor(scope: RoleScope) {
    const { clock, counters, crash, map, instance } = scope;
    this.#scope = scope;
    this.#pinned = new Map(
      map.topology.domains.flatMap(({ name: domain, providers }) =>
        providers
          .filter((provider) => provider.esg === instance.srvidx)
          .map((provider) => [`${domain}/${provider.code}`, { domain, provider }] as const),
      ),
    );
    const onOrder = (key: string, order: RegistrationOrder) => this.#obey(key, order);
    this.#registrations = new EntityHost({ machine: registrationMachine, clock, counters, onOrder, onCrash: crash });
  }

  start(): void {
    for (const [key, { provider }] of this.#pinned) this.#registrations.start(key, provider);
  }

  stop(): void {
    this.#registrations.stopAll();
  }

  /** The accounts that are on this instance now, or those with a provider code. */
  list(code?: string): Account[] {
    return [...this.#pinned].flatMap(([key, { domain, provider }]) => {
      const registration = this.#registrations.snapshot(key);
      if (registration === undefined || (code !== undefined && provider.code !== code)) return [];
      return [
        {
          code: provider.code,
          d: domain,
          user: provider.username,
          domain: provider.domain,
          port: provider.port,
          proto: provider.proto,
          addrs: provider.addrs,
          regstate: registration.value as Regstate,
          pingstate: 'disabled' as const,
          last_response: [...registration.context.lastResponse],
          onlinetrunkcount: 0,
        },
      ];
    });
  }

  #obey(key: string, order: RegistrationOrder): void {
    // No provider is attached to this gate, so what it sends outside is lost, and its answers time out.
    this.#scope.counters.add(`outside.unattached.${order.type}`);
    this.#scope.log.write('debug', order.type, { account: key });
  }
}
