/**
 * What an exploration needs for several interacting machines: the parts, their messages, and what they must agree in.
 */
import type { AnyStateMachine } from 'xstate';
import type { ExploreBound } from '../kit/explore.ts';
import type { ScenarioStep } from '../machine/machine-check.ts';
import type { Command, Event } from '../player/moment.ts';

export interface Part {
  readonly machine: AnyStateMachine;
  /** Its input. */
  readonly input?: unknown;
  /** It begins with such an event, also after its end; the result is its input. */
  readonly spawn?: { readonly on: string; readonly input?: (event: Event, nowMs: number) => unknown };
  /** Events that its owner may send at any moment, each this many times. */
  readonly ownerEvents?: readonly OwnerEvent[];
}

export interface OwnerEvent {
  readonly event: Event;
  readonly times: number;
  /** Default: at any moment. */
  readonly when?: (view: View) => boolean;
}

/** A message from one part to another. */
export interface PartMessage {
  readonly to: string;
  readonly event: Event;
  /** Delivered at once and reliably: both parts are in one process. */
  readonly isReliable?: boolean;
}

/** A message that is delivered at once, and is not lost. */
export function reliably(to: string, event: object): PartMessage {
  return { to, event: event as Event, isReliable: true };
}

/** A state as rules see it. */
export interface View {
  readonly nowMs: number;
  /** Path of the state of a part; `none` before its begin and after its end. */
  state(part: string): string;
  context(part: string): unknown;
  /** How often a part gave a command. */
  count(part: string, command: string): number;
  readonly inFlight: number;
}

export interface SystemCheck {
  readonly name: string;
  readonly parts: Readonly<Record<string, Part>>;
  /** The messages that a command sends. */
  readonly onCommand: (given: {
    readonly from: string;
    readonly command: Command;
    readonly view: View;
  }) => readonly PartMessage[];
  /** The messages that a change of state sends; `before` is `none` at the begin of the part. */
  readonly onStateChange?: (change: {
    readonly part: string;
    readonly before: string;
    readonly after: string;
  }) => readonly PartMessage[];
  /** The messages that an arriving message becomes; default: its event goes to the part. */
  readonly onArrival?: (message: PartMessage, view: View) => readonly PartMessage[];
  readonly channel: Channel;
  /** Rules that must hold in every state, by a sentence for each. */
  readonly rules?: Readonly<Record<string, (view: View) => boolean | string>>;
  /** Whether all parts agree; a text names the difference. */
  readonly agree: (view: View) => boolean | string;
  /** Events that are sent when losses end. */
  readonly mend?: readonly PartMessage[];
  /**
   * Growing numbers (times, sequence numbers), by part and field, and their base; states that differ only in these
   * count as one.
   */
  readonly relative?: Readonly<Record<string, Relative>>;
  /** Commands whose count matters, as `part command`. Counts above two are the same. */
  readonly counted?: readonly string[];
  /** A move, by name, as steps of a scenario; none if no scenario step causes it. */
  readonly scenario?: (move: string) => readonly ScenarioStep[];
  /** Default: 20 moves, 20 000 states, and agreement within a minute. */
  readonly bound?: Partial<ExploreBound>;
}

/** By the name of the field, in the context of a part and in messages to it. */
export type Relative = Readonly<Record<string, (view: View) => number>>;

export interface Channel {
  /** How many messages may be lost, and how many may be duplicated. */
  readonly losses: number;
  readonly duplicates: number;
  /** Limit of messages in flight; states with more are not expanded. */
  readonly inFlight: number;
  /** Latency of a message. */
  readonly latencyMs: number;
}
