/** The contents of one simulated store: entries in the order of their keys as UTF-8. */
import type { StoreChange, StoreRange } from '../../src/ports/store.ts';

/** A key with its value. */
export type Entry = readonly [key: string, value: string];

interface Place {
  readonly block: number;
  readonly at: number;
}

/** Entries are in blocks of at most so many: a new key moves only those of its block. */
const blockEntries = 512;

const surrogate = /[\ud800-\udfff]/;

export class SortedEntries {
  /** Without empty ones, except that there is always one. */
  readonly #blocks: Entry[][] = [[]];
  /** Whether no key has a surrogate: then the runtime compares keys in the same order. */
  #isPlain = true;

  get(key: string): string | undefined {
    const sought = wellFormed(key);
    const { block, at } = this.#place(sought);
    const entry = this.#blocks[block]?.[at];
    return entry?.[0] === sought ? entry[1] : undefined;
  }

  apply(changes: readonly StoreChange[]): void {
    for (const change of changes) {
      if ('put' in change) this.#put(wellFormed(change.put), wellFormed(change.value));
      else this.#delete(wellFormed(change.delete));
    }
  }

  slice({ from, to, limit = Number.POSITIVE_INFINITY, reverse = false }: StoreRange): Entry[] {
    const start = from === undefined ? { block: 0, at: 0 } : this.#place(wellFormed(from));
    const last = this.#blocks.length - 1;
    const end = to === undefined ? { block: last, at: blockEntries } : this.#place(wellFormed(to));
    const found: Entry[] = [];
    for (let count = 0; count <= end.block - start.block && found.length < limit; count += 1) {
      const block = reverse ? end.block - count : start.block + count;
      const entries = this.#blocks[block] ?? [];
      const part = entries.slice(block === start.block ? start.at : 0, block === end.block ? end.at : undefined);
      found.push(...(reverse ? part.reverse() : part));
    }
    return found.slice(0, limit);
  }

  #put(key: string, value: string): void {
    if (surrogate.test(key)) this.#isPlain = false;
    const { block, at } = this.#place(key);
    const entries = this.#blocks[block] as Entry[];
    if (entries[at]?.[0] === key) {
      entries[at] = [key, value];
      return;
    }
    if (at === entries.length) entries.push([key, value]);
    else entries.splice(at, 0, [key, value]);
    if (entries.length > blockEntries) this.#blocks.splice(block + 1, 0, entries.splice(blockEntries / 2));
  }

  #delete(key: string): void {
    const { block, at } = this.#place(key);
    const entries = this.#blocks[block] as Entry[];
    if (entries[at]?.[0] !== key) return;
    entries.splice(at, 1);
    if (entries.length === 0 && this.#blocks.length > 1) this.#blocks.splice(block, 1);
  }

  /** The place of the first key that is not before `key`, or the one after the last of its block. */
  #place(key: string): Place {
    const isBefore = this.#isPlain && !surrogate.test(key) ? isLess : isBeforeAsUtf8;
    // The last block whose first key is not after the sought one; the first block for a key before all.
    const block = Math.max(0, countOf(this.#blocks, ([first]) => first !== undefined && !isBefore(key, first[0])) - 1);
    return { block, at: countOf(this.#blocks[block] ?? [], ([other]) => isBefore(other, key)) };
  }
}

/** How many items at the beginning of a list satisfy a condition, which none of the others does. */
function countOf<T>(items: readonly T[], isAmong: (item: T) => boolean): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isAmong(items[middle] as T)) low = middle + 1;
    else high = middle;
  }
  return low;
}

function isLess(one: string, other: string): boolean {
  return one < other;
}

/** Compares as UTF-8 bytes would, so by code point: surrogates, which are U+10000 and above, come after all else. */
function isBeforeAsUtf8(one: string, other: string): boolean {
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
