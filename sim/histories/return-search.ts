/** The search for the configurations after one return: see `linearizable.ts`. States and sets are numbered, so that each is compared as a number. */
import type { Operation, SequentialModel } from './operation.ts';

/** A state by its number, and the open operations that have taken effect by theirs, in ascending order. */
export interface Configuration {
  readonly state: number;
  readonly done: readonly number[];
}

/** The states of a model, numbered by their keys, with the steps between them. */
export class States<S, I, O> {
  readonly #model: SequentialModel<S, I, O>;
  readonly #numbers = new Map<string, number>();
  readonly #all: S[] = [];
  /** By operation and state: the number of the state after it. */
  readonly #steps = new Map<Operation<I, O>, Map<number, number | undefined>>();

  constructor(model: SequentialModel<S, I, O>) {
    this.#model = model;
  }

  numberOf(state: S): number {
    const key = this.#model.keyOf(state);
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    this.#numbers.set(key, this.#all.length);
    return this.#all.push(state) - 1;
  }

  /** Forgets the steps of an operation that has returned. */
  forget(operation: Operation<I, O>): void {
    this.#steps.delete(operation);
  }

  isRead({ input }: Operation<I, O>): boolean {
    return this.#model.isRead(input);
  }

  /** The state after an operation; `undefined` if it cannot have its output there. */
  after(state: number, operation: Operation<I, O>): number | undefined {
    const steps = this.#steps.get(operation) ?? new Map<number, number | undefined>();
    this.#steps.set(operation, steps);
    if (steps.has(state)) return steps.get(state);
    const next = this.#model.step(this.#all[state] as S, operation.input, operation.output);
    const number = next === undefined ? undefined : this.numberOf(next);
    steps.set(state, number);
    return number;
  }
}

/** A set of open operations, by their places. Each is made once. */
interface Done {
  /** Whether the operation of each place is in it. */
  readonly has: readonly boolean[];
  /** The number of its operations with an answer, as a set. */
  readonly answered: number;
  /** How many operations without an answer are in it. */
  readonly silentCount: number;
  /** The set with the operation of a place too. */
  readonly with: (Done | undefined)[];
}

interface Tried {
  readonly state: number;
  readonly done: Done;
}

/** More than there are states. */
const stateSpan = 2 ** 26;

export class ReturnSearch<S, I, O> {
  readonly #states: States<S, I, O>;
  readonly #numbers: readonly number[];
  readonly #operations: readonly Operation<I, O>[];
  readonly #most: number;
  readonly #sets = new Map<string, Done>();
  readonly #answered = new Map<string, number>();
  /** What is to be tried, by the number of operations without an answer: the fewest come first. */
  readonly #waiting: Tried[][] = [];
  /** By state: the reads with an answer that its value answers. */
  readonly #reads = new Map<number, readonly number[]>();
  /** The sets with which each state was reached, by the state and their operations with an answer. */
  readonly #reached = new Map<number, Done[]>();

  /** `open`: the operations that have begun, by number. `most`: configurations that are tried. */
  constructor(states: States<S, I, O>, open: ReadonlyMap<number, Operation<I, O>>, most: number) {
    this.#states = states;
    this.#numbers = [...open.keys()];
    this.#operations = [...open.values()];
    this.#most = most;
  }

  /** The configurations after the return of an operation; `undefined`: more than the limit. */
  after(all: readonly Configuration[], returned: number): Configuration[] | undefined {
    const place = this.#numbers.indexOf(returned);
    for (const { state, done } of all) {
      const places = new Set(done);
      this.#add({ state, done: this.#setOf(this.#numbers.map((number) => places.has(number))) });
    }
    const next: Configuration[] = [];
    let count = 0;
    for (let silent = 0; silent < this.#waiting.length; silent += 1) {
      const waiting = this.#waiting[silent] ?? [];
      for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
        if (this.#isCovered(one.state, one.done)) continue;
        count += 1;
        if (count > this.#most) return undefined;
        if (one.done.has[place] === true) next.push(this.#configuration(one, returned));
        else this.#tryAll(one);
      }
    }
    return next;
  }

  /** Adds what each of the other open operations leads to. */
  #tryAll({ state, done }: Tried): void {
    for (let place = 0; place < this.#operations.length; place += 1) {
      if (done.has[place] === true) continue;
      const operation = this.#operations[place] as Operation<I, O>;
      const after = this.#states.after(state, operation);
      if (after === undefined || (operation.output === undefined && this.#isCovered(after, done, place))) continue;
      this.#add({ state: after, done: this.#with(done, place) });
    }
  }

  /** A read takes effect as soon as its answer allows: what it leaves possible later, it leaves possible now. */
  #add({ state, done: least }: Tried): void {
    let done = least;
    for (const place of this.#readsOf(state)) if (done.has[place] !== true) done = this.#with(done, place);
    const key = keyOf(state, done);
    const before = this.#reached.get(key);
    if (before?.includes(done) === true) return;
    if (before === undefined) this.#reached.set(key, [done]);
    else before.push(done);
    while (this.#waiting.length <= done.silentCount) this.#waiting.push([]);
    this.#waiting[done.silentCount]?.push({ state, done });
  }

  #readsOf(state: number): readonly number[] {
    const known = this.#reads.get(state);
    if (known !== undefined) return known;
    const reads = this.#operations.flatMap((operation, place) => {
      const isDue = operation.output !== undefined && this.#states.isRead(operation);
      return isDue && this.#states.after(state, operation) === state ? [place] : [];
    });
    this.#reads.set(state, reads);
    return reads;
  }

  /** Whether the state is reached with fewer of the operations without an answer: of a set, and of a place that is added to it. */
  #isCovered(state: number, done: Done, place = -1): boolean {
    for (const fewer of this.#reached.get(keyOf(state, done)) ?? []) {
      if (fewer !== done && isWithin(fewer, done, place)) return true;
    }
    return false;
  }

  #configuration({ state, done: { has } }: Tried, returned: number): Configuration {
    return { state, done: this.#numbers.filter((number, place) => has[place] === true && number !== returned) };
  }

  #with(done: Done, place: number): Done {
    const known = done.with[place];
    if (known !== undefined) return known;
    const made = this.#setOf(done.has.map((has, each) => has || each === place));
    done.with[place] = made;
    return made;
  }

  #setOf(has: readonly boolean[]): Done {
    const key = has.map(Number).join('');
    const known = this.#sets.get(key);
    if (known !== undefined) return known;
    const isSilent = (place: number) => this.#operations[place]?.output === undefined;
    const answered = has.map((each, place) => Number(each && !isSilent(place))).join('');
    const number = this.#answered.get(answered) ?? this.#answered.size;
    this.#answered.set(answered, number);
    const silentCount = has.filter((each, place) => each && isSilent(place)).length;
    const done: Done = { has, answered: number, silentCount, with: [] };
    this.#sets.set(key, done);
    return done;
  }
}

function keyOf(state: number, { answered }: Done): number {
  return answered * stateSpan + state;
}

/** Whether each operation of one set is in the other one, or at `place`. */
function isWithin({ has }: Done, { has: other }: Done, place: number): boolean {
  for (let each = 0; each < has.length; each += 1) {
    if (has[each] === true && other[each] !== true && each !== place) return false;
  }
  return true;
}
