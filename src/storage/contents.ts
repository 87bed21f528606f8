/**
 * Contents of files in a store of their own: bytes under an id, in pieces, which never change. What names them, and so
 * makes a file of them, is a row elsewhere. The key layout:
 *
 * | key | value |
 * |---|---|
 * | `c/<content>` | how many bytes there are so far |
 * | `p/<content>/<index>` | a piece, in base64 |
 *
 * A piece and the new number of bytes are written in one batch: what is counted is there.
 */
import { limits } from '../model/limits.ts';
import type { Clock } from '../ports/clock.ts';
import type { Pace } from '../ports/pace.ts';
import type { Store, StoreChange } from '../ports/store.ts';

const { filePieceBytes: pieceBytes } = limits;

interface Extent {
  readonly bytes: number;
}

interface Content extends Extent {
  /** When it was written or read last (ms since the epoch). */
  usedMs: number;
  /** Resolves when all that was accepted is durable. */
  written: Promise<void>;
}

const extents = { from: 'c/', to: 'c0' };

export class Contents {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #contents = new Map<string, Content>();

  private constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Reads which contents are stored; their pieces stay in the store. */
  static async open(store: Store, clock: Clock, pace: Pace): Promise<Contents> {
    const contents = new Contents(store, clock);
    for await (const [key, value] of store.entries(extents)) {
      const extent = JSON.parse(value) as Extent;
      contents.#contents.set(key.slice(2), { ...extent, usedMs: clock.now(), written: Promise.resolve() });
      if (pace.isPauseDue()) await pace.pause();
    }
    return contents;
  }

  /** The ids of all, and when each was used last. */
  *all(): Generator<readonly [id: string, usedMs: number]> {
    for (const [id, { usedMs }] of this.#contents) yield [id, usedMs];
  }

  /** The bytes of all. */
  get totalBytes(): number {
    let total = 0;
    for (const { bytes } of this.#contents.values()) total += bytes;
    return total;
  }

  /** When a content was used last, if it is there. */
  usedMsOf(id: string): number | undefined {
    return this.#contents.get(id)?.usedMs;
  }

  /** Notes that a content is used now. */
  touch(id: string): void {
    const content = this.#contents.get(id);
    if (content !== undefined) content.usedMs = this.#clock.now();
  }

  /** How many bytes of a content are there, or on their way to be. */
  bytesOf(id: string): number {
    return this.#contents.get(id)?.bytes ?? 0;
  }

  /** How many pieces that is. */
  piecesOf(id: string): number {
    return Math.ceil(this.bytesOf(id) / pieceBytes);
  }

  /** Whether there is room behind the last piece: one that is not full ends a content. */
  isEnded(id: string): boolean {
    return this.bytesOf(id) % pieceBytes !== 0;
  }

  /** Resolves when all of a content that was written is durable. */
  settled(id: string): Promise<void> {
    return this.#contents.get(id)?.written ?? Promise.resolve();
  }

  /** Writes the next piece of a content, in base64. Resolves when it is durable, with all before it. */
  append(id: string, piece: string): Promise<void> {
    if (this.isEnded(id)) throw new Error('a piece behind the last one of a content');
    const before = this.bytesOf(id);
    const extent: Extent = { bytes: before + Buffer.byteLength(piece, 'base64') };
    const writing = this.#store.write([
      { put: pieceKey(id, this.piecesOf(id)), value: piece },
      { put: `c/${id}`, value: JSON.stringify(extent) },
    ]);
    const written = writing.catch((error: unknown) => {
      this.#cutTo(id, before);
      throw error;
    });
    // A content may have no reader that waits for it.
    written.catch(() => {});
    this.#contents.set(id, { ...extent, usedMs: this.#clock.now(), written });
    return written;
  }

  /** A piece was not written, nor were those behind it: what was there before is left. */
  #cutTo(id: string, bytes: number): void {
    const content = this.#contents.get(id);
    if (content === undefined || content.bytes <= bytes) return;
    if (bytes === 0) this.#contents.delete(id);
    else this.#contents.set(id, { ...content, bytes, written: Promise.resolve() });
  }

  /** The bytes of a content from one on, up to the end of its piece; `undefined` where they are not there. */
  async read(id: string, from: number): Promise<Uint8Array | undefined> {
    const content = this.#contents.get(id);
    if (content === undefined || from >= content.bytes) return undefined;
    content.usedMs = this.#clock.now();
    // The writer gets the error. The bytes that were written before stay.
    await content.written.catch(() => {});
    if (from >= this.bytesOf(id)) return undefined;
    const index = Math.floor(from / pieceBytes);
    const piece = await this.#store.get(pieceKey(id, index));
    return piece === undefined ? undefined : Buffer.from(piece, 'base64').subarray(from - index * pieceBytes);
  }

  /** Removes a content. */
  async remove(id: string): Promise<void> {
    const content = this.#contents.get(id);
    if (content === undefined) return;
    this.#contents.delete(id);
    const changes: StoreChange[] = [{ delete: `c/${id}` }];
    for (let at = 0; at * pieceBytes < content.bytes; at += 1) changes.push({ delete: pieceKey(id, at) });
    try {
      await this.#store.write(changes);
    } catch (error) {
      // It is still there, and removed another time.
      if (!this.#contents.has(id)) this.#contents.set(id, content);
      throw error;
    }
  }
}

const indexDigits = 6;

export function pieceKey(id: string, index: number): string {
  return `p/${id}/${String(index).padStart(indexDigits, '0')}`;
}
