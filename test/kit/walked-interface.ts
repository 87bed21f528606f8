/** A cluster with something of everything in it, and the requests that its OpenAPI document says can be made of it. */
import { zipSync } from 'fflate';
import { loadTopology } from '../../sim/topology/load.ts';
import { VirtualWorld } from '../../sim/world/virtual.ts';

export const site = 'north';
const calls = '/rest/v1/uc/calls';

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly token?: string | undefined;
  readonly json?: unknown;
  readonly bytes?: { readonly type: string; readonly body: Uint8Array<ArrayBuffer> };
}

export interface Answered {
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

  constructor() {
    this.world = new VirtualWorld({ ...loadTopology('default'), seed: 1 });
  }

  async start(): Promise<void> {
    await this.world.start();
    this.master = await this.logIn('root.test');
    this.acme = await this.logIn('acme.root.test');
  }

  async ask({ method, path, token, json, bytes }: Asked): Promise<Answered> {
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
    await this.#make('recordrule', '/rest/v1/uc/recordrules', { priority: 1, rec: 1 });
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
    this.ids.set('dialogid', await this.#call('1003', '1004'));
    const { confid } = await this.#json('SWITCHCONF', `${calls}/${await this.#call('1005', '1006')}`, {});
    this.ids.set('confid', String(confid));
    await this.world.wait(3_000);
    const [participant] = (await this.#list(`/rest/v1/uc/conferences/${confid}/participants`)) as {
      participantid: string;
    }[];
    this.ids.set('participantid', participant?.participantid ?? '');
    const [user] = (await this.#list('/rest/v1/uc/sipusers')) as { id: string }[];
    this.ids.set('/rest/v1/uc/sipuser_states', user?.id ?? '');
    await this.ask({
      method: 'PUT',
      path: '/rest/v1/fs/targets/parking/music.wav',
      token: this.acme,
      bytes: { type: 'audio/wav', body: new Uint8Array(100) },
    });
    this.ids.set('file', 'music.wav');
    await this.#fillEntities();
  }

  async #fillEntities(): Promise<void> {
    const app = await this.#make('roleapp', '/rest/v1/domain/roleapps', { folder: 'walked' });
    this.ids.set('roleapp_id', app).set('folder', 'walked').set('path', 'index.html');
    const zip = zipSync({ 'index.html': new TextEncoder().encode('<p>hello') });
    const bytes = { type: 'application/zip', body: new Uint8Array(zip) };
    await this.ask({ method: 'POST', path: `/rest/v1/domain/roleapps/${app}/attachment`, token: this.acme, bytes });
    await this.#make('chatcampaign', '/rest/v1/uc/chatcampaigns', { code: 'walked' });
    await this.#make('sipuser', '/rest/v1/uc/sipusers', { login: 'walked', pwd: 'walked', phonenumber: '777' });
    const later = new Date(this.world.now() + 86_400_000).toISOString();
    const selector = await this.#make('selector', '/rest/v1/uc/selectors', {
      timestartutc: later,
      topology_mode: 'direct',
    });
    this.ids.set('selector_id', selector);
    const participants = `/rest/v1/uc/selectors/${selector}/participants`;
    this.ids.set(
      '/rest/v1/uc/selectors/{selector_id}/participants',
      await this.#made(participants, { number: '1001', topology_type: 'listener' }, this.acme),
    );
    const border = { priority: 100_000, action: 'allow' };
    this.ids.set('/rest/v1/master/borderrules', await this.#made('/rest/v1/master/borderrules', border, this.master));
    const domains = (await this.#list('/rest/v1/domain/domains', this.master)) as { id: string; name: string }[];
    const acme = domains.find(({ name }) => name === 'acme.root.test')?.id ?? '';
    this.ids.set('domain_id', acme);
    const users = `/rest/v1/domain/domains/${acme}/users`;
    const user = { name: 'Walked', login: 'walked', pwd: 'walked' };
    this.ids.set('/rest/v1/domain/domains/{domain_id}/users', await this.#made(users, user, this.master));
  }

  async #make(_kind: string, path: string, body: unknown): Promise<string> {
    const id = await this.#made(path, body, this.acme);
    this.ids.set(path, id);
    return id;
  }

  async #made(path: string, body: unknown, token: string): Promise<string> {
    const { status, text } = await this.ask({ method: 'POST', path, token, json: body });
    if (status !== 200) throw new Error(`POST ${path}: ${status} ${text}`);
    return (JSON.parse(text) as { id: string }).id;
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
