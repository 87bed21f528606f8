/** The clock port: the system's clock and the virtual one. */
import { type AddressInfo, connect, createServer } from 'node:net';
import fc from 'fast-check';
import { VirtualClock } from '../../sim/ports/virtual-clock.ts';
import { ExpiryQueue } from '../../src/actors/expiry-queue.ts';
import { SystemClock, systemClock } from '../../src/adapters/system-clock.ts';
import { limits } from '../../src/model/limits.ts';
import type { Timer } from '../../src/ports/clock.ts';
import { sized } from '../kit/property.ts';
import { test } from '../kit/test.ts';
import { clockContract } from './clock-contract.ts';

/** Looks again each time the process is idle. */
async function until(isReached: () => boolean): Promise<void> {
  while (!isReached()) await new Promise((resolve) => setImmediate(resolve));
}

clockContract(test, 'system', () => ({ clock: systemClock, until }));
clockContract(test, 'virtual', () => {
  const clock = new VirtualClock(1_000_000);
  return {
    clock,
    async until(isReached) {
      while (!isReached()) if (!clock.runNext()) throw new Error('no timer is left, and it has not come to pass');
    },
  };
});

clockContract(test, 'expiry queue', () => {
  const clock = new VirtualClock(1_000_000);
  return {
    clock: new ExpiryQueue(clock),
    async until(isReached) {
      while (!isReached()) if (!clock.runNext()) throw new Error('no timer is left, and it has not come to pass');
    },
  };
});

test('expiry queue: however many deadlines there are, one timer is set', (t) => {
  const clock = new VirtualClock(0);
  const queue = new ExpiryQueue(clock);
  const fired: number[] = [];
  const timers = [500, 100, 900, 300].map((delayMs) => queue.setTimer(delayMs, () => fired.push(queue.now())));
  t.is(clock.pending, 1);
  timers[1]?.cancel();
  clock.advanceTo(600);
  t.deepEqual([fired, clock.pending], [[300, 500], 1]);
  clock.advanceTo(1_000);
  t.deepEqual([fired, clock.pending], [[300, 500, 900], 0]);
});

test('system: whole milliseconds of the wall clock', (t) => {
  t.true(Number.isSafeInteger(systemClock.now()));
  t.true(Math.abs(systemClock.now() - Date.now()) < 60_000);
});

test('system: after a busy moment timers still fire in the order of their deadlines', async (t) => {
  const clock = new SystemClock();
  const fired: string[] = [];
  const waitBusily = (ms: number) => {
    for (const endMs = clock.now() + ms; clock.now() < endMs; );
  };
  clock.setTimer(10, () => fired.push('10'));
  clock.setTimer(20, () => fired.push('20'));
  waitBusily(15);
  clock.setTimer(10, () => fired.push('25')); // setTimeout would fire it right after the other one with a delay of 10
  waitBusily(15);
  await until(() => fired.length === 3);
  t.deepEqual(fired, ['10', '20', '25']);
});

test('system: a deadline further away than an alarm can be takes several alarms', async (t) => {
  const clock = new SystemClock(5);
  const startMs = clock.now();
  let firedMs = 0;
  clock.setTimer(23, () => {
    firedMs = clock.now();
  });
  await until(() => firedMs > 0);
  t.true(firedMs >= startMs + 23);
});

test('system: node is never asked for a delay that it takes for 1 ms', async (t) => {
  const warnings: string[] = [];
  const onWarning = (warning: Error) => warnings.push(warning.name);
  process.on('warning', onWarning);
  t.teardown(() => process.off('warning', onWarning));
  const clock = new SystemClock();
  const far = clock.setTimer(2 ** 31 + 1_000, () => t.fail());
  let isFired = false;
  clock.setTimer(5, () => {
    isFired = true;
  });
  await until(() => isFired);
  far.cancel();
  t.deepEqual(warnings, []);
});

test('system: many timers, some of them cancelled, fire in order', async (t) => {
  const clock = new SystemClock();
  const fired: { earliestMs: number; latestMs: number }[] = [];
  const timers = Array.from({ length: 1_000 }, (_, index) => {
    const delayMs = (index * 7_919) % 60;
    const earliestMs = clock.now() + delayMs;
    const timer = clock.setTimer(delayMs, () => fired.push(deadline));
    const deadline = { earliestMs, latestMs: clock.now() + delayMs };
    return timer;
  });
  timers.forEach((timer, index) => {
    if (index % 3 === 0) timer.cancel();
  });
  await until(() => fired.length === 666);
  for (let index = 1; index < fired.length; index++) {
    t.true((fired[index - 1]?.earliestMs ?? 0) <= (fired[index]?.latestMs ?? 0));
  }
});

test('virtual: begins at its start, and does not move by itself', (t) => {
  const clock = new VirtualClock(500);
  clock.setTimer(0, () => t.fail());
  t.is(clock.now(), 500);
  t.is(clock.pending, 1);
  t.is(clock.nextDeadlineMs(), 500);
});

