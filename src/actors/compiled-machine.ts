/**
 * A machine without context, compiled to a table of state × fact → state and orders. The peer machine runs through it, for
 * pings are the one hot place of an idle cluster, and so does the leg machine, for calls are that of a busy one; property
 * tests hold the tables equal to the machines. Deadlines are facts of the table: whoever runs it sets the timers, by name.
 */
import { type AnyStateMachine, type AnyStateNode, createActor, type EmittedFrom, type EventFromLogic } from 'xstate';
import { stateName, stateValue } from './actor-logic.ts';

export interface Compiled<Fact, Order> {
  readonly initial: string;
  /** What `fact` does in `state`; the same object each time. */
  step(state: string, fact: Fact | DeadlineFact): Step<Order>;
  /** The deadlines of a state: to be set when it is entered, and taken back when it is left or entered anew. */
  delays(state: string): readonly Delay[];
  readonly states: readonly string[];
}

export interface Step<Order> {
  readonly state: string;
  readonly orders: readonly Order[];
  /** Whether the state is another one, or the same entered anew. */
  readonly isEntered: boolean;
}

/** A deadline of a state: its name in the chart, and what to tell when it is over. */
export interface Delay {
  readonly name: string;
  readonly fact: DeadlineFact;
}

export interface DeadlineFact {
  readonly type: `xstate.after.${string}`;
}

interface Row<Order> {
  readonly steps: ReadonlyMap<string, Step<Order>>;
  readonly delays: readonly Delay[];
}

/**
 * Compiles a machine that has no context, no parallel states, and deadlines of innermost states only, for the given facts. A final
 * state knows no facts. Throws where a state that has others within it has a deadline.
 */
export function compile<M extends AnyStateMachine, Fact extends EventFromLogic<M> & { type: string }>(
  machine: M,
  facts: readonly Fact[],
): Compiled<Fact, EmittedFrom<M>> {
  const initial = stateName(createActor<AnyStateMachine>(machine).getSnapshot().value);
  const table = new Map<string, Row<EmittedFrom<M>>>();
  const open = [initial];
  for (let state = open.pop(); state !== undefined; state = open.pop()) {
    const row = rowOf(machine, state, facts);
    table.set(state, row);
    for (const step of row.steps.values()) if (!table.has(step.state)) open.push(step.state);
  }
  const step = (state: string, fact: { type: string }): Step<EmittedFrom<M>> => {
    const found = table.get(state)?.steps.get(fact.type);
    if (found === undefined)
      throw new Error(`no state "${state}" or fact "${fact.type}" in the table of ${machine.id}`);
    return found;
  };
  return { initial, step, delays: (state) => table.get(state)?.delays ?? [], states: [...table.keys()] };
}

function rowOf<M extends AnyStateMachine>(
  machine: M,
  state: string,
  facts: readonly { type: string }[],
): Row<EmittedFrom<M>> {
  const [node, ...around] = nodesOf(machine, state);
  if (node === undefined || node.type === 'final') return { steps: new Map(), delays: [] };
  if (around.some(({ after }) => after.length > 0)) throw new Error(`a deadline around ${state} of ${machine.id}`);
  const delays = node.after.map(({ delay, eventType }) => ({
    name: String(delay),
    fact: { type: eventType } as DeadlineFact,
  }));
  const told = [...facts, ...delays.map(({ fact }) => fact)];
  return { steps: new Map(told.map((fact) => [fact.type, stepOf(machine, state, fact)])), delays };
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

function stepOf<M extends AnyStateMachine>(machine: M, state: string, fact: { type: string }): Step<EmittedFrom<M>> {
  const orders: EmittedFrom<M>[] = [];
  const any: AnyStateMachine = machine;
  const snapshot = any.resolveState({ value: stateValue(state), context: {} });
  const actor = createActor(any, { snapshot, clock: noClock });
  actor.on('*', (order) => orders.push(order as EmittedFrom<M>));
  actor.start();
  actor.send(fact);
  const next = stateName(actor.getSnapshot().value);
  actor.stop();
  const isEntered = next !== state || any.getTransitionData(snapshot, fact).some(({ reenter }) => reenter);
  return { state: next, orders, isEntered };
}

/** Compiling takes no time. */
const noClock = { setTimeout: () => undefined, clearTimeout: () => {} };
