/**
 * A chart with context, prepared to run fast: for each state and event the transitions that may be taken, and for each of them
 * what it does, as a list of functions. It supports what the machines of entities use: nested states, guards, `always`, `after`,
 * entry and exit actions, `assign`, `emit` and `enqueueActions`. A property compares it with XState for each of these machines.
 */
import type { AnyStateMachine, AnyStateNode, AnyTransitionDefinition, StateValue } from 'xstate';
import { stateName } from './actor-logic.ts';
import {
  type Actions,
  type Args,
  actionsOf,
  type ChartGuard,
  type ChartOperation,
  guardOf,
  type Scene,
} from './chart-actions.ts';

/** A state without inner states, with its ancestors, innermost first. */
export interface Leaf {
  readonly name: string;
  readonly value: StateValue;
  readonly isFinal: boolean;
  readonly node: AnyStateNode;
  readonly nodes: readonly AnyStateNode[];
  /** By event type, filled as events occur. */
  readonly candidates: Map<string, readonly Candidate[]>;
  readonly always: readonly Candidate[];
}

/** A transition as taken from a certain leaf. */
interface Candidate {
  readonly guard: ChartGuard | undefined;
  /** It has neither target nor actions: the event is ignored on purpose. */
  readonly isInert: boolean;
  readonly operations: readonly ChartOperation[];
  /** `undefined`: no state is entered or left. */
  readonly next: Leaf | undefined;
}

/** A running machine. */
export interface ChartRun extends Scene {
  leaf: Leaf;
}

type Draft<T> = { -readonly [K in keyof T]: T[K] };

/** Transitions without an event in a row, after which a machine is taken to loop. */
const maxIterations = 1_000;

/** The prepared form of each machine, made when it is first needed and shared by the whole process. */
const charts = new WeakMap<AnyStateMachine, Chart>();

export class Chart {
  readonly id: string;
  readonly #machine: AnyStateMachine;
  readonly #actions: Actions;
  readonly #leaves = new Map<AnyStateNode, Leaf>();
  /** The state in which it begins. */
  readonly initial: Leaf;
  readonly #beginning: readonly ChartOperation[];

  static of(machine: AnyStateMachine): Chart {
    const known = charts.get(machine);
    if (known !== undefined) return known;
    const chart = new Chart(machine);
    charts.set(machine, chart);
    return chart;
  }

  /** Throws for a machine with parallel or history states, or actors. */
  private constructor(machine: AnyStateMachine) {
    this.id = machine.id;
    this.#machine = machine;
    this.#actions = actionsOf(machine);
    this.#check(machine.root);
    this.initial = this.#leafOf(innermost(machine.root));
    this.#beginning = this.initial.nodes.toReversed().flatMap((node) => this.#actions.entering(node));
  }

  /** Prepares what a state does once, so that what is not supported shows at the start. */
  #check(node: AnyStateNode): void {
    const problem = problemOf(node);
    if (problem !== undefined) throw new Error(`${node.id}: expected a plain chart, got one with ${problem}`);
    this.#actions.entering(node);
    this.#actions.leaving(node);
    for (const { actions, guard } of [...[...node.transitions.values()].flat(), ...(node.always ?? [])]) {
      for (const action of actions) this.#actions.operation(action);
      guardOf(this.#machine, guard);
    }
    for (const inner of Object.values(node.states)) this.#check(inner);
  }

  /** Takes the initial transition. */
  begin(run: ChartRun, input: unknown): void {
    const { context } = this.#machine.config;
    run.event = { type: 'xstate.init', input } as ChartRun['event'];
    run.context = typeof context === 'function' ? (context as (args: object) => object)({ input }) : (context ?? {});
    for (const operation of this.#beginning) operation(run);
    run.leaf = this.initial;
    this.#settle(run);
  }

  /** Takes the transitions for an event. */
  send(run: ChartRun, event: ChartRun['event']): void {
    run.event = event;
    const candidate = this.#choose(run, this.#candidatesFor(run.leaf, event.type));
    if (candidate !== undefined) take(run, candidate);
    this.#settle(run);
  }

  /** Whether an event would do anything. */
  can(run: Args & { readonly leaf: Leaf }): boolean {
    const candidate = this.#choose(run, this.#candidatesFor(run.leaf, run.event.type));
    return candidate !== undefined && !candidate.isInert;
  }

  #settle(run: ChartRun): void {
    for (let count = 0; run.leaf.always.length > 0 && !run.leaf.isFinal; count += 1) {
      if (count === maxIterations) throw new Error(`${this.id} loops in state ${run.leaf.name}`);
      const { context } = run;
      const candidate = this.#choose(run, run.leaf.always);
      if (candidate === undefined) return;
      take(run, candidate);
      if (candidate.next === undefined && run.context === context) return;
    }
  }

