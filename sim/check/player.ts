/**
 * Plays a machine as a pure function of what it was told: every step gives a new moment, so that a run can be forked, kept
 * as JSON, and repeated. It holds the deadlines itself, by name, as the clock of whoever runs the machine would. What the
 * machine emits, and actions that are not XState's own, come out as orders; nothing is executed.
 */
import {
  type AnyActor,
  type AnyActorScope,
  type AnyMachineSnapshot,
  type AnyStateMachine,
  type AnyTransitionDefinition,
  createActor,
  type ExecutableActionObject,
} from 'xstate';
import { statePathOf } from './chart.ts';
import { exactText } from './exact-text.ts';
import { BadCheck, shown } from './form.ts';

export interface Fact {
  readonly type: string;
}

export interface Order {
  readonly type: string;
}

/** A deadline that was set, and what the machine is told when it is over. */
export interface Deadline {
  readonly id: string;
  readonly dueMs: number;
  readonly fact: Fact;
}

/** A machine at rest, between two facts. */
export interface Moment {
  readonly nowMs: number;
  readonly snapshot: AnyMachineSnapshot;
  /** By when they are due, then in the order in which they were set. */
  readonly deadlines: readonly Deadline[];
}

export interface Reaction {
  readonly moment: Moment;
  readonly orders: readonly Order[];
  /** The transitions that were taken, those that need no fact included. */
  readonly taken: readonly AnyTransitionDefinition[];
  /** Why there is no next moment: what the machine has thrown. */
  readonly error?: unknown;
}

/** What survives when whoever runs the machine dies: JSON, and the deadlines as its clock has kept them. */
export interface Persisted {
  readonly nowMs: number;
  readonly snapshot: unknown;
  readonly deadlines: readonly Deadline[];
}

interface Step {
  readonly snapshot: AnyMachineSnapshot;
  readonly orders: readonly Order[];
  readonly timing: readonly Timing[];
  readonly taken: readonly AnyTransitionDefinition[];
  readonly error?: unknown;
}

type Timing =
  | { readonly cancel: string }
  /** A deadline without a name replaces none. */
  | { readonly set: string | undefined; readonly delayMs: number; readonly fact: Fact };

/** How many steps are remembered, for machines do the same again and again. */
const memorySize = 20_000;

export class Player {
  readonly machine: AnyStateMachine;
  readonly #steps = new Map<string, Step>();
  /** Where steps are taken: an actor that is never started, for all of them. */
  #scope: AnyActorScope | undefined;
  #actions: ExecutableActionObject[] = [];
  #taken: AnyTransitionDefinition[] = [];

  constructor(machine: AnyStateMachine) {
    this.machine = machine;
  }

  /** The machine as it begins. Throws `BadCheck` where the machine throws. */
  start(input: unknown, nowMs = 0): Reaction {
    const step = this.#noted(() => this.#begin(input));
    return reactionOf(step, { nowMs, deadlines: [] });
  }

  tell(moment: Moment, fact: Fact): Reaction {
    if (moment.snapshot.status !== 'active') return { moment, orders: [], taken: [] };
    return reactionOf(this.#step(moment.snapshot, fact), moment);
  }

  /** Lets time pass until `untilMs`, and hands each deadline on the way, one at a time, to `onReaction`. */
  advance(from: Moment, untilMs: number, onReaction: (fact: Fact, reaction: Reaction) => void): Moment {
    let moment = from;
    for (let [due] = moment.deadlines; due !== undefined && due.dueMs <= untilMs; [due] = moment.deadlines) {
      const reaction = this.fire(moment);
      onReaction(due.fact, reaction);
      moment = reaction.moment;
    }
    return { ...moment, nowMs: Math.max(untilMs, moment.nowMs) };
  }

  /** Goes to the first deadline and tells the machine that it is over. */
  fire(moment: Moment): Reaction {
    const [due, ...deadlines] = moment.deadlines;
    if (due === undefined) return { moment, orders: [], taken: [] };
    return this.tell({ ...moment, nowMs: Math.max(due.dueMs, moment.nowMs), deadlines }, due.fact);
  }

  persist({ nowMs, snapshot, deadlines }: Moment): Persisted {
    const kept = { nowMs, snapshot: this.machine.getPersistedSnapshot(snapshot), deadlines };
    return JSON.parse(JSON.stringify(kept)) as Persisted;
  }

  restore({ nowMs, snapshot, deadlines }: Persisted): Moment {
    return { nowMs, deadlines, snapshot: createActor(this.machine, { snapshot: snapshot as never }).getSnapshot() };
  }

  #begin(input: unknown): AnyMachineSnapshot {
    const from = () => (input === undefined ? 'nothing (no input is given)' : shown(input));
    try {
      const snapshot: AnyMachineSnapshot = this.machine.getInitialSnapshot(this.#scopeFor(input), input as never);
      if (snapshot.status === 'error') throw snapshot.error;
      return snapshot;
    } catch (error) {
      throw new BadCheck(`${this.machine.id} throws when it starts from ${from()}: ${String(error)}`, { cause: error });
    }
  }

  #step(snapshot: AnyMachineSnapshot, fact: Fact): Step {
    return remembered(this.#steps, keyOfStep(snapshot, fact), () => this.#compute(snapshot, fact));
  }

  #compute(snapshot: AnyMachineSnapshot, fact: Fact): Step {
    try {
      return this.#noted(() => this.machine.transition(snapshot, fact, this.#scopeFor(undefined)));
    } catch (error) {
      return { snapshot, orders: [], timing: [], taken: [], error };
    }
  }

