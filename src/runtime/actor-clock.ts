/** The Clock port in the shape that XState's `clock` option takes. */
import type { Clock, Timer } from '../ports/clock.ts';

export interface ActorClock {
  setTimeout(fire: (...args: unknown[]) => void, delayMs: number): Timer;
  clearTimeout(timer: Timer | undefined): void;
}

export function actorClock(clock: Clock): ActorClock {
  return {
    setTimeout: (fire, delayMs) => clock.setTimer(delayMs, fire),
    clearTimeout: (timer) => timer?.cancel(),
  };
}
