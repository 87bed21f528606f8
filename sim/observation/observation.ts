/**
 * The observations of a world, in the order of the events. They are read-only: an envelope is the object that the
 * instances hold.
 */
import type { Envelope } from '../../src/model/cluster/envelope.ts';
import type { InstanceStatus } from '../../src/model/cluster/states.ts';
import type { Fault } from '../../src/model/fault.ts';
import type { AskLook, CrashCause, EntityLook } from '../../src/ports/instrumentation/probe.ts';
import type { LogFields, LogLevel } from '../../src/ports/log.ts';
import type { OutsideMessage } from '../outside/network.ts';
import type { ReceivedEffect } from '../outside/received-effect.ts';

/** The kinds of observation and their fields. Each also has `atMs`, by the world's clock. */
export interface ObservationKinds {
  /** Its sender has handed it over. An ask begins with this. */
  'envelope.sent': { readonly node: string; readonly envelope: Envelope };
  /** It has reached the node of its receiver. */
  'envelope.delivered': { readonly node: string; readonly envelope: Envelope };
  /** It was dropped, with a reason. */
  'envelope.dead': { readonly node: string; readonly envelope: Envelope; readonly reason: string };
  /** The ask was answered, or ended by a fault (`timeout` at its deadline). */
  'ask.ended': { readonly node: string; readonly ask: AskLook; readonly fault: Fault | undefined };
  /** An operation has asked `asked` instances at once, and `unanswered` of them gave no answer. `by`: an address. */
  'fan-out.ended': {
    readonly by: string;
    readonly type: string;
    readonly asked: number;
    readonly unanswered: number;
  };
  'instance.status': { readonly instance: string; readonly status: InstanceStatus };
  'instance.crashed': { readonly instance: string; readonly reason: string; readonly cause: CrashCause };
  'entity.state': EntityLook;
  /** A rare event was counted: dead letters, unexpected events, refused links. */
  counted: { readonly by: string; readonly name: string };
  /** A log entry of level `warn` or above. */
  logged: { readonly level: LogLevel; readonly event: string; readonly fields: LogFields };
  /** A request at the front of a site. `request.answered` has the same `id`. */
  'request.received': {
    readonly id: number;
    readonly site: string;
    readonly method: string;
    readonly target: string;
    /** The session, by the token or cookie that the client sent; empty without one. */
    readonly client: string;
    /** The text of its body, if the client said it. */
    readonly sent: string | undefined;
    /** Its `If-Match`. */
    readonly ifMatch?: string | undefined;
    /** The address of the client, where it is not the usual one. */
    readonly sender?: string | undefined;
  };
  /** Its answer. `status` 0: the front ended before it. `body`: its text, if the world has read it. */
  'request.answered': {
    readonly id: number;
    readonly site: string;
    readonly method: string;
    readonly target: string;
    readonly status: number;
    readonly tookMs: number;
    readonly body: string | undefined;
    /** Its `X-Data-Age`: seconds by which the copy that answered may be behind; `undefined` without one. */
    readonly ageS: number | undefined;
    /** Its `X-Missing-Sites`: they did not answer; `undefined`: all did. */
    readonly missing?: string | undefined;
    /** Its `ETag`. */
    readonly etag?: string | undefined;
  };
  /** A front has answered a request of any client. `status` 0: the connection was dropped instead. `path`: without the query. */
  'front.answered': {
    readonly site: string;
    /** The name of its ws instance. */
    readonly front: string;
    readonly method: string;
    readonly path: string;
    readonly status: number;
    readonly tookMs: number;
    /** The address of the client. */
    readonly sender: string;
  };
  /** A SIP message between an edge and the world outside, when it is sent. */
  'outside.sent': OutsideMessage;
  /** A message of a web socket, `in` to the platform or `out` to its client. `client`: the session, as of requests. */
  'socket.message': {
    readonly socket: number;
    readonly site: string;
    readonly client: string;
    readonly direction: 'in' | 'out';
    readonly text: string;
  };
  'socket.ended': { readonly socket: number };
  /** Another system has received an effect of a script: an HTTP request or a short message. */
  'effect.received': ReceivedEffect;
  /** `fault` numbers the faults. `verb` and `args` are those of `sim/faults/faults.ts`. */
  'fault.inflicted': { readonly fault: number; readonly verb: string; readonly args: readonly unknown[] };
  /** An active fault was lifted; or one was refused, and never struck. */
  'fault.mended': {
    readonly fault: number;
    readonly verb: string;
    readonly args: readonly unknown[];
    readonly isRefused: boolean;
  };
  /** A node has started. */
  'node.started': { readonly node: string };
  /** A node has ended; `isGraceful`: it had finished its work. */
  'node.ended': { readonly node: string; readonly isGraceful: boolean };
}

export type ObservationKind = keyof ObservationKinds;

/** Kinds to which observers can subscribe by type: of the envelope, the machine of the entity, the method of the SIP message. */
export type TypedKind = Extract<ObservationKind, `envelope.${string}` | 'entity.state' | 'outside.sent'>;

export type ObservationOf<K extends ObservationKind> = {
  readonly [Kind in K]: { readonly kind: Kind; readonly atMs: number } & ObservationKinds[Kind];
}[K];

export type Observation = ObservationOf<ObservationKind>;

/** Receives the observations of its subscription. */
export type Listener<K extends ObservationKind = ObservationKind> = (observation: ObservationOf<K>) => void;

/** A subscription: kinds of observation; types of envelopes, machines of entities, methods of SIP messages outside. Default: all. */
export interface ObservationFilter<K extends ObservationKind = ObservationKind> {
  readonly kinds?: readonly K[];
  readonly types?: readonly string[];
}
