/** Live calls of one domain in the default order of lists: by `startts`, then dialogid. Most calls come at the end. */
import type { DialogRecord } from '../../model/protocol/dialog.ts';

export class SortedCalls {
  readonly #calls: DialogRecord[] = [];

  get all(): readonly DialogRecord[] {
    return this.#calls;
  }

  /** Adds a call, or puts it in the place of the one before with the same dialogid and `startts`. */
  set(call: DialogRecord): void {
    const last = this.#calls.at(-1);
    if (last === undefined || compareCalls(last, call) < 0) {
      this.#calls.push(call);
      return;
    }
    const at = this.#placeOf(call);
    const isThere = this.#calls[at]?.dialogid === call.dialogid;
    this.#calls.splice(at, isThere ? 1 : 0, call);
  }

  delete(call: DialogRecord): void {
    const at = this.#placeOf(call);
    if (this.#calls[at]?.dialogid === call.dialogid) this.#calls.splice(at, 1);
  }

  /** Index of the first call that does not come before this one. */
  #placeOf(call: DialogRecord): number {
    let low = 0;
    let high = this.#calls.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compareCalls(this.#calls[middle] as DialogRecord, call) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

export function compareCalls(a: DialogRecord, b: DialogRecord): number {
  if (a.startts !== b.startts) return a.startts - b.startts;
  if (a.dialogid === b.dialogid) return 0;
  return a.dialogid < b.dialogid ? -1 : 1;
}
