/**
 * What a user agent does to the world: messages and reports, handed out in order once the step that gave them is over, so
 * that their receivers find the agent consistent. What comes back meanwhile is a step of its own, after this one.
 */
import { Mailbox } from '../actors/mailbox.ts';

export type Effect = () => void;

export class Effects {
  readonly #steps: Mailbox<readonly Effect[]>;
  #step: Effect[] | undefined;

  /** `onCrash` hears what an effect throws; the rest are carried out all the same. */
  constructor(onCrash: (error: unknown) => void) {
    this.#steps = new Mailbox((effects) => {
      for (const effect of effects) {
        try {
          effect();
        } catch (error) {
          onCrash(error);
        }
      }
    });
  }

  /** Has something done at the end of the step. */
  add(effect: Effect): void {
    if (this.#step === undefined) throw new Error('an effect outside any step');
    this.#step.push(effect);
  }

  /** Runs a step, or a part of the one that is running. */
  during<T>(work: () => T): T {
    if (this.#step !== undefined) return work();
    const effects: Effect[] = [];
    this.#step = effects;
    try {
      return work();
    } finally {
      this.#step = undefined;
      if (effects.length > 0) this.#steps.put(effects);
    }
  }

  /** Forgets what waits; nothing more is done. */
  close(): void {
    this.#steps.close();
  }
}
