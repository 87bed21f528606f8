/** The messages between a supervisor and the process of a node, over the channel between them. */
import type { InstanceStatus } from '../../src/model/cluster/states.ts';
import type { SipMessage } from '../../src/model/sip/message.ts';
import type { ClientAnswer, ClientRequest, Delivery } from '../../src/ports/http-client.ts';
import type { ShortMessage } from '../../src/ports/sms-gateway.ts';
import type { Observation } from '../observation/observation.ts';
import type { ObservationSubscriptions } from '../observation/observers.ts';
import type { Cluster } from '../world/cluster.ts';

/** What a node sees of its cluster. */
export interface NodeViewReport {
  readonly isReady: boolean;
  /** Nodes, by name. */
  readonly reachable: readonly string[];
  /** By the name of the instance; none for an unreachable one. */
  readonly statuses: Readonly<Record<string, InstanceStatus>>;
}

/** An observation, and when it was made: in milliseconds with a fraction, for the order over several processes. */
export type Stamped = readonly [stampMs: number, observation: Observation];

/** Faults that act at a port of the node, inside its process. */
export const innerVerbs = ['crashInstance', 'restartInstance', 'shiftClock', 'slowStores', 'fillStores'] as const;
export type InnerVerb = (typeof innerVerbs)[number];
export type InnerFault = {
  readonly [V in InnerVerb]: { readonly verb: V; readonly args: Parameters<Cluster[V]> };
}[InnerVerb];

/** The amounts that a node and its instances hold, by address. */
export type SentCensus = readonly (readonly [of: string, counts: Readonly<Record<string, number>>])[];

/** What a request of a script belongs to. The secret of its signature stays in the node. */
export type SentDelivery = Omit<Delivery, 'signature'>;

/** From the supervisor. The first `observe` lets the node start. */
export type ToNode =
  | { readonly type: 'observe'; readonly subscriptions: ObservationSubscriptions }
  | { readonly type: 'inject'; readonly fault: InnerFault }
  | { readonly type: 'edge.received'; readonly endpoint: string; readonly from: string; readonly message: SipMessage }
  | { readonly type: 'http.answered'; readonly id: string; readonly answer: ClientAnswer };

/** From the node. `observed`: everything until `untilMs`. `view`: that of a node that runs. */
export type FromNode =
  | { readonly type: 'observed'; readonly untilMs: number; readonly observations: readonly Stamped[] }
  | { readonly type: 'view'; readonly view?: NodeViewReport; readonly fronts: Readonly<Record<string, string>> }
  | {
      readonly type: 'census';
      readonly stampMs: number;
      readonly census: SentCensus;
    }
  | { readonly type: 'edge.attached'; readonly endpoint: string }
  | { readonly type: 'edge.detached'; readonly endpoint: string }
  | { readonly type: 'edge.sent'; readonly endpoint: string; readonly to: string; readonly message: SipMessage }
  | {
      readonly type: 'http.sent';
      /** Unique over the processes of a node: an answer for one that was killed is not for the next. */
      readonly id: string;
      readonly request: ClientRequest;
      readonly delivery: SentDelivery;
    }
  | { readonly type: 'sms.sent'; readonly message: ShortMessage };

/** Milliseconds since the epoch with a fraction. */
export function stampMs(): number {
  return performance.timeOrigin + performance.now();
}
