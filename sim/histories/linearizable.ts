/**
 * Decides whether a history of one object is linearizable (Herlihy and Wing, 1990): whether each operation can be given
 * an instant between its call and its return, so that the sequence of the instants satisfies the model.
 *
 * The algorithm is the just-in-time linearization of Lowe (Testing for linearizability, 2017), a form of that of Wing
 * and Gong (1993): it reads the history once, and keeps the set of the configurations that are possible after each
 * return, each a state and the set of the open operations that have already taken effect. Equal configurations are
 * kept once, and of configurations that differ only in operations without an answer, the ones with the fewest: an operation that
 * never returns need not take effect, so what follows from the others follows from these too. The time depends on the
 * number of concurrent operations, not on the length of the history.
 *
 * Linearizability is local: a history of many objects is linearizable if that of each object is.
 */
import type { Operation, SequentialModel } from './operation.ts';
import { type Configuration, ReturnSearch, States } from './return-search.ts';

export type Linearizability<I, O> =
  | { readonly verdict: 'pass' }
  /** `at`: the first operation whose return no sequence explains. */
  | { readonly verdict: 'fail'; readonly at: Operation<I, O> }
  /** Too many operations without an answer: more configurations than the limit. */
  | { readonly verdict: 'unknown' };

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
  const states = new States(model);
  let all: readonly Configuration[] = [{ state: states.numberOf(model.initial), done: [] }];
  for (const { number, operation, isReturn } of eventsOf(history)) {
    if (!isReturn) {
      open.set(number, operation);
      continue;
    }
    const next = new ReturnSearch(states, open, mostConfigurations).after(all, number);
    if (next === undefined) return { verdict: 'unknown' };
    if (next.length === 0) return { verdict: 'fail', at: operation };
    open.delete(number);
    states.forget(operation);
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

/** Forgets the open operations that have taken effect in every configuration: they will never return. */
function withoutSettled<I, O>(
  all: readonly Configuration[],
  open: Map<number, Operation<I, O>>,
): readonly Configuration[] {
  const [first] = all;
  const settled = (first?.done ?? []).filter(
    (number) => open.get(number)?.output === undefined && all.every(({ done }) => done.includes(number)),
  );
  if (settled.length === 0) return all;
  for (const number of settled) open.delete(number);
  return all.map(({ state, done }) => ({ state, done: done.filter((each) => !settled.includes(each)) }));
}
