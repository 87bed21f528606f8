/**
 * The offset of each peer's clock, estimated from its frames. A frame says when it was sent; the fastest recent frame gives
 * the offset plus the minimum transit time. So a deadline means the same at both ends of a link although their clocks
 * differ, and a frame that was delayed for long is still too late.
 */
import type { Clock } from '../../ports/clock.ts';

/**
 * The fastest frame counts for this time, or twice as long while others arrive, so that a clock that is set back is noticed
 * by then. (chosen)
 */
const spanMs = 1_000;

interface Span {
  sinceMs: number;
  leastMs: number;
  /** Minimum of the span before. */
  earlierMs: number;
}

export class ClockShifts {
  readonly #clock: Clock;
  readonly #spans = new Map<string, Span>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Records a frame of a peer. Returns the milliseconds to add to its times to convert them to the own clock. */
  offsetMs(peer: string, sentMs: number): number {
    const nowMs = this.#clock.now();
    const tookMs = nowMs - sentMs;
    const span = this.#spans.get(peer);
    if (span === undefined) {
      this.#spans.set(peer, { sinceMs: nowMs, leastMs: tookMs, earlierMs: tookMs });
      return tookMs;
    }
    if (nowMs - span.sinceMs > spanMs) {
      // Also after silence: a frame that arrives then may have been delayed all the time.
      span.earlierMs = span.leastMs;
      span.leastMs = tookMs;
      span.sinceMs = nowMs;
    }
    span.leastMs = Math.min(span.leastMs, tookMs);
    return Math.min(span.leastMs, span.earlierMs);
  }
}
