/** What every clock does. */
import type { SerialFn } from 'ava';
import type { Clock } from '../../src/ports/clock.ts';

export interface ClockUnderTest {
  clock: Clock;
  /** Lets time pass until `isReached` holds. */
  until(isReached: () => boolean): Promise<void>;
}

export function clockContract(test: SerialFn, label: string, makeClock: () => ClockUnderTest): void {
  test(`${label}: a timer fires once, when its delay has passed and not before`, async (t) => {
    const { clock, until } = makeClock();
    const startMs = clock.now();
    const firedMs: number[] = [];
    clock.setTimer(7, () => firedMs.push(clock.now()));
    let isLaterFired = false;
    clock.setTimer(20, () => {
      isLaterFired = true;
    });
    await until(() => isLaterFired);
    t.is(firedMs.length, 1);
    t.true((firedMs[0] as number) >= startMs + 7);
  });

  test(`${label}: no timer fires before the call that sets it has returned`, async (t) => {
    const { clock, until } = makeClock();
    const log: string[] = [];
    const set = (delayMs: number, name: string) => {
      clock.setTimer(delayMs, () => log.push(`${name} fired`));
      log.push(`${name} set`);
    };
    set(0, 'zero');
    set(-5, 'negative');
    await until(() => log.length === 4);
    t.deepEqual(log, ['zero set', 'negative set', 'zero fired', 'negative fired']);
  });

  test(`${label}: timers fire in the order of their deadlines`, async (t) => {
    const { clock, until } = makeClock();
    const fired: number[] = [];
    const delaysMs = [120, 40, 0, 80, 160];
    for (const delayMs of delaysMs) clock.setTimer(delayMs, () => fired.push(delayMs));
    await until(() => fired.length === delaysMs.length);
    t.deepEqual(fired, [0, 40, 80, 120, 160]);
  });

  test(`${label}: timers with the same delay fire in the order in which they were set`, async (t) => {
    const { clock, until } = makeClock();
    const fired: number[] = [];
    const names = Array.from({ length: 200 }, (_, index) => index);
    for (const name of names) clock.setTimer(3, () => fired.push(name));
    await until(() => fired.length === names.length);
    t.deepEqual(fired, names);
  });

  test(`${label}: a cancelled timer does not fire`, async (t) => {
    const { clock, until } = makeClock();
    const fired: string[] = [];
    const timer = clock.setTimer(2, () => fired.push('cancelled'));
    clock.setTimer(2, () => fired.push('kept'));
    clock.setTimer(10, () => fired.push('last'));
    timer.cancel();
    timer.cancel();
    await until(() => fired.includes('last'));
    t.deepEqual(fired, ['kept', 'last']);
  });

  test(`${label}: cancelling a timer that has fired, or is firing, is harmless`, async (t) => {
    const { clock, until } = makeClock();
    const fired: string[] = [];
    const timer = clock.setTimer(1, () => {
      timer.cancel();
      fired.push('first');
    });
    clock.setTimer(1, () => fired.push('second'));
    await until(() => fired.length === 2);
    timer.cancel();
    clock.setTimer(0, () => fired.push('third'));
    await until(() => fired.length === 3);
    t.deepEqual(fired, ['first', 'second', 'third']);
  });

  test(`${label}: a timer can cancel one that is due at the same time`, async (t) => {
    const { clock, until } = makeClock();
    const fired: string[] = [];
    clock.setTimer(1, () => {
      fired.push('first');
      second.cancel();
    });
    const second = clock.setTimer(1, () => fired.push('second'));
    clock.setTimer(10, () => fired.push('last'));
    await until(() => fired.includes('last'));
    t.deepEqual(fired, ['first', 'last']);
  });

  test(`${label}: a timer set by a timer fires after the timers that were due already`, async (t) => {
    const { clock, until } = makeClock();
    const fired: string[] = [];
    clock.setTimer(1, () => {
      fired.push('first');
      clock.setTimer(0, () => fired.push('nested'));
    });
    clock.setTimer(1, () => fired.push('second'));
    // Of a real clock both are due when the first fires, although a millisecond may have ended between them.
    for (const endMs = performance.now() + 5; performance.now() < endMs; );
    await until(() => fired.length === 3);
    t.deepEqual(fired, ['first', 'second', 'nested']);
  });

  test(`${label}: time never goes back`, async (t) => {
    const { clock, until } = makeClock();
    const readings = [clock.now()];
    for (let delayMs = 30; delayMs >= 0; delayMs--) clock.setTimer(delayMs, () => readings.push(clock.now()));
    await until(() => readings.length === 32);
    readings.push(clock.now());
    t.deepEqual(
      readings,
      readings.toSorted((one, other) => one - other),
    );
  });

  test(`${label}: a delay that is no number of milliseconds is refused`, (t) => {
    const { clock } = makeClock();
    for (const delayMs of [Number.NaN, Infinity, -Infinity]) {
      t.throws(() => clock.setTimer(delayMs, () => {}), { instanceOf: RangeError });
    }
  });
}
