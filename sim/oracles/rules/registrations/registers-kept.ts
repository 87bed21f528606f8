/** What a phone was answered to its REGISTER has happened at a registrar. */
import type { SipMessage } from '../../../../src/model/sip/message.ts';
import type { ObservationListeners, OracleMaker } from '../../oracle.ts';
import { edgeEndpoints, forgetBefore, sipKeptMs, together, whenLost } from '../kit/shared.ts';

/** The last REGISTER of a phone; once it is answered it shows which ones are repetitions of earlier ones. */
interface Asked {
  readonly callid: string;
  readonly cseq: number;
  /** The binding: `domain/login/device`. */
  readonly key: string;
  readonly isRemoval: boolean;
  readonly atMs: number;
  isAnswered: boolean;
}

interface Known {
  /** What each sr instance has of it. */
  readonly states: Map<string, string>;
  registeredMs: number;
  removedMs: number;
}

export const registersKept: OracleMaker = {
  name: 'registers-kept',
  rule: 'When a REGISTER is accepted, an sr instance has made the registration, or removed it: the answer follows the change, also while instances fail.',
  exclusions: 'A REGISTER that its phone has followed by another one. What copies know of it: registrations-follow.',
  make: ({ map, check, fail }) => {
    const edges = edgeEndpoints(map);
    const asked = new Map<string, Asked>();
    const known = new Map<string, Known>();
    /** The last number that was sent with each Call-Id, and when. */
    const sentMs = new Map<string, { readonly cseq: number; readonly atMs: number }>();
    /** When each phone has asked last. */
    const askedMs = new Map<string, number>();
    const ask = (from: string, message: SipMessage, atMs: number) => {
      const key = message.kind === 'request' ? keyOf(message) : undefined;
      if (key === undefined || message.kind !== 'request') return;
      const { callid, cseq, expires } = message;
      // A copy may come when the phone has been switched on anew, with another Call-Id.
      const sent = `${from} ${callid}`;
      if ((sentMs.get(sent)?.cseq ?? -1) >= cseq) return;
      sentMs.delete(sent);
      sentMs.set(sent, { cseq, atMs });
      asked.set(from, { callid, cseq, key, isRemoval: expires === 0, atMs, isAnswered: false });
      askedMs.delete(from);
      askedMs.set(from, atMs);
    };
    const judge = ({ key, isRemoval, atMs }: Asked) => {
      const { states, registeredMs, removedMs } = known.get(key) ?? newKnown();
      const all = [...states.values()];
      const isRegistered = all.includes('registered');
      check();
      if (isRemoval && removedMs < atMs && isRegistered && !all.includes('removed'))
        fail(`the REGISTER that removes ${key} was accepted, and no sr instance has removed it`);
      if (!isRemoval && registeredMs < atMs && !isRegistered)
        fail(`the REGISTER of ${key} was accepted, and no sr instance has registered it`);
    };
    const forget = (owner: string) => {
      for (const { states } of known.values()) states.delete(owner);
    };
    const listeners: ObservationListeners = {
      'entity.state': {
        binding: ({ owner, key, state, atMs }) => {
          const one = known.get(key) ?? newKnown();
          known.set(key, one);
          if (state === undefined) one.states.delete(owner);
          else one.states.set(owner, state);
          if (state === 'registered') one.registeredMs = atMs;
          if (state === 'removed') one.removedMs = atMs;
        },
      },
      'outside.sent': {
        REGISTER: ({ from, to, message, atMs }) => {
          if (message.kind === 'request') {
            if (!edges.has(from)) ask(from, message, atMs);
            return;
          }
          const request = asked.get(to);
          if (request?.callid !== message.callid || request.cseq !== message.cseq || message.status < 200) return;
          if (request.isAnswered) return;
          request.isAnswered = true;
          if (message.status < 300) judge(request);
        },
      },
    };
    const tick = (nowMs: number) => {
      for (const [phone, atMs] of askedMs) {
        if (atMs >= nowMs - sipKeptMs) break;
        asked.delete(phone);
      }
      forgetBefore(askedMs, nowMs - sipKeptMs);
      for (const [sent, { atMs }] of sentMs) {
        if (atMs >= nowMs - sipKeptMs) break;
        sentMs.delete(sent);
      }
    };
    return { listeners: together(whenLost(map, forget), listeners), tick };
  },
};

function newKnown(): Known {
  return { states: new Map(), registeredMs: Number.NEGATIVE_INFINITY, removedMs: Number.NEGATIVE_INFINITY };
}

/** `undefined` without a device: the registrar names it by its contact. */
function keyOf({ to, device }: Extract<SipMessage, { kind: 'request' }>): string | undefined {
  const [, login, domain] = /^sip:([^@]+)@([^;>]+)/.exec(to.uri) ?? [];
  return login === undefined || device === undefined ? undefined : `${domain}/${login}/${device}`;
}
