/** A cluster with something of everything in it, and the requests that its OpenAPI document says can be made of it. */
import { zipSync } from 'fflate';
import { withData } from '../../scenario/initial-data.ts';
import { loadTopology } from '../../topology/load-topology.ts';
import { VirtualWorld } from '../../world/virtual.ts';

export const site = 'north';
const calls = '/rest/v1/uc/calls';
const conferences = '/rest/v1/uc/conferences';

/** The domain that logs in by a script, and the code of the script. */
export const externalDomain = 'acme.root.test';
export const externalScript = 'login-form';

interface Example {
  readonly body: (n: number, nowMs: number) => unknown;
  readonly isMaster?: boolean;
}

/** What is made of each entity. */
const examples: Readonly<Record<string, Example>> = {
  '/rest/v1/uc/recordrules': { body: (n) => ({ priority: n, rec: 1 }) },
  '/rest/v1/domain/roleapps': { body: (n) => ({ folder: `walked-${n}` }) },
  '/rest/v1/uc/chatcampaigns': { body: (n) => ({ code: `walked-${n}` }) },
  '/rest/v1/uc/sipusers': { body: (n) => ({ login: `walked-${n}`, pwd: 'walked', phonenumber: `77${n}` }) },
  '/rest/v1/uc/selectors': {
    body: (_, nowMs) => ({ timestartutc: new Date(nowMs + 86_400_000).toISOString(), topology_mode: 'direct' }),
  },
  '/rest/v1/uc/selectors/{selector_id}/participants': {
    body: (n) => ({ number: `10${n}`, topology_type: 'listener' }),
  },
  '/rest/v1/domain/svcscripts': {
    body: (n) => ({ code: `walked-${n}`, components: [{ name: 'start', type: 'start' }] }),
  },
  '/rest/v1/domain/ivrscripts': {
    body: (n) => ({ code: `walked-${n}`, components: [{ name: 'start', type: 'start' }] }),
  },
  '/rest/v1/domain/integrationchannels': {
    body: (n) => ({ code: `walked-${n}`, token_local: `a-token-that-is-walked-${n}` }),
  },
  '/rest/v1/domain/contactgroups': { body: (n) => ({ code: `walked-${n}` }) },
  '/rest/v1/master/borderrules': { body: (n) => ({ priority: 100_000 + n, action: 'allow' }), isMaster: true },
  '/rest/v1/domain/domains/{domain_id}/users': {
    body: (n) => ({ name: 'Walked', login: `walked-${n}`, pwd: 'walked' }),
    isMaster: true,
  },
};

/** The body of a new item of the collection; `undefined` for another path. */
export function bodyOfNew(collection: string, n: number, nowMs: number): unknown {
  return examples[collection]?.body(n, nowMs);
}

/** The archive of an application with one page. */
export function appZip(): NonNullable<Asked['bytes']> {
  const page = new TextEncoder().encode('<p>hello');
  const zip = zipSync({ 'index.html': page, 'operator.html': page }, { mtime: '2026-01-01' });
  return { type: 'application/zip', body: new Uint8Array(zip) };
}

/** The path under which items of the kind are, by the path of one. */
export function collectionOf(path: string): string {
  return path.replace(/\/\{id\}$/, '').replace('/rest/v1/api/', '/rest/v1/uc/');
}

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly token?: string | undefined;
  readonly json?: unknown;
  readonly bytes?: { readonly type: string; readonly body: Uint8Array<ArrayBuffer> };
}

export interface AnsweredRequest {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

export class WalkedInterface {
  readonly world: VirtualWorld;
  master = '';
  acme = '';
  /** Ids by the name of the parameter in a path; those of entities by the path of their collection. */
  readonly ids = new Map<string, string>();
  #count = 0;

  constructor(options: { keepJournal?: boolean } = {}) {
    const domain = { name: externalDomain, opts: { iam_external_svcscript_code: externalScript } };
    this.world = new VirtualWorld({ ...withData(loadTopology('default'), { domains: [domain] }), seed: 1, ...options });
  }

