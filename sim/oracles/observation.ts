/**
 * What an onlooker of a world is told, one thing at a time, in the order in which it happened. All of it is for reading only:
 * an envelope is the very object that the instances have.
 */
import type { Envelope } from '../../src/model/envelope.ts';
import type { Fault } from '../../src/model/fault.ts';
import type { SipMessage } from '../../src/model/sip/message.ts';
import type { InstanceStatus } from '../../src/model/states.ts';
import type { LogFields, LogLevel } from '../../src/ports/log.ts';
import type { AskLook, CrashCause, EntityLook } from '../../src/ports/probe.ts';

/** Each kind, and what is told with it; `atMs` (by the world's clock) comes with all. */
export interface ObservationKinds {
  /** Handed over by its sender. An ask opens so. */
  'envelope.sent': { readonly node: string; readonly envelope: Envelope };
  /** At the node that it is for. */
  'envelope.delivered': { readonly node: string; readonly envelope: Envelope };
  /** Given up, for a reason. */
  'envelope.dead': { readonly node: string; readonly envelope: Envelope; readonly reason: string };
  /** Answered, or over by a fault (`timeout` at its deadline). */
  'ask.ended': { readonly node: string; readonly ask: AskLook; readonly fault: Fault | undefined };
  'instance.status': { readonly instance: string; readonly status: InstanceStatus };
  'instance.crashed': { readonly instance: string; readonly reason: string; readonly cause: CrashCause };
  'entity.state': EntityLook;
  /** Something rare was counted (dead letters, unexpected events, refusals of a link). */
  counted: { readonly by: string; readonly name: string };
  /** A line of the log, from `warn` on. */
  logged: { readonly level: LogLevel; readonly event: string; readonly fields: LogFields };
  /** A request at the front of a site. `id` is that of its end. */
  'request.received': {
    readonly id: number;
    readonly site: string;
    readonly method: string;
    readonly target: string;
  };
  /** Its answer; `status` 0 where the front was gone before it. `body`: its text, where the world has read it. */
  'request.answered': {
    readonly id: number;
    readonly site: string;
    readonly method: string;
    readonly target: string;
    readonly status: number;
    readonly tookMs: number;
    readonly body: string | undefined;
  };
  /** A SIP message on its way between an edge and the world outside, as it is sent. */
  'outside.sent': { readonly from: string; readonly to: string; readonly message: SipMessage };
  /** `fault` counts them. `verb` and `args` are those of `sim/faults/faults.ts`. */
  'fault.inflicted': { readonly fault: number; readonly verb: string; readonly args: readonly unknown[] };
  /** A fault that stood is lifted. */
  'fault.mended': { readonly fault: number; readonly verb: string; readonly args: readonly unknown[] };
  /** A node begins to run. */
  'node.started': { readonly node: string };
  /** A node is gone: `isGraceful` when it has finished what was under way. */
  'node.ended': { readonly node: string; readonly isGraceful: boolean };
}

export type ObservationKind = keyof ObservationKinds;

export type ObservationOf<K extends ObservationKind> = {
  readonly [Kind in K]: { readonly kind: Kind; readonly atMs: number } & ObservationKinds[Kind];
}[K];

export type Observation = ObservationOf<ObservationKind>;

/** Hears what it asked for. */
export type Listener<K extends ObservationKind = ObservationKind> = (observation: ObservationOf<K>) => void;

/** Which observations a listener wants: of these kinds and, of envelopes, of these types, of entities of these machines. Default: all. */
export interface Wanted<K extends ObservationKind = ObservationKind> {
  readonly kinds?: readonly K[];
  readonly types?: readonly string[];
}
