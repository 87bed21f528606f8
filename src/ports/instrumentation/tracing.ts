/** Distributed tracing: requests and messages are parts of traces, across nodes. Absent: nothing is traced, and nothing is paid. */
import type { Envelope } from '../../model/cluster/envelope.ts';

export interface Tracing {
  /** An envelope that is sent, with its place in the trace that is active, if one is. */
  sent(envelope: Envelope): Envelope;
  /** Handles an envelope as a part of its trace; what the handler sends is a part of it too. */
  handled<T>(envelope: Envelope, work: () => T): T;
}
