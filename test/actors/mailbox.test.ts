/** The mailbox: one item after the other, never one inside another. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Mailbox } from '../../src/actors/mailbox.ts';
import { holds } from '../kit/property.ts';
import { test } from '../kit/test.ts';

test('an item is handled before put returns', (t) => {
  const handled: number[] = [];
  const mailbox = new Mailbox<number>((item) => handled.push(item));
  mailbox.put(1);
  t.deepEqual(handled, [1]);
});

test('items that come while one is handled wait for its end, in their order', (t) => {
  const log: string[] = [];
  const mailbox = new Mailbox<string>((item) => {
    log.push(`${item} begins`);
    if (item.length < 3) for (const letter of 'ab') mailbox.put(item + letter);
    log.push(`${item} ends`);
  });
  mailbox.put('x');
  const order = ['x', 'xa', 'xb', 'xaa', 'xab', 'xba', 'xbb'];
  t.deepEqual(
    log,
    order.flatMap((item) => [`${item} begins`, `${item} ends`]),
  );
});

test('whatever puts what, items are handled once each, in the order of their puts, never one inside another', async (t) => {
  await holds(
    t,
    fc.property(fc.array(fc.array(fc.nat(3), { maxLength: 4 }), { maxLength: 20 }), (plans) => {
      const put: number[] = [];
      const handled: number[] = [];
      let depth = 0;
      const offer = () => {
        put.push(put.length);
        mailbox.put(put.length - 1);
      };
      const mailbox: Mailbox<number> = new Mailbox((item) => {
        depth += 1;
        assert.equal(depth, 1);
        handled.push(item);
        for (const _ of plans[item] ?? []) if (put.length < 200) offer();
        depth -= 1;
      });
      for (const _ of plans) offer();
      assert.deepEqual(handled, put);
    }),
  );
});

test('a closed mailbox takes nothing and forgets what waits, even while it handles an item', (t) => {
  const handled: string[] = [];
  const mailbox = new Mailbox<string>((item) => {
    mailbox.put('waits');
    handled.push(item);
    mailbox.close();
    mailbox.put('too late');
  });
  mailbox.put('last');
  mailbox.put('later');
  t.deepEqual(handled, ['last']);
});

/** Items that throw, by what waits when they do. */
const failures: readonly [
  title: string,
  puts: readonly string[],
  handled: readonly string[],
  thrown: readonly string[],
][] = [
  ['the only item', ['bad'], ['bad'], ['bad']],
  ['the first of three', ['bad', 'b', 'c'], ['bad', 'b', 'c'], ['bad']],
  ['the one between two', ['a', 'bad', 'c'], ['a', 'bad', 'c'], ['bad']],
  ['two of four', ['bad', 'b', 'bad too', 'd'], ['bad', 'b', 'bad too', 'd'], ['bad', 'bad too']],
];

for (const [title, puts, expected, thrown] of failures) {
  test(`${title} throws: those behind it are handled before put returns, and put throws what was thrown`, (t) => {
    const handled: string[] = [];
    const mailbox = new Mailbox<string>((item) => {
      if (item === 'start') {
        for (const each of puts) mailbox.put(each);
        return;
      }
      handled.push(item);
      if (item.startsWith('bad')) throw new Error(item);
    });
    const error = t.throws(() => mailbox.put('start'));
    const errors = error instanceof AggregateError ? (error.errors as Error[]) : [error];
    t.deepEqual(handled, expected);
    t.deepEqual(
      errors.map(({ message }) => message),
      thrown,
    );
    mailbox.put('next');
    t.is(handled.at(-1), 'next');
  });
}

test('whichever items throw, each is handled once, in order, before the outermost put ends', async (t) => {
  const plan = fc.record({ puts: fc.nat(3), throws: fc.boolean() });
  await holds(
    t,
    fc.property(fc.array(plan, { minLength: 1, maxLength: 30 }), (plans) => {
      let put = 0;
      const handled: number[] = [];
      const offer = () => {
        put += 1;
        mailbox.put(put - 1);
      };
      const mailbox: Mailbox<number> = new Mailbox((item) => {
        handled.push(item);
        const { puts = 0, throws = false } = plans[item] ?? {};
        for (let n = 0; n < puts && put < 200; n += 1) offer();
        if (throws) throw new Error(String(item));
      });
      for (const _ of plans) {
        try {
          offer();
        } catch (error) {
          assert.ok(error instanceof Error);
        }
        assert.deepEqual(
          handled,
          Array.from({ length: put }, (_each, n) => n),
        );
      }
    }),
  );
});
