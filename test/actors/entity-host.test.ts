/** The host of a role instance's entities. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { assign, emit, setup } from 'xstate';
import { VirtualClock } from '../../sim/ports/virtual-clock.ts';
import { Counters } from '../../src/actors/counters.ts';
import { EntityHost } from '../../src/actors/entity-host.ts';
import { banMachine } from '../../src/machines/access/ban.ts';
import { holds, sized } from '../kit/property.ts';
import { test } from '../kit/test.ts';

type Event = { type: 'noted'; number: number } | { type: 'ended' } | { type: 'broken' };
type Order =
  | { type: 'first' | 'second'; number: number }
  | { type: 'gone' }
  | { type: 'event.unexpected'; event: string };

/** Emits two commands for each number that it receives, ends on request or after a second, and throws when it is broken. */
const parrot = setup({
  types: {
    context: {} as { number: number },
    input: {} as { isStillborn?: boolean },
    events: {} as Event,
    emitted: {} as Order,
  },
  actions: {
    keep: assign(({ event }) => ({ number: event.type === 'noted' ? event.number : 0 })),
    first: emit(({ context }) => ({ type: 'first' as const, number: context.number })),
    second: emit(({ context }) => ({ type: 'second' as const, number: context.number })),
    gone: emit({ type: 'gone' }),
    breakDown: assign(() => {
      throw new Error('a bug in the machine');
    }),
    unexpected: emit(({ event }) => ({ type: 'event.unexpected' as const, event: event.type })),
  },
  delays: { rest: 1_000 },
}).createMachine({
  id: 'parrot',
  context: ({ input }) => {
    if (input.isStillborn) throw new Error('a bug at birth');
    return { number: 0 };
  },
  initial: 'talking',
  on: { '*': { actions: 'unexpected' } },
  states: {
    talking: {
      after: { rest: 'silent' },
      on: { noted: { actions: ['keep', 'first', 'second'] }, ended: 'silent', broken: { actions: 'breakDown' } },
    },
    silent: { type: 'final', entry: 'gone' },
  },
});

function parrots(
  options: { limit?: number; onCommand?: (key: string, order: Order) => void; onEnd?: (key: string) => void } = {},
) {
  const clock = new VirtualClock(0);
  const counters = new Counters();
  const orders: [string, Order][] = [];
  const ended: string[] = [];
  const crashes: unknown[] = [];
  const host = new EntityHost({
    machine: parrot,
    clock,
    counters,
    onCommand: (key, order) => {
      orders.push([key, order]);
      options.onCommand?.(key, order);
    },
    onEnd: (key) => {
      ended.push(key);
      options.onEnd?.(key);
    },
    onCrash: (error) => crashes.push(error),
    ...(options.limit === undefined ? {} : { limit: options.limit }),
  });
  return { clock, counters, orders, ended, crashes, host };
}

const reasons = (crashes: readonly unknown[]) => crashes.map((error) => (error as Error).message);

test('orders come out in order, each after the transition that gave it', (t) => {
  const { host, orders } = parrots({
    onCommand: (key, order) => {
      if ('number' in order) t.is(host.snapshot(key)?.context.number, order.number);
    },
  });
  host.start('polly', {});
  t.true(host.send('polly', { type: 'noted', number: 1 }));
  t.true(host.send('polly', { type: 'noted', number: 2 }));
  t.deepEqual(orders, [
    ['polly', { type: 'first', number: 1 }],
    ['polly', { type: 'second', number: 1 }],
    ['polly', { type: 'first', number: 2 }],
    ['polly', { type: 'second', number: 2 }],
  ]);
});

test('an event sent by a command is handled after all commands of the event before', (t) => {
  const { host, orders } = parrots({
    onCommand: (key, order) => {
      if (order.type === 'first' && order.number < 3) host.send(key, { type: 'noted', number: order.number + 1 });
    },
  });
  host.start('polly', {});
  host.send('polly', { type: 'noted', number: 1 });
  t.deepEqual(
    orders.map(([, order]) => ('number' in order ? `${order.type} ${order.number}` : order.type)),
    ['first 1', 'second 1', 'first 2', 'second 2', 'first 3', 'second 3'],
  );
});

test('an unexpected event is counted by machine and event, and is no order', (t) => {
  const { host, orders, counters } = parrots();
  host.start('polly', {});
  host.send('polly', { type: 'unknown' } as unknown as Event);
  host.send('polly', { type: 'unknown' } as unknown as Event);
  t.is(counters.get('event.unexpected.parrot.unknown'), 2);
  t.deepEqual(orders, []);
});

test('an event for an entity that does not exist is refused', (t) => {
  const { host } = parrots();
  t.false(host.send('absent', { type: 'ended' }));
  t.is(host.snapshot('absent'), undefined);
});

test('an entity that ends by an event or by its timer is removed, and its end is reported once', (t) => {
  const { host, ended, orders, clock } = parrots();
  host.start('noted', {});
  host.start('timed', {});
  host.send('noted', { type: 'ended' });
  t.deepEqual([ended, [...host.keys()], clock.pending], [['noted'], ['timed'], 1]);
  clock.advanceTo(1_000);
  t.deepEqual([ended, host.size, clock.pending], [['noted', 'timed'], 0, 0]);
  t.deepEqual(orders, [
    ['noted', { type: 'gone' }],
    ['timed', { type: 'gone' }],
  ]);
  t.false(host.send('timed', { type: 'ended' }));
});

