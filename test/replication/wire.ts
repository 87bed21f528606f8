/** Two ends and what lies between them: messages are lost, doubled and held up as a test draws it, and either end crashes and restarts. */
import { VirtualClock } from '../../sim/ports/virtual-clock.ts';
import type { InstanceEntry } from '../../src/model/cluster/cluster-map.ts';
import { done, failed, fault, type Outcome } from '../../src/model/fault.ts';
import type { CatchUp, CatchUpOptions } from '../../src/replication/catch-up.ts';
import { defaultMap } from '../kit/maps.ts';
import { idle } from '../kit/quiet.ts';

/** How often a message arrives, and after how many milliseconds each time. */
export type Fate = readonly number[];

const promptly: Fate = [1];
const askMs = 300;

export class Wire {
  readonly clock = new VirtualClock(1_000);
  readonly #fates: readonly Fate[];
  #sent = 0;
  isCut = false;
  /** From now on every message arrives once, promptly. */
  isReliable = false;
  crash: unknown;

  /** `fates`: of messages in the order in which they are sent, then again from the first one. */
  constructor(fates: readonly Fate[]) {
    this.#fates = fates;
  }

  send(deliver: () => void): void {
    if (this.isCut) return;
    const drawn = this.#fates[this.#sent % Math.max(1, this.#fates.length)];
    this.#sent += 1;
    for (const ms of this.isReliable ? promptly : (drawn ?? promptly)) {
      this.clock.setTimer(ms, () => {
        if (!this.isCut) deliver();
      });
    }
  }

  /** Asks the other end; its answer goes the same way. No answer in time, or none at all from an end that is down: a fault. */
  ask<T>(answer: () => T | undefined): Promise<Outcome<T>> {
    return new Promise((resolve) => {
      this.clock.setTimer(askMs, () => resolve(failed(fault('timeout', 'no answer'))));
      this.send(() => {
        const value = answer();
        if (value !== undefined) this.send(() => resolve(done(value)));
      });
    });
  }

  /** Lets time pass; what was awaited goes on after each timer. */
  async pass(ms: number): Promise<void> {
    const untilMs = this.clock.now() + ms;
    for (;;) {
      await idle();
      const nextMs = this.clock.nextDeadlineMs();
      if (nextMs === undefined || nextMs > untilMs) break;
      this.clock.runNext();
    }
    this.clock.advanceTo(untilMs);
  }
}

const entries = {
  one: defaultMap.instance('north/n1/b2b-214'),
  other: defaultMap.instance('hq/h1/b2b-114'),
} as const;

/** One end: it is up or down, and each start is another life. */
export class End {
  readonly entry: InstanceEntry;
  life = 1;
  isUp = true;

  constructor(name: keyof typeof entries) {
    this.entry = entries[name];
  }

  crash(): void {
    this.isUp = false;
  }

  restart(): void {
    this.isUp = true;
    this.life += 1;
  }
}

/** What a consumer needs of its instance: another end is in reach while it is up and the wire is whole. */
export function consumerOf(wire: Wire, other: End): Pick<CatchUpOptions, 'scope' | 'source'> {
  return {
    scope: {
      clock: wire.clock,
      crash: (error) => {
        wire.crash ??= error;
      },
      view: { contactOf: () => `${other.life}.1` },
    },
    source: () => (other.isUp && !wire.isCut ? other.entry : undefined),
  };
}

/** The view of each consumer follows what happened a moment later. */
export function lookSoon(wire: Wire, consumers: () => readonly (CatchUp | undefined)[]): void {
  wire.clock.setTimer(20, () => {
    for (const consumer of consumers()) consumer?.look();
  });
}