test('virtual: runNext stops at each deadline, and says when there is nothing left', (t) => {
  const clock = new VirtualClock(0);
  const firedMs: number[] = [];
  for (const delayMs of [30, 10, 10]) clock.setTimer(delayMs, () => firedMs.push(clock.now()));
  t.true(clock.runNext());
  t.is(clock.now(), 10);
  t.true(clock.runNext());
  t.is(clock.nextDeadlineMs(), 30);
  t.true(clock.runNext());
  t.false(clock.runNext());
  t.is(clock.nextDeadlineMs(), undefined);
  t.is(clock.now(), 30);
  t.deepEqual(firedMs, [10, 10, 30]);
});

test('virtual: advanceTo fires what is due, what that sets included, and ends at its time', (t) => {
  const clock = new VirtualClock(0);
  const firedMs: number[] = [];
  const tick = () => {
    firedMs.push(clock.now());
    clock.setTimer(10, tick);
  };
  clock.setTimer(10, tick);
  clock.advanceTo(30);
  t.deepEqual(firedMs, [10, 20, 30]);
  clock.advanceTo(35);
  t.is(clock.now(), 35);
  t.is(clock.nextDeadlineMs(), 40);
});

test('virtual: timers that are forgotten do not fire, and later ones do', (t) => {
  const clock = new VirtualClock(0);
  const fired: number[] = [];
  const forgotten = clock.setTimer(1, () => fired.push(1));
  clock.setTimer(2, () => fired.push(2));
  clock.clear();
  forgotten.cancel();
  t.deepEqual([clock.pending, clock.cancelled, clock.nextDeadlineMs()], [0, 0, undefined]);
  clock.setTimer(3, () => fired.push(3));
  clock.advanceTo(5);
  t.deepEqual(fired, [3]);
});

test('virtual: time can be moved neither back, nor for ever, nor by a timer', (t) => {
  const clock = new VirtualClock(100);
  for (const timeMs of [99, Infinity, Number.NaN]) t.throws(() => clock.advanceTo(timeMs), { instanceOf: RangeError });
  clock.setTimer(1, () => clock.advanceTo(200));
  clock.setTimer(2, () => clock.runNext());
  t.throws(() => clock.advanceTo(300), { message: /must not move the clock/ });
  t.throws(() => clock.advanceTo(300), { message: /must not move the clock/ });
  t.is(clock.now(), 102);
});

test('virtual: after a timer that throws, time goes on', (t) => {
  const clock = new VirtualClock(0);
  const fired: string[] = [];
  clock.setTimer(1, () => {
    throw new Error('a bug');
  });
  clock.setTimer(1, () => fired.push('next'));
  t.throws(() => clock.advanceTo(5), { message: 'a bug' });
  t.is(clock.now(), 1);
  clock.advanceTo(5);
  t.deepEqual(fired, ['next']);
});

/** A timer as the property below sets it: what it does when it fires. */
interface Plan {
  delayMs: number;
  /** Takes back the k-th of all timers that were ever set, counted around. */
  cancels: number[];
  sets: Plan[];
}

const delayMs = fc.integer({ min: -2, max: 20 });
const cancels = fc.array(fc.nat(40), { maxLength: 3 });
const plan = fc.letrec<{ plan: Plan; leaf: Plan; branch: Plan }>((tie) => ({
  plan: fc.oneof({ maxDepth: 3 }, tie('leaf'), tie('branch')),
  leaf: fc.record({ delayMs, cancels, sets: fc.constant([]) }),
  branch: fc.record({ delayMs, cancels, sets: fc.array(tie('plan'), { maxLength: 3 }) }),
})).plan;

type Step = { set: Plan } | { cancelFrom: number; count: number } | { advanceMs: number } | 'next';

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ set: plan }) },
  { weight: 1, arbitrary: fc.record({ cancelFrom: fc.nat(100), count: fc.nat(12) }) },
  { weight: 1, arbitrary: fc.record({ advanceMs: fc.nat(30) }) },
  { weight: 2, arbitrary: fc.constant('next' as const) },
);

/** The clock as one would write it without a thought for speed: a list that is searched for the smallest. */
class PlainClock {
  nowMs = 0;
  timers: { deadlineMs: number; fire: () => void }[] = [];

  setTimer(delay: number, fire: () => void): Timer {
    const timer = { deadlineMs: this.nowMs + Math.max(0, delay), fire };
    this.timers.push(timer);
    return { cancel: () => this.remove(timer) };
  }

  remove(timer: { deadlineMs: number }): void {
    this.timers = this.timers.filter((other) => other !== timer);
  }

  nextDeadlineMs(): number | undefined {
    return this.timers.length === 0 ? undefined : Math.min(...this.timers.map((timer) => timer.deadlineMs));
  }

