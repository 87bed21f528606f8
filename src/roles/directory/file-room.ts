/**
 * The room for contents of files at an mdc: of each domain, so that none takes it from the others, and in all. Contents that
 * no file has count as well until they are removed: those that are being written, were given up, or were replaced.
 */
import { type Fault, fault } from '../../model/fault.ts';
import { limits } from '../../model/limits.ts';
import type { Contents } from '../../storage/contents.ts';
import type { Database } from '../../storage/database.ts';
import { fileIn, fileRows } from './file-rows.ts';

/** The largest content: an archive with its files. */
export const contentBytes = limits.archiveBytes + limits.unpackedBytes;

interface Written {
  readonly domain: string;
  /** How many bytes there will be, as far as that is known. */
  readonly expected: number;
}

export class FileRoom {
  readonly #database: Database;
  readonly #contents: Contents;
  /** Contents that were written in this life, while they are there. */
  readonly #written = new Map<string, Written>();

  constructor(database: Database, contents: Contents) {
    this.#database = database;
    this.#contents = contents;
  }

  /** Notes a content that begins. */
  begin(content: string, written: Written): void {
    this.#written.set(content, written);
  }

  /** Why a content has no room for so many bytes more. What a replacement needs beside the file that it replaces is there. */
  refusal({ domain, content, more }: { domain: string; content: string; more: number }): Fault | undefined {
    if (this.#contents.totalBytes + more > limits.keptFileBytes) {
      return fault(
        'overloaded',
        `files: expected at most ${limits.keptFileBytes} bytes in all domains: try again later`,
      );
    }
    for (const id of this.#written.keys()) if (this.#contents.usedMsOf(id) === undefined) this.#written.delete(id);
    const kept = new Map<string, number>();
    for (const row of fileRows(this.#database, domain)) kept.set(fileIn(row).content, fileIn(row).bytes);
    const keptBytes = [...kept.values()].reduce((sum, bytes) => sum + bytes, 0);
    const room = limits.domainFileBytes + contentBytes;
    if (keptBytes + more > room) return fault('too_large', this.#problem(domain));
    let bytes = keptBytes + (this.#written.has(content) ? 0 : more);
    for (const [id, { domain: home, expected }] of this.#written) {
      const written = this.#contents.bytesOf(id) + (id === content ? more : 0);
      if (home === domain && !kept.has(id)) bytes += Math.max(expected, written);
    }
    if (bytes <= room) return undefined;
    return fault(
      'overloaded',
      `${this.#problem(domain)}, with those that are being written or removed: try again later`,
    );
  }

  #problem(domain: string): string {
    return `files of ${domain}: expected at most ${limits.domainFileBytes} bytes in all`;
  }
}
