/** How long things may take, derived from the timings of the topology and the limits of the product (ms). */
import { legDelaysMs } from '../../src/machines/leg.ts';
import { sipTimings } from '../../src/machines/sip-timers.ts';
import type { ClusterMap } from '../../src/model/cluster-map.ts';
import { limits } from '../../src/model/limits.ts';

export interface Bounds {
  /** A message and its answer where nothing is broken: milliseconds in truth, but a process may be busy with others. */
  readonly quickMs: number;
  /** A few of them, one after the other. */
  readonly promptMs: number;
  /** A node that is silent is missed everywhere, and its successors serve. */
  readonly noticedMs: number;
  /** Who listens to a source has what that told, though it was lost on its way: it looks after a silence, and may just have looked. */
  readonly toldMs: number;
  /** Whatever of a call is left when somebody was lost without a word: a session timer, then BYE or CANCEL without an answer. */
  readonly letGoMs: number;
  /** A copy of domain data has what the master has. */
  readonly copiedMs: number;
  /** A ws instance knows which sessions are closed, though that was lost on its way once: it asks in rounds. */
  readonly closedMs: number;
  /** Copies of registrations are alike: they are compared every minute. */
  readonly comparedMs: number;
}

export function boundsOf({ topology: { timings } }: ClusterMap): Bounds {
  const promptMs = 5_000;
  return {
    quickMs: 2_000,
    promptMs,
    noticedMs: timings.pingIntervalMs * (timings.pingMisses + 2) + timings.takeoverMs + promptMs,
    toldMs: 2 * limits.streamCheckMs + promptMs,
    letGoMs: timings.sessionExpiresMs + sipTimings.patienceMs + legDelaysMs.cancel + promptMs,
    copiedMs: limits.dataPullMs + promptMs,
    closedMs: 2 * limits.sessionSyncMs + promptMs,
    comparedMs: limits.bindingsCheckMs + promptMs,
  };
}
