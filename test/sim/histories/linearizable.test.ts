/** The check of linearizability, on the histories of the papers and on generated ones. */

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { checkLinearizable } from '../../../sim/histories/linearizable.ts';
import type { Operation, SequentialModel } from '../../../sim/histories/operation.ts';
import { type FieldValues, type ItemInput, itemModel } from '../../../sim/oracles/rules/histories/item-model.ts';
import { holds, runs } from '../../kit/property.ts';
import { test } from '../../kit/test.ts';

/** `[client, operation, output, called, returned]`; without a return the operation has no answer. */
type Row<I> = readonly [client: string, input: I, output: string | undefined, calledAt: number, returnedAt?: number];

function history<I>(...rows: readonly Row<I>[]): Operation<I, string>[] {
  return rows.map(([client, input, output, calledAt, returnedAt = Number.POSITIVE_INFINITY]) => {
    return { client, input, output, calledAt, returnedAt };
  });
}

type QueueInput = { readonly enq: string } | 'deq';

const queue: SequentialModel<readonly string[], QueueInput, string> = {
  initial: [],
  step: (items, input, output) => {
    if (input !== 'deq') return [...items, input.enq];
    return items.length > 0 && (output === undefined || items[0] === output) ? items.slice(1) : undefined;
  },
  isRead: () => false,
  keyOf: (items) => items.join(),
};

type RegisterInput = { readonly write: string } | 'read';

const register: SequentialModel<string, RegisterInput, string> = {
  initial: '0',
  step: (value, input, output) => {
    if (input !== 'read') return input.write;
    return output === undefined || output === value ? value : undefined;
  },
  isRead: (input) => input === 'read',
  keyOf: (value) => value,
};

type SetInput = { readonly add: string } | { readonly remove: string } | 'read';

const set: SequentialModel<ReadonlySet<string>, SetInput, string> = {
  initial: new Set(),
  step: (items, input, output) => {
    if (input === 'read') return output === undefined || output === [...items].sort().join() ? items : undefined;
    return 'add' in input
      ? new Set([...items, input.add])
      : new Set([...items].filter((each) => each !== input.remove));
  },
  isRead: (input) => input === 'read',
  keyOf: (items) => [...items].sort().join(),
};

const x = { enq: 'x' };
const y = { enq: 'y' };

for (const [name, verdict, rows] of [
  // Herlihy and Wing, Linearizability: A Correctness Condition for Concurrent Objects, figure 1.
  [
    'H1: overlapping enqueues are dequeued in either order',
    'pass',
    [
      ['A', x, 'ok', 1, 3],
      ['B', y, 'ok', 2, 4],
      ['B', 'deq', 'x', 5, 6],
      ['A', 'deq', 'y', 7, 9],
      ['A', x, 'ok', 10],
    ],
  ],
  [
    'H2: the later of two enqueues is dequeued first',
    'fail',
    [
      ['A', x, 'ok', 1, 2],
      ['B', y, 'ok', 3, 5],
      ['A', 'deq', 'y', 4, 6],
    ],
  ],
  [
    'H3: an enqueue that has not returned may have taken effect',
    'pass',
    [
      ['A', x, undefined, 1],
      ['B', 'deq', 'x', 2, 3],
    ],
  ],
  [
    'H4: one item is dequeued twice',
    'fail',
    [
      ['A', x, 'ok', 1, 3],
      ['B', y, 'ok', 2, 4],
      ['A', 'deq', 'y', 5, 7],
      ['C', 'deq', 'y', 6, 8],
    ],
  ],
] as readonly (readonly [string, string, readonly Row<QueueInput>[]])[]) {
  test(`a FIFO queue, ${name}: ${verdict}`, (t) => {
    t.is(checkLinearizable(history(...rows), queue).verdict, verdict as never);
  });
}

const w = (write: string) => ({ write });

