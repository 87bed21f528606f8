/** A stream consumer: entries in order, each once; a gap is noticed; what is lost for good is skipped. */

import { StreamConsumer } from '../../src/replication/stream-consumer.ts';
import { test } from '../kit/test.ts';

interface Entry {
  readonly n: number;
}

/** Keeps what a consumer hands on and notices, in order: `1:3` is entry 3 of epoch 1. */
function consumer() {
  const seen: string[] = [];
  const stream = new StreamConsumer<Entry>({
    isNext: (epoch, known = 0) => epoch > known,
    onEpoch: (epoch, before) => seen.push(`epoch ${epoch} after ${before ?? 'none'}`),
    onEntry: ({ n }, epoch) => seen.push(`${epoch}:${n}`),
    onGap: () => seen.push('gap'),
    onLoss: (n) => seen.push(`lost before ${n}`),
  });
  return { stream, seen };
}

const entries = (...numbers: number[]): Entry[] => numbers.map((n) => ({ n }));

test('an entry that overtook others is held until they are here', (t) => {
  const { stream, seen } = consumer();
  stream.receive(1, entries(1));
  stream.receive(1, entries(3));
  stream.receive(1, entries(2));
  t.deepEqual(seen, ['epoch 1 after none', '1:1', 'gap', '1:2', '1:3']);
});

test('each message that leaves a gap says so', (t) => {
  const { stream, seen } = consumer();
  stream.receive(1, entries(1, 3));
  stream.receive(1, entries(5));
  t.deepEqual(seen, ['epoch 1 after none', '1:1', 'gap', 'gap']);
  t.is(stream.takePage({ epoch: 1, last: 5, items: entries(2) }), 'more');
  t.is(stream.takePage({ epoch: 1, last: 5, items: entries(4, 5) }), 'done');
  t.deepEqual(seen.slice(4), ['1:2', '1:3', '1:4', '1:5']);
});

test('entries that were already received are dropped', (t) => {
  const { stream, seen } = consumer();
  stream.receive(1, entries(1, 2));
  stream.receive(1, entries(1, 2));
  t.is(stream.takePage({ epoch: 1, last: 2, items: entries(1, 2) }), 'done');
  t.deepEqual(seen, ['epoch 1 after none', '1:1', '1:2']);
});

test('entries that the source does not have any more are lost, and what is here of them is handed on', (t) => {
  const { stream, seen } = consumer();
  stream.receive(1, entries(1, 4));
  t.is(stream.takePage({ epoch: 1, last: 8, items: entries(7, 8) }), 'done');
  t.deepEqual(seen.slice(2), ['gap', 'lost before 4', '1:4', 'lost before 7', '1:7', '1:8']);
});

test('an empty page says that everything up to its last number is lost', (t) => {
  const { stream, seen } = consumer();
  t.is(stream.takePage({ epoch: 1, last: 3, items: [] }), 'done');
  t.deepEqual(seen, ['epoch 1 after none', 'lost before 4']);
  t.deepEqual(stream.position, { epoch: 1, n: 3 });
});

test('where nothing that is missing comes any more, what waits for it goes on', (t) => {
  const { stream, seen } = consumer();
  stream.receive(1, entries(1, 4));
  stream.giveUpMissing();
  t.deepEqual(seen.slice(2), ['gap', 'lost before 4', '1:4']);
});

test('a later epoch ends the previous one, whose late entries are dropped', (t) => {
  const { stream, seen } = consumer();
  stream.receive(1, entries(1, 3));
  stream.receive(2, entries(1));
  stream.receive(1, entries(2));
  t.is(stream.takePage({ epoch: 1, last: 3, items: entries(2, 3) }), 'done');
  t.deepEqual(seen.slice(2), ['gap', 'lost before 3', '1:3', 'epoch 2 after 1', '2:1']);
});

test('an epoch that nothing says to follow is not entered before the consumer is moved there', (t) => {
  const seen: string[] = [];
  const stream = new StreamConsumer<Entry, string>({
    onEntry: ({ n }, epoch) => seen.push(`${epoch}:${n}`),
    onGap: () => seen.push('gap'),
  });
  stream.receive('a', entries(8));
  t.deepEqual([seen, stream.position], [[], undefined]);
  stream.moveTo({ epoch: 'a', n: 7 });
  stream.receive('a', entries(8));
  stream.receive('b', entries(1));
  t.deepEqual([seen, stream.position], [['a:8'], { epoch: 'a', n: 8 }]);
});

test('a consumer that is moved on drops what it held before that position, and hands on what follows', (t) => {
  const { stream, seen } = consumer();
  stream.receive(1, entries(1, 3, 5, 6));
  stream.moveTo({ epoch: 1, n: 4 });
  t.deepEqual(seen.slice(2), ['gap', '1:5', '1:6']);
});

test('a consumer whose state was replaced by an older one pulls what it had behind that', (t) => {
  const { stream, seen } = consumer();
  stream.receive(1, entries(1, 2, 3));
  stream.resetTo({ epoch: 1, n: 2 });
  t.deepEqual(seen.slice(4), ['gap']);
  t.is(stream.takePage({ epoch: 1, last: 3, items: entries(3) }), 'done');
  t.deepEqual(seen.slice(4), ['gap', '1:3']);
  stream.resetTo({ epoch: 1, n: 5 });
  t.deepEqual([seen.slice(6), stream.position], [[], { epoch: 1, n: 5 }]);
});

test('a consumer holds so many entries at most; those beyond come with a pull', (t) => {
  const { stream, seen } = consumer();
  for (let n = 2; n <= 3_000; n += 1) stream.receive(1, entries(n));
  t.is(stream.takePage({ epoch: 1, last: 3_000, items: entries(1) }), 'more');
  t.is(stream.position?.n, 2_001);
  t.is(seen.filter((each) => each.startsWith('1:')).length, 2_001);
});
