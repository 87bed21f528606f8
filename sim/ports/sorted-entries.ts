/** Keys and values in the order of the keys' UTF-8 bytes, in memory. */
import type { StoreChange, StoreRange } from '../../src/ports/store.ts';

/** A key with its value. */
export type Entry = readonly [key: string, value: string];

const surrogate = /[\ud800-\udfff]/;

/** The contents of one simulated store. */
export class SortedEntries {
  readonly #entries: Entry[] = [];
  /** Whether no key has a surrogate: then the runtime compares keys in the same order. */
  #isPlain = true;

  get(key: string): string | undefined {
    const entry = this.#entries[this.#position(key)];
    return entry?.[0] === wellFormed(key) ? entry[1] : undefined;
  }

  apply(changes: readonly StoreChange[]): void {
    for (const change of changes) {
      const key = wellFormed('put' in change ? change.put : change.delete);
      if (surrogate.test(key)) this.#isPlain = false;
      const position = this.#position(key);
      const isThere = this.#entries[position]?.[0] === key;
      if ('put' in change) {
        const entry: Entry = [key, wellFormed(change.value)];
        if (isThere) this.#entries[position] = entry;
        else if (position === this.#entries.length) this.#entries.push(entry);
        else this.#entries.splice(position, 0, entry);
      } else if (isThere) this.#entries.splice(position, 1);
    }
  }

  slice({ from, to, limit, reverse }: StoreRange): Entry[] {
    const start = from === undefined ? 0 : this.#position(from);
    const end = to === undefined ? this.#entries.length : this.#position(to);
    const entries = this.#entries.slice(start, Math.max(start, end));
    if (reverse) entries.reverse();
    return entries.slice(0, limit);
  }

  /** Number of keys before `key`. */
  #position(key: string): number {
    const sought = wellFormed(key);
    const isPlain = !surrogate.test(sought);
    let low = 0;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const [key] = this.#entries[middle] as Entry;
      if (isPlain && this.#isPlain ? key < sought : isBefore(key, sought)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Compares as UTF-8 bytes would, so by code point: surrogates, which are U+10000 and above, come after all else. */
function isBefore(one: string, other: string): boolean {
  const length = Math.min(one.length, other.length);
  for (let index = 0; index < length; index++) {
    const left = one.charCodeAt(index);
    const right = other.charCodeAt(index);
    if (left !== right) return isSurrogate(left) === isSurrogate(right) ? left < right : isSurrogate(right);
  }
  return one.length < other.length;
}

function isSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xe000;
}

/** The text with lone surrogates replaced, as UTF-8 requires. */
function wellFormed(text: string): string {
  return text.isWellFormed() ? text : text.toWellFormed();
}
