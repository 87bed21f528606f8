/** Bounds of how long things may take (ms), derived from the timings of the topology and the limits of the product. */
import { participantDelaysMs } from '../../src/machines/conference/participant.ts';
import { legDelaysMs } from '../../src/machines/sip/leg.ts';
import { sipTimings } from '../../src/machines/sip/sip-timers.ts';
import type { ClusterMap } from '../../src/model/cluster/cluster-map.ts';
import { limits } from '../../src/model/limits.ts';

export interface Bounds {
  /** A message and its answer without faults: in fact milliseconds, but a process may be busy. */
  readonly quickMs: number;
  /** A sequence of several messages. */
  readonly promptMs: number;
  /** All nodes detect a silent node, and its successors serve. */
  readonly noticedMs: number;
  /** A stream consumer detects lost items after a silence, and the last check may have been just before. */
  readonly streamCatchUpMs: number;
  /** A subscriber has an event that was lost on its way to callstore, and again on its way to the front. */
  readonly subscriberCatchUpMs: number;
  /** What remains of a call after a silent loss ends with the session timer, then BYE or CANCEL without an answer. */
  readonly orphanedCallMs: number;
  /** The same of all legs: that of a participant whose INVITE is never answered ends with its time to ring, then CANCEL. */
  readonly orphanedLegMs: number;
  /** A copy of domain data has caught up with the master. */
  readonly copiedMs: number;
  /** A ws instance knows all closed sessions, one lost round included. */
  readonly closedMs: number;
  /** Copies of registrations agree: they are compared every minute. */
  readonly comparedMs: number;
}

export function boundsOf({ topology: { timings } }: ClusterMap): Bounds {
  const promptMs = 5_000;
  const orphanedCallMs = timings.sessionExpiresMs + sipTimings.patienceMs + legDelaysMs.cancel + promptMs;
  return {
    quickMs: 2_000,
    promptMs,
    noticedMs: timings.pingIntervalMs * (timings.pingMisses + 2) + timings.takeoverMs + promptMs,
    streamCatchUpMs: 2 * limits.streamCheckMs + promptMs,
    subscriberCatchUpMs: 2 * limits.streamCheckMs + 2 * limits.followRenewMs + promptMs,
    orphanedCallMs,
    orphanedLegMs: Math.max(orphanedCallMs, participantDelaysMs.call + participantDelaysMs.leave + promptMs),
    copiedMs: limits.dataPullMs + promptMs,
    closedMs: 2 * limits.sessionSyncMs + promptMs,
    comparedMs: limits.bindingsCheckMs + promptMs,
  };
}
