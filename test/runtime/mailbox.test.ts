/** The mailbox: one item after the other, never one inside another. */
import assert from 'node:assert/strict';
import test from 'ava';
import fc from 'fast-check';
import { Mailbox } from '../../src/runtime/mailbox.ts';
import { holds } from '../kit/property.ts';

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

test('an item that throws tells who put it, and what waited behind it comes with the next, still in order', (t) => {
  const handled: string[] = [];
  const mailbox = new Mailbox<string>((item) => {
    handled.push(item);
    if (item !== 'bad') return;
    mailbox.put('behind');
    throw new Error('a bug');
  });
  t.throws(() => mailbox.put('bad'), { message: 'a bug' });
  mailbox.put('next');
  t.deepEqual(handled, ['bad', 'behind', 'next']);
});
