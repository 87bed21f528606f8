/**
 * Small chunks of a body (RFC 9112, section 7.1) that arrive together are passed on as one: node's parser and the streams behind
 * it take some microseconds for a chunk of any size, so that a body of single bytes would block the event loop.
 */

/** A chunk of fewer bytes is small. */
const smallBytes = 256;

/** Complete small chunks in a row, in one packet. */
export class SmallChunks {
  /** Where the current chunk begins; -1 where it began in an earlier packet. */
  #at = -1;
  /** Where the row begins, and where it ends. */
  #start = -1;
  #end = -1;
  /** Where the data of each chunk of the row begin and end. */
  #data: number[] = [];

  /** A chunk begins. */
  begin(at: number): void {
    this.#at = at;
  }

  /** A chunk ends before `end`, after `size` bytes of data and a line end. Returns whether the row goes on. */
  add(size: number, end: number): boolean {
    const [at, dataEnd] = [this.#at, end - 2];
    this.#at = -1;
    if (at < 0 || size >= smallBytes) return false;
    if (this.#data.length === 0) this.#start = at;
    this.#data.push(dataEnd - size, dataEnd);
    this.#end = end;
    return true;
  }

  /** Ends the row: one chunk in place of it, or undefined where it has only one, or none. */
  take(packet: Buffer): { readonly start: number; readonly end: number; readonly chunk: Buffer } | undefined {
    const data = this.#data;
    if (data.length === 0) return undefined;
    this.#data = [];
    if (data.length === 2) return undefined;
    const [start, end] = [this.#start, this.#end];
    const all = Buffer.allocUnsafe(end - start);
    let size = 0;
    for (let n = 0; n < data.length; n += 2) size += packet.copy(all, size, data[n], data[n + 1]);
    const head = Buffer.from(`${size.toString(16)}\r\n`, 'latin1');
    return { start, end, chunk: Buffer.concat([head, all.subarray(0, size), lineEnd]) };
  }

  /** The packet ends: what has begun goes on in another one. */
  endPacket(): void {
    this.#at = -1;
  }
}

const lineEnd = Buffer.from('\r\n');
