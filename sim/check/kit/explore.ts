/**
 * Explores all possible runs exhaustively, to a stated bound: breadth-first over states and moves, each state once. So
 * the first state that breaks a rule has a shortest path.
 */

export interface Move<S> {
  /** The move as text. */
  readonly name: string;
  next(): S;
}

export interface Explorable<S> {
  start(): S;
  /** All possible next moves. */
  moves(state: S): readonly Move<S>[];
  /** Whether more messages are in flight than the bound allows: the state is not expanded. */
  isBeyond(state: S): boolean;
  /** The same text for states with the same future. */
  key(state: S): string;
  /** The first rule that does not hold in a state, if any. */
  broken(state: S): Broken | undefined;
  /** The next move without further losses; `undefined`: none. */
  heal(state: S): S | undefined;
  /** Whether all parts agree and nothing is in flight; a text names the difference. */
  settled(state: S): true | string;
  nowMs(state: S): number;
  show(state: S): string;
  /** Commands that the last move has caused. */
  commands(state: S): readonly { readonly type: string }[];
}

export interface Broken {
  readonly rule: string;
  readonly detail: string;
}

export interface ExploreBound {
  /** Moves from the start. */
  readonly depth: number;
  readonly states: number;
  /** Without further losses, agreement is reached within this time. */
  readonly healedWithinMs: number;
}

export interface Explored {
  readonly states: number;
  readonly transitions: number;
  /** Moves to the farthest state. */
  readonly depth: number;
  /** States without a next move. In each all parts agree; otherwise it is a deadlock, which fails. */
  readonly ends: number;
  /** Number of moves within which everything was explored, up to the bound of messages in flight. */
  readonly whole: number;
  /** States that were reached but not expanded, because a bound was met. */
  readonly cut: number;
  /** The bound that was met, if any. */
  readonly met: 'depth' | 'states' | undefined;
  /** Whether any run came to an end: beyond the start, all parts agreed with nothing in flight. */
  readonly rests: boolean;
  /** The longest time from any state to agreement without further losses. */
  readonly healedMs: number;
  readonly violation: ExploredViolation | undefined;
}

export interface ExploredViolation extends Broken {
  readonly steps: readonly ExploredStep[];
}

export interface ExploredStep {
  readonly atMs: number;
  readonly name: string;
  readonly before: string;
  readonly after: string;
  readonly commands: readonly { readonly type: string }[];
}

interface Known {
  readonly from: number;
  /** The move of the state before that leads here. */
  readonly move: number;
  readonly depth: number;
}

const agreement = 'all parts agree in the end, once nothing is lost any more';
const noDeadlock = 'no state is a deadlock';

export function explore<S>(world: Explorable<S>, bound: ExploreBound): Explored {
  return new Exploration(world, bound).run();
}

class Exploration<S> {
  readonly #world: Explorable<S>;
  readonly #bound: ExploreBound;
  readonly #known: Known[] = [];
  readonly #keys = new Set<string>();
  /** Time to agreement from a state, by key. */
  readonly #healing = new Map<string, number>();
  #queue: { readonly state: S; readonly index: number }[] = [];
  #counts = { transitions: 0, depth: 0, ends: 0, cut: 0, healedMs: 0 };
  #whole: number | undefined;
  #met: Explored['met'];
  #rests = false;

  constructor(world: Explorable<S>, bound: ExploreBound) {
    this.#world = world;
    this.#bound = bound;
  }

