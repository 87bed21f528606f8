/** Checks the store in which a node counts its starts. */
import type { Store, StoreChange } from '../../src/ports/store.ts';
import type { Finding } from './finding.ts';
import type { StorePlace } from './stores.ts';

export class LivesCheck {
  readonly findings: Finding[] = [];
  readonly #place: StorePlace;
  #records = 0;

  constructor(place: StorePlace) {
    this.#place = place;
  }

  get records(): number {
    return this.#records;
  }

  async read(store: Store): Promise<void> {
    for await (const [key, value] of store.entries({})) {
      this.#records += 1;
      const isSound = (key === 'incarnation' || key === 'epoch') && /^\d{1,15}$/.test(value);
      if (isSound) continue;
      const repair = 'removed; the numbers go on from the time of day';
      this.findings.push({ level: 'damage', store: this.#place.store, at: key, problem: 'is not valid', repair });
    }
  }

  repairs(): StoreChange[] {
    return this.findings.map(({ at = '' }) => ({ delete: at }));
  }
}
