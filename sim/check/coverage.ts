/** Which states and transitions of a machine were reached, by whatever ran it. */
import type { AnyStateNode, AnyTransitionDefinition } from 'xstate';
import { anySpawned, spawnedIn } from './actors.ts';
import { allStates, allTransitions, type NamedTransition } from './chart.ts';
import type { Moment, Player, Reaction } from './player.ts';

export interface Reach {
  readonly reached: number;
  /** Without those that are declared to be out of reach. */
  readonly total: number;
  /** Names of those that were not reached and should have been. */
  readonly missed: readonly string[];
}

export class Coverage {
  readonly #states: readonly string[];
  readonly #transitions: readonly NamedTransition[];
  readonly #declared: ReadonlySet<string>;
  readonly #visited = new Set<string>();
  readonly #taken = new Set<AnyTransitionDefinition>();
  readonly #orders = new Set<string>();
  /** The spawned actors that ran in a state, by its path. */
  readonly #spawned = new Map<string, Set<string>>();
  /** Transitions that should be taken and were not yet. */
  readonly #open: Set<AnyTransitionDefinition>;

  /** `declared`: names of states and transitions that nothing leads to. */
  constructor({ machine }: Player, declared: Iterable<string> = []) {
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

  /** Types of the orders that were given. */
  get orders(): readonly string[] {
    return [...this.#orders];
  }

  /** Names that are declared to be out of reach, and were reached, or are none of this machine. */
  get wrong(): readonly string[] {
    const names = new Set([...this.#states, ...this.#transitions.map(({ name }) => name)]);
    const reached = this.#transitions.filter(({ definition }) => this.#taken.has(definition)).map(({ name }) => name);
    const known = new Set([...this.#visited, ...reached]);
    return [...this.#declared].flatMap((name) => {
      if (!names.has(name)) return [`${name}: no such state or transition`];
      return known.has(name) ? [`${name}: reached`] : [];
    });
  }

  /** Whether transitions of a state, or of one around it, were not taken yet. */
  isOpen({ snapshot }: Moment): boolean {
    return snapshot._nodes.some((node) => definitionsOf(node).some((definition) => this.#open.has(definition)));
  }

  /** Takes a step into account. */
  note({ moment, taken, orders }: Reaction): void {
    for (const { type } of orders) this.#orders.add(type);
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
