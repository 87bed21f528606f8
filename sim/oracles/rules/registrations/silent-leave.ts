/** A silent device gives its place to one that registers. */
import { hostOf, userOf } from '../../../../src/model/sip/uri.ts';
import { boundsOf } from '../../bounds.ts';
import type { ObservationListeners, OracleMaker } from '../../oracle.ts';
import { byType, edgeEndpoints, setLast, together, whenLost } from '../kit/shared.ts';
import { Undisturbed } from '../kit/undisturbed.ts';

/** A REGISTER under way. */
interface Asked {
  readonly account: string;
  readonly device: string;
  readonly cseq: number;
  readonly atMs: number;
}

const most = 1_000;
/** How b2b says that the licence has no room. */
const isFull = (status: number, reason: string) => status === 403 && reason === 'Too Many Devices';

export const silentLeave: OracleMaker = {
  name: 'silent-leave',
  rule: 'A REGISTER is refused for too many devices only where none of the registered devices of its user is silent; while nothing else is broken.',
  make: ({ map, now, check, fail }) => {
    const { noticedMs, quickMs } = boundsOf(map);
    const edges = edgeEndpoints(map);
    const undisturbed = new Undisturbed();
    const asked = new Map<string, Asked>();
    /** The endpoint at which each device was registered last, by `domain/login/device`. */
    const endpoints = new Map<string, string>();
    /** Since when endpoints are silent. */
    const silentMs = new Map<string, number>();
    /** Since when each sr instance has each registration. */
    const heldMs = new Map<string, Map<string, number>>();
    const isHeld = (key: string, sinceMs: number) => {
      const all = [...heldMs.values()].flatMap((held) => held.get(key) ?? []);
      return all.length > 0 && all.every((atMs) => atMs < sinceMs);
    };
    const judge = ({ account, device, atMs }: Asked) => {
      if (undisturbed.forMs(now()) <= now() - atMs + noticedMs) return;
      check();
      for (const [key, endpoint] of endpoints) {
        if (key === device || !key.startsWith(`${account}/`) || !isHeld(key, atMs - quickMs)) continue;
        const sinceMs = silentMs.get(endpoint);
        if (sinceMs !== undefined && sinceMs < atMs)
          fail(
            `${device} is refused for too many devices, though ${key} is silent for ${Math.round(now() - sinceMs)} ms`,
          );
      }
    };
    const listeners: ObservationListeners = {
      'outside.sent': {
        REGISTER: ({ from, to, message, atMs }) => {
          const { callid, cseq } = message;
          if (message.kind === 'request') {
            if (edges.has(from) || message.device === undefined) return;
            const account = `${hostOf(message.to.uri)}/${userOf(message.to.uri)}`;
            return setLast(
              asked,
              `${from} ${callid}`,
              { account, device: `${account}/${message.device}`, cseq, atMs },
              most,
            );
          }
          const one = asked.get(`${to} ${callid}`);
          if (one?.cseq !== cseq || message.status < 200) return;
          asked.delete(`${to} ${callid}`);
          if (message.status < 300) setLast(endpoints, one.device, to, most);
          else if (isFull(message.status, message.reason)) judge(one);
        },
      },
      'entity.state': byType(['binding', 'presence'], ({ owner, machine, key, state, before, atMs }) => {
        if (machine === 'presence') {
          if (state !== 'silent') silentMs.delete(key);
          else if (before !== state) silentMs.set(key, atMs);
          return;
        }
        const held = heldMs.get(owner) ?? new Map<string, number>();
        heldMs.set(owner, held);
        // One that was removed or has ended at one instance has a place at none, also where that is not known yet.
        if (state !== 'registered') for (const each of heldMs.values()) each.delete(key);
        else if (!held.has(key)) held.set(key, atMs);
      }),
    };
    const lost = whenLost(map, (address) => void heldMs.delete(address));
    return { listeners: together(undisturbed.listeners, lost, listeners) };
  },
};
