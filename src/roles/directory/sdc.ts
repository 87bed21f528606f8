/** The sdc role: the domain data of its site's domains, copied from mdc, for reading. Stand-bys copy as well. */

import { unreachableFault } from '../../cluster/messaging/ask-in-order.ts';
import { activeInstances, type Handlers, type Role, type RoleScope } from '../../cluster/role.ts';
import type { InstanceEntry } from '../../model/cluster/cluster-map.ts';
import { coverOf } from '../../model/domain-tree.ts';
import { failed, type Outcome } from '../../model/fault.ts';
import type { BodyOf, ReplyOf } from '../../model/protocol/catalogue.ts';
import type { DataRowChange } from '../../model/protocol/messages/data.ts';
import type { Stores } from '../../ports/store.ts';
import { fileReadingHandlers } from './files/file-index.ts';
import { type DomainData, type DomainDataProvider, figuresOf, readingHandlers, WaitingRequests } from './reads.ts';
import { Replica } from './replica.ts';
import { type Revocations, sendRevocations } from './revocations.ts';
import { notifyReaders } from './rules.ts';
import { scriptHandlers } from './script-data.ts';

export function createSdc(scope: RoleScope, stores: Stores): Role<'sdc'> {
  return new Sdc(scope, stores);
}

class Sdc implements Role<'sdc'> {
  readonly handlers: Handlers<'sdc'>;
  readonly #scope: RoleScope;
  /** One for each mdc group. */
  readonly #replicas: readonly Replica[];
  readonly #waiting = new WaitingRequests();

  constructor(scope: RoleScope, stores: Stores) {
    this.#scope = scope;
    const onReady = () => this.#waiting.call();
    const onRevocations = (revocations: Revocations) => this.#revoke(revocations);
    const onChanged = (changes: readonly DataRowChange[] | 'all') => this.#notifyReaders(changes);
    this.#replicas = mdcGroups(scope).map(
      (masters) => new Replica({ scope, stores, masters, onReady, onRevocations, onChanged }),
    );
    for (const replica of this.#replicas) {
      scope.counters.detail(() => (replica.data === undefined ? new Map() : figuresOf(replica.data.database)));
      const name = `replica.age_ms.${replica.masters[0]?.group ?? 0}`;
      scope.counters.monitor(() => (replica.data === undefined ? new Map() : new Map([[name, replica.data.ageMs]])));
    }
    scope.onViewChange(() => {
      for (const replica of this.#replicas) replica.look();
    });
    const provider: DomainDataProvider = {
      of: (domain) => this.#data(domain),
      shared: () => this.#replicaFor(scope.map.masterDomain)?.data,
      onNextChange: (look) => this.#waiting.add(look),
    };
    this.handlers = {
      ...readingHandlers(scope, provider, (body) => this.#askMaster(body)),
      ...fileReadingHandlers(scope, provider),
      ...scriptHandlers(scope, provider),
      'data.changed': (body, { from }) => this.#replicaOf(from)?.receive(body, from),
    };
  }

  stop(): void {
    for (const replica of this.#replicas) replica.end();
  }

  #data(domain: string): DomainData | undefined {
    if (coverOf(domain, this.#scope.instance.domains) === undefined) return undefined;
    const data = this.#replicaFor(domain)?.data;
    // An older copy may be one of other domains.
    return coverOf(domain, data?.database.position?.filled ?? []) === undefined ? undefined : data;
  }

  #replicaFor(domain: string): Replica | undefined {
    return this.#replicas.find(({ masters }) => coverOf(domain, masters[0]?.domains ?? []) !== undefined);
  }

  #replicaOf(address: string): Replica | undefined {
    return this.#replicas.find(({ masters }) => masters.some((each) => each.address === address));
  }

  /** What a number leads to in a domain that this site does not serve. */
  #askMaster(body: BodyOf<'directory.route'>): Promise<Outcome<ReplyOf<'directory.route'>>> {
    const [master] = activeInstances(this.#scope, 'mdc', body.domain);
    if (master === undefined) return Promise.resolve(failed(unreachableFault('mdc', this.#scope.instance.site)));
    return this.#scope.ask(master.address, 'directory.route', body);
  }

  #notifyReaders(changes: readonly DataRowChange[] | 'all'): void {
    const { view, instance } = this.#scope;
    if (view.statusOf(instance) === 'active') notifyReaders(this.#scope, changes);
  }

  /** Stand-bys do it as well: in a site that is cut inside itself, they may reach instances that the one that serves does not. */
  #revoke(revocations: Revocations): void {
    const { site } = this.#scope.instance;
    sendRevocations(this.#scope, revocations, (instance) => instance.site === site);
  }
}

/** The members of each mdc group, by order. */
function mdcGroups({ map }: RoleScope): (readonly InstanceEntry[])[] {
  const all = map.instancesOf('mdc');
  return all.filter((each) => map.groupOf(each)[0] === each).map((first) => map.groupOf(first));
}