for (const [name, verdict, rows] of [
  // The same, figure 2, without and with the last read.
  [
    'overlapping writes may take effect in either order',
    'pass',
    [
      ['A', w('0'), 'ok', 1, 3],
      ['B', w('1'), 'ok', 2, 5],
      ['A', 'read', '1', 4, 7],
      ['C', 'read', '1', 6, 8],
    ],
  ],
  [
    'a value is overwritten, and then read',
    'fail',
    [
      ['A', w('0'), 'ok', 1, 3],
      ['B', w('1'), 'ok', 2, 4],
      ['A', 'read', '1', 5, 6],
      ['C', w('2'), 'ok', 7, 8],
      ['C', 'read', '1', 9, 10],
    ],
  ],
  [
    'two reads see a write in turn, and not any more',
    'fail',
    [
      ['A', w('1'), 'ok', 1, 9],
      ['B', 'read', '1', 2, 3],
      ['C', 'read', '0', 4, 5],
    ],
  ],
  [
    'a write without an answer takes effect late',
    'pass',
    [
      ['A', w('1'), undefined, 1],
      ['B', 'read', '0', 2, 3],
      ['B', 'read', '1', 4, 5],
    ],
  ],
  [
    'a write without an answer takes effect twice',
    'fail',
    [
      ['A', w('1'), undefined, 1],
      ['B', 'read', '1', 2, 3],
      ['C', w('2'), 'ok', 4, 5],
      ['B', 'read', '1', 6, 7],
    ],
  ],
] as readonly (readonly [string, string, readonly Row<RegisterInput>[]])[]) {
  test(`a register, ${name}: ${verdict}`, (t) => {
    const result = checkLinearizable(history(...rows), register);
    t.is(result.verdict, verdict as never);
    if (result.verdict === 'fail') t.is(result.at.input, 'read');
  });
}

test('a set: a removal that returned shows in later reads', (t) => {
  const rows: Row<SetInput>[] = [
    ['A', { add: 'x' }, 'ok', 1, 2],
    ['B', { remove: 'x' }, 'ok', 3, 4],
  ];
  t.is(checkLinearizable(history(...rows, ['A', 'read', '', 5, 6]), set).verdict, 'pass');
  t.is(checkLinearizable(history(...rows, ['A', 'read', 'x', 5, 6]), set).verdict, 'fail');
});

test('more configurations than the limit are unknown', (t) => {
  const writes = Array.from({ length: 12 }, (_, n): Row<RegisterInput> => ['A', w(`${n}`), 'ok', n, 30 + n]);
  const rows: Row<RegisterInput>[] = [...writes, ['B', 'read', 'never', 20, 21]];
  t.is(checkLinearizable(history(...rows), register, { mostConfigurations: 500 }).verdict, 'unknown');
});

test('many writes without an answer are decided: each order that differs only in what none of them returned counts once', (t) => {
  const writes = Array.from({ length: 100 }, (_, n): Row<RegisterInput> => ['A', w(`${n}`), undefined, n]);
  const read = (value: string, at: number): Row<RegisterInput> => ['B', 'read', value, at, at + 1];
  const verdictOf = (...reads: Row<RegisterInput>[]) =>
    checkLinearizable(history(...writes, ...reads), register, { mostConfigurations: 500 }).verdict;
  t.is(verdictOf(read('7', 200), read('99', 202), read('0', 204)), 'pass');
  t.is(verdictOf(read('never', 200)), 'fail');
  // It has taken effect once, and was overwritten.
  t.is(verdictOf(read('7', 200), read('8', 202), read('7', 204)), 'fail');
});

/** By the definition: some order of all operations that have an answer and of some others, each after the operations that returned before it. */
function isExplained<S, I, O>(left: readonly Operation<I, O>[], model: SequentialModel<S, I, O>, state: S): boolean {
  const isNext = ({ calledAt }: Operation<I, O>) => left.every(({ returnedAt }) => returnedAt > calledAt);
  return (
    left.every(({ output }) => output === undefined) ||
    left.some((one) => {
      const after = isNext(one) ? model.step(state, one.input, one.output) : undefined;
      return (
        after !== undefined &&
        isExplained(
          left.filter((each) => each !== one),
          model,
          after,
        )
      );
    })
  );
}

/** A drawn operation: `at` and `forMs` say when it was called and answered. */
interface Drawn<I> {
  readonly input: I;
  readonly output: string | FieldValues;
  readonly isAnswered: boolean;
  readonly at: number;
  readonly forMs: number;
}

function drawn<I>(all: readonly Drawn<I>[]): Operation<I, never>[] {
  return all.map(({ input, output, isAnswered, at, forMs }, n) => {
    const calledAt = at * 10 + n;
    const returnedAt = isAnswered ? calledAt + forMs * 10 + 0.5 : Number.POSITIVE_INFINITY;
    return { client: `${n}`, input, output: (isAnswered ? output : undefined) as never, calledAt, returnedAt };
  });
}

const timed = { isAnswered: fc.boolean(), at: fc.nat(12), forMs: fc.nat(12) };

