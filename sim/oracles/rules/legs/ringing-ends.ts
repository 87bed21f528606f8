/** No call rings for ever. */
import { legDelaysMs } from '../../../../src/machines/sip/leg.ts';
import type { BodyOf } from '../../../../src/model/protocol/catalogue.ts';
import type { SipMessage } from '../../../../src/model/sip/message.ts';
import { boundsOf } from '../../bounds.ts';
import type { ObservationListeners, OracleMaker } from '../../oracle.ts';
import { HeldBack } from '../kit/held-back.ts';
import { together } from '../kit/shared.ts';

interface Ringing {
  readonly atMs: number;
  readonly untilMs: number;
}

/** A device may answer two seconds after it began to ring. */
const cancelledMs = 1_000;

const unanswered: ReadonlySet<string> = new Set([
  'calling',
  'proceeding',
  'ringing',
  'incoming',
  'alerting',
  'expiring',
]);

export const ringingEnds: OracleMaker = {
  name: 'ringing-ends',
  rule: 'A callee of IVR rings no longer than the request allows, and no leg waits for its answer longer than a caller does (eleven minutes) and a CANCEL takes (32 s). A leg that was withdrawn before any answer is cancelled within a second of the first provisional one.',
  exclusions: 'Calls while a node is paused or traffic is held: the timers that end them wait.',
  make: ({ map, stableMs, check, fail }) => {
    const { promptMs } = boundsOf(map);
    const longestMs = legDelaysMs.patience + legDelaysMs.cancel;
    const held = new HeldBack();
    /** By machine; the legs in the order of their limits. */
    const ringing = { leg: new Map<string, Ringing>(), 'ivr-call': new Map<string, Ringing>() };
    /** The ring time that the next call of an ivr instance has. */
    const asked = new Map<string, number>();
    /** Legs that were withdrawn before any answer, by instance and Call-Id; and when a provisional one has come. */
    const withdrawn = new Set<string>();
    const answered = new Map<string, number>();
    const settle = (leg: string) => {
      if (answered.delete(leg)) check();
    };
    const rings = (machine: keyof typeof ringing, name: string, limitMs: number | undefined, atMs: number) => {
      if (limitMs !== undefined && !ringing[machine].has(name))
        ringing[machine].set(name, { atMs, untilMs: atMs + limitMs + promptMs });
    };
    const stops = (machine: keyof typeof ringing, name: string) => {
      if (ringing[machine].delete(name)) check();
    };
    const provisional = (to: string, message: SipMessage, atMs: number) => {
      if (withdrawn.size === 0 || message.kind !== 'response' || message.method !== 'INVITE') return;
      const leg = `${to} ${message.callid}`;
      if (message.status < 200 && withdrawn.has(leg) && !answered.has(leg)) answered.set(leg, atMs);
    };
    const listeners: ObservationListeners = {
      'envelope.delivered': {
        sip: ({ envelope: { to, body }, atMs }) => provisional(to, body as SipMessage, atMs),
        'ivr.call': ({ envelope: { kind, to, body } }) => {
          if (kind === 'ask') asked.set(to, (body as BodyOf<'ivr.call'>).request.timeoutMs);
        },
      },
      'envelope.sent': {
        sip: ({ envelope: { from, body } }) => {
          const { method, callid } = body as SipMessage;
          if (answered.size > 0 && method === 'CANCEL') settle(`${from} ${callid}`);
        },
      },
      'entity.state': {
        leg: ({ owner, key, state = '', atMs }) => {
          const name = `${owner} ${key}`;
          if (state === 'withdrawn') withdrawn.add(name);
          else if (withdrawn.size > 0 && withdrawn.delete(name)) settle(name);
          if (unanswered.has(state)) rings('leg', name, longestMs, atMs);
          else stops('leg', name);
        },
        'ivr-call': ({ owner, key, state, atMs }) => {
          const name = `${owner} ${key}`;
          if (state === 'reaching') rings('ivr-call', name, asked.get(owner), atMs);
          else stops('ivr-call', name);
        },
      },
    };
    const tick = (nowMs: number) => {
      for (const [leg, atMs] of answered) {
        if (nowMs - atMs <= cancelledMs) continue;
        answered.delete(leg);
        if (!held.isHeld(nowMs)) fail(`leg ${leg} was withdrawn, and rings on without a CANCEL`);
      }
      for (const [machine, all] of Object.entries(ringing)) {
        for (const [name, { atMs, untilMs }] of all) {
          if (nowMs <= untilMs && machine === 'leg') break;
          if (nowMs <= untilMs || stableMs() < promptMs || held.isHeld(nowMs)) continue;
          all.delete(name);
          const [owner, key] = name.split(' ');
          fail(`${machine} ${key} of ${owner} has rung for ${Math.round((nowMs - atMs) / 1_000)} s`);
        }
      }
    };
    return { listeners: together(held.listeners, listeners), tick };
  },
};
