/**
 * Explores what can happen exhaustively, to a stated bound: breadth-first over states and moves, each state once. So the
 * first state that breaks a rule is one that fewest moves lead to.
 */

export interface Move<S> {
  /** What happens, to print. */
  readonly name: string;
  next(): S;
}

export interface Explorable<S> {
  start(): S;
  /** All that can happen next. */
  moves(state: S): readonly Move<S>[];
  /** Whether more is under way than is explored: it is not gone on from. */
  isBeyond(state: S): boolean;
  /** The same text for states from which the same can happen. */
  key(state: S): string;
  /** Rules that must hold in every state: the first that does not. */
  broken(state: S): Broken | undefined;
  /** What happens next when nothing is lost any more; `undefined`: nothing. */
  heal(state: S): S | undefined;
  /** Whether all agree and nothing is under way; a text says what they differ in. */
  settled(state: S): true | string;
  nowMs(state: S): number;
  show(state: S): string;
  /** Commands that the last move has led to. */
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
  /** Once nothing is lost any more, agreement is reached within so long. */
  readonly healedWithinMs: number;
}

export interface Explored {
  readonly states: number;
  readonly transitions: number;
  /** Moves to the farthest state. */
  readonly depth: number;
  /** States with no next move. All agree there; else they are deadlocks, and fail. */
  readonly ends: number;
  /** Whatever happens within so many moves was explored, with no more letters under way than the bound. */
  readonly whole: number;
  /** States that were reached and not gone on from, for a bound was met. */
  readonly cut: number;
  /** Which bound was met, if one was. */
  readonly met: 'depth' | 'states' | undefined;
  /** Whether anything came to an end: beyond the start all agreed somewhere with nothing under way. */
  readonly rests: boolean;
  /** The longest that it took from any state until all agreed, once nothing was lost. */
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
  /** Which move of the state before leads here. */
  readonly move: number;
  readonly depth: number;
}

const agreement = 'all agree in the end, once nothing is lost any more';
const noDeadlock = 'no state is stuck';

export function explore<S>(world: Explorable<S>, bound: ExploreBound): Explored {
  return new Exploration(world, bound).run();
}

class Exploration<S> {
  readonly #world: Explorable<S>;
  readonly #bound: ExploreBound;
  readonly #known: Known[] = [];
  readonly #keys = new Set<string>();
  /** How long agreement takes from a state, by key. */
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
      // What was gone on from is not needed any more.
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

  /** Takes a state in, if it is new; answers what is wrong with it. */
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

  /** Goes on without losses until all agree; what is known of a state on the way is not found out again. */
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
    return `${settled === true ? 'it goes on' : settled}${later}: ${this.#world.show(state)}`;
  }

  /** The moves that lead to a state, from the start; and what comes then on the way to an end. */
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
    // What comes then needs no chance: nothing is lost any more.
    for (const next of way) {
      const step = this.#stepOf('(goes on without losses)', this.#world.show(state), next);
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
/** Steps without losses that a counter-example shows, where it does not end with them. */
const longestShown = 12;
