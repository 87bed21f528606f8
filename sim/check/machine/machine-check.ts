/** What a check needs to know of a machine: how events are made, what must always hold, and what was decided on purpose. */
import type { AnyStateMachine, ContextFrom, EmittedFrom, EventFromLogic, InputFrom } from 'xstate';
import type { Pick } from '../kit/choices.ts';
import type { Persisted } from '../player/moment.ts';

/** A step of a scenario file, but for its time: `{ dial: { from, to } }`. */
export type ScenarioStep = Readonly<Record<string, unknown>>;

export type EventOf<M extends AnyStateMachine> = EventFromLogic<M>;
export type EventType<M extends AnyStateMachine> = EventOf<M>['type'];

/** Where a machine is when an event is made for it. */
export interface Here<M extends AnyStateMachine> {
  readonly pick: Pick;
  /** Path of the state: `tied.held`. */
  readonly state: string;
  readonly context: ContextFrom<M>;
  readonly nowMs: number;
}

/** What an event says beside its type; `true` where it says no more. */
export type EventMaker<M extends AnyStateMachine, T extends EventType<M>> =
  | true
  | ((here: Here<M>) => Omit<Extract<EventOf<M>, { type: T }>, 'type'>);

/** What actors that a machine runs tell by themselves: `xstate.done.actor.fetch`. Types of a machine know nothing of it. */
export interface ActorEvent {
  readonly type: ActorEventType;
  readonly output?: unknown;
  readonly error?: unknown;
  readonly snapshot?: unknown;
}
export type ActorEventType = `xstate.${'done.actor' | 'error.actor' | 'snapshot'}.${string}`;

/** What they say beside the type: `{ output }`, `{ error }`. */
export type ActorEvents<M extends AnyStateMachine> = {
  readonly [T in ActorEventType]?: true | ((here: Here<M>) => Omit<ActorEvent, 'type'>);
};

/** An event of the machine, or the start, a deadline, the end of an actor; of an untyped machine whatever has a type. */
export type StepEvent<M extends AnyStateMachine> =
  string extends EventType<M> ? EventOf<M> : EventOf<M> | { readonly type: 'start' | `xstate.${string}` };

/** One step of a run: what the machine was told, or the deadline that was over, and what came of it. */
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

/** The life of a machine so far, from its start; the last step is the one that was just made. */
export interface Run<M extends AnyStateMachine> {
  readonly steps: readonly RunStep<M>[];
  readonly last: RunStep<M>;
  /** All commands, oldest first. */
  readonly commands: readonly EmittedFrom<M>[];
  /** How often a command was given. */
  count(command: EmittedFrom<M>['type']): number;
}

/** Whether the rule holds of a life so far; a text says what is wrong. */
export type Rule<M extends AnyStateMachine> = (run: Run<M>) => boolean | string;

/** A plain reference, made for each life: it sees every step and answers what is wrong, if something is. */
export type Model<M extends AnyStateMachine> = (step: RunStep<M>) => string | undefined;

export interface MachineCheck<M extends AnyStateMachine> {
  readonly machine: M;
  /** Default: the id of the machine. */
  readonly name?: string;
  /** Every type of event. */
  readonly events: { readonly [T in EventType<M>]: EventMaker<M, T> } & ActorEvents<M>;
  /** What it starts from. Default: nothing. */
  readonly input?: (pick: Pick, nowMs: number) => InputFrom<M>;
  /** An event as it is told now, where events carry the time at which they are told: for those that come late. */
  readonly stamp?: (event: EventOf<M>, nowMs: number) => EventOf<M>;
  /** What must hold at all times, by a sentence that says so; also when events come twice, late or in another order. */
  readonly rules?: Readonly<Record<string, Rule<M>>>;
  /** A reference that must agree as long as events come in order. */
  readonly model?: (input: InputFrom<M>) => Model<M>;
  /** Commands that are given once in a life at most, and the one after which none is given. */
  readonly once?: readonly EmittedFrom<M>['type'][];
  readonly last?: EmittedFrom<M>['type'];
  /** No deadline is longer. Default: 24 hours. */
  readonly longestMs?: number;
  /** How a life is brought to its end: it is told these events, then time passes, and it must be in one of these states. */
  readonly finally?: {
    readonly tell?: readonly (EventOf<M> | ActorEvent)[];
    readonly waitMs: number;
    readonly states: readonly string[];
  };
  /** Events that a state does not decide, on purpose, by state; `*`: any event that the state does not decide. And why. */
  readonly undecided?: Readonly<
    Record<string, { readonly events: readonly (EventType<M> | ActorEventType)[] | '*'; readonly why: string }>
  >;
  /** Events from the start that lead to where no short way leads, for the coverage; milliseconds are waited. */
  readonly far?: readonly (readonly (EventOf<M> | ActorEvent | number)[])[];
  /** States and transitions, by name, that nothing leads to, and why. */
  readonly unreachable?: Readonly<Record<string, string>>;
  /** What whoever runs the machine keeps of it over a restart. Default: all, deadlines included. */
  readonly restore?: (persisted: Persisted) => Persisted;
  /** What this event would be as steps of a scenario; none where nothing outside leads to it. */
  readonly scenario?: (event: EventOf<M>) => readonly ScenarioStep[];
}

/** A check of whatever machine, as lists hold it. */
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
