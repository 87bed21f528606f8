/** The asks that an instance has received: a link may deliver a frame twice, and an ask is executed once. */
import { limits } from '../../model/limits.ts';

export class ReceivedAsks {
  #recent = new Set<string>();
  #earlier = new Set<string>();

  /** Records the ask with this id. False: it is one of the last `limits.receivedAsks`, or somewhat more, already. */
  isNew(id: string): boolean {
    if (this.#recent.has(id) || this.#earlier.has(id)) return false;
    if (this.#recent.size >= limits.receivedAsks) {
      this.#earlier = this.#recent;
      this.#recent = new Set();
    }
    this.#recent.add(id);
    return true;
  }
}
