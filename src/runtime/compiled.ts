/**
 * A machine without context, compiled to a table of state × fact → state and orders. The peer machine runs through
 * it, for pings are the one hot place of an idle cluster; a property test holds the table equal to the machine.
 */
import { type AnyStateMachine, createActor, type EmittedFrom, type EventFromLogic } from 'xstate';

export interface Compiled<Fact, Order> {
  readonly initial: string;
  /** What `fact` does in `state`; the same object each time. */
  step(state: string, fact: Fact): Step<Order>;
  readonly states: readonly string[];
}

export interface Step<Order> {
  readonly state: string;
  readonly orders: readonly Order[];
}

/** Compiles a machine that has flat states, no context and no timers, for the given facts. */
export function compile<M extends AnyStateMachine, Fact extends EventFromLogic<M> & { type: string }>(
  machine: M,
  facts: readonly Fact[],
): Compiled<Fact, EmittedFrom<M>> {
  const initial = String(createActor<AnyStateMachine>(machine).getSnapshot().value);
  const table = new Map<string, Map<string, Step<EmittedFrom<M>>>>();
  const open = [initial];
  for (let state = open.pop(); state !== undefined; state = open.pop()) {
    const row = new Map(facts.map((fact) => [fact.type, stepOf(machine, state as string, fact)] as const));
    table.set(state, row);
    for (const step of row.values()) if (!table.has(step.state)) open.push(step.state);
  }
  const step = (state: string, fact: Fact): Step<EmittedFrom<M>> => {
    const found = table.get(state)?.get(fact.type);
    if (found === undefined)
      throw new Error(`no state "${state}" or fact "${fact.type}" in the table of ${machine.id}`);
    return found;
  };
  return { initial, step, states: [...table.keys()] };
}

function stepOf<M extends AnyStateMachine>(machine: M, state: string, fact: EventFromLogic<M>): Step<EmittedFrom<M>> {
  const orders: EmittedFrom<M>[] = [];
  const any: AnyStateMachine = machine;
  const actor = createActor(any, { snapshot: any.resolveState({ value: state, context: {} }) });
  actor.on('*', (order) => orders.push(order as EmittedFrom<M>));
  actor.start();
  actor.send(fact);
  const next = String(actor.getSnapshot().value);
  actor.stop();
  return { state: next, orders };
}
