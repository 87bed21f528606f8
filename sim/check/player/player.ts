/**
 * Runs a machine as a pure function of its events: every step gives a new moment, so that a run can be forked, saved as
 * JSON, and repeated. It holds the deadlines itself, by name. Emitted events and custom actions come out as commands;
 * nothing is executed.
 */
import {
  type AnyActorScope,
  type AnyMachineSnapshot,
  type AnyStateMachine,
  type AnyTransitionDefinition,
  createActor,
} from 'xstate';
import { BadCheck, inspected } from '../kit/form.ts';
import { readActions, type Timing } from './actions.ts';
import { actorsText, canCome, expectNamed, withEnded } from './actors.ts';
import { statePathOf } from './chart.ts';
import type { Command, Deadline, Event, MachineReaction, Moment, Persisted } from './moment.ts';
import { Stage } from './stage.ts';

/**
 * A value as text: two values with the same text are the same to any machine. `undefined` for values that JSON would drop or
 * flatten: functions, Maps, Dates, class instances.
 */
export function exactText(value: unknown): string | undefined {
  let isExact = true;
  const text = JSON.stringify(value, (_key, each: unknown) => {
    if (each === undefined) return '\u0000undefined';
    if (typeof each === 'number') return Number.isFinite(each) ? each : `\u0000${each}`;
    if (typeof each === 'function' || typeof each === 'bigint' || typeof each === 'symbol') isExact = false;
    if (typeof each === 'object' && each !== null && !isPlain(each)) isExact = false;
    return isExact ? each : undefined;
  });
  return isExact ? text : undefined;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === Array.prototype || prototype === null;
}

interface Step {
  readonly snapshot: AnyMachineSnapshot;
  readonly commands: readonly Command[];
  readonly timing: readonly Timing[];
  readonly taken: readonly AnyTransitionDefinition[];
  readonly error?: unknown;
}

/** Limit of remembered steps; machines repeat themselves. */
const memorySize = 20_000;

export class MachinePlayer {
  readonly machine: AnyStateMachine;
  readonly #steps = new Map<string, Step>();
  #staged: Stage | undefined;

  constructor(machine: AnyStateMachine) {
    this.machine = machine;
  }

  /** The machine at its start. Throws `BadCheck` if the machine throws. */
  start(input: unknown, nowMs = 0): MachineReaction {
    const step = this.#noted(undefined, (scope) => this.#begin(input, scope));
    return reactionOf(step, { nowMs, deadlines: [] });
  }

  /** Sends a possible event. An ended machine gets none, nor does one get the end of an actor that does not run. */
  send(moment: Moment, event: Event): MachineReaction {
    if (!canReceive(moment, event)) return { moment, commands: [], taken: [] };
    return reactionOf(this.#step(moment.snapshot, event), moment);
  }

  /** Lets time pass until `untilMs`, and passes the reaction to each deadline on the way to `onReaction`. */
  advance(from: Moment, untilMs: number, onReaction: (event: Event, reaction: MachineReaction) => void): Moment {
    let moment = from;
    for (let [due] = moment.deadlines; due !== undefined && due.dueMs <= untilMs; [due] = moment.deadlines) {
      const reaction = this.fire(moment);
      onReaction(due.event, reaction);
      moment = reaction.moment;
    }
    return { ...moment, nowMs: Math.max(untilMs, moment.nowMs) };
  }

  /** Goes to the first deadline and sends its event. */
  fire(moment: Moment): MachineReaction {
    const [due, ...deadlines] = moment.deadlines;
    if (due === undefined) return { moment, commands: [], taken: [] };
    return this.send({ ...moment, nowMs: Math.max(due.dueMs, moment.nowMs), deadlines }, due.event);
  }

  /** Throws if the machine cannot be saved. */
  persist({ nowMs, snapshot, deadlines }: Moment): Persisted {
    expectNamed(snapshot);
    const kept = { nowMs, snapshot: this.machine.getPersistedSnapshot(snapshot), deadlines };
    return JSON.parse(JSON.stringify(kept)) as Persisted;
  }

  /** Throws what the machine throws. */
  restore({ nowMs, snapshot, deadlines }: Persisted): Moment {
    const restored = createActor(this.machine, { snapshot: snapshot as never }).getSnapshot() as AnyMachineSnapshot;
    if (restored.status === 'error') throw restored.error;
    return { nowMs, deadlines, snapshot: restored };
  }

  #begin(input: unknown, scope: AnyActorScope): AnyMachineSnapshot {
    const from = () => (input === undefined ? 'nothing (no input is given)' : inspected(input));
    try {
      const snapshot: AnyMachineSnapshot = this.machine.getInitialSnapshot(scope, input as never);
      if (snapshot.status === 'error') throw snapshot.error;
      return snapshot;
    } catch (error) {
      throw new BadCheck(`${this.machine.id} throws when it starts from ${from()}: ${String(error)}`, { cause: error });
    }
  }

