/**
 * How the clocks of peers differ from one's own, as their frames tell. A frame says when it was sent; the quickest one lately
 * gives the shift between the two clocks, with the least time that a frame is on its way. So a deadline means the same at both
 * ends of a link though their clocks differ, and what was kept on its way for long is still too late.
 */
import type { Clock } from '../ports/clock.ts';

/** How long the quickest frame counts, twice that at most while others come: a clock that falls back is noticed by then. (chosen) */
const spanMs = 1_000;

interface Span {
  sinceMs: number;
  leastMs: number;
  /** Of the span before. */
  earlierMs: number;
}

export class ClockShifts {
  readonly #clock: Clock;
  readonly #spans = new Map<string, Span>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A frame of a peer arrives. What is to be added to its times so that they are times of the own clock, in milliseconds. */
  heard(peer: string, sentMs: number): number {
    const nowMs = this.#clock.now();
    const tookMs = nowMs - sentMs;
    const span = this.#spans.get(peer);
    if (span === undefined) {
      this.#spans.set(peer, { sinceMs: nowMs, leastMs: tookMs, earlierMs: tookMs });
      return tookMs;
    }
    if (nowMs - span.sinceMs > spanMs) {
      // After a silence as well: what comes then may have been kept back all the time.
      span.earlierMs = span.leastMs;
      span.leastMs = tookMs;
      span.sinceMs = nowMs;
    }
    span.leastMs = Math.min(span.leastMs, tookMs);
    return Math.min(span.leastMs, span.earlierMs);
  }
}
