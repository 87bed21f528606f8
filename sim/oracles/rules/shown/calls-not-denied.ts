/** No front says that there is no call of an id while that call goes on. */
import { nodeOf } from '../../../../src/model/cluster/address.ts';
import type { BodyOf } from '../../../../src/model/protocol/catalogue.ts';
import type { StreamItem } from '../../../../src/model/protocol/messages/stream.ts';
import type { ObservationListeners, OracleMaker } from '../../oracle.ts';
import { Reachability } from '../../reachability.ts';
import { ClientRequests } from '../kit/client-requests.ts';
import { byType, setLast, together } from '../kit/shared.ts';

interface LiveCall {
  readonly site: string;
  domains: readonly string[];
  /** The callstores of its site that have received it. */
  readonly known: Set<string>;
  /** Since when all of them had. */
  knownMs: number | undefined;
}

const path = /^\/rest\/v1\/uc\/calls\/([^/?]+)$/;
const sessions = '/rest/v1/iam/sessions';
const mostKept = 3_000;

export const callsNotDenied: OracleMaker = {
  name: 'calls-not-denied',
  rule: 'The question of an administrator for a call by its id is answered with 404 only if the call is over, or was not known to the callstores of its site: where these do not answer the front says so (503), whatever is broken.',
  exclusions: 'Calls of a site whose nodes have not all seen each other since, and users who see their own calls only.',
  make: ({ map, now, fired, check, fail }) => {
    const reachability = new Reachability(map);
    const live = new Map<string, LiveCall>();
    /** Calls whose end was published: what was published before may be delivered after it. */
    const over = new Map<string, true>();
    const end = (dialogid: string) => {
      live.delete(dialogid);
      setLast(over, dialogid, true, mostKept);
    };
    const administrators = new Map<string, true>();
    const storesAt = new Map<string, readonly string[]>(
      [...map.sites.keys()].map((site) => [
        site,
        map
          .instancesOf('callstore')
          .filter((each) => each.site === site)
          .map(({ address }) => address),
      ]),
    );
    const restarted = (isIt: (address: string) => boolean) => {
      for (const call of live.values())
        for (const store of call.known) if (isIt(store) && call.known.delete(store)) call.knownMs = undefined;
    };
    /** Callstores that have lost items of a b2b by a fault point, as `b2b callstore`, until they have read them. */
    const behind = new Set<string>();
    let last:
      | { readonly from: string; readonly to: string; readonly items: readonly StreamItem[]; readonly fired: number }
      | undefined;
    /** The fault point fires right after the items have arrived. */
    const settle = () => {
      if (last !== undefined && last.fired !== fired('stream.unheard')) {
        behind.add(`${last.from} ${last.to}`);
        for (const { dialog } of last.items) {
          const call = live.get(dialog?.dialogid ?? '');
          if (call?.known.delete(last.to)) call.knownMs = undefined;
        }
      }
      last = undefined;
    };
    const received: ObservationListeners = {
      // Published by its b2b, or by a callstore that takes it for dead.
      'published.gone': ({ gone }) => end(gone),
      'published.event': {
        callevents: ({ event: { name, data } }) => {
          if (name === 'dlg_end' || name === 'dlg_dead') end(String(data['dialogid']));
        },
      },
      'envelope.delivered': byType(
        ['stream.published', 'stream.read'],
        ({ envelope: { type, kind, from, to, body }, atMs }) => {
          settle();
          const { role, site = '' } = map.instances.get(from) ?? {};
          if (kind === 'ask' || role !== 'b2b' || map.instances.get(to)?.role !== 'callstore') return;
          const { items = [] } = body as Partial<BodyOf<'stream.published'>>;
          if (type === 'stream.read') behind.delete(`${from} ${to}`);
          if (behind.has(`${from} ${to}`)) return;
          if (type === 'stream.published') last = { from, to, items, fired: fired('stream.unheard') };
          for (const { dialog, gone } of items) {
            if (dialog === undefined || gone !== undefined) continue;
            const { dialogid, domains, site: own } = dialog;
            if (own !== site || over.has(dialogid)) continue;
            const call = live.get(dialogid) ?? { site, domains, known: new Set<string>(), knownMs: undefined };
            call.domains = domains;
            call.known.add(to);
            if ((storesAt.get(site) ?? []).every((store) => call.known.has(store))) call.knownMs ??= atMs;
            setLast(live, dialogid, call, mostKept);
          }
        },
      ),
      'instance.status': ({ instance, status }) => {
        if (status === 'starting' || status === 'stopped') restarted((address) => address === instance);
        if (map.instances.get(instance)?.role === 'b2b' && status !== 'active' && status !== 'draining') live.clear();
      },
      'instance.crashed': ({ instance }) => {
        restarted((address) => address === instance);
        if (map.instances.get(instance)?.role === 'b2b') live.clear();
      },
      'node.ended': ({ node }) => {
        restarted((address) => nodeOf(address) === map.node(node).address);
        if (map.node(node).instances.some(({ role }) => role === 'b2b')) live.clear();
      },
    };
    const requests = new ClientRequests(
      (method, target) => method === 'GET' && path.test(target),
      ({ method, path: asked, client, domain, site, sent, calledMs }, { status, body }) => {
        if (method === 'POST' && asked === sessions) {
          const { login } = (sent ?? {}) as { login?: unknown };
          const { session_token: token } = (body ?? {}) as { session_token?: unknown };
          if (login === 'admin' && typeof token === 'string') setLast(administrators, token, true, mostKept);
        }
        settle();
        const [, dialogid = ''] = path.exec(asked) ?? [];
        const call = live.get(dialogid);
        if (call === undefined || domain === undefined || !administrators.has(client)) return;
        if (call.knownMs === undefined || call.knownMs >= calledMs || !call.domains.includes(domain)) return;
        const knownMs = now() - call.knownMs;
        // A callstore may have taken it for dead while it did not see the b2b.
        if (map.site(call.site).nodes.some((node) => reachability.stableInSiteMs(node, now()) < knownMs)) return;
        check();
        if (status === 404) fail(`${site} says that there is no call ${dialogid}, which goes on at site ${call.site}`);
      },
      () => {},
    );
    return {
      listeners: together(requests.listeners, reachability.listeners, received),
    };
  },
};