  #step(snapshot: AnyMachineSnapshot, event: Event): Step {
    return remembered(this.#steps, keyOfStep(snapshot, event), () => this.#compute(snapshot, event));
  }

  #compute(snapshot: AnyMachineSnapshot, event: Event): Step {
    const before = withEnded(snapshot, event);
    try {
      return this.#noted(before, (scope) => this.machine.transition(before, event, scope));
    } catch (error) {
      if (error instanceof BadCheck) throw error;
      return { snapshot, commands: [], timing: [], taken: [], error };
    }
  }

  /** Takes a step, and records its commands and transitions. */
  #noted(before: AnyMachineSnapshot | undefined, step: (scope: AnyActorScope) => AnyMachineSnapshot): Step {
    this.#stage.clear(before);
    const { scope } = this.#stage;
    let snapshot = step(scope);
    for (let event = this.#stage.nextEvent(); event !== undefined; event = this.#stage.nextEvent())
      if (snapshot.status === 'active') snapshot = this.machine.transition(snapshot, event, scope);
    return { snapshot, ...readActions(this.#stage.actions), taken: this.#stage.taken };
  }

  get #stage(): Stage {
    this.#staged ??= new Stage(this.machine);
    return this.#staged;
  }
}

/** State, context, history and actors of a machine, as text; `undefined` if text cannot express them. */
export function keyOf(snapshot: AnyMachineSnapshot): string | undefined {
  const known = keys.get(snapshot);
  if (known !== undefined) return known;
  const { value, context, status, historyValue } = snapshot;
  const actors = actorsText(snapshot);
  const history = Object.entries(historyValue ?? {}).map(([id, nodes]) => [id, nodes.map((node) => node.id)]);
  const key = exactText([value, status, context, history, actors]);
  if (key !== undefined) keys.set(snapshot, key);
  return key;
}

const keys = new WeakMap<AnyMachineSnapshot, string>();

function keyOfStep(snapshot: AnyMachineSnapshot, event: Event): string | undefined {
  const [before, eventText] = [keyOf(snapshot), exactText(event)];
  return before === undefined || eventText === undefined ? undefined : `${before} ${eventText}`;
}

/** Whether a machine can get an event now. */
export function canReceive({ snapshot }: Moment, { type }: Event): boolean {
  return snapshot.status === 'active' && canCome(snapshot, type);
}

/** Path of the state of a moment: `tied.held`. Paths of parallel states are joined with `+`. */
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

function reactionOf(step: Step, { nowMs, deadlines }: Omit<Moment, 'snapshot'>): MachineReaction {
  const { snapshot, commands, taken, error } = step;
  const isOver = snapshot.status !== 'active';
  const moment = { nowMs, snapshot, deadlines: isOver ? [] : timed(deadlines, step.timing, nowMs) };
  return error === undefined ? { moment, commands, taken } : { moment, commands, taken, error };
}

function timed(before: readonly Deadline[], timing: readonly Timing[], nowMs: number): readonly Deadline[] {
  if (timing.length === 0) return before;
  let deadlines = [...before];
  for (const each of timing) {
    const name = 'cancel' in each ? each.cancel : each.set;
    if (name !== undefined) deadlines = deadlines.filter(({ id }) => id !== name);
    if ('cancel' in each) continue;
    const { delayMs, event } = each;
    deadlines.push({ id: name ?? `unnamed ${event.type}`, dueMs: nowMs + Math.max(0, delayMs), event });
  }
  return deadlines.sort((one, other) => one.dueMs - other.dueMs);
}
