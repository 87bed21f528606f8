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
const judged = askTypes.filter((type) => !waiting.has(type));

export const asksAnswered: OracleMaker = {
  name: 'asks-answered',
  rule: 'While nothing is broken inside the cluster, the receiver of an ask is reached, serves, and answers before the deadline.',
  exclusions:
    'Starts of scripts, which are answered when the script has ended. Asks after the clock of a node was wrong, until the end of the run: the clock is corrected slowly, and deadlines are off meanwhile.',
  make: ({ map, check, fail }) => {
    const { noticedMs } = boundsOf(map);
    const undisturbed = new Undisturbed();
    const sentMs = new Map<string, number>();
    /** A receiver may answer that it needs another instance which is out of reach. */
    const delivered = new Set<string>();
    /** Instances that drain: a front waits for its clients then, longer than the fault is in force. */
    const draining = new Set<string>();
    let areClocksRight = true;
    const listeners: ObservationListeners = {
      'envelope.sent': byType(judged, ({ envelope: { id, kind }, atMs }) => {
        if (kind === 'ask') sentMs.set(id, atMs);
      }),
      'fault.inflicted': ({ verb }) => {
        if (verb === 'skew') areClocksRight = false;
      },
      'instance.status': ({ instance, status }) => {
        if (status === 'draining') draining.add(instance);
        else draining.delete(instance);
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
        if (areClocksRight && undisturbed.forMs(atMs) > noticedMs + atMs - sinceMs)
          fail(`${owner} has asked ${to} "${type}": ${fault.code} after ${Math.round(atMs - sinceMs)} ms`);
      },
    };
    return { listeners: together(undisturbed.listeners, listeners) };
  },
};
