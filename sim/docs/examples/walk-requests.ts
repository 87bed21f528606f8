/** The request of each operation that should succeed, for a cluster with something of everything in it. */
import type { ListedOperation } from '../../../src/http/openapi/operations.ts';
import { type Asked, appZip, bodyOfNew, collectionOf, type WalkedInterface } from './walked-interface.ts';

type Upload = NonNullable<Asked['bytes']>;

/** A multipart form with one file. */
export function form(name: string): Upload {
  const type = 'multipart/form-data; boundary=b';
  const head = `Content-Disposition: form-data; name="f"; filename="${name}"`;
  return { type, body: new TextEncoder().encode(`--b\r\n${head}\r\n\r\nsound\r\n--b--\r\n`) };
}

/** A path with the ids of items that exist. */
export function knownPath({ path }: ListedOperation, walked: WalkedInterface): string {
  const collection = collectionOf(path);
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    if (name === 'id') return walked.ids.get(collection) ?? 'none';
    if (name === 'name')
      return path.includes('fs/targets')
        ? 'music.wav'
        : path.includes('nodes')
          ? 'ivr-325'
          : (walked.ids.get('recording') ?? '');
    if (name === 'ip') return '10.0.0.1';
    return encodeURIComponent(walked.ids.get(name) ?? 'none');
  });
}

/** The token of a session with the required access; one of its own where the operation ends or changes the session. */
export async function tokenFor(
  { operation, path }: ListedOperation,
  walked: WalkedInterface,
): Promise<string | undefined> {
  if (operation.security.length === 0) return undefined;
  if (path.endsWith('/sessions/current')) return walked.logIn('globex.root.test');
  const isMaster = operation['x-strowger-access'].includes('master domain') || path.includes('{domain_id}');
  return isMaster ? walked.master : walked.acme;
}

/** Operations that end or change what others need come last. */
export function rank({ method, path }: ListedOperation): number {
  // Wrong logins ban the address.
  if (method === 'POST' && path.endsWith('/sessions')) return 4;
  if (method === 'DELETE') return path.includes('/sessions') ? 3 : 2;
  return usesUp.has(method) ? 1 : 0;
}

/** Verbs after which a call takes no other for a while. */
export const usesUp: ReadonlySet<string> = new Set(['REFER', 'REFERREPLACES', 'SWITCHCONF', 'REFERCONF']);

/** Bodies that should succeed, where a schema alone does not say which would. */
export function goodBody({ method, path }: ListedOperation, { ids }: WalkedInterface): unknown {
  switch (method) {
    case 'POST':
    case 'INVITE':
      if (path.endsWith('/sessions'))
        return { domain: 'root.test', login: 'admin', pwd: 'admin', session_type: 'token' };
      // A generated text names no site.
      if (path.endsWith('/borderrules')) return { action: 'allow', site: 'north' };
      // A generated text names neither a site nor a node.
      if (path.endsWith('/audiomatcher')) return { action: 'reload' };
      if (/\/(svc|ivr)scripts$/.test(path)) return { code: 'good', components: [{ name: 'start', type: 'start' }] };
      return path.endsWith('/calls') || path.endsWith('calls_by_participation')
        ? { from: '1001', to: '1002', response_mode: 0 }
        : topologyIn(path);
    case 'INVITEBYIVR':
      return { from: '1001', ivrscript: ids.get('ivrscript'), response_mode: 0 };
    case 'REFERCONF':
      return { by: 'a', confid: ids.get('confid') };
    case 'REFERREPLACES':
      return { by: 'a', dialogid: ids.get('other') };
    case 'REFER':
      return { by: 'a', referto: '1007', response_mode: 0 };
    case 'NOTIFY':
      return { to: 'b', event: 'hold' };
    case 'SEND_DTMF':
      return { to: 'b', dtmf: '5' };
    case 'LOOKUP':
      if (path.includes('/calls')) return { dialogid: ids.get('dialogid') };
      if (path.includes('/conferences')) return { confid: ids.get('confid') };
      return ids.get(collectionOf(path)) ?? 'none';
    default:
      if (path.endsWith('/sessions/current')) return { domain: 'globex.root.test' };
      if (path.includes('/roleapps/')) return { title: 'Walked' };
      if (/\/(svc|ivr)scripts\//.test(path)) return { name: 'Walked' };
      if (path.includes('/borderrules/')) return { action: 'allow' };
      return topologyIn(path);
  }
}

function topologyIn(path: string): unknown {
  return path.endsWith('/topology') ? { hears: {} } : undefined;
}

/** The body of an example. Calls are answered when the callee has answered. */
export function exampleBody(listed: ListedOperation, walked: WalkedInterface, n: number): Partial<Asked> {
  const { method, path, operation } = listed;
  const media = Object.keys(operation.requestBody?.content ?? {});
  if (media.length === 0) return {};
  if (!media.includes('application/json'))
    return { bytes: media.includes('application/zip') ? appZip() : form('b.wav') };
  const nowMs = walked.world.now();
  const given = goodBody(listed, walked) ?? otherBody(method, path);
  const body =
    given ?? (method === 'PATCH' ? changeOf(bodyOfNew(collectionOf(path), n, nowMs)) : bodyOfNew(path, n, nowMs));
  const isCall = typeof body === 'object' && body !== null && 'response_mode' in body;
  return { json: isCall ? { ...body, response_mode: 3 } : body };
}

/** The first field of a new item is enough for a change. */
function changeOf(item: unknown): unknown {
  return Object.fromEntries(Object.entries(item ?? {}).slice(0, 1));
}

function otherBody(method: string, path: string): unknown {
  if (method === 'SETUP_RECORD') return { action: 'start' };
  if (method === 'SETUP_ASR') return { side: 'b', action: 'start' };
  if (method === 'SETUP_BINDINGS') return { add: ['vip'] };
  if (method === 'SWITCHCONF') return {};
  if (path.endsWith('/nodes/{name}')) return { maxLogLevel: 'info' };
  if (path.endsWith('/participants') && path.includes('/conferences')) return { to: '1008' };
  return path.endsWith('/bannedaddrs') || path.includes('/bannedaddrs/site')
    ? { ip: '10.66.0.1', expires: 60 }
    : undefined;
}
