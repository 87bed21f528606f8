/**
 * The pause gate in front of a node. While it is closed the node does nothing, like a paused process; when it opens, it does
 * all work that came meanwhile.
 */
import { AsyncResource } from 'node:async_hooks';
import type { Clock, Timer } from '../../src/ports/clock.ts';
import type { Link, LinkEvents } from '../../src/ports/link.ts';
import type { Outside } from '../../src/ports/outside.ts';

export class PauseGate {
  #isShut = false;
  #waiting: (() => void)[] = [];

  get isShut(): boolean {
    return this.#isShut;
  }

  /** Whether work passes at once. */
  get isPassable(): boolean {
    return !this.#isShut && this.#waiting.length === 0;
  }

  shut(): void {
    this.#isShut = true;
  }

  open(): void {
    this.#isShut = false;
    try {
      while (!this.#isShut && this.#waiting.length > 0) this.#waiting.shift()?.();
    } finally {
      if (!this.#isShut && this.#waiting.length > 0) this.open(); // a piece of work threw an error; the rest must still run
    }
  }

  /** Drops the waiting work. */
  clear(): void {
    this.#waiting = [];
  }

  /** Runs `work` now, or when the gate opens; then in its own context, so that a trace finds its cause. */
  pass(work: () => void): void {
    if (this.isPassable) work();
    else this.#waiting.push(AsyncResource.bind(work));
  }

  clock(inner: Clock): Clock {
    return {
      now: () => inner.now(),
      setTimer: (delayMs, fire): Timer => {
        const timer = new GatedTimer(this, fire);
        timer.inner = inner.setTimer(delayMs, () => timer.due());
        return timer;
      },
    };
  }

  link(inner: Link): Link {
    const gated = (events: LinkEvents): LinkEvents => ({
      received: (peer, frame, envelope) => {
        if (this.isPassable) events.received(peer, frame, envelope);
        else this.pass(() => events.received(peer, frame, envelope));
      },
      connected: (peer) => this.pass(() => events.connected(peer)),
      disconnected: (peer, reason) => this.pass(() => events.disconnected(peer, reason)),
    });
    return {
      open: (events) => inner.open(gated(events)),
      send: (peer, frame, envelope) => inner.send(peer, frame, envelope),
      reset: (peer) => inner.reset(peer),
      close: () => inner.close(),
      crash: () => inner.crash(),
    };
  }

  outside(inner: Outside): Outside {
    return {
      attach: (endpoint, received) => {
        let isAttached = true;
        const line = inner.attach(endpoint, (message, from) =>
          this.pass(() => {
            if (isAttached) received(message, from);
          }),
        );
        const detach = () => {
          isAttached = false;
          line.detach();
        };
        return { send: (to, message) => line.send(to, message), detach };
      },
    };
  }
}

/** A timer whose work may wait at the gate: it can still be cancelled there. */
class GatedTimer implements Timer {
  inner: Timer | undefined;
  readonly #gate: PauseGate;
  /** `undefined` once it is cancelled. */
  #fire: (() => void) | undefined;

  constructor(gate: PauseGate, fire: () => void) {
    this.#gate = gate;
    this.#fire = fire;
  }

  due(): void {
    if (this.#gate.isPassable) this.#fire?.();
    else this.#gate.pass(() => this.#fire?.());
  }

  cancel(): void {
    this.#fire = undefined;
    this.inner?.cancel();
  }
}
