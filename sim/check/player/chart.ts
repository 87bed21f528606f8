/** The parts of a chart: its states, its resting states, and its transitions, each with a printable name. */
import type { AnyStateMachine, AnyStateNode, AnyTransitionDefinition, StateValue } from 'xstate';
import { actorOf } from './actors.ts';

/** A state in which a machine waits for events: not final, not left at once, without substates. */
export interface RestingState {
  readonly path: string;
  /** Events that the state or one around it decides, wildcards (`*`) excluded. */
  readonly decides: ReadonlySet<string>;
  readonly hasDeadline: boolean;
  /** Ids of the actors that the state or one around it invokes. */
  readonly runs: ReadonlySet<string>;
}

export interface NamedTransition {
  /** `talking × party.left [isLost] → over` */
  readonly name: string;
  readonly definition: AnyTransitionDefinition;
}

const wildcard = '*';

export function restingStates(machine: AnyStateMachine): RestingState[] {
  return restingBelow(machine.root, { decides: new Set(), hasDeadline: false, runs: new Set() });
}

function restingBelow(node: AnyStateNode, around: Omit<RestingState, 'path'>): RestingState[] {
  const here = {
    decides: new Set([...around.decides, ...ownEvents(node)]),
    hasDeadline: around.hasDeadline || node.after.length > 0,
    runs: new Set([...around.runs, ...node.invoke.map(({ id }) => id)]),
  };
  const below = Object.values(node.states);
  if (node.type === 'parallel')
    return below.flatMap((child) => restingBelow(child, { ...here, decides: besides(child, here.decides) }));
  if (below.length > 0) return below.flatMap((child) => restingBelow(child, here));
  if (node.type === 'final' || node.type === 'history' || isLeftAtOnce(node)) return [];
  return [{ path: node.path.join('.'), ...here }];
}

/** Events that a region may leave undecided, because another region decides them and this one decides them in no state. */
function besides(region: AnyStateNode, around: ReadonlySet<string>): Set<string> {
  const others = Object.values(region.parent?.states ?? {}).filter((other) => other !== region);
  const own = spokenOf(region);
  const spoken = others.flatMap((other) => [...spokenOf(other)]);
  const sure = others.flatMap((other) => surelyDecided(other));
  return new Set([...around, ...spoken.filter((event) => !own.has(event)), ...sure]);
}

/** Events that a state or one inside it decides. */
function spokenOf(node: AnyStateNode): Set<string> {
  return new Set([...ownEvents(node), ...Object.values(node.states).flatMap((child) => [...spokenOf(child)])]);
}

/** Events that a state decides whichever of its substates is entered. */
function surelyDecided(node: AnyStateNode): string[] {
  const [first, ...others] = restingBelow(node, { decides: new Set(), hasDeadline: false, runs: new Set() });
  return [...(first?.decides ?? [])].filter((event) => others.every(({ decides }) => decides.has(event)));
}

function ownEvents(node: AnyStateNode): string[] {
  return [...node.transitions.keys()].filter((event) => event !== wildcard);
}

/** Whether an eventless transition leads on whatever the context is. */
function isLeftAtOnce(node: AnyStateNode): boolean {
  return (node.always ?? []).some(({ guard }) => guard === undefined);
}

/** All states by path, without the machine itself and history states. */
export function allStates(machine: AnyStateMachine): string[] {
  const below = (node: AnyStateNode): string[] =>
    Object.values(node.states).flatMap((child) =>
      child.type === 'history' ? [] : [child.path.join('.'), ...below(child)],
    );
  return below(machine.root);
}

/** All transitions, including the ones that ignore an event on purpose, but no wildcards (`*`). */
export function allTransitions(machine: AnyStateMachine): NamedTransition[] {
  const below = (node: AnyStateNode): NamedTransition[] => {
    const types = [...node.transitions]
      .filter(([event]) => event !== wildcard)
      .flatMap(([, definitions]) => definitions);
    const own = [...types, ...(node.always ?? [])].map((definition) => ({ name: nameOf(definition), definition }));
    return [...own, ...Object.values(node.states).flatMap(below)];
  };
  return below(machine.root);
}

/** The events that some state handles or ignores on purpose; `leg.*`: all with this prefix. */
export function handledEvents(machine: AnyStateMachine): string[] {
  const types = allTransitions(machine).map(({ definition }) => definition.eventType);
  return [...new Set(types)].filter((event) => event !== '' && !event.startsWith('xstate.'));
}

/** The ends of actors that some state handles. */
export function handledEnds(machine: AnyStateMachine): string[] {
  const types = allTransitions(machine).map(({ definition }) => definition.eventType);
  return [...new Set(types)].filter((event) => actorOf(event) !== undefined);
}

const handledBy = new WeakMap<AnyStateMachine, readonly string[]>();

/** Whether some state handles an event, or ignores it on purpose; XState's own events are always handled. */
export function handles(machine: AnyStateMachine, event: string): boolean {
  const handled = handledBy.get(machine) ?? handledEvents(machine);
  handledBy.set(machine, handled);
  const isLike = (each: string) => each.endsWith('.*') && event.startsWith(each.slice(0, -1));
  return event.startsWith('xstate.') || handled.includes(event) || handled.some(isLike);
}

function nameOf({ source, eventType, guard, target }: AnyTransitionDefinition): string {
  const state = source.path.length === 0 ? '(any state)' : source.path.join('.');
  const condition = guard === undefined ? '' : ` [${guardName(guard)}]`;
  const next = target === undefined ? '' : ` → ${target.map(({ path }) => path.join('.')).join(' + ')}`;
  return `${state} × ${eventName(eventType)}${condition}${next}`;
}

/** A deadline under the name in the chart: `after ring`. */
export function eventName(type: string): string {
  if (type === '') return 'always';
  const [, delay] = /^xstate\.after\.([^.]+)\./.exec(type) ?? [];
  return delay === undefined ? type : `after ${delay}`;
}

function guardName(guard: unknown): string {
  if (typeof guard === 'string') return guard;
  if (typeof guard === 'function') return guard.name || 'guard';
  return String((guard as { readonly type?: unknown }).type ?? 'guard');
}

/** Path of a state: `tied.held`. Paths of parallel states are joined with `+`. */
export function statePathOf(value: StateValue): string {
  if (typeof value === 'string') return value;
  return Object.entries(value)
    .map(([name, inner]) => (inner === undefined ? name : joined(name, statePathOf(inner))))
    .join(' + ');
}

/**
 * Whether a machine in this state is in the wanted one: `engine.off`, or for parallel states several, `engine.off +
 * lock`.
 */
export function isWithin(state: string, wanted: string): boolean {
  const paths = state.split(' + ');
  return wanted.split(' + ').every((path) => paths.some((each) => each === path || each.startsWith(`${path}.`)));
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
