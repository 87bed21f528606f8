/** Whether the network outside does nothing else than lose messages, in an undisturbed cluster. */
import { targetOfVerb } from '../../../faults/verbs.ts';
import type { ObservationListeners } from '../../oracle.ts';

/** Faults of the network outside that change when or how often a message arrives, or which phones there are. */
export class LosingOutside {
  readonly listeners: ObservationListeners;
  readonly #open = new Set<number>();
  #lastMs = Number.NEGATIVE_INFINITY;

  constructor() {
    this.listeners = {
      'fault.inflicted': ({ fault, verb, atMs }) => {
        if (targetOfVerb(verb).on !== 'outside' || verb === 'loseOutside' || verb.endsWith('Http')) return;
        this.#lastMs = atMs;
        this.#open.add(fault);
      },
      'fault.mended': ({ fault, verb, atMs }) => {
        if (this.#open.delete(fault)) this.#lastMs = atMs;
        if (verb === 'mend') this.#open.clear();
      },
    };
  }

  /** Whether no other fault was there since a time. */
  isSince(sinceMs: number): boolean {
    return this.#open.size === 0 && this.#lastMs < sinceMs;
  }
}
