/** The contents of files that an instance keeps: how much room there is for them, and which are removed. */
import type { RoleScope } from '../../../cluster/role.ts';
import { type Fault, fault } from '../../../model/fault.ts';
import { limits } from '../../../model/limits.ts';
import type { DataRowChange } from '../../../model/protocol/messages/data.ts';
import type { Timer } from '../../../ports/clock.ts';
import { StoreClosed, StoreUnwritable } from '../../../ports/store.ts';
import type { Contents } from '../../../storage/contents.ts';
import type { Database } from '../../../storage/database.ts';
import { concernsFiles, fileIn, fileRows } from './file-index.ts';

export interface FileKeeperOptions {
  readonly scope: Pick<RoleScope, 'clock' | 'crash' | 'log'>;
  readonly database: Database;
  readonly contents: Contents;
}

/** The contents that no file has any more, or that were not brought to their end: they are removed once they are neither read nor written. */
export class FileKeeper {
  readonly #options: FileKeeperOptions;
  /** Since when each of them is known to be of no use. */
  readonly #useless = new Map<string, number>();
  #next: Timer | undefined;

  /** Looks at what an earlier incarnation has left. */
  constructor(options: FileKeeperOptions) {
    this.#options = options;
    this.#wait();
  }

  /** Rows have changed. */
  changed(changes: readonly DataRowChange[] | 'all'): void {
    if (concernsFiles(changes)) this.#wait();
  }

  /** A content is being written: it is looked at when its time is over. */
  began(): void {
    this.#wait();
  }

  end(): void {
    this.#next?.cancel();
  }

  #wait(): void {
    this.#next ??= this.#options.scope.clock.setTimer(limits.fileGraceMs, () => {
      this.#next = undefined;
      this.#sweep().catch((error: unknown) => {
        // What could not be removed goes another time.
        if (error instanceof StoreUnwritable) this.#wait();
        else if (!(error instanceof StoreClosed)) this.#options.scope.crash(error);
      });
    });
  }

  async #sweep(): Promise<void> {
    const { scope, database, contents } = this.#options;
    const nowMs = scope.clock.now();
    const used = new Set<string>();
    for (const row of fileRows(database)) used.add(fileIn(row).content);
    for (const id of this.#useless.keys()) if (used.has(id)) this.#useless.delete(id);
    const gone: string[] = [];
    for (const [id, usedMs] of contents.all()) {
      if (used.has(id)) continue;
      const sinceMs = Math.max(this.#useless.get(id) ?? nowMs, usedMs);
      this.#useless.set(id, sinceMs);
      if (nowMs - sinceMs >= limits.fileGraceMs) gone.push(id);
    }
    for (const id of gone) {
      this.#useless.delete(id);
      // While others went, a file may have been made of it.
      if ((contents.usedMsOf(id) ?? 0) > nowMs - limits.fileGraceMs) continue;
      await contents.remove(id);
    }
    if (gone.length > 0) scope.log.write('debug', 'files.collected', { contents: gone.length });
    if (this.#useless.size > 0) this.#wait();
  }
}

/** The largest content: an archive with its files. */
export const contentBytes = limits.archiveBytes + limits.unpackedBytes;

interface Written {
  readonly domain: string;
  /** How many bytes there will be, as far as that is known. */
  readonly expected: number;
}

/**
 * The room for contents of files at an mdc: of each domain, so that none takes it from the others, and in all. Contents that
 * no file has count as well until they are removed: contents that are being written, were given up, or were replaced.
 */
export class FileRoom {
  readonly #database: Database;
  readonly #contents: Contents;
  /** Contents that were written in this incarnation, while they are there. */
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
      `${this.#problem(domain)}, with files that are being written or removed: try again later`,
    );
  }

  #problem(domain: string): string {
    return `files of ${domain}: expected at most ${limits.domainFileBytes} bytes in all`;
  }
}