test('a key is free again when its entity has ended, in onEnd too', (t) => {
  const { host, ended } = parrots({
    onEnd: (key) => {
      if (ended.length < 3) t.is(host.start(key, {}), undefined);
    },
  });
  host.start('polly', {});
  for (let life = 0; life < 3; life += 1) host.send('polly', { type: 'ended' });
  t.deepEqual([ended.length, host.size], [3, 0]);
});

test('an entity over the limit is refused as overloaded, until another has ended', (t) => {
  const { host } = parrots({ limit: 2 });
  t.is(host.start('one', {}), undefined);
  t.is(host.start('two', {}), undefined);
  const refusal = host.start('three', {});
  t.is(refusal?.code, 'overloaded');
  t.true(refusal?.definite);
  t.false(host.has('three'));
  host.send('one', { type: 'ended' });
  t.is(host.start('three', {}), undefined);
});

test('a key that is taken is a bug', (t) => {
  const { host } = parrots();
  host.start('polly', {});
  t.throws(() => host.start('polly', {}), { message: /parrot "polly" exists/ });
});

test('a machine that throws is reported, keeps no timer, and takes no other along', (t) => {
  const { host, crashes, ended, orders, clock } = parrots();
  host.start('broken', {});
  host.start('sound', {});
  host.send('broken', { type: 'broken' });
  t.deepEqual(reasons(crashes), ['a bug in the machine']);
  t.deepEqual([ended, clock.pending], [[], 1]);
  host.send('sound', { type: 'noted', number: 7 });
  t.is(orders.length, 2);
  clock.advanceTo(1_000);
  t.deepEqual(ended, ['sound']);
});

test('a machine that throws at birth is reported', (t) => {
  const { host, crashes } = parrots();
  host.start('stillborn', { isStillborn: true });
  t.deepEqual(reasons(crashes), ['a bug at birth']);
});

test('an order that cannot be carried out is reported as a crash, not thrown into the process', (t) => {
  const { host, crashes } = parrots({
    onCommand: () => {
      throw new Error('a bug in the role');
    },
  });
  host.start('polly', {});
  t.notThrows(() => host.send('polly', { type: 'noted', number: 1 }));
  t.deepEqual(reasons(crashes), ['a bug in the role', 'a bug in the role']);
});

test('an error thrown by onEnd is reported as a crash, not thrown into the process', (t) => {
  const { host, crashes } = parrots({
    onEnd: () => {
      throw new Error('a bug at the end');
    },
  });
  host.start('polly', {});
  host.send('polly', { type: 'ended' });
  t.deepEqual([reasons(crashes), host.size], [['a bug at the end'], 0]);
});

test('stopping all leaves no entity, no timer, no command and no end', (t) => {
  const { host, clock, orders, ended } = parrots();
  for (const key of ['a', 'b', 'c']) host.start(key, {});
  host.send('b', { type: 'broken' });
  host.stopAll();
  t.deepEqual([host.size, clock.pending, orders, ended], [0, 0, [], []]);
  t.false(host.send('a', { type: 'noted', number: 1 }));
  // Seed 50320 of the campaign: an ask of an instance that had crashed started a session.
  t.is(host.start('d', {})?.code, 'crashed');
  t.is(host.size, 0);
});

test('an entity may stop all from inside its order, and nothing more comes of it', (t) => {
  const { host, clock, orders, ended } = parrots({ onCommand: () => host.stopAll() });
  host.start('polly', {});
  host.start('other', {});
  host.send('polly', { type: 'noted', number: 1 });
  t.deepEqual([host.size, clock.pending, ended], [0, 0, []]);
  t.deepEqual(orders, [['polly', { type: 'first', number: 1 }]]);
});

test('bans, started, extended, removed and left to time in any way, end when they should and never leak', async (t) => {
  const key = fc.constantFrom('a', 'b', 'c');
  const step = fc.oneof(
    fc.record({ ban: key, forMs: fc.integer({ min: 0, max: 100 }) }),
    fc.record({ lift: key }),
    fc.record({ passMs: fc.integer({ min: 0, max: 60 }) }),
  );
  await holds(
    t,
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const clock = new VirtualClock(0);
      const model = new Map<string, number>();
      const host = new EntityHost({
        machine: banMachine,
        clock,
        counters: new Counters(),
        onCommand: () => {},
        onCrash: (error) => assert.fail(String(error)),
      });
      for (const each of steps) {
        const atMs = clock.now();
        if ('ban' in each) {
          const untilMs = atMs + each.forMs;
          model.set(each.ban, Math.max(model.get(each.ban) ?? 0, untilMs));
          if (!host.send(each.ban, { type: 'ban.extended', atMs, untilMs })) host.start(each.ban, { atMs, untilMs });
        } else if ('lift' in each) {
          model.delete(each.lift);
          host.send(each.lift, { type: 'ban.removed' });
        } else {
          clock.advanceTo(atMs + each.passMs);
          for (const [ip, untilMs] of model) if (untilMs <= clock.now()) model.delete(ip);
        }
        assert.deepEqual([...host.keys()].sort(), [...model.keys()].sort());
        assert.equal(clock.pending, model.size);
      }
    }),
    { numRuns: sized(15, 60) },
  );
});
