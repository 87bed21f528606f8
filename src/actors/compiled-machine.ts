/**
 * A machine without context, compiled to a table of state × event → state and commands. The peer machine runs through it, for
 * pings are the one hot place of an idle cluster, and so does the leg machine, for calls are that of a busy one; property
 * tests hold the tables equal to the machines. Deadlines are events of the table: whoever runs it sets the timers, by name.
 */
import { type AnyStateMachine, type AnyStateNode, createActor, type EmittedFrom, type EventFromLogic } from 'xstate';
import { stateName, stateValue } from './actor-logic.ts';

export interface Compiled<Event, Command> {
  readonly initial: string;
  /** What `event` does in `state`; the same object each time. */
  step(state: string, event: Event | DeadlineEvent): Step<Command>;
  /** The deadlines of a state: to be set when it is entered, and taken back when it is left or entered anew. */
  delays(state: string): readonly Delay[];
  readonly states: readonly string[];
}

export interface Step<Command> {
  readonly state: string;
  readonly commands: readonly Command[];
  /** Whether the state is another one, or the same entered anew. */
  readonly isEntered: boolean;
}

/** A deadline of a state: its name in the chart, and what to tell when it is over. */
export interface Delay {
  readonly name: string;
  readonly event: DeadlineEvent;
}

export interface DeadlineEvent {
  readonly type: `xstate.after.${string}`;
}

interface Row<Command> {
  readonly steps: ReadonlyMap<string, Step<Command>>;
  readonly delays: readonly Delay[];
}

/**
 * Compiles a machine that has no context, no parallel states, and deadlines of innermost states only, for the given events, by
 * default all that the chart names. A final state knows no events. Throws where a state that has others within it has a deadline.
 */
export function compile<
  M extends AnyStateMachine,
  Event extends EventFromLogic<M> & { type: string } = EventFromLogic<M> & { type: string },
>(machine: M, events: readonly Event[] = eventsOf<M, Event>(machine)): Compiled<Event, EmittedFrom<M>> {
  const initial = stateName(createActor<AnyStateMachine>(machine).getSnapshot().value);
  const table = new Map<string, Row<EmittedFrom<M>>>();
  const open = [initial];
  for (let state = open.pop(); state !== undefined; state = open.pop()) {
    const row = rowOf(machine, state, events);
    table.set(state, row);
    for (const step of row.steps.values()) if (!table.has(step.state)) open.push(step.state);
  }
  const step = (state: string, event: { type: string }): Step<EmittedFrom<M>> => {
    const found = table.get(state)?.steps.get(event.type);
    if (found === undefined)
      throw new Error(`no state "${state}" or event "${event.type}" in the table of ${machine.id}`);
    return found;
  };
  return { initial, step, delays: (state) => table.get(state)?.delays ?? [], states: [...table.keys()] };
}

/** The events that a chart names, without deadlines. */
export function eventsOf<M extends AnyStateMachine, Event extends EventFromLogic<M>>(machine: M): Event[] {
  const named = (machine.events as string[]).filter((type) => type !== '*' && !type.startsWith('xstate.'));
  return named.map((type) => ({ type }) as Event);
}

function rowOf<M extends AnyStateMachine>(
  machine: M,
  state: string,
  events: readonly { type: string }[],
): Row<EmittedFrom<M>> {
  const [node, ...around] = nodesOf(machine, state);
  if (node === undefined || node.type === 'final') return { steps: new Map(), delays: [] };
  if (around.some(({ after }) => after.length > 0)) throw new Error(`a deadline around ${state} of ${machine.id}`);
  const delays = node.after.map(({ delay, eventType }) => ({
    name: String(delay),
    event: { type: eventType } as DeadlineEvent,
  }));
  const told = [...events, ...delays.map(({ event }) => event)];
  return { steps: new Map(told.map((event) => [event.type, stepOf(machine, state, event)])), delays };
}

/** A state and those around it, but for the root. */
function nodesOf(machine: AnyStateMachine, state: string): AnyStateNode[] {
  const nodes: AnyStateNode[] = [];
  let at: AnyStateNode = machine.root;
  for (const name of state.split('.')) {
    const node: AnyStateNode | undefined = at.states[name];
    if (node === undefined) return [];
    nodes.unshift(node);
    at = node;
  }
  return nodes;
}

function stepOf<M extends AnyStateMachine>(machine: M, state: string, event: { type: string }): Step<EmittedFrom<M>> {
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
  return { state: next, commands, isEntered };
}

/** Compiling takes no time. */
const noClock = { setTimeout: () => undefined, clearTimeout: () => {} };
