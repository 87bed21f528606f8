/** Whether the cluster holds messages and timers back. What is long over elsewhere goes on there as soon as they are released. */
import { sipTimings } from '../../../../src/machines/sip/sip-timers.ts';
import type { ObservationListeners } from '../../oracle.ts';

/** Faults whose frames are delivered when they are lifted. */
const holding: ReadonlySet<string> = new Set(['hold', 'swizzle']);
/** How long the transactions that go on then may last: 64 T1, and the way of the last message. */
const afterMs = sipTimings.patienceMs + 5_000;
/** How many times more is remembered meanwhile: there is a limit also where a node is never resumed. */
const timesMore = 10;

/** Nodes that are paused, and frames that are held. */
export class HeldBack {
  readonly listeners: ObservationListeners;
  /** The numbers of the faults that hold frames, and the names of the paused nodes. */
  readonly #active = new Set<number | string>();
  #releasedMs = Number.NEGATIVE_INFINITY;

  constructor() {
    this.listeners = {
      'fault.inflicted': ({ fault, verb, args: [node], atMs }) => {
        if (holding.has(verb)) this.#active.add(fault);
        if (verb === 'pauseNode') this.#active.add(String(node));
        if (verb === 'resumeNode') this.#release(String(node), atMs);
      },
      // A pause lasts until the node is resumed, or ends.
      'fault.mended': ({ fault, verb, atMs }) => {
        this.#release(fault, atMs);
        if (verb !== 'mend') return;
        for (const each of this.#active) if (typeof each === 'number') this.#release(each, atMs);
      },
      'node.ended': ({ node, atMs }) => this.#release(node, atMs),
    };
  }

  /** Whether something is held back, or was until a moment ago. */
  isHeld(nowMs: number): boolean {
    return this.#active.size > 0 || nowMs - this.#releasedMs <= afterMs;
  }

  /** The limit of a map whose entries are usually at most so many: while something is held back, newer ones do not replace what waits. */
  mostOf(usual: number, nowMs: number): number {
    return this.isHeld(nowMs) ? timesMore * usual : usual;
  }

  #release(each: number | string, atMs: number): void {
    if (this.#active.delete(each)) this.#releasedMs = atMs;
  }
}
