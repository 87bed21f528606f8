/** The coverage of a check: the states and transitions that were reached, and whether each event is handled in each state. */
import type { AnyStateMachine, AnyStateNode, AnyTransitionDefinition } from 'xstate';
import { actorOf, anySpawned, invokedBy, spawnedIn } from '../player/actors.ts';
import {
  allStates,
  allTransitions,
  handledEnds,
  handledEvents,
  type NamedTransition,
  restingStates,
} from '../player/chart.ts';
import type { MachineReaction, Moment } from '../player/moment.ts';
import type { MachinePlayer } from '../player/player.ts';
import type { AnyCheck } from './machine-check.ts';

export interface Reach {
  readonly reached: number;
  /** States or transitions, except the ones that the check declares unreachable. */
  readonly total: number;
  /** Names of the ones that were not reached. */
  readonly missed: readonly string[];
}

/** The states and transitions of a machine that were reached. */
export class Coverage {
  readonly #states: readonly string[];
  readonly #transitions: readonly NamedTransition[];
  readonly #declared: ReadonlySet<string>;
  readonly #visited = new Set<string>();
  readonly #taken = new Set<AnyTransitionDefinition>();
  readonly #commands = new Set<string>();
  /** The spawned actors that ran in a state, by its path. */
  readonly #spawned = new Map<string, Set<string>>();
  /** Undeclared transitions that were not taken yet. */
  readonly #open: Set<AnyTransitionDefinition>;

  /** `declared`: names of unreachable states and transitions. */
  constructor({ machine }: MachinePlayer, declared: Iterable<string> = []) {
    this.#declared = new Set(declared);
    this.#states = allStates(machine);
    this.#transitions = allTransitions(machine);
    const wanted = this.#transitions.filter(({ name }) => !this.#declared.has(name));
    this.#open = new Set(wanted.map(({ definition }) => definition));
  }

  get isComplete(): boolean {
    return this.#open.size === 0 && this.states.missed.length === 0;
  }