  run(): Explored {
    let violation = this.#add(this.#world.start(), { from: -1, move: 0, depth: 0 });
    for (let head = 0; violation === undefined && head < this.#queue.length; head++) {
      const { state, index } = this.#queue[head] as { state: S; index: number };
      // Expanded states are dropped to save memory.
      if (head % 10_000 === 9_999) {
        this.#queue = this.#queue.slice(head + 1);
        head = -1;
      }
      violation = this.#expand(state, index);
    }
    const whole = this.#whole ?? this.#counts.depth;
    const found = { states: this.#known.length, ...this.#counts, whole };
    return { ...found, met: this.#met, rests: this.#rests, violation };
  }

  #expand(state: S, index: number): ExploredViolation | undefined {
    const { depth } = this.#known[index] as Known;
    if (this.#world.isBeyond(state)) {
      this.#counts.cut += 1;
      return undefined;
    }
    const moves = this.#world.moves(state);
    if (moves.length === 0) this.#counts.ends += 1;
    if (depth >= this.#bound.depth || this.#known.length >= this.#bound.states) {
      this.#counts.cut += 1;
      this.#whole ??= depth;
      this.#met ??= depth >= this.#bound.depth ? 'depth' : 'states';
      return undefined;
    }
    for (const [move, { next }] of moves.entries()) {
      this.#counts.transitions += 1;
      const violation = this.#add(next(), { from: index, move, depth: depth + 1 });
      if (violation !== undefined) return violation;
    }
    return undefined;
  }

  /** Adds a new state and returns the rule that it breaks, if any. */
  #add(state: S, known: Known): ExploredViolation | undefined {
    const key = this.#world.key(state);
    if (this.#keys.has(key)) return undefined;
    this.#keys.add(key);
    const index = this.#known.push(known) - 1;
    this.#counts.depth = Math.max(this.#counts.depth, known.depth);
    this.#queue.push({ state, index });
    const broken = this.#world.broken(state) ?? this.#unhealed(state, key);
    this.#rests ||= known.depth > 0 && broken === undefined && this.#world.settled(state) === true;
    return broken === undefined ? undefined : this.#violation(index, broken);
  }

  /** Continues without losses until all parts agree; known results along the way are reused. */
  #unhealed(from: S, fromKey: string): (Broken & { readonly way?: readonly S[] }) | undefined {
    const world = this.#world;
    const passed: { key: string; nowMs: number }[] = [];
    const way: S[] = [];
    const startMs = world.nowMs(from);
    let state = from;
    let leftMs: number | undefined;
    for (let key = fromKey; leftMs === undefined; key = world.key(state)) {
      leftMs = this.#healing.get(key) ?? (world.settled(state) === true ? 0 : undefined);
      passed.push({ key, nowMs: world.nowMs(state) });
      if (leftMs !== undefined) break;
      const next = world.heal(state);
      const isTooLate = world.nowMs(state) - startMs > this.#bound.healedWithinMs || passed.length > longestHealing;
      if (next === undefined || isTooLate) {
        const rule = next === undefined ? noDeadlock : agreement;
        return { rule, detail: this.#differenceAt(state, startMs), way: way.slice(0, longestShown) };
      }
      const broken = world.broken(next);
      way.push(next);
      if (broken !== undefined) return { ...broken, way };
      state = next;
    }
    const endMs = world.nowMs(state) + leftMs;
    for (const { key, nowMs } of passed) this.#healing.set(key, endMs - nowMs);
    const tookMs = endMs - startMs;
    this.#counts.healedMs = Math.max(this.#counts.healedMs, tookMs);
    if (tookMs <= this.#bound.healedWithinMs) return undefined;
    return { rule: agreement, detail: `it takes ${tookMs} ms, and ${this.#bound.healedWithinMs} ms are allowed` };
  }

  #differenceAt(state: S, startMs: number): string {
    const settled = this.#world.settled(state);
    const afterMs = this.#world.nowMs(state) - startMs;
    const later = afterMs === 0 ? '' : `, ${afterMs} ms later`;
    return `${settled === true ? 'it continues' : settled}${later}: ${this.#world.show(state)}`;
  }

  /** The moves that lead to a state from the start, followed by the way to an end. */
  #violation(index: number, { rule, detail, way = [] }: Broken & { readonly way?: readonly S[] }): ExploredViolation {
    const moves: number[] = [];
    for (let at = index; at > 0; ) {
      const { move, from } = this.#known[at] as Known;
      moves.unshift(move);
      at = from;
    }
    let state = this.#world.start();
    const steps: ExploredStep[] = [this.#stepOf('start', '', state)];
    for (const number of moves) {
      const before = this.#world.show(state);
      const move = this.#world.moves(state)[number] as Move<S>;
      state = move.next();
      steps.push(this.#stepOf(move.name, before, state));
    }
    // These moves need no choice: nothing is lost any more.
    for (const next of way) {
      const step = this.#stepOf('(continues without losses)', this.#world.show(state), next);
      if (step.before !== step.after || step.commands.length > 0) steps.push(step);
      state = next;
    }
    return { rule, detail, steps };
  }

  #stepOf(name: string, before: string, state: S): ExploredStep {
    const { nowMs, show, commands } = this.#world;
    return {
      atMs: nowMs.call(this.#world, state),
      name,
      before,
      after: show.call(this.#world, state),
      commands: commands.call(this.#world, state),
    };
  }
}

const longestHealing = 10_000;
/** Limit of the steps without losses in a counter-example that does not end with them. */
const longestShown = 12;