  async start(): Promise<void> {
    await this.world.start();
    this.master = await this.logIn('root.test');
    this.acme = await this.logIn('acme.root.test');
  }

  async ask({ method, path, token, json, bytes }: Asked): Promise<AnsweredRequest> {
    const headers: Record<string, string> = {};
    if (token !== undefined) headers['authorization'] = `Bearer ${token}`;
    if (json !== undefined) headers['content-type'] = 'application/json';
    if (bytes !== undefined) headers['content-type'] = bytes.type;
    const body = json === undefined ? bytes?.body : JSON.stringify(json);
    const request = new Request(`http://${site}${path}`, { method, headers, ...(body !== undefined && { body }) });
    const response = await this.world.request(site, request);
    return { status: response.status, type: response.headers.get('content-type') ?? '', text: await response.text() };
  }

  async logIn(domain: string): Promise<string> {
    const json = { domain, login: 'admin', pwd: 'admin', session_type: 'token' };
    const { text } = await this.ask({ method: 'POST', path: '/rest/v1/iam/sessions', json });
    return (JSON.parse(text) as { session_token: string }).session_token;
  }

  /** Two live calls, a conference with a participant, a recorded call that is over, a file, an application with a page. */
  async fill(): Promise<void> {
    await this.#own();
    await this.#fillEntities();
    const over = await this.#call('1001', '1002');
    await this.world.wait(3_000);
    await this.ask({ method: 'DELETE', path: `${calls}/${over}`, token: this.acme });
    await this.world.wait(8_000);
    const [record] = (await this.#list('/rest/v1/journal/calls')) as { inviteid: string }[];
    const inviteid = record?.inviteid ?? '';
    this.ids.set('inviteid', inviteid);
    const [sounds] = (await this.#list(`/rest/v1/journal/calls/${inviteid}/attachments`)) as {
      files: { name: string }[];
    }[];
    this.ids.set('recording', sounds?.files[0]?.name ?? '');
    const ivrscript = this.ids.get('ivrscript');
    await this.#json('INVITEBYIVR', calls, { from: '1001', ivrscript, response_mode: 1 });
    await this.refresh('{dialogid} {confid} {participantid}');
    const [user] = (await this.#list('/rest/v1/uc/sipusers')) as { id: string }[];
    this.ids.set('/rest/v1/uc/sipuser_states', user?.id ?? '');
    for (const target of ['parking', 'selector']) {
      await this.ask({
        method: 'PUT',
        path: `/rest/v1/fs/targets/${target}/music.wav`,
        token: this.acme,
        bytes: { type: 'audio/wav', body: new Uint8Array(100) },
      });
    }
    this.ids.set('file', 'music.wav');
  }

  /** Makes two new calls of one party: a call that is being transferred takes no other command. */
  async callAnew(): Promise<void> {
    this.ids.set('dialogid', await this.#call('1003', '1004'));
    this.ids.set('other', await this.#call('1003', '1006'));
    await this.world.wait(3_000);
  }

  /** Sees to it that the call and the conference in a path are there, whatever was done to those before. */
  async refresh(path: string): Promise<void> {
    const isThere = async (place: string, name: string) =>
      (await this.ask({ method: 'GET', path: `${place}/${this.ids.get(name) ?? 'none'}`, token: this.acme })).status ===
      200;
    if (path.includes('{dialogid}') && !(await isThere(calls, 'dialogid'))) {
      this.ids.set('dialogid', await this.#call('1003', '1004'));
    }
    if (path.includes('{dialogid}') && !(await isThere(calls, 'other'))) {
      this.ids.set('other', await this.#call('1003', '1006'));
    }
    const collection = collectionOf(path);
    if (path.includes('selector_id')) await this.#ensure('/rest/v1/uc/selectors');
    if (path.includes('roleapp_id') || path.startsWith('/app/')) await this.#ensure('/rest/v1/domain/roleapps');
    await this.#ensure(collection);
    if (!path.includes('{confid}')) return;
    const participants = () => `${conferences}/${this.ids.get('confid')}/participants`;
    const { text } = await this.ask({ method: 'GET', path: participants(), token: this.acme });
    // It is not among the own ones any more when the own participant, which was removed, has gone.
    if (text.includes('"leaving"')) await this.world.wait(1_000);
    if (!(await isThere(`${conferences}_by_participation`, 'confid'))) {
      const { confid } = await this.#json('SWITCHCONF', `${calls}/${await this.#call('1005', '1006')}`, {});
      this.ids.set('confid', String(confid));
      await this.world.wait(2_000);
    }
    const [participant] = (await this.#list(participants())) as { participantid: string }[];
    this.ids.set('participantid', participant?.participantid ?? '');
  }

  /** Binds SIP users to the user of the session: their calls and conferences are its own. */
  async #own(): Promise<void> {
    const { text } = await this.ask({ method: 'GET', path: '/rest/v1/iam/sessions/current', token: this.acme });
    const { user_id } = JSON.parse(text) as { user_id: string };
    const users = (await this.#list('/rest/v1/uc/sipusers')) as { id: string; login: string }[];
    for (const { id } of users.filter(({ login }) => ['1001', '1003', '1005'].includes(login))) {
      await this.#json('PATCH', `/rest/v1/uc/sipusers/${id}`, { iduser: user_id });
    }
  }

  /** Something of each entity, by the path of its collection. */
  async #fillEntities(): Promise<void> {
    const domains = (await this.#list('/rest/v1/domain/domains', this.master)) as { id: string; name: string }[];
    this.ids.set('domain_id', domains.find(({ name }) => name === 'acme.root.test')?.id ?? '');
    this.ids.set('class', 'sipuser');
    for (const collection of Object.keys(examples)) await this.#ensure(collection);
  }

  /** Makes an item of a collection where the one that was there is gone, and what belongs to it. */
  async #ensure(collection: string): Promise<void> {
    const { body, isMaster = false } = examples[collection] ?? {};
    if (body === undefined) return;
    const token = isMaster ? this.master : this.acme;
    const path = collection.replaceAll(/\{(\w+)\}/g, (_, name: string) => this.ids.get(name) ?? '');
    const item = await this.ask({ method: 'GET', path: `${path}/${this.ids.get(collection) ?? 'none'}`, token });
    if (item.status === 200) return;
    this.#count += 1;
    const json = body(this.#count, this.world.now());
    const { status, text } = await this.ask({ method: 'POST', path, token, json });
    if (status !== 200) throw new Error(`POST ${path}: ${status} ${text}`);
    const { id } = JSON.parse(text) as { id: string };
    this.ids.set(collection, id);
    if (collection.endsWith('/ivrscripts')) this.ids.set('ivrscript', String((json as { code: unknown }).code));
    if (collection === '/rest/v1/uc/selectors') this.ids.set('selector_id', id);
    if (collection !== '/rest/v1/domain/roleapps') return;
    this.ids.set('roleapp_id', id).set('folder', `walked-${this.#count}`).set('path', 'operator.html');
    await this.ask({ method: 'POST', path: `${path}/${id}/attachment`, token, bytes: appZip() });
  }

  async #call(from: string, to: string): Promise<string> {
    const { dialogid } = await this.#json('INVITE', calls, { from, to, response_mode: 3 });
    return String(dialogid);
  }

  async #json(method: string, path: string, json: unknown): Promise<Record<string, unknown>> {
    const { status, text } = await this.ask({ method, path, token: this.acme, json });
    if (status !== 200) throw new Error(`${method} ${path}: ${status} ${text}`);
    return JSON.parse(text) as Record<string, unknown>;
  }

  async #list(path: string, token = this.acme): Promise<unknown[]> {
    const { status, text } = await this.ask({ method: 'GET', path, token });
    if (status !== 200) throw new Error(`GET ${path}: ${status} ${text}`);
    return JSON.parse(text) as unknown[];
  }
}
