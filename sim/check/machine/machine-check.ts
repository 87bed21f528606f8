/**
 * What a check needs for a machine: how to make events, what must always hold, and which events are undecided on
 * purpose.
 */
import type { AnyStateMachine, ContextFrom, EmittedFrom, EventFromLogic, InputFrom } from 'xstate';
import type { Pick } from '../kit/choices.ts';
import type { Persisted } from '../player/moment.ts';

/** A step of a scenario file without its time: `{ dial: { from, to } }`. */
export type ScenarioStep = Readonly<Record<string, unknown>>;

export type EventOf<M extends AnyStateMachine> = EventFromLogic<M>;
export type EventType<M extends AnyStateMachine> = EventOf<M>['type'];

/** The state of the machine when an event is made for it. */
export interface Here<M extends AnyStateMachine> {
  readonly pick: Pick;
  /** Path of the state: `tied.held`. */
  readonly state: string;
  readonly context: ContextFrom<M>;
  readonly nowMs: number;
}

/** Fields of an event besides its type; `true` if it has none. */
export type EventMaker<M extends AnyStateMachine, T extends EventType<M>> =
  | true
  | ((here: Here<M>) => Omit<Extract<EventOf<M>, { type: T }>, 'type'>);

/** Events that invoked actors send: `xstate.done.actor.fetch`. The types of a machine do not contain them. */
export interface ActorEvent {
  readonly type: ActorEventType;
  readonly output?: unknown;
  readonly error?: unknown;
  readonly snapshot?: unknown;
}
export type ActorEventType = `xstate.${'done.actor' | 'error.actor' | 'snapshot'}.${string}`;

/** Their fields: `{ output }`, `{ error }`. */
export type ActorEvents<M extends AnyStateMachine> = {
  readonly [T in ActorEventType]?: true | ((here: Here<M>) => Omit<ActorEvent, 'type'>);
};

/**
 * An event of the machine, or its start, a deadline, the end of an actor. For an untyped machine, any object with a
 * type.
 */
export type StepEvent<M extends AnyStateMachine> =
  string extends EventType<M> ? EventOf<M> : EventOf<M> | { readonly type: 'start' | `xstate.${string}` };

/** One step of a run: the event or expired deadline, and the result. */
export interface RunStep<M extends AnyStateMachine> {
  readonly atMs: number;
  /** The name of the event as tables print it: `coin`, `after patience`; `start` at the beginning of the run. */
  readonly name: string;
  readonly event: StepEvent<M>;
  readonly before: string;
  readonly after: string;
  readonly context: ContextFrom<M>;
  readonly commands: readonly EmittedFrom<M>[];
  readonly deadlines: readonly { readonly name: string; readonly inMs: number }[];
  readonly isOver: boolean;
}

/** The run of the machine so far, from its start; the last step is the newest. */
export interface Run<M extends AnyStateMachine> {
  readonly steps: readonly RunStep<M>[];
  readonly last: RunStep<M>;
  /** All commands, oldest first. */
  readonly commands: readonly EmittedFrom<M>[];
  /** How often a command was given. */
  count(command: EmittedFrom<M>['type']): number;
}

/** Whether the rule holds for the run so far; a text says what is wrong. */
export type Rule<M extends AnyStateMachine> = (run: Run<M>) => boolean | string;

/** A model, created for each run: it sees every step and returns what is wrong, if anything. */
export type Model<M extends AnyStateMachine> = (step: RunStep<M>) => string | undefined;

export interface MachineCheck<M extends AnyStateMachine> {
  readonly machine: M;
  /** Default: the id of the machine. */
  readonly name?: string;
  /** Every type of event. */
  readonly events: { readonly [T in EventType<M>]: EventMaker<M, T> } & ActorEvents<M>;
  /** Its input. Default: nothing. */
  readonly input?: (pick: Pick, nowMs: number) => InputFrom<M>;
  /** Stamps an event with the present time, for machines whose events carry it. Used for late events. */
  readonly stamp?: (event: EventOf<M>, nowMs: number) => EventOf<M>;
  /** Rules that must always hold, by a sentence for each; also for repeated, late or reordered events. */
  readonly rules?: Readonly<Record<string, Rule<M>>>;
  /** A model that must agree while events come in order. */
  readonly model?: (input: InputFrom<M>) => Model<M>;
  /** Commands that are given at most once in a run, and the one after which none is given. */
  readonly once?: readonly EmittedFrom<M>['type'][];
  readonly last?: EmittedFrom<M>['type'];
  /** No deadline is longer. Default: 24 hours. */
  readonly longestMs?: number;
  /**
   * The end of a run: the check sends these events, then time passes, and the machine must be in one of these states.
   */
  readonly finally?: {
    readonly events?: readonly (EventOf<M> | ActorEvent)[];
    readonly waitMs: number;
    readonly states: readonly string[];
  };
  /** Undecided events with their reason, by state; `*`: any event that the state does not decide. */
  readonly undecided?: Readonly<
    Record<string, { readonly events: readonly (EventType<M> | ActorEventType)[] | '*'; readonly why: string }>
  >;
  /**
   * Paths of events from the start into states that short runs do not reach, for the coverage; a number is a wait in
   * milliseconds.
   */
  readonly far?: readonly (readonly (EventOf<M> | ActorEvent | number)[])[];
  /** States and transitions, by name, that nothing leads to, with the reason. */
  readonly unreachable?: Readonly<Record<string, string>>;
  /** What the owner of the machine keeps over a restart. Default: everything, deadlines included. */
  readonly restore?: (persisted: Persisted) => Persisted;
  /** The event as steps of a scenario; none if no scenario step causes it. */
  readonly scenario?: (event: EventOf<M>) => readonly ScenarioStep[];
}

/** A check of any machine, for lists. */
export type AnyCheck = MachineCheck<AnyStateMachine>;

/** Declares a check, typed by its machine, for a list of checks of different machines. */
export function checkOf<M extends AnyStateMachine>(check: MachineCheck<M>): AnyCheck {
  return check as unknown as AnyCheck;
}

export function nameOf({
  name,
  machine,
}: {
  readonly name?: string | undefined;
  readonly machine: AnyStateMachine;
}): string {
  return name ?? machine.id;
}