  runNext(): boolean {
    const timer = this.timers.find((candidate) => candidate.deadlineMs === this.nextDeadlineMs());
    if (timer === undefined) return false;
    this.remove(timer);
    this.nowMs = timer.deadlineMs;
    timer.fire();
    return true;
  }

  advanceTo(timeMs: number): void {
    while ((this.nextDeadlineMs() ?? Infinity) <= timeMs) this.runNext();
    this.nowMs = timeMs;
  }

  now(): number {
    return this.nowMs;
  }

  get pending(): number {
    return this.timers.length;
  }

  readonly cancelled = 0;
}

/** Carries the steps out; returns which timer fired when, and the time after each step. */
function carryOut(clock: PlainClock | VirtualClock, steps: readonly Step[]): unknown[] {
  const story: unknown[] = [];
  const timers: Timer[] = [];
  const cancel = (timer: Timer) => timer.cancel();
  const set = ({ delayMs, cancels, sets }: Plan) => {
    const number = timers.length;
    const fire = () => {
      story.push({ fired: number, atMs: clock.now() });
      for (const other of cancels) timers[other % timers.length]?.cancel();
      sets.forEach(set);
    };
    timers.push(clock.setTimer(delayMs, fire));
  };
  for (const step of steps) {
    if (step === 'next') story.push(clock.runNext());
    else if ('set' in step) set(step.set);
    else if ('cancelFrom' in step)
      timers
        .slice(step.cancelFrom % timers.length)
        .slice(0, step.count)
        .forEach(cancel);
    else clock.advanceTo(clock.now() + step.advanceMs);
    const isTidy = clock.cancelled <= clock.pending;
    story.push({ isTidy, nowMs: clock.now(), nextMs: clock.nextDeadlineMs(), pending: clock.pending });
  }
  return story;
}

test('virtual: fires in the order of deadline and setting, whatever is set and cancelled, also by timers', (t) => {
  const property = fc.property(fc.array(step, { maxLength: 80, size: 'max' }), (steps) => {
    t.deepEqual(carryOut(new VirtualClock(0), steps), carryOut(new PlainClock(), steps));
  });
  t.notThrows(() => fc.assert(property, { numRuns: sized(75, 300) }));
});

test('virtual: cancelled timers do not pile up', (t) => {
  const clock = new VirtualClock(0);
  const kept = Array.from({ length: 100 }, (_, index) => clock.setTimer(1_000_000 + index, () => {}));
  for (let round = 0; round < 10_000; round++) {
    clock.setTimer(60_000, () => t.fail()).cancel();
    t.true(clock.cancelled <= kept.length);
  }
  t.is(clock.pending, kept.length);
  for (const timer of kept) timer.cancel();
  t.is(clock.pending, 0);
  t.is(clock.cancelled, 0);
  t.false(clock.runNext());
});

test('system: between two timers that take long, what has come from the network is read', async (t) => {
  const clock = new SystemClock();
  const log: string[] = [];
  const server = createServer((socket) => void socket.on('data', () => log.push('read')));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  await new Promise((resolve) => client.once('connect', resolve));
  await new Promise((resolve) => setImmediate(resolve)); // the server has accepted
  const work = (left: number) => {
    log.push('work');
    const untilMs = performance.now() + 12;
    while (performance.now() < untilMs);
    if (left > 0) clock.setTimer(0, () => work(left - 1));
  };
  for (let i = 0; i < 5; i++) clock.setTimer(0, () => work(4));
  client.write('x');
  await until(() => log.length === 26);
  t.true(log.indexOf('read') < 10, log.join());
  client.destroy();
  await new Promise((resolve) => server.close(resolve));
});

test('system: the work of promises that timers settle counts: the event loop goes on between long pieces of it', async (t) => {
  const clock = new SystemClock();
  const order: string[] = [];
  const work = async (name: string) => {
    await new Promise<void>((resolve) => clock.setTimer(0, resolve));
    await undefined;
    order.push(name);
    for (const endMs = clock.now() + 2 * limits.sliceMs; clock.now() < endMs; );
    setImmediate(() => order.push('loop'));
  };
  await Promise.all([work('a'), work('b'), work('c')]);
  t.deepEqual(order, ['a', 'loop', 'b', 'loop', 'c']);
});

test('system: a timer that throws leaves the others theirs', async (t) => {
  const clock = new SystemClock();
  const fired: string[] = [];
  const error = new Promise<Error>((resolve) => process.setUncaughtExceptionCaptureCallback(resolve));
  clock.setTimer(0, () => {
    throw new Error('a broken timer');
  });
  clock.setTimer(0, () => fired.push('next'));
  t.is((await error).message, 'a broken timer');
  process.setUncaughtExceptionCaptureCallback(null);
  await until(() => fired.length === 1);
  t.pass();
});
