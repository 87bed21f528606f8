/** The actions and guards of a machine as functions, for `Chart`. */
import type { AnyEventObject, AnyStateMachine, AnyStateNode } from 'xstate';

/** What guards and actions are given. */
export interface Args {
  readonly context: object;
  readonly event: AnyEventObject;
}

/** A running machine during an event, as its actions see it. */
export interface Scene {
  context: object;
  event: AnyEventObject;
  /** Emitted by the event. */
  commands: unknown[];
  setTimer(eventType: string, delayMs: number): void;
  cancelTimer(eventType: string): void;
}

export type ChartOperation = (run: Scene) => void;
export type ChartGuard = (args: Args) => boolean;

export interface Actions {
  operation(action: unknown): ChartOperation;
  entering(node: AnyStateNode): readonly ChartOperation[];
  leaving(node: AnyStateNode): readonly ChartOperation[];
}

type Compute<T> = (args: Args, params: unknown) => T;

/** The properties of XState's own actions; they are functions with a type. */
interface BuiltIn {
  readonly type?: string;
  readonly assignment?: Compute<object> | Readonly<Record<string, unknown>>;
  readonly event?: unknown;
  readonly id?: unknown;
  readonly delay?: unknown;
  readonly sendId?: unknown;
  readonly collect?: (args: Args & { readonly enqueue: unknown }, params: unknown) => void;
}

type Reference = string | { readonly type: string; readonly params?: unknown };

export function actionsOf(machine: AnyStateMachine): Actions {
  const { actions, delays } = machine.implementations as unknown as Record<
    'actions' | 'delays',
    Record<string, unknown>
  >;

  const operation = (action: unknown): ChartOperation => {
    if (typeof action === 'function') return builtIn(action as BuiltIn, undefined);
    const reference = action as Reference;
    const name = typeof reference === 'string' ? reference : reference.type;
    const found = actions[name];
    if (typeof found !== 'function') throw new Error(`${machine.id}: no action "${name}"`);
    return builtIn(found as BuiltIn, typeof reference === 'string' ? undefined : reference.params);
  };

  const builtIn = (action: BuiltIn, params: unknown): ChartOperation => {
    switch (action.type) {
      case 'xstate.assign':
        return assigning(action.assignment ?? {}, params);
      case 'xstate.emit':
        return (run) => void run.commands.push(valueIn(action.event, run, valueIn(params, run, undefined)));
      case 'xstate.enqueueActions':
        return collecting(action, params);
      case 'xstate.raise':
        return timing(action);
      case 'xstate.cancel':
        return (run) => run.cancelTimer(String(action.sendId));
      default:
        throw new Error(`${machine.id}: expected assign, emit or enqueueActions, got ${String(action.type ?? action)}`);
    }
  };

  const collecting = ({ collect }: BuiltIn, params: unknown): ChartOperation => {
    return (run) => {
      const queued: ChartOperation[] = [];
      const enqueue = (action: unknown) => void queued.push(operation(action));
      enqueue.assign = (assignment: object) => void queued.push(assigning(assignment as Compute<object>, undefined));
      enqueue.emit = (event: unknown) => void queued.push((at) => at.commands.push(valueIn(event, at, undefined)));
      const { context, event } = run;
      collect?.({ context, event, enqueue }, valueIn(params, run, undefined));
      for (const each of queued) each(run);
    };
  };

  /** A delayed event, which is how XState enters a state with `after`. */
  const timing = ({ event, delay, id }: BuiltIn): ChartOperation => {
    const due = typeof delay === 'string' ? delays[delay] : delay;
    if (due === undefined) throw new Error(`${machine.id}: expected a delay for ${JSON.stringify(event)}`);
    return (run) => run.setTimer(String(id), valueIn(due, run, undefined) as number);
  };

  return {
    operation,
    entering: (node) => node.entry.map(operation),
    leaving: (node) => node.exit.map(operation),
  };
}

/** The guard of a transition; `undefined`: none. */
export function guardOf(machine: AnyStateMachine, given: unknown): ChartGuard | undefined {
  if (given === undefined) return undefined;
  const reference = given as Reference | Compute<boolean>;
  const name = typeof reference === 'string' ? reference : typeof reference === 'function' ? undefined : reference.type;
  const guards = machine.implementations.guards as unknown as Readonly<Record<string, unknown>>;
  const guard = (name === undefined ? reference : guards[name]) as Compute<boolean>;
  if (typeof guard !== 'function' || 'check' in guard) throw new Error(`${machine.id}: no plain guard "${name}"`);
  const params = typeof reference === 'object' ? reference.params : undefined;
  return params === undefined
    ? (args) => guard(args, undefined)
    : (args) => guard(args, valueIn(params, args, undefined));
}

function assigning(assignment: NonNullable<BuiltIn['assignment']>, params: unknown): ChartOperation {
  if (typeof assignment === 'function') {
    return (run) => {
      run.context = { ...run.context, ...assignment(run, valueIn(params, run, undefined)) };
    };
  }
  const parts = Object.entries(assignment);
  return (run) => {
    const given = valueIn(params, run, undefined);
    const next: Record<string, unknown> = { ...run.context };
    for (const [key, value] of parts) next[key] = valueIn(value, run, given);
    run.context = next;
  };
}

/** A value, or what a function gives for the current context and event. */
function valueIn(value: unknown, args: Args, params: unknown): unknown {
  return typeof value === 'function' ? (value as Compute<unknown>)(args, params) : value;
}
