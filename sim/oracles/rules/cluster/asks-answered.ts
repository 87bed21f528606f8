/** An ask is answered where nothing prevents it. */
import type { FaultCode } from '../../../../src/model/fault.ts';
import { askTypes } from '../../../../src/model/protocol/catalogue.ts';
import { boundsOf } from '../../bounds.ts';
import type { ObservationListeners, OracleMaker } from '../../oracle.ts';
import { byType, together } from '../kit/shared.ts';
import { Undisturbed } from '../kit/undisturbed.ts';

/** Faults that say that the receiver was not there. */
const away: ReadonlySet<FaultCode> = new Set(['timeout', 'standby', 'crashed']);

/** Asks that are answered when something else has ended, which may take longer than their sender waits. */
const waiting: ReadonlySet<string> = new Set(['script.run']);
/** Of the answers of an instance, the last ones. */
const mostAnswered = 500;

const judged = askTypes.filter((type) => !waiting.has(type));

export const asksAnswered: OracleMaker = {
  name: 'asks-answered',
  rule: 'While nothing is broken inside the cluster, the receiver of an ask is reached, serves, and answers before the deadline. Whatever is broken, an instance answers an ask once, however often it arrives.',
  exclusions:
    'Starts of scripts, which are answered when the script has ended. Asks while a clock that was ahead is corrected, slowly: deadlines are off meanwhile.',
  make: ({ map, check, fail }) => {
    const { noticedMs } = boundsOf(map);
    const undisturbed = new Undisturbed({ areClocksMeasured: true });
    const sentMs = new Map<string, number>();
    /** A receiver may answer that it needs another instance which is out of reach. */
    const delivered = new Set<string>();
    /** Instances that drain: a front waits for its clients then, longer than the fault is in force. */
    const draining = new Set<string>();
    /** Asks that instances have answered since they started, by instance. */
    const answered = new Map<string, Set<string>>();
    const answers = (from: string, re: string, type: string) => {
      const own = answered.get(from) ?? new Set();
      answered.set(from, own);
      if (own.has(re)) fail(`${from} has answered the ask ${re} "${type}" twice`);
      own.add(re);
      if (own.size <= mostAnswered) return;
      const [oldest] = own;
      own.delete(oldest as string);
    };
    const listeners: ObservationListeners = {
      'envelope.sent': byType(judged, ({ envelope: { id, kind, type, from, re }, atMs }) => {
        if (kind === 'ask') sentMs.set(id, atMs);
        else if (kind === 'reply' && re !== undefined && map.instances.has(from)) answers(from, re, type);
      }),
      'instance.status': ({ instance, status }) => {
        if (status === 'draining') draining.add(instance);
        else draining.delete(instance);
        if (status === 'starting') answered.delete(instance);
      },
      'envelope.delivered': byType(judged, ({ envelope: { id, kind } }) => {
        if (kind === 'ask' && sentMs.has(id)) delivered.add(id);
      }),
      'ask.ended': ({ ask: { id, owner, to, type }, fault, atMs }) => {
        const sinceMs = sentMs.get(id);
        sentMs.delete(id);
        const isReached = delivered.delete(id);
        if (sinceMs === undefined) return;
        // The sender itself has ended, just now; or the receiver is about to, or the instance that it has asked in turn.
        const isEnding = fault?.code === 'standby' && [to, fault.origin ?? to].some((each) => draining.has(each));
        if (fault?.origin === owner || isEnding) return;
        const isAway = fault !== undefined && (away.has(fault.code) || (fault.code === 'unreachable' && !isReached));
        if (!isAway) return check();
        if (undisturbed.forMs(atMs) > noticedMs + atMs - sinceMs)
          fail(`${owner} has asked ${to} "${type}": ${fault.code} after ${Math.round(atMs - sinceMs)} ms`);
      },
    };
    return { listeners: together(undisturbed.listeners, listeners) };
  },
};
