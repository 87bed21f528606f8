/** What tests of domain data have in common: a body for each entity, and a client for its operations. */
import { entityOf } from '../../../src/model/entities/entities.ts';
import type { Entity } from '../../../src/model/entities/entity.ts';
import { type Answer, type Asked, acmeAdmin, admin, type Credentials, type FrontCluster } from '../front.ts';

export type Item = Record<string, unknown> & { id: string; ext: { ct: string; lwt: string } };

const acmeUsers = '/rest/v1/domain/domains/acme.root.test/users';

interface Sample {
  /** What a create needs at least. */
  readonly least: Record<string, unknown>;
  /** A change. */
  readonly patch: Record<string, unknown>;
  readonly who: Credentials;
}

/** The least that a script consists of. */
const components = [{ name: 'start', type: 'start' }];
const longer = [
  { name: 'start', type: 'start', next: 'note' },
  { name: 'note', type: 'log', text: '"note"' },
];

const samples: Readonly<Record<string, Sample>> = {
  chatcampaign: { least: { code: 'sales' }, patch: { name: 'Sales', opts: { title: 'T' } }, who: acmeAdmin },
  borderrule: { least: { action: 'deny' }, patch: { priority: 5, remoteipmask: '10.6.0.0/16' }, who: admin },
  roleapp: { least: { folder: 'desk' }, patch: { roles: ['admin', 'desk'], opts: { comment: 'C' } }, who: acmeAdmin },
  user: {
    least: { name: 'Ann Lee', login: 'ann', pwd: 'secret' },
    patch: { timezone: 3.5, opts: { roles: ['user'] } },
    who: acmeAdmin,
  },
  recordrule: {
    least: {},
    patch: { rec: 1, dir: 'inner', periods: [{ days: [1], from: '08:00', to: '12:30' }] },
    who: acmeAdmin,
  },
  sipuser: {
    least: { login: '2001', pwd: 'sip', phonenumber: '2001' },
    patch: { lic: { devices: 3 }, opts: { trunks: 2 } },
    who: acmeAdmin,
  },
  selector: {
    least: { timestartutc: '2030-01-01T09:00:00Z', topology_mode: 'direct' },
    patch: { displayname: 'Monday' },
    who: acmeAdmin,
  },
  svcscript: { least: { code: 'hello', components }, patch: { name: 'Hello', components: longer }, who: acmeAdmin },
  ivrscript: {
    least: { code: 'hello', components },
    patch: { name: 'Hello', components: longer },
    who: acmeAdmin,
  },
  integrationchannel: {
    least: { code: 'crm', token_local: 'a-token-of-the-crm' },
    patch: { svcscriptcode: 'hello', opts: { recv_timeout: 20 } },
    who: acmeAdmin,
  },
  contactgroup: { least: { code: 'sales' }, patch: { members: ['1001', '1002'] }, who: acmeAdmin },
  participant: {
    least: { number: '1001', topology_type: 'listener' },
    patch: { mic: false, name: 'Bob' },
    who: acmeAdmin,
  },
};

/** One entity of a running cluster, as an administrator of the right domain works with it. */
export class EntityClient {
  readonly entity: Entity;
  readonly base: string;
  readonly least: Record<string, unknown>;
  readonly patch: Record<string, unknown>;
  readonly token: string;
  readonly #cluster: FrontCluster;
  readonly #made: string[] = [];

  private constructor(cluster: FrontCluster, kind: string, { base, token }: { base: string; token: string }) {
    const { least, patch } = sampleOf(kind);
    this.#cluster = cluster;
    this.entity = entityOf(kind);
    this.base = base;
    this.least = least;
    this.patch = patch;
    this.token = token;
  }

  static async open(cluster: FrontCluster, kind: string, who = sampleOf(kind).who): Promise<EntityClient> {
    const token = await cluster.token(who);
    return new EntityClient(cluster, kind, { base: await baseOf(cluster, kind, token), token });
  }

  /** Asks `METHOD` of the collection, `METHOD /id` of an item, `METHOD ?query` or `METHOD /id?query`. */
  async ask(line: string, asked: Asked = {}): Promise<Answer> {
    const [method = '', rest = ''] = line.split(' ');
    const answer = await this.#cluster.ask(`${method} ${this.base}${rest}`, { token: this.token, ...asked });
    if (method === 'POST' && answer.status === 200) this.#made.push((answer.body as Item).id);
    return answer;
  }

  /** Makes an item of what is needed at least, and of `more`. */
  async create(more: Record<string, unknown> = {}, asked: Asked = {}): Promise<Item> {
    const answer = await this.ask('POST', { json: { ...this.least, ...more }, ...asked });
    if (answer.status !== 200) throw new Error(`POST gave ${answer.status} ${answer.text}`);
    return answer.body as Item;
  }

  /** Removes what was made here. */
  async clear(): Promise<void> {
    for (const id of this.#made) await this.ask(`DELETE /${id}`);
  }

  async list(query = '', asked: Asked = {}): Promise<Item[]> {
    const answer = await this.ask(`GET ${query}`, asked);
    if (answer.status !== 200) throw new Error(`GET gave ${answer.status} ${answer.text}`);
    return answer.body as Item[];
  }
}

function sampleOf(kind: string): Sample {
  const sample = samples[kind];
  if (sample === undefined) throw new Error(`no sample of "${kind}"`);
  return sample;
}

async function baseOf(cluster: FrontCluster, kind: string, token: string): Promise<string> {
  if (kind === 'user') return acmeUsers;
  if (kind !== 'participant') return entityOf(kind).path;
  const { path } = entityOf('selector');
  const answer = await cluster.ask(`POST ${path}`, { token, json: sampleOf('selector').least });
  return `${path}/${(answer.body as Item).id}/participants`;
}

/** A filter for a query string. */
export function filterOf(filter: unknown): string {
  return `filter=${encodeURIComponent(JSON.stringify(filter))}`;
}