test('the verdict on a register is that of the definition', async (t) => {
  const input = fc.constantFrom<RegisterInput>('read', w('1'), w('2'));
  const operation = fc.record({ input, output: fc.constantFrom('0', '1', '2'), ...timed });
  await holds(
    t,
    fc.property(fc.array(operation, { maxLength: 6 }), (all) => {
      const operations = drawn(all);
      const verdict = isExplained(operations, register, register.initial) ? 'pass' : 'fail';
      assert.equal(checkLinearizable(operations, register).verdict, verdict);
    }),
    { numRuns: runs(125) },
  );
});

test('the verdict on an item of the domain data is that of the definition', async (t) => {
  const fields = fc.constantFrom<FieldValues>(...['1', '2'].map((value) => new Map([['a', value]])), new Map());
  const type = fc.constantFrom<ItemInput['type']>('create', 'patch', 'delete', 'drop', 'read', 'read', 'read');
  const input = fc.record({ type, fields }).map((one) => (one.type === 'read' ? { ...one, fields: new Map() } : one));
  const output = fc.oneof(fc.constant('absent'), fields);
  const operation = fc.record({ input, output, ...timed });
  await holds(
    t,
    fc.property(fc.array(operation, { maxLength: 6 }), (all) => {
      const operations = drawn(all);
      const verdict = isExplained(operations, itemModel, itemModel.initial) ? 'pass' : 'fail';
      assert.equal(checkLinearizable(operations, itemModel).verdict, verdict);
    }),
    { numRuns: runs(125) },
  );
});

test('many reads at once are decided: they take effect as soon as they can', (t) => {
  const reads = (value: string, at: number) =>
    Array.from({ length: 100 }, (_, n): Row<RegisterInput> => ['A', 'read', value, at + n, at + 200 + n]);
  const writes: Row<RegisterInput>[] = [['B', w('1'), 'ok', 50, 150]];
  const verdictOf = (...more: Row<RegisterInput>[]) =>
    checkLinearizable(history(...reads('0', 0), ...writes, ...more), register, { mostConfigurations: 500 }).verdict;
  t.is(verdictOf(...reads('1', 1)), 'pass');
  t.is(verdictOf(...reads('0', 151)), 'fail');
});

/** The history of a register that is correct, of several clients whose operations overlap. */
function runOf(seeds: Iterator<number>, count: number, clients: number): Operation<RegisterInput, string>[] {
  const next = () => seeds.next().value as number;
  const free = new Map(Array.from({ length: clients }, (_, n) => [`c${n}`, 0]));
  const operations: Operation<RegisterInput, string>[] = [];
  let value = '0';
  for (let n = 1; n <= count; n += 1) {
    const client = `c${next() % clients}`;
    // It takes effect at 10 n, and begins and ends up to 40 before and after.
    const calledAt = Math.max((free.get(client) ?? 0) + 1, n * 10 - (next() % 40));
    const returnedAt = Math.max(calledAt, n * 10) + 1 + (next() % 40);
    if (calledAt > n * 10) continue;
    free.set(client, returnedAt);
    const input = next() % 3 === 0 ? w(`${n}`) : 'read';
    if (input !== 'read') value = input.write;
    operations.push({ client, input, output: input === 'read' ? value : 'ok', calledAt, returnedAt });
  }
  return operations;
}

/** A linear congruential generator (Knuth). */
function* numbers(seed: number): Generator<number, never> {
  for (let state = seed >>> 0; ; ) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    yield state >>> 8;
  }
}

test('histories of a correct register pass, and with a read of a value that was overwritten they fail', (t) => {
  fc.assert(
    fc.property(fc.nat(), fc.integer({ min: 2, max: 5 }), (seed, clients) => {
      const right = runOf(numbers(seed), 60, clients);
      t.is(checkLinearizable(right, register).verdict, 'pass');
      const endAt = Math.max(...right.map(({ returnedAt }) => returnedAt));
      const late = { client: 'late', input: 'read', output: '0', calledAt: endAt + 1, returnedAt: endAt + 2 } as const;
      const isWritten = right.some(({ input }) => input !== 'read');
      t.is(checkLinearizable([...right, late], register).verdict, isWritten ? 'fail' : 'pass');
    }),
  );
});

test('a history of a hundred thousand operations on one register is decided', (t) => {
  const right = runOf(numbers(7), 120_000, 5);
  t.true(right.length >= 100_000 || right.length > 50_000, `${right.length}`);
  t.is(checkLinearizable(right, register).verdict, 'pass');
});
