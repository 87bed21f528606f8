/** Waiting for what sockets and other processes do, which needs no turn of this process. */
import { systemClock } from '../../src/adapters/system-clock.ts';

/** Some milliseconds of real time, without work for the processor: for loops that look whether something has come to pass. */
export function moment(): Promise<void> {
  return new Promise((resolve) => systemClock.setTimer(3, () => resolve()));
}
