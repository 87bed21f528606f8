/** A device that has unregistered is not called, and its user is offline. */
import type { SipMessage } from '../../../../src/model/sip/message.ts';
import type { PhoneView } from '../../../outside/endpoints/phone.ts';
import { boundsOf } from '../../bounds.ts';
import type { ObservationListeners, OracleMaker } from '../../oracle.ts';
import { ClientRequests, type ObservedAnswer, type ObservedRequest } from '../kit/client-requests.ts';
import { byType, edgeEndpoints, forgetBefore, sipKeptMs, together } from '../kit/shared.ts';
import { Undisturbed } from '../kit/undisturbed.ts';

/** A removal that a phone has asked for. */
interface Asked {
  readonly askedMs: number;
  /** How often copies had been withheld by then: the removal is published before it is accepted. */
  readonly withheld: number;
}

interface Away extends Asked {
  readonly acceptedMs: number;
}

interface State {
  readonly username?: string;
  readonly status?: string;
}

const states = '/rest/v1/uc/sipuser_states';

export const unregisteredRest: OracleMaker = {
  name: 'unregistered-rest',
  rule: 'A phone whose REGISTER that removes its device was accepted receives no INVITE of a new call from two seconds later on, and its user is shown offline if it has no other device, until it registers again; while nothing is broken. In a quiescent cluster the user is shown offline whatever was broken before.',
  exclusions:
    'In a quiescent cluster: phones that have unregistered before an sr instance restarted, which may have been the only one that knew, and runs in which the clock of a node was wrong.',
  make: ({ map, fired, phones, questions, areClocksRight, check, fail }) => {
    const { comparedMs, noticedMs, quickMs } = boundsOf(map);
    const undisturbed = new Undisturbed();
    /** An edge registers at providers, and is called by phones whether it does or not. */
    const edges = edgeEndpoints(map);
    /** REGISTERs that remove, by phone and number: one whose answer was lost comes again. */
    const asked = new Map<string, Asked>();
    const away = new Map<string, Away>();
    /** The CSeq of the last REGISTER of each phone. What repeats an earlier one changes nothing. */
    const newest = new Map<string, number>();
    /** When each call was offered to a phone, by Call-Id: an INVITE that comes again is a repetition, not a new call. */
    const invited = new Map<string, number>();
    /** When a b2b first sent the INVITE of a call, by Call-Id: what it repeats since may reach the phone late. */
    const called = new Map<string, number>();
    /** When an sr instance has started or ended last. */
    let restartedMs = Number.NEGATIVE_INFINITY;
    const nameOf = (phone: string, callid: string, cseq: number) => `${phone} ${callid} ${cseq}`;
    /** Milliseconds since a phone has left, if every instance must know it. */
    const goneMs = (phone: string, atMs: number): number | undefined => {
      const since = away.get(phone);
      if (since === undefined || atMs - since.acceptedMs <= quickMs) return;
      // What was cut off before has to be in reach again.
      if (!undisturbed.isSince(since.askedMs - noticedMs, atMs)) return;
      return since.withheld === fired('registrar.untold') ? Math.round(atMs - since.acceptedMs) : undefined;
    };
    const listeners: ObservationListeners = {
      'outside.sent': byType(['REGISTER', 'INVITE'], ({ from, to, message, atMs }) => {
        const { method, callid, cseq } = message;
        if (method === 'REGISTER' && message.kind === 'request' && !edges.has(from)) {
          if (cseq < (newest.get(`${from} ${callid}`) ?? 0)) return;
          newest.set(`${from} ${callid}`, cseq);
          away.delete(from);
          const name = nameOf(from, callid, cseq);
          if (message.expires === 0 && !asked.has(name))
            asked.set(name, { askedMs: atMs, withheld: fired('registrar.untold') });
        }
        if (method === 'REGISTER' && message.kind === 'response') {
          const name = nameOf(to, callid, cseq);
          const removal = asked.get(name);
          const isNewest = cseq === newest.get(`${to} ${callid}`);
          if (removal !== undefined && isNewest && message.status === 200)
            away.set(to, { ...removal, acceptedMs: atMs });
        }
        if (method !== 'INVITE' || message.kind !== 'request' || message.to.tag !== undefined) return;
        if (invited.has(callid)) return;
        invited.set(callid, atMs);
        const ms = goneMs(to, called.get(callid) ?? atMs);
        if (ms !== undefined) fail(`${to} is called ${ms} ms after it has unregistered`);
      }),
      'envelope.sent': {
        sip: ({ envelope: { body }, atMs }) => {
          const { kind, method, callid, to } = body as SipMessage;
          if (kind === 'request' && method === 'INVITE' && to.tag === undefined && !called.has(callid))
            called.set(callid, atMs);
        },
      },
      'request.answered': () => {
        if (away.size > 0) check();
      },
      'instance.status': ({ instance, status, atMs }) => {
        const isRestart = status === 'starting' || status === 'stopped';
        if (isRestart && map.instances.get(instance)?.role === 'sr') restartedMs = atMs;
      },
      'instance.crashed': ({ instance, atMs }) => {
        if (map.instances.get(instance)?.role === 'sr') restartedMs = atMs;
      },
      'node.ended': ({ node, atMs }) => {
        if (map.node(node).instances.some(({ role }) => role === 'sr')) restartedMs = atMs;
      },
    };
    const phonesOf = (user: string) => phones().filter(({ name }) => name === user || name.startsWith(`${user}/`));
    const atQuiescence = async () => {
      const isGone = ({ endpoint }: PhoneView) => (away.get(endpoint)?.acceptedMs ?? 0) > restartedMs;
      const look = async () => {
        const shown = await Promise.all(
          questions.domains.flatMap((domain) =>
            questions.sites.map(async (site) => {
              const answer = await questions.ask({ site, domain, path: states });
              const all = answer?.status === 200 && Array.isArray(answer.body) ? (answer.body as readonly State[]) : [];
              const online = all.flatMap(({ username = '', status }) => (status === 'online' ? username : []));
              const wrong = online.filter((username) => {
                const own = phonesOf(`${domain}/${username}`);
                return own.length > 0 && own.every(isGone);
              });
              return wrong.map(
                (username) => `quiescent: ${site} shows ${username} online, whose phones have unregistered`,
              );
            }),
          ),
        );
        return shown.flat();
      };
      if (!areClocksRight() || !phones().some(isGone)) return;
      check();
      for (const what of await questions.eventually(comparedMs, look)) fail(what);
    };
    const answered = ({ domain, site, calledMs }: ObservedRequest, { status, body }: ObservedAnswer) => {
      if (domain === undefined || status !== 200 || away.size === 0) return;
      for (const { username, status: shown } of (Array.isArray(body) ? body : [body]) as readonly State[]) {
        if (shown !== 'online') continue;
        const own = phonesOf(`${domain}/${username}`);
        const gone = own.flatMap(({ endpoint }) => goneMs(endpoint, calledMs) ?? []);
        if (own.length > 0 && gone.length === own.length)
          fail(`${site} shows ${username} online ${Math.min(...gone)} ms after its last phone has unregistered`);
      }
    };
    const requests = new ClientRequests((method, path) => method === 'GET' && path.startsWith(states), answered);
    const tick = (nowMs: number) => {
      forgetBefore(invited, nowMs - sipKeptMs);
      forgetBefore(called, nowMs - sipKeptMs);
      for (const [name, { askedMs }] of asked) {
        if (askedMs >= nowMs - sipKeptMs) break;
        asked.delete(name);
      }
    };
    return {
      listeners: together(undisturbed.listeners, requests.listeners, listeners),
      tick,
      atQuiescence,
    };
  },
};
