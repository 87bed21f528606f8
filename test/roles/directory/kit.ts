/** Real mdc and sdc instances in a cluster of probes, with stores that a test can look into and wipe. */
import { SeededRandom } from '../../../sim/ports/random.ts';
import { SimulatedStores } from '../../../sim/ports/store.ts';
import type { RoleScope } from '../../../src/cluster/role.ts';
import { done, type Outcome } from '../../../src/model/fault.ts';
import type { AskType, BodyOf, ReplyOf } from '../../../src/model/protocol/catalogue.ts';
import { namedUuid } from '../../../src/model/uuid.ts';
import { createMdc } from '../../../src/roles/directory/mdc.ts';
import { createSdc } from '../../../src/roles/directory/sdc.ts';
import { ProbedCluster, type ProbedClusterOptions } from '../../kit/cluster/probed-cluster.ts';
import { mapWithoutFiles } from '../../kit/maps.ts';

export const acme = 'acme.root.test';
export const place = { kind: 'sipuser', domain: acme };

export class DirectoryCluster {
  readonly probed: ProbedCluster;
  readonly stores: SimulatedStores;

  private constructor(options: ProbedClusterOptions, stores: SimulatedStores | undefined) {
    this.probed = new ProbedCluster({
      map: mapWithoutFiles,
      answer: ({ type }) => done(type === 'registrar.unbind' ? { removed: 0 } : {}),
      roles: {
        mdc: (scope) => createMdc(scope, this.stores.shared('sites/hq', scope.instance.node)),
        sdc: (scope) => createSdc(scope, this.stores.of(scope.instance.node)),
      },
      ...options,
    });
    const { clock } = this.probed;
    this.stores = stores ?? new SimulatedStores({ clock, random: new SeededRandom(1).stream('faults') });
  }

  /** `stores`: those of an earlier cluster. */
  static async start(options: ProbedClusterOptions = {}, stores?: SimulatedStores): Promise<DirectoryCluster> {
    const cluster = new DirectoryCluster(options, stores);
    await cluster.probed.start();
    return cluster;
  }

  /** What an instance answers to a probe of hq. */
  async ask<T extends AskType>(name: string, type: T, body: BodyOf<T>): Promise<Outcome<ReplyOf<T>>> {
    const scope: RoleScope = this.probed.scope('b2b-114');
    return (await this.probed.comes(scope.ask(this.probed.address(name), type, body))).value;
  }

  async good<T extends AskType>(name: string, type: T, body: BodyOf<T>): Promise<ReplyOf<T>> {
    const outcome = await this.ask(name, type, body);
    if (!outcome.ok) throw new Error(`${name} ${type}: ${outcome.fault.message}`);
    return outcome.value;
  }

  async create(login: string, more: Record<string, unknown> = {}): Promise<{ id: string }> {
    const given = { login, pwd: 'x', phonenumber: login, ...more };
    const id = namedUuid(login);
    return (await this.good('mdc-133', 'data.create', { ...place, id, given })).item as { id: string };
  }

  /** What a number leads to, as an instance says. */
  async callee(name: string, number: string, domain = acme): Promise<string> {
    const { callee } = await this.good(name, 'directory.route', { domain, number, mode: 'number' });
    return callee.kind === 'sipuser' ? `${callee.user.login}@${callee.user.domain}` : callee.kind;
  }

  /** What the registrars were sent of a login whose registrations were ended. */
  revocationOf(login: string): BodyOf<'registrar.unbind'> | undefined {
    return this.probed.received
      .filter(({ envelope }) => envelope.type === 'registrar.unbind')
      .map(({ envelope }) => envelope.body as BodyOf<'registrar.unbind'>)
      .find((body) => body.login === login);
  }

  /** The logins whose registrations were ended, with the sr instance that got the request. */
  unbound(): string[] {
    const asks = this.probed.received.filter(({ envelope }) => envelope.type === 'registrar.unbind');
    return asks.map(({ by, envelope }) => `${(envelope.body as { login: string }).login} at ${by}`).sort();
  }
}
