/**
 * A system whose state is plain data, as an explorable: parts of the product that are no machines, and what happens to them. Messages may be
 * lost, duplicated and reordered. It has no clock: a deadline is an action, possible whenever the system says so.
 */
import type { Broken, Explorable, ExploreBound, Move } from '../kit/explore.ts';
import { exploreWorld, type SystemReport } from './check-system.ts';

/** A message from one part to another, as data. */
export interface DataMessage {
  readonly type: string;
  readonly from: string;
  readonly to: string;
}

/** What every state has; the rest is the system's own. All of it is JSON: states of equal text are one. */
export interface DataState<M extends DataMessage> {
  messages: M[];
  /** How many messages may still be lost, and duplicated. */
  losses: number;
  duplicates: number;
}

export interface DataAction<S> {
  readonly name: string;
  /** Changes the state. */
  readonly does: (state: S) => void;
  /**
   * When it happens by itself once faults have ended: `next`, before time passes; `later`, with all others that are later, once
   * nothing else happens. Default: it need not happen.
   */
  readonly happens?: 'next' | 'later';
}

/**
 * Gathers what can happen in a state: an action changes a state through the run that `runOf` makes of it. `prefix`: of all names.
 */
export function actionList<S, Run>(runOf: (state: S) => Run, prefix = '') {
  const actions: DataAction<S>[] = [];
  const add = (name: string, change: (run: Run) => void, happens?: DataAction<S>['happens']): void => {
    const action = { name: `${prefix}${name}`, does: (state: S) => change(runOf(state)) };
    actions.push(happens === undefined ? action : { ...action, happens });
  };
  return { actions, add };
}

export interface DataCheck<M extends DataMessage, S extends DataState<M>> {
  readonly name: string;
  start(): S;
  /** A message arrives; it is not in flight any more. */
  deliver(state: S, message: M): void;
  /** Whether the arrival of a message has no effect, now and later: it counts as gone. Default: none is. */
  isDead?(state: S, message: M): boolean;
  /** What else may happen now. */
  actions(state: S): readonly DataAction<S>[];
  /** Rules that must hold in every state, by a sentence for each: true, or what is wrong. */
  readonly rules: Readonly<Record<string, (state: S) => true | string>>;
  /** Whether all parts agree; a text names the difference. */
  agree(state: S): true | string;
  show(state: S): string;
  /** States with more messages in flight are not expanded. */
  readonly inFlight: number;
  readonly bound: ExploreBound;
}

/** Explores a system whose state is data, exhaustively to a bound. The result is deterministic. */
export function exploreData<M extends DataMessage, S extends DataState<M>>(
  check: DataCheck<M, S>,
  bound: Partial<ExploreBound> = {},
): SystemReport {
  const { name, inFlight, bound: stated } = check;
  return exploreWorld(new DataSystem(check), {
    name,
    inFlight,
    stated,
    bound: { ...stated, ...bound },
  });
}

interface Kept<S> {
  readonly state: S;
  readonly text: string;
  readonly error?: string;
  readonly sent: readonly { readonly type: string }[];
}

class DataSystem<M extends DataMessage, S extends DataState<M>> implements Explorable<Kept<S>> {
  readonly #check: DataCheck<M, S>;

  constructor(check: DataCheck<M, S>) {
    this.#check = check;
  }

  start(): Kept<S> {
    const state = this.#check.start();
    return { state, text: JSON.stringify(state), sent: [] };
  }

  moves(from: Kept<S>): readonly Move<Kept<S>>[] {
    const actions = [...this.#check.actions(from.state), ...this.#traffic(from.state)];
    return actions.map((action) => ({
      name: action.name,
      next: () => this.#after(from, action),
    }));
  }

  isBeyond({ state }: Kept<S>): boolean {
    return state.messages.length > this.#check.inFlight;
  }

  key({ text }: Kept<S>): string {
    return text;
  }

  broken({ state, error }: Kept<S>): Broken | undefined {
    if (error !== undefined) return { rule: 'nothing throws', detail: error };
    for (const [rule, holds] of Object.entries(this.#check.rules)) {
      const answer = holds(state);
      if (answer !== true) return { rule, detail: answer };
    }
    return undefined;
  }

  /** Messages arrive, then the system goes on by itself. */
  heal(from: Kept<S>): Kept<S> | undefined {
    const [message] = from.state.messages;
    const action = message === undefined ? this.#sureAction(from.state) : this.#arrival(message, 0);
    return action && this.#after(from, action);
  }

  settled({ state }: Kept<S>): true | string {
    return state.messages.length > 0 ? 'messages are in flight' : this.#check.agree(state);
  }

  nowMs(): number {
    return 0;
  }

  show({ state }: Kept<S>): string {
    return this.#check.show(state);
  }

  commands({ sent }: Kept<S>): readonly { readonly type: string }[] {
    return sent;
  }

  #after(from: Kept<S>, { does }: DataAction<S>): Kept<S> {
    const state = JSON.parse(from.text) as S;
    const known = new Set(state.messages);
    let error: string | undefined;
    try {
      does(state);
    } catch (thrown) {
      error = String(thrown);
    }
    const sent = state.messages.filter((message) => !known.has(message)).map((message) => ({ type: lineOf(message) }));
    // Messages arrive in any order: the order in which they were sent is no part of the state.
    const alive = state.messages.filter((message) => this.#check.isDead?.(state, message) !== true);
    state.messages = alive.length > 1 ? sorted(alive) : alive;
    return {
      state,
      text: JSON.stringify(state),
      sent,
      ...(error !== undefined && { error }),
    };
  }

  #sureAction(state: S): DataAction<S> | undefined {
    const actions = this.#check.actions(state);
    const next = actions.find(({ happens }) => happens === 'next');
    if (next !== undefined) return next;
    const later = actions.filter(({ happens }) => happens === 'later');
    const does = (changed: S) => {
      for (const each of later) each.does(changed);
    };
    return later.length === 0 ? undefined : { name: 'time passes', does };
  }

  #arrival(message: M, index: number): DataAction<S> {
    const does = (state: S) => {
      const [arrived] = state.messages.splice(index, 1);
      if (arrived !== undefined) this.#check.deliver(state, arrived);
    };
    return { name: lineOf(message), does };
  }

  #traffic({ messages, losses, duplicates }: S): DataAction<S>[] {
    const seen = new Set<string>();
    return messages.flatMap((message, index) => {
      const text = JSON.stringify(message);
      if (seen.has(text)) return [];
      seen.add(text);
      const arrival = this.#arrival(message, index);
      const actions = [arrival];
      const lose = (state: S) => {
        state.losses -= 1;
        state.messages.splice(index, 1);
      };
      if (losses > 0) actions.push({ name: `lost: ${arrival.name}`, does: lose });
      const repeat = (state: S) => {
        state.duplicates -= 1;
        this.#check.deliver(state, state.messages[index] as M);
      };
      if (duplicates > 0) actions.push({ name: `twice: ${arrival.name}`, does: repeat });
      return actions;
    });
  }
}

function sorted<M>(messages: readonly M[]): M[] {
  const texts = messages.map((message) => ({
    message,
    text: JSON.stringify(message),
  }));
  return texts.sort((one, other) => (one.text < other.text ? -1 : 1)).map(({ message }) => message);
}

function lineOf({ type, from, to, ...said }: DataMessage): string {
  const text = Object.keys(said).length === 0 ? '' : ` ${JSON.stringify(said).replaceAll('"', '')}`;
  return `${to} ← ${type} of ${from}${text}`;
}