  #choose(args: Args, candidates: readonly Candidate[]): Candidate | undefined {
    for (const candidate of candidates) if (candidate.guard === undefined || candidate.guard(args)) return candidate;
    return undefined;
  }

  #candidatesFor(leaf: Leaf, type: string): readonly Candidate[] {
    const known = leaf.candidates.get(type);
    if (known !== undefined) return known;
    const definitions = leaf.nodes.flatMap(({ transitions }) => [
      ...(transitions.get(type) ?? []),
      ...(type === '*' ? [] : (transitions.get('*') ?? [])),
    ]);
    const candidates = definitions.map((definition) => this.#candidate(leaf, definition));
    // Names of events come from the code, except the unexpected ones, which `*` handles alike.
    leaf.candidates.set(type, candidates);
    return candidates;
  }

  #leafOf(node: AnyStateNode): Leaf {
    const known = this.#leaves.get(node);
    if (known !== undefined) return known;
    const nodes = withAncestors(node);
    const value = nodes
      .slice(0, -1)
      .reduce<StateValue | undefined>((inner, { key }) => (inner === undefined ? key : { [key]: inner }), undefined);
    const leaf: Draft<Leaf> = {
      name: stateName(value ?? {}),
      value: value ?? {},
      isFinal: node.type === 'final',
      node,
      nodes,
      candidates: new Map(),
      always: [],
    };
    this.#leaves.set(node, leaf);
    leaf.always = nodes.flatMap(({ always = [] }) => always.map((each) => this.#candidate(leaf, each)));
    return leaf;
  }

  #candidate(leaf: Leaf, definition: AnyTransitionDefinition): Candidate {
    const { target, actions } = definition;
    const own = actions.map((action) => this.#actions.operation(action));
    const guard = guardOf(this.#machine, definition.guard);
    const [to] = target ?? [];
    if (to === undefined) return { guard, isInert: own.length === 0, operations: own, next: undefined };
    const next = this.#leafOf(innermost(to));
    const { exits, entries } = path(leaf, definition, to, next);
    const operations = [
      ...exits.flatMap((node) => this.#actions.leaving(node)),
      ...own,
      ...entries.flatMap((node) => this.#actions.entering(node)),
      // A machine that ends leaves all its states.
      ...(next.isFinal ? next.nodes.flatMap((node) => this.#actions.leaving(node)) : []),
    ];
    return { guard, isInert: false, operations, next };
  }
}

function take(run: ChartRun, { operations, next }: Candidate): void {
  for (const operation of operations) operation(run);
  if (next !== undefined) run.leaf = next;
}

/** The states that a transition leaves, innermost first, and the states that it enters, outermost first. */
function path(leaf: Leaf, { source, reenter }: AnyTransitionDefinition, target: AnyStateNode, next: Leaf) {
  const isInner = !reenter && isWithin(target, source);
  const domain = isInner
    ? source
    : withAncestors(target).find((each) => each !== target && isProperlyWithin(source, each));
  // A root that is reentered.
  const isWhole = domain === undefined;
  const exits = leaf.nodes.filter((node) => isWhole || isProperlyWithin(node, domain));
  const entries = next.nodes.filter((node) => isWhole || isProperlyWithin(node, domain)).toReversed();
  return { exits, entries };
}

/** A state and its ancestors, innermost first. */
function withAncestors(node: AnyStateNode): AnyStateNode[] {
  const nodes: AnyStateNode[] = [];
  for (let at: AnyStateNode | undefined = node; at !== undefined; at = at.parent) nodes.push(at);
  return nodes;
}

function isWithin(node: AnyStateNode | undefined, outer: AnyStateNode): boolean {
  return node !== undefined && withAncestors(node).includes(outer);
}

function isProperlyWithin(node: AnyStateNode, outer: AnyStateNode): boolean {
  return node !== outer && isWithin(node, outer);
}

function innermost(node: AnyStateNode): AnyStateNode {
  const [initial] = node.type === 'compound' ? (node.initial.target ?? []) : [];
  return initial === undefined ? node : innermost(initial);
}

/** What `Chart` does not support in a state. */
function problemOf(node: AnyStateNode): string | undefined {
  if (node.type === 'parallel' || node.type === 'history') return `a ${node.type} state`;
  if (node.invoke.length > 0) return 'an actor';
  if (node.type === 'final' && node.parent !== node.machine.root) return 'a nested final state';
  if (node.type === 'compound' && node.initial.actions.length > 0) return 'actions of an initial transition';
  const transitions = [...node.transitions.values()].flat();
  if (transitions.some(({ target = [] }) => target.length > 1)) return 'several targets of a transition';
  return [...node.transitions.keys()].find((type) => type.endsWith('.*'));
}
