/** A call comes to a device through the gate at which that has registered last. */
import type { SipMessage } from '../../../../src/model/sip/message.ts';
import { phonesOf } from '../../../outside/population.ts';
import { boundsOf } from '../../bounds.ts';
import type { OracleMaker } from '../../oracle.ts';
import { byType, edgeEndpoints, forgetBefore, sipKeptMs, together } from '../kit/shared.ts';
import { Undisturbed } from '../kit/undisturbed.ts';

/** The last REGISTER of a device. */
interface Registered {
  readonly gate: string;
  readonly contact: string | undefined;
  readonly callid: string;
  readonly cseq: number;
  readonly askedMs: number;
  /** How often copies had been withheld by then. */
  readonly withheld: number;
  acceptedMs: number | undefined;
}

export const callsThroughGates: OracleMaker = {
  name: 'calls-through-gates',
  rule: 'A new call comes to a device through the sg by which its last REGISTER was accepted, and at the contact that it gave there, from two seconds later on; while nothing is broken.',
  exclusions: 'Phones that a scenario adds.',
  make: ({ map, fired, check, fail }) => {
    const { quickMs } = boundsOf(map);
    const undisturbed = new Undisturbed();
    const edges = edgeEndpoints(map);
    const phones = new Set(phonesOf(map).map(({ endpoint }) => endpoint));
    const last = new Map<string, Registered>();
    /** When a b2b first sent the INVITE of a call, by Call-Id. */
    const called = new Map<string, number>();
    /** Calls that were offered to a device. */
    const offered = new Map<string, number>();
    const judge = (device: string, gate: string, uri: string, calledMs: number, atMs: number) => {
      const registered = last.get(device);
      if (registered?.acceptedMs === undefined || calledMs - registered.acceptedMs <= quickMs) return;
      const { askedMs, withheld, contact = uri } = registered;
      if (!undisturbed.isSince(askedMs, atMs) || withheld !== fired('registrar.untold')) return;
      check();
      const said = `${device}, which has registered by ${registered.gate} ${Math.round(calledMs - askedMs)} ms before`;
      if (gate !== registered.gate) fail(`${said}, is called by ${gate}`);
      if (uri !== contact) fail(`${said} with the contact ${contact}, is called at ${uri}`);
    };
    return {
      listeners: together(undisturbed.listeners, {
        'outside.sent': byType(['REGISTER', 'INVITE'], ({ from, to, message, atMs }) => {
          const { kind, method, callid, cseq } = message;
          if (method === 'REGISTER' && kind === 'request' && phones.has(from)) {
            const { gate, contact } = { gate: to, contact: message.contact };
            const known = last.get(from);
            if (known?.callid === callid && known.cseq >= cseq) return;
            const withheld = fired('registrar.untold');
            last.set(from, { gate, contact, callid, cseq, askedMs: atMs, withheld, acceptedMs: undefined });
          }
          if (method === 'REGISTER' && kind === 'response' && edges.has(from)) {
            const known = last.get(to);
            if (known?.callid !== callid || known.cseq !== cseq || message.status !== 200) return;
            if ((message.expires ?? 0) > 0) known.acceptedMs ??= atMs;
          }
          if (method !== 'INVITE' || kind !== 'request' || message.to.tag !== undefined) return;
          if (!phones.has(to) || offered.has(callid)) return;
          offered.set(callid, atMs);
          judge(to, from, message.uri, called.get(callid) ?? atMs, atMs);
        }),
        'envelope.sent': {
          sip: ({ envelope: { body }, atMs }) => {
            const { kind, method, callid, to } = body as SipMessage;
            if (kind === 'request' && method === 'INVITE' && to.tag === undefined && !called.has(callid))
              called.set(callid, atMs);
          },
        },
      }),
      tick: (nowMs) => {
        forgetBefore(called, nowMs - sipKeptMs);
        forgetBefore(offered, nowMs - sipKeptMs);
      },
    };
  },
};
