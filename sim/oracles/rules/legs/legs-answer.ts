/** A leg does not wait long for the other end of its dialog. */
import type { SipMessage } from '../../../../src/model/sip/message.ts';
import { boundsOf } from '../../bounds.ts';
import type { ObservationListeners, OracleMaker } from '../../oracle.ts';
import { byType, setLast, together } from '../kit/shared.ts';
import { UndisturbedAround } from '../kit/undisturbed.ts';

/** States in which the next message is due at once: no person decides about it. */
const waiting: ReadonlySet<string> = new Set(['offering', 'reoffering', 'ending', 'answering', 'hanging']);
/**
 * States in which a message that was lost since the INVITE can keep the leg: an instance that has restarted knows nothing of it, and
 * an offer or a REFER waits for the other leg of the call, whose ACK may be missing.
 */
const dependent: ReadonlySet<string> = new Set(['answering', 'hanging', 'offering', 'reoffering']);

/** Of legs with dropped messages, and of all legs, the last ones: the node that has a leg may have been paused for long. */
const mostDropped = 1_000;
const mostLegs = 5_000;

interface Wait {
  readonly owner: string;
  readonly callid: string;
  readonly state: string;
  readonly sinceMs: number;
  /** From when on nothing may have been disturbed. */
  readonly undisturbedFromMs: number;
}

export const legsAnswer: OracleMaker = {
  name: 'legs-answer',
  rule: 'An offer of media (re-INVITE), a BYE and the answer to an INVITE are acknowledged by the other end of the leg within two seconds, unless a message may have been lost.',
  make: ({ map, now, check, fail }) => {
    const { quickMs } = boundsOf(map);
    const undisturbed = new UndisturbedAround(map);
    const waits = new Map<string, Wait>();
    /** When the first end of a leg began: its INVITE may be older than the state of the other end. */
    const bornMs = new Map<string, number>();
    /** The device at one end of a leg, by Call-Id; the devices that are silent. */
    const deviceOf = new Map<string, string>();
    const silent = new Set<string>();
    /** When a message of a leg was dropped last: its node does not see yet that the other one is back. */
    const droppedMs = new Map<string, number>();
    const listeners: ObservationListeners = {
      'entity.state': byType(['leg', 'presence'], ({ owner, machine, key: callid, state, atMs }) => {
        if (machine === 'presence') return void (state === 'silent' ? silent.add(callid) : silent.delete(callid));
        if (!owner.includes('/')) setLast(deviceOf, callid, owner, mostLegs);
        const key = `${owner} ${callid}`;
        setLast(bornMs, callid, bornMs.get(callid) ?? atMs, mostLegs);
        if (waits.get(key)?.state === state) return;
        if (waits.delete(key)) check();
        if (state === undefined || !waiting.has(state)) return;
        const undisturbedFromMs = dependent.has(state) ? (bornMs.get(callid) ?? atMs) : atMs;
        waits.set(key, { owner, callid, state, sinceMs: atMs, undisturbedFromMs });
      }),
      'envelope.dead': {
        sip: ({ envelope: { body }, reason, atMs }) => {
          if (reason === 'no_route' || reason === 'not_connected')
            setLast(droppedMs, (body as SipMessage).callid, atMs, mostDropped);
        },
      },
    };
    const tick = () => {
      const nowMs = now();
      undisturbed.look(nowMs);
      for (const [key, { owner, callid, state, sinceMs, undisturbedFromMs }] of waits) {
        if (nowMs - sinceMs <= quickMs) continue;
        waits.delete(key);
        if ((droppedMs.get(callid) ?? 0) >= undisturbedFromMs || silent.has(deviceOf.get(callid) ?? '')) continue;
        if (undisturbed.forMs(nowMs) > nowMs - undisturbedFromMs)
          fail(`leg ${callid} is ${state} at ${owner} for ${nowMs - sinceMs} ms, and no answer has come`);
      }
    };
    return { listeners: together(undisturbed.listeners, listeners), tick };
  },
};
