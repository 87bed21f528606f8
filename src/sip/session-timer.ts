/**
 * The session timer of the legs of an agent (RFC 4028): one side refreshes, the other expects to hear something. One timer
 * for each leg, set anew only when it fires or a refresh was answered.
 */

import { sipTimings } from '../machines/sip/sip-timers.ts';
import type { Clock } from '../ports/clock.ts';
import type { Leg } from './leg.ts';

export interface SessionTimerOptions {
  readonly clock: Clock;
  readonly does: 'refresh' | 'watch';
  readonly expiresMs: number;
  readonly during: (step: () => void) => void;
  readonly refresh: (leg: Leg) => void;
  /** Nothing was heard, or no refresh succeeded, for `expiresMs`. */
  readonly lapsed: (leg: Leg) => void;
}

export class SessionTimer {
  readonly #options: SessionTimerOptions;

  constructor(options: SessionTimerOptions) {
    this.#options = options;
  }

  start(leg: Leg): void {
    const { clock, does, expiresMs } = this.#options;
    leg.refreshedMs = clock.now();
    this.#set(leg, does === 'refresh' ? Math.floor(expiresMs / 3) : expiresMs);
  }

  /** A refresh was answered. */
  answered(leg: Leg, status: number): void {
    if (leg.session === undefined) return;
    const { clock, expiresMs } = this.#options;
    if (status < 300) return this.start(leg);
    this.#set(leg, Math.min(sipTimings.refreshAgainMs, leg.refreshedMs + expiresMs - clock.now()));
  }

  stop(leg: Leg): void {
    leg.session?.cancel();
    leg.session = undefined;
  }

  #set(leg: Leg, delayMs: number): void {
    leg.session?.cancel();
    leg.session = this.#options.clock.setTimer(delayMs, () => this.#options.during(() => this.#due(leg)));
  }

  #due(leg: Leg): void {
    const { clock, does, expiresMs, refresh, lapsed } = this.#options;
    leg.session = undefined;
    const sinceMs = does === 'refresh' ? leg.refreshedMs : leg.receivedMs;
    const leftMs = sinceMs + expiresMs - clock.now();
    if (leftMs <= 0) return lapsed(leg);
    this.#set(leg, leftMs);
    if (does === 'refresh') refresh(leg);
  }
}