  get states(): Reach {
    const wanted = this.#states.filter((state) => !this.#declared.has(state));
    return reachOf(wanted, (state) => this.#visited.has(state));
  }

  get transitions(): Reach {
    const missed = new Set(this.#transitions.filter(({ definition }) => this.#open.has(definition)));
    const wanted = this.#transitions.filter(({ name }) => !this.#declared.has(name));
    const left = wanted.filter((each) => missed.has(each)).map(({ name }) => name);
    return { reached: wanted.length - left.length, total: wanted.length, missed: left };
  }

  /** Types of the commands that were given. */
  get commands(): readonly string[] {
    return [...this.#commands];
  }

  /** Declared names that were reached or do not exist. */
  get wrong(): readonly string[] {
    const names = new Set([...this.#states, ...this.#transitions.map(({ name }) => name)]);
    const reached = this.#transitions.filter(({ definition }) => this.#taken.has(definition)).map(({ name }) => name);
    const known = new Set([...this.#visited, ...reached]);
    return [...this.#declared].flatMap((name) => {
      if (!names.has(name)) return [`${name}: no such state or transition`];
      return known.has(name) ? [`${name}: reached`] : [];
    });
  }

  /** Whether a state, or one around it, has untaken transitions. */
  isOpen({ snapshot }: Moment): boolean {
    return snapshot._nodes.some((node) => definitionsOf(node).some((definition) => this.#open.has(definition)));
  }

  /** Records a step. */
  note({ moment, taken, commands }: MachineReaction): void {
    for (const { type } of commands) this.#commands.add(type);
    for (const { path } of moment.snapshot._nodes) this.#visit(path);
    this.#noteSpawned(moment);
    for (const definition of taken) {
      this.#open.delete(definition);
      this.#taken.add(definition);
      this.#visit(definition.source.path);
    }
  }

  /** Whether a spawned actor ran in a state: this one, or any (`*`). */
  hasSpawned(state: string, id: string): boolean {
    const seen = this.#spawned.get(state);
    return seen !== undefined && (id === anySpawned || seen.has(id));
  }

  #noteSpawned({ snapshot }: Moment): void {
    if (snapshot.status !== 'active') return;
    const ids = spawnedIn(snapshot);
    if (ids.length === 0) return;
    for (const { path } of snapshot._nodes) {
      const state = path.join('.');
      this.#spawned.set(state, new Set([...(this.#spawned.get(state) ?? []), ...ids]));
    }
  }

  #visit(path: readonly string[]): void {
    for (let length = path.length; length > 0; length--) this.#visited.add(path.slice(0, length).join('.'));
  }
}

const definitions = new WeakMap<AnyStateNode, readonly AnyTransitionDefinition[]>();

function definitionsOf(node: AnyStateNode): readonly AnyTransitionDefinition[] {
  const known = definitions.get(node);
  if (known !== undefined) return known;
  const all = [...[...node.transitions.values()].flat(), ...(node.always ?? [])];
  definitions.set(node, all);
  return all;
}

function reachOf(all: readonly string[], isReached: (name: string) => boolean): Reach {
  const missed = all.filter((name) => !isReached(name));
  return { reached: all.length - missed.length, total: all.length, missed };
}

/** Whether every event is decided in every state: handled, ignored on purpose, or declared unexpected there. */
export interface Decisions {
  /** States × events that can come there. */
  readonly pairs: number;
  /** Pairs that are declared undecided. */
  readonly declared: number;
  /** Pairs that are neither decided nor declared, as `state × event`. */
  readonly undecided: readonly string[];
  /** Declared pairs that are decided, or whose state or event does not exist. */
  readonly stale: readonly string[];
  /** Handled events that the check does not make. */
  readonly neverSent: readonly string[];
}

/** `coverage`: of the runs; spawned actors are known from there. */
export function decisionsOf(check: AnyCheck, coverage: Coverage): Decisions {
  const invoked = new Set(invokedBy(check.machine).map(({ id }) => id));
  const pairs = restingStates(check.machine).flatMap(({ path, decides, runs }) =>
    Object.keys(check.events)
      .filter((event) => {
        const id = actorOf(event);
        if (id === undefined) return true;
        return invoked.has(id) ? runs.has(id) : coverage.hasSpawned(path, id);
      })
      .map((event) => ({ path, event, isDecided: isDecided(event, decides) })),
  );
  const open = pairs.filter((pair) => !pair.isDecided);
  const missing = open.filter(({ path, event }) => !isDeclared(check, path, event));
  const undecided = missing.map(({ path, event }) => `${path} × ${event}`);
  const declared = open.length - missing.length;
  const handled = [...handledEvents(check.machine), ...handledEnds(check.machine)];
  const types = Object.keys(check.events);
  const neverSent = handled.filter((event) => !types.some((each) => isLike(each, event) || isLike(event, each)));
  return { pairs: pairs.length, declared, undecided, stale: staleIn(check), neverSent };
}

/** Whether an event is declared unexpected in a state, or in one of parallel states. */
export function isDeclared({ undecided = {} }: AnyCheck, state: string, event: string): boolean {
  return state.split(' + ').some((path) => {
    const declared = undecided[path]?.events;
    return declared === '*' || (declared?.some((each) => isLike(event, each)) ?? false);
  });
}

function staleIn({ machine, events, undecided = {} }: AnyCheck): string[] {
  const states = new Map(restingStates(machine).map(({ path, decides }) => [path, decides]));
  return Object.entries(undecided).flatMap(([state, { events: declared }]) => {
    const decides = states.get(state);
    if (decides === undefined) return [`${state}: no such state, expected one of ${[...states.keys()].join(', ')}`];
    if (declared === '*')
      return Object.keys(events).every((event) => isDecided(event, decides)) ? [`${state} × *: all decided`] : [];
    return declared.flatMap((event: string) => {
      if (!(event in events))
        return [`${state} × ${event}: no such event, expected one of ${Object.keys(events).join(', ')}`];
      return isSurelyDecided(machine, state, event) ? [`${state} × ${event}: decided`] : [];
    });
  });
}

/** Whether an event is decided whatever guards decide. */
function isSurelyDecided(machine: AnyStateMachine, state: string, event: string): boolean {
  const path = state.split('.');
  let node: AnyStateNode | undefined = machine.root;
  for (const name of ['', ...path]) {
    node = name === '' ? machine.root : node?.states[name];
    const definitions = node?.transitions.get(event) ?? [];
    if (definitions.some(({ guard }) => guard === undefined)) return true;
  }
  return false;
}

/** Whether a descriptor of a state (`xstate.done.actor.*` …) decides a type of event. */
export function isDecided(event: string, decides: ReadonlySet<string>): boolean {
  if (decides.has(event)) return true;
  return [...decides].some((descriptor) => isLike(event, descriptor));
}

/** Descriptors may end in `.*`: `leg.*` decides every event of a leg. */
function isLike(event: string, descriptor: string): boolean {
  return event === descriptor || (descriptor.endsWith('.*') && event.startsWith(descriptor.slice(0, -1)));
}
