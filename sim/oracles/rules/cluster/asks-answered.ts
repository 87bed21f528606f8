/** An ask is answered where nothing prevents it. */
import type { FaultCode } from '../../../../src/model/fault.ts';
import { boundsOf } from '../../bounds.ts';
import type { ObservationListeners, OracleMaker } from '../../oracle.ts';
import { together } from '../shared.ts';
import { Undisturbed } from '../undisturbed.ts';

/** Faults that say that the receiver was not there. */
const away: ReadonlySet<FaultCode> = new Set(['timeout', 'standby', 'crashed']);

export const asksAnswered: OracleMaker = {
  name: 'asks-answered',
  rule: 'While nothing is broken inside the cluster, the receiver of an ask is reached, serves, and answers before the deadline.',
  make: ({ map, check, fail }) => {
    const { noticedMs } = boundsOf(map);
    const calm = new Undisturbed();
    const sentMs = new Map<string, number>();
    /** A receiver may answer that it needs another instance which is out of reach. */
    const delivered = new Set<string>();
    const listeners: ObservationListeners = {
      'envelope.sent': ({ envelope: { id, kind }, atMs }) => {
        if (kind === 'ask') sentMs.set(id, atMs);
      },
      'envelope.delivered': ({ envelope: { id, kind } }) => {
        if (kind === 'ask' && sentMs.has(id)) delivered.add(id);
      },
      'ask.ended': ({ ask: { id, owner, to, type }, fault, atMs }) => {
        const sinceMs = sentMs.get(id);
        sentMs.delete(id);
        const isReached = delivered.delete(id);
        if (sinceMs === undefined) return;
        const isAway = fault !== undefined && (away.has(fault.code) || (fault.code === 'unreachable' && !isReached));
        if (!isAway) return check();
        if (calm.forMs(atMs) > noticedMs + atMs - sinceMs)
          fail(`${owner} has asked ${to} "${type}": ${fault.code} after ${Math.round(atMs - sinceMs)} ms`);
      },
    };
    return { listeners: together(calm.listeners, listeners) };
  },
};
