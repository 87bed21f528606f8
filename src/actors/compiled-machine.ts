/**
 * A machine without context, compiled into a table of state × event → state and commands. Machines of actors
 * that receive many events run so: peers, because pings dominate an idle cluster; legs and transactions, because calls dominate a busy
 * one; holds, consumers of a source, role instances, and the parties of the world outside. Property tests compare tables with machines. Deadlines are events of the table: the actor that runs it sets the timers, by name.
 */
import { type AnyStateMachine, type AnyStateNode, createActor, type EmittedFrom, type EventFromLogic } from 'xstate';
import { type StateOf, stateName, stateValue } from './actor-logic.ts';

export interface Compiled<Event, Command, State extends string = string> {
  readonly initial: State;
  /** The transition for `event` in `state`; returns the same object each time. */
  step(state: State, event: Event | DeadlineEvent): TableStep<Command, State>;
  /** The deadlines of a state: set on entry, cancelled on exit and on re-entry. */
  delays(state: State): readonly Delay[];
  hasTag(state: State, tag: string): boolean;
}

export interface TableStep<Command, State extends string = string> {
  readonly state: State;
  readonly commands: readonly Command[];
  /** Whether the step enters a state: another one, or the same state again. */
  readonly isEntered: boolean;
}

/** A deadline of a state: its name in the chart, and the event to send when it expires. */
export interface Delay {
  readonly name: string;
  readonly event: DeadlineEvent;
}

export interface DeadlineEvent {
  readonly type: `xstate.after.${string}`;
}

interface Row<Command> {
  /** What the state handles. */
  readonly events: ReadonlyMap<string, { readonly type: string }>;
  /** By event type, filled as events occur. */
  readonly steps: Map<string, TableStep<Command>>;
  readonly delays: readonly Delay[];
  readonly tags: ReadonlySet<string>;
}

/**
 * The table of a machine for the given events, by default all that the chart names. A step is compiled when it is taken first,
 * since a process takes few of them. The machine must have no context, no parallel states, and deadlines in leaf states only. A
 * final state handles no events. Throws when a compound state has a deadline.
 */
export function compile<
  M extends AnyStateMachine,
  Event extends EventFromLogic<M> & { type: string } = EventFromLogic<M> & { type: string },
>(machine: M, events: readonly Event[] = eventsOf<M, Event>(machine)): Compiled<Event, EmittedFrom<M>, StateOf<M>> {
  for (const state of Object.values(machine.root.states)) checkDeadlines(machine, state);
  const initial = stateName(createActor<AnyStateMachine>(machine).getSnapshot().value) as StateOf<M>;
  const rows = new Map<string, Row<EmittedFrom<M>>>();
  const row = (state: string) => {
    const known = rows.get(state);
    if (known !== undefined) return known;
    const made = rowOf<EmittedFrom<M>>(machine, state, events);
    rows.set(state, made);
    return made;
  };
  const step = (state: string, event: { type: string }): TableStep<EmittedFrom<M>, StateOf<M>> => {
    const { steps, events: handled } = row(state);
    const known = steps.get(event.type);
    if (known !== undefined) return known as TableStep<EmittedFrom<M>, StateOf<M>>;
    const first = handled.get(event.type);
    if (first === undefined)
      throw new Error(`no state "${state}" or event "${event.type}" in the table of ${machine.id}`);
    const made = stepOf(machine, state, first);
    steps.set(event.type, made);
    return made as TableStep<EmittedFrom<M>, StateOf<M>>;
  };
  return { initial, step, delays: (state) => row(state).delays, hasTag: (state, tag) => row(state).tags.has(tag) };
}

/** The table for each parameter of a machine: compiled when it is first needed, and shared by the whole process. */
export function compiledOnce<Parameter, Table>(make: (parameter: Parameter) => Table): (parameter: Parameter) => Table {
  const made = new Map<Parameter, Table>();
  return (parameter) => {
    const known = made.get(parameter);
    if (known !== undefined) return known;
    const table = make(parameter);
    made.set(parameter, table);
    return table;
  };
}

/** The events that a chart names, without deadlines. */
export function eventsOf<M extends AnyStateMachine, Event extends EventFromLogic<M>>(machine: M): Event[] {
  const named = (machine.events as string[]).filter((type) => type !== '*' && !type.startsWith('xstate.'));
  return named.map((type) => ({ type }) as Event);
}

function checkDeadlines(machine: AnyStateMachine, { key, type, after, states }: AnyStateNode): void {
  if (type === 'compound' && after.length > 0)
    throw new Error(`${machine.id}: the compound state ${key} has a deadline; expected deadlines in leaf states only`);
  for (const inner of Object.values(states)) checkDeadlines(machine, inner);
}

function rowOf<Command>(machine: AnyStateMachine, state: string, events: readonly { type: string }[]): Row<Command> {
  const node = nodeOf(machine, state);
  const tags = new Set(node?.tags);
  if (node?.type !== 'atomic') return { events: new Map(), steps: new Map(), delays: [], tags };
  const delays = node.after.map(({ delay, eventType }) => ({
    name: String(delay),
    event: { type: eventType } as DeadlineEvent,
  }));
  const handled = [...events, ...delays.map(({ event }) => event)];
  return { events: new Map(handled.map((event) => [event.type, event])), steps: new Map(), delays, tags };
}

function nodeOf({ root }: AnyStateMachine, state: string): AnyStateNode | undefined {
  return state.split('.').reduce<AnyStateNode | undefined>((node, name) => node?.states[name], root);
}

function stepOf<M extends AnyStateMachine>(
  machine: M,
  state: string,
  event: { type: string },
): TableStep<EmittedFrom<M>> {
  const commands: EmittedFrom<M>[] = [];
  const any: AnyStateMachine = machine;
  const snapshot = any.resolveState({ value: stateValue(state), context: {} });
  const actor = createActor(any, { snapshot, clock: noClock });
  actor.on('*', (command) => commands.push(command as EmittedFrom<M>));
  actor.start();
  actor.send(event);
  const next = stateName(actor.getSnapshot().value);
  actor.stop();
  const isEntered = next !== state || any.getTransitionData(snapshot, event).some(({ reenter }) => reenter);
  for (const command of commands) Object.freeze(command);
  return Object.freeze({ state: next, commands: Object.freeze(commands), isEntered });
}

/** Compiling runs in no time. */
const noClock = { setTimeout: () => undefined, clearTimeout: () => {} };