  /** Takes a step, and notes what it orders and which transitions it takes. */
  #noted(step: () => AnyMachineSnapshot): Step {
    this.#actions = [];
    this.#taken = [];
    const snapshot = step();
    return { snapshot, ...readActions(this.#actions), taken: this.#taken };
  }

  #scopeFor(input: unknown): AnyActorScope {
    this.#scope ??= this.#newScope(input);
    return this.#scope;
  }

  #newScope(input: unknown): AnyActorScope {
    const self: AnyActor = createActor(this.machine, {
      input: input as never,
      inspect: (seen) => {
        if (seen.type === '@xstate.microstep') this.#taken.push(...seen._transitions);
      },
    });
    return {
      self,
      system: self.system,
      id: self.id,
      sessionId: self.sessionId,
      logger: () => {},
      defer: () => {},
      emit: () => {},
      stopChild: () => {},
      actionExecutor: (action: ExecutableActionObject) => this.#actions.push(action),
    } as AnyActorScope;
  }
}

/** State, context and history of a machine, as text; `undefined` where they hold what text can't. */
export function keyOf(snapshot: AnyMachineSnapshot): string | undefined {
  const known = keys.get(snapshot);
  if (known !== undefined) return known;
  const { value, context, status, historyValue } = snapshot;
  const history = Object.entries(historyValue ?? {}).map(([id, nodes]) => [id, nodes.map((node) => node.id)]);
  const key = exactText([value, status, context, history]);
  if (key !== undefined) keys.set(snapshot, key);
  return key;
}

const keys = new WeakMap<AnyMachineSnapshot, string>();

function keyOfStep(snapshot: AnyMachineSnapshot, fact: Fact): string | undefined {
  const [before, told] = [keyOf(snapshot), exactText(fact)];
  return before === undefined || told === undefined ? undefined : `${before} ${told}`;
}

/** Path of the state of a moment: `tied.held`. Of parallel states all, with `+` between them. */
export function stateOf({ snapshot }: Moment): string {
  return statePathOf(snapshot.value);
}

function remembered<V>(memory: Map<string, V>, key: string | undefined, compute: () => V): V {
  const known = key === undefined ? undefined : memory.get(key);
  if (known !== undefined) return known;
  const value = compute();
  if (memory.size >= memorySize) memory.clear();
  if (key !== undefined) memory.set(key, value);
  return value;
}

function reactionOf(step: Step, { nowMs, deadlines }: Omit<Moment, 'snapshot'>): Reaction {
  const { snapshot, orders, taken, error } = step;
  const isOver = snapshot.status !== 'active';
  const moment = { nowMs, snapshot, deadlines: isOver ? [] : timed(deadlines, step.timing, nowMs) };
  return error === undefined ? { moment, orders, taken } : { moment, orders, taken, error };
}

function timed(before: readonly Deadline[], timing: readonly Timing[], nowMs: number): readonly Deadline[] {
  if (timing.length === 0) return before;
  let deadlines = [...before];
  for (const each of timing) {
    const name = 'cancel' in each ? each.cancel : each.set;
    if (name !== undefined) deadlines = deadlines.filter(({ id }) => id !== name);
    if ('cancel' in each) continue;
    const { delayMs, fact } = each;
    deadlines.push({ id: name ?? `unnamed ${fact.type}`, dueMs: nowMs + Math.max(0, delayMs), fact });
  }
  return deadlines.sort((one, other) => one.dueMs - other.dueMs);
}

type Params = Readonly<Record<string, unknown>>;

function readActions(actions: readonly ExecutableActionObject[]): Pick<Step, 'orders' | 'timing'> {
  const orders: Order[] = [];
  const timing: Timing[] = [];
  for (const { type, params } of actions) {
    const given = (params ?? {}) as Params;
    if (type === 'xstate.raise') timing.push(...timerIn(given));
    else if (type === 'xstate.cancel') timing.push({ cancel: String(given['sendId']) });
    else orders.push(...ordersIn(type, given));
  }
  return { orders, timing };
}

function timerIn({ id, delay, event }: Params): Timing[] {
  if (typeof delay !== 'number') return [];
  if (!Number.isFinite(delay)) throw new RangeError(`a delay of ${delay} ms`);
  return [{ set: id === undefined ? undefined : String(id), delayMs: delay, fact: event as Fact }];
}

function ordersIn(type: string, params: Params): Order[] {
  switch (type) {
    case 'xstate.emit':
      return [params['event'] as Order];
    case 'xstate.sendTo':
      return [{ ...(params['event'] as Order), ...sentTo(params['to']) }];
    case 'xstate.spawnChild':
      return [{ type: 'start.child', ...sentTo(params['id']) }];
    case 'xstate.stopChild':
      return [{ type: 'stop.child', ...sentTo(params) }];
    default:
      if (type.startsWith('xstate.')) return [];
      return [Object.keys(params).length === 0 ? { type } : ({ type, params } as Order)];
  }
}

/** Whom something is sent to: an actor is known by its id. */
function sentTo(target: unknown): { readonly to: string } {
  return { to: typeof target === 'string' ? target : String((target as Partial<AnyActor> | undefined)?.id ?? '?') };
}
