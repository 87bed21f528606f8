/** What a chart consists of: its states, those in which it rests, and its transitions, each with a name to print. */
import type { AnyStateMachine, AnyStateNode, AnyTransitionDefinition, StateValue } from 'xstate';

/** A state in which a machine waits for facts: neither final, nor left again at once, nor containing others. */
export interface RestingState {
  readonly path: string;
  /** Facts that the state or one around it decides, not counting what decides any fact (`*`). */
  readonly decides: ReadonlySet<string>;
  readonly hasDeadline: boolean;
}

export interface NamedTransition {
  /** `talking × party.left [isLost] → over` */
  readonly name: string;
  readonly definition: AnyTransitionDefinition;
}

const wildcard = '*';

export function restingStates(machine: AnyStateMachine): RestingState[] {
  return restingBelow(machine.root, { decides: new Set(), hasDeadline: false });
}

function restingBelow(node: AnyStateNode, around: Omit<RestingState, 'path'>): RestingState[] {
  const own = [...node.transitions.keys()].filter((fact) => fact !== wildcard);
  const here = {
    decides: new Set([...around.decides, ...own]),
    hasDeadline: around.hasDeadline || node.after.length > 0,
  };
  const below = Object.values(node.states);
  if (below.length > 0) return below.flatMap((child) => restingBelow(child, here));
  if (node.type === 'final' || node.type === 'history' || isLeftAtOnce(node)) return [];
  return [{ path: node.path.join('.'), ...here }];
}

/** Whether a transition without fact leads on whatever the context is. */
function isLeftAtOnce(node: AnyStateNode): boolean {
  return (node.always ?? []).some(({ guard }) => guard === undefined);
}

/** All states by path, but for the machine itself and for history. */
export function allStates(machine: AnyStateMachine): string[] {
  const below = (node: AnyStateNode): string[] =>
    Object.values(node.states).flatMap((child) =>
      child.type === 'history' ? [] : [child.path.join('.'), ...below(child)],
    );
  return below(machine.root);
}

/** All transitions, those that ignore a fact on purpose included; what decides any fact (`*`) is none. */
export function allTransitions(machine: AnyStateMachine): NamedTransition[] {
  const below = (node: AnyStateNode): NamedTransition[] => {
    const told = [...node.transitions].filter(([fact]) => fact !== wildcard).flatMap(([, definitions]) => definitions);
    const own = [...told, ...(node.always ?? [])].map((definition) => ({ name: nameOf(definition), definition }));
    return [...own, ...Object.values(node.states).flatMap(below)];
  };
  return below(machine.root);
}

/** The facts that some state handles or ignores on purpose; `leg.*`: those that begin so. */
export function handledFacts(machine: AnyStateMachine): string[] {
  const told = allTransitions(machine).map(({ definition }) => definition.eventType);
  return [...new Set(told)].filter((fact) => fact !== '' && !fact.startsWith('xstate.'));
}

const handledBy = new WeakMap<AnyStateMachine, readonly string[]>();

/** Whether some state handles a fact, or ignores it on purpose; what XState tells by itself is always handled. */
export function handles(machine: AnyStateMachine, fact: string): boolean {
  const handled = handledBy.get(machine) ?? handledFacts(machine);
  handledBy.set(machine, handled);
  const isLike = (each: string) => each.endsWith('.*') && fact.startsWith(each.slice(0, -1));
  return fact.startsWith('xstate.') || handled.includes(fact) || handled.some(isLike);
}

function nameOf({ source, eventType, guard, target }: AnyTransitionDefinition): string {
  const state = source.path.length === 0 ? '(any state)' : source.path.join('.');
  const condition = guard === undefined ? '' : ` [${guardName(guard)}]`;
  const next = target === undefined ? '' : ` → ${target.map(({ path }) => path.join('.')).join(' + ')}`;
  return `${state} × ${factName(eventType)}${condition}${next}`;
}

/** A deadline under the name that the chart gives it: `after ring`. */
export function factName(type: string): string {
  if (type === '') return 'always';
  const [, delay] = /^xstate\.after\.([^.]+)\./.exec(type) ?? [];
  return delay === undefined ? type : `after ${delay}`;
}

function guardName(guard: unknown): string {
  if (typeof guard === 'string') return guard;
  if (typeof guard === 'function') return guard.name || 'guard';
  return String((guard as { readonly type?: unknown }).type ?? 'guard');
}

/** Path of a state: `tied.held`. Of parallel states all, with `+` between them. */
export function statePathOf(value: StateValue): string {
  if (typeof value === 'string') return value;
  return Object.entries(value)
    .map(([name, inner]) => (inner === undefined ? name : joined(name, statePathOf(inner))))
    .join(' + ');
}

function joined(name: string, inner: string): string {
  if (inner === '') return name;
  return inner
    .split(' + ')
    .map((path) => `${name}.${path}`)
    .join(' + ');
}

export function stateValueOf(path: string): StateValue {
  const [last = '', ...before] = path.split('.').reverse();
  return before.reduce<StateValue>((value, name) => ({ [name]: value }), last);
}
