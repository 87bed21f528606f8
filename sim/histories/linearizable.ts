/**
 * Decides whether a history of one object is linearizable (Herlihy and Wing, 1990): whether each operation can be given
 * an instant between its call and its return, so that the sequence of the instants satisfies the model.
 *
 * The algorithm is the just-in-time linearization of Lowe (Testing for linearizability, 2017), a form of that of Wing
 * and Gong (1993): it reads the history once, and keeps the set of the configurations that are possible after each
 * return, each a state and the set of the open operations that have already taken effect. Equal configurations are
 * kept once. The time depends on the number of concurrent operations, not on the length of the history.
 *
 * Linearizability is local: a history of many objects is linearizable if that of each object is.
 */
import type { Operation, SequentialModel } from './operation.ts';

export type Linearizability<I, O> =
  | { readonly verdict: 'pass' }
  /** `at`: the first operation whose return no sequence explains. */
  | { readonly verdict: 'fail'; readonly at: Operation<I, O> }
  /** Too many operations without an answer: more configurations than the limit. */
  | { readonly verdict: 'unknown' };

interface Configuration<S> {
  readonly state: S;
  /** Numbers of the open operations that have taken effect. */
  readonly done: ReadonlySet<number>;
}

interface Bounds {
  /** Most configurations that are tried for one return. */
  readonly mostConfigurations?: number;
}

const usualMost = 20_000;

export function checkLinearizable<S, I, O>(
  history: readonly Operation<I, O>[],
  model: SequentialModel<S, I, O>,
  { mostConfigurations = usualMost }: Bounds = {},
): Linearizability<I, O> {
  const open = new Map<number, Operation<I, O>>();
  let all: readonly Configuration<S>[] = [{ state: model.initial, done: new Set() }];
  for (const { number, operation, isReturn } of eventsOf(history)) {
    if (!isReturn) {
      open.set(number, operation);
      continue;
    }
    const next = afterReturn({ all, open, model, mostConfigurations }, number);
    if (next === undefined) return { verdict: 'unknown' };
    if (next.length === 0) return { verdict: 'fail', at: operation };
    open.delete(number);
    all = withoutSettled(next, open);
  }
  return { verdict: 'pass' };
}

interface Event<I, O> {
  readonly number: number;
  readonly operation: Operation<I, O>;
  readonly isReturn: boolean;
}

/** The calls, and the returns of operations with a definite answer. */
function eventsOf<I, O>(history: readonly Operation<I, O>[]): Event<I, O>[] {
  const placed = history.flatMap((operation, number) => [
    { place: operation.calledAt, event: { number, operation, isReturn: false } },
    ...(operation.output === undefined
      ? []
      : [{ place: operation.returnedAt, event: { number, operation, isReturn: true } }]),
  ]);
  return placed.sort((a, b) => a.place - b.place).map(({ event }) => event);
}

interface Search<S, I, O> {
  readonly all: readonly Configuration<S>[];
  readonly open: ReadonlyMap<number, Operation<I, O>>;
  readonly model: SequentialModel<S, I, O>;
  readonly mostConfigurations: number;
}

/** The configurations after the return of an operation; `undefined`: more than the limit. */
function afterReturn<S, I, O>(
  { all, open, model, mostConfigurations }: Search<S, I, O>,
  returned: number,
): Configuration<S>[] | undefined {
  const seen = new Set<string>();
  const next = new Map<string, Configuration<S>>();
  const stack = [...all];
  for (let one = stack.pop(); one !== undefined; one = stack.pop()) {
    const { state, done } = one;
    const key = keyOf(model, one);
    if (seen.has(key)) continue;
    seen.add(key);
    if (seen.size > mostConfigurations) return undefined;
    if (done.has(returned)) {
      const without = { state, done: new Set([...done].filter((each) => each !== returned)) };
      next.set(keyOf(model, without), without);
      continue;
    }
    for (const [number, { input, output }] of open) {
      if (done.has(number)) continue;
      const after = model.step(state, input, output);
      if (after !== undefined) stack.push({ state: after, done: new Set(done).add(number) });
    }
  }
  return [...next.values()];
}

/** Forgets the open operations that have taken effect in every configuration: they will never return. */
function withoutSettled<S, I, O>(
  all: readonly Configuration<S>[],
  open: Map<number, Operation<I, O>>,
): readonly Configuration<S>[] {
  const [first] = all;
  const settled = [...(first?.done ?? [])].filter(
    (number) => open.get(number)?.output === undefined && all.every(({ done }) => done.has(number)),
  );
  if (settled.length === 0) return all;
  for (const number of settled) open.delete(number);
  return all.map(({ state, done }) => ({ state, done: new Set([...done].filter((each) => !settled.includes(each))) }));
}

function keyOf<S, I, O>(model: SequentialModel<S, I, O>, { state, done }: Configuration<S>): string {
  return `${[...done].sort((a, b) => a - b).join(' ')}|${model.keyOf(state)}`;
}
