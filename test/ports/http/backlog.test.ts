/** What clients do not read: bounded by address and in all, and cut off when a client takes nothing for too long. */
import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import fc from 'fast-check';
import { VirtualClock } from '../../../sim/ports/virtual-clock.ts';
import { Backlog, type BackloggedSocket } from '../../../src/adapters/http-server/http-backlog.ts';
import { httpLimits } from '../../../src/model/limits.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import { holds } from '../../kit/property.ts';
import { test } from '../../kit/test.ts';

const limits = httpLimits({
  writeTimeMs: 10_000,
  writeBytesPerSecond: 1_000,
  unreadBytes: 10_000,
  unreadBytesPerAddress: 6_000,
});

/** A connection as its backlog sees it. */
class Connection extends EventEmitter implements Pick<BackloggedSocket, 'writableLength' | 'bytesWritten'> {
  bytesWritten = 0;
  writableLength = 0;
  isCut = false;

  write(bytes: number): void {
    this.bytesWritten += bytes;
    this.writableLength += bytes;
  }

  take(bytes: number): void {
    this.writableLength -= Math.min(bytes, this.writableLength);
  }

  destroy(): void {
    if (this.isCut) return;
    this.isCut = true;
    this.writableLength = 0;
    this.emit('close');
  }
}

function watching(...addresses: string[]) {
  const clock = new VirtualClock(0);
  const backlog = new Backlog(limits, clock);
  const connections = addresses.map((address) => {
    const connection = new Connection();
    backlog.watch(connection as unknown as BackloggedSocket, address);
    return connection;
  });
  const [first, ...others] = connections as [Connection, ...Connection[]];
  const pass = (ms: number) => {
    const untilMs = clock.now() + ms;
    while ((clock.nextDeadlineMs() ?? Infinity) <= untilMs) clock.runNext();
    clock.advanceTo(untilMs);
  };
  return { clock, backlog, first, others, pass };
}

/** Clients by how they take 5,000 bytes, for which they have 10 s and 5 s more. */
const readers: readonly [what: string, bytesPerSecond: number, isCut: boolean][] = [
  ['takes nothing', 0, true],
  ['takes a byte a second', 1, false],
  ['takes all at once', 5_000, false],
];

for (const [what, bytesPerSecond, isCut] of readers) {
  test(`a client that ${what} is ${isCut ? '' : 'not '}cut off`, (t) => {
    const { first, pass, clock } = watching('a');
    first.write(5_000);
    for (let seconds = 0; seconds < 14; seconds++) {
      pass(1_000);
      first.take(bytesPerSecond);
    }
    t.false(first.isCut);
    pass(3_000);
    t.is(first.isCut, isCut);
    t.is(clock.pending, isCut ? 0 : 1);
  });
}

test('a client that has taken all may wait for ever, and starts anew with the next answer', (t) => {
  const { first, pass } = watching('a');
  first.write(5_000);
  pass(12_000);
  first.take(5_000);
  pass(60_000);
  first.write(5_000);
  pass(14_000);
  t.false(first.isCut);
  pass(3_000);
  t.true(first.isCut);
});

test('what clients have read is counted seldom, and not for all of them in one turn', (t) => {
  const clock = new VirtualClock(0);
  let spentMs = 0;
  const busy: Clock = { now: () => clock.now() + spentMs, setTimer: (ms, fire) => clock.setTimer(ms, fire) };
  const backlog = new Backlog(limits, busy);
  let counts = 0;
  const counted = {
    get: () => {
      counts += 1;
      spentMs += 2;
      return 5_000;
    },
  };
  const connections = Array.from({ length: 10 }, () => {
    const connection = new Connection();
    connection.writableLength = 5_000;
    backlog.watch(Object.defineProperty(connection, 'bytesWritten', counted) as unknown as BackloggedSocket, 'a');
    return connection;
  });
  let mostInTurn = 0;
  while (clock.pending > 0) {
    const before = counts;
    clock.runNext();
    mostInTurn = Math.max(mostInTurn, counts - before);
  }
  t.true(connections.every(({ isCut }) => isCut));
  t.is(mostInTurn, 3);
  t.true(counts <= 12 * connections.length, `${counts}`);
});

test('an address without room leaves others theirs, until all together have none', (t) => {
  const { backlog, first, others, clock } = watching('a', 'b');
  const [second] = others as [Connection];
  first.write(6_000);
  backlog.add('a', 6_000);
  t.deepEqual([backlog.roomFor('a'), backlog.roomFor('b')], [0, 4_000]);
  second.write(4_000);
  backlog.add('b', 4_000);
  t.deepEqual([backlog.roomFor('a'), backlog.roomFor('b'), backlog.roomFor('c')], [0, 0, 0]);
  first.take(6_000);
  clock.advanceTo(50);
  t.deepEqual([backlog.roomFor('a'), backlog.roomFor('b'), backlog.roomFor('c')], [6_000, 2_000, 6_000]);
});

test('what was taken meanwhile is not held against an address', (t) => {
  const { backlog, first } = watching('a');
  for (let n = 0; n < 100; n++) {
    first.write(1_000);
    backlog.add('a', 1_000);
    first.take(1_000);
    t.true(backlog.roomFor('a') > 0);
  }
});

test('whatever is written, taken and closed, there is never room for more than the limits less what waits', async (t) => {
  const step = fc.record({
    connection: fc.nat(3),
    write: fc.nat(3_000),
    take: fc.nat(3_000),
    ms: fc.nat(2_000),
    closes: fc.boolean(),
  });
  await holds(
    t,
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const { backlog, first, others, pass } = watching('a', 'a', 'b', 'c');
      const connections = [first, ...others];
      for (const { connection: n, write, take, ms, closes } of steps) {
        const connection = connections[n] as Connection;
        const address = 'aabc'[n] as string;
        if (!connection.isCut && backlog.roomFor(address) > 0) {
          connection.write(write);
          backlog.add(address, write);
        }
        connection.take(take);
        if (closes) connection.destroy();
        pass(ms);
        const waits = (which: string) =>
          connections
            .filter((_each, i) => which.includes('aabc'[i] as string))
            .reduce((sum, each) => sum + each.writableLength, 0);
        for (const each of 'abc') {
          assert.ok(backlog.roomFor(each) <= limits.unreadBytesPerAddress - waits(each));
          assert.ok(backlog.roomFor(each) <= limits.unreadBytes - waits('abc'));
        }
      }
    }),
  );
});
