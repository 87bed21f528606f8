/** Opens a store that may not be free yet, or not be writable: then it is tried again. */
import { type Clock, passed } from '../ports/clock.ts';
import { type Store, StoreLocked, StoreUnwritable } from '../ports/store.ts';

/** The last holder of a store may still be closing it. */
const lockedMs = 50;
const unwritableMs = 1_000;

export interface Opening {
  readonly open: () => Promise<Store>;
  readonly clock: Clock;
  readonly isWanted: () => boolean;
  /** What is done with the store before it is used. */
  readonly prepare?: (store: Store) => Promise<void>;
}

/** The store; `undefined` where it is not wanted any more. Rejects where it cannot be opened for another reason. */
export async function openUnlocked({ open, clock, isWanted, prepare }: Opening): Promise<Store | undefined> {
  while (isWanted()) {
    let store: Store | undefined;
    try {
      store = await open();
      await prepare?.(store);
      return store;
    } catch (error) {
      await store?.close();
      if (!(error instanceof StoreLocked || error instanceof StoreUnwritable)) throw error;
      const waitMs = error instanceof StoreLocked ? lockedMs : unwritableMs;
      await passed(clock, waitMs);
    }
  }
  return undefined;
}
