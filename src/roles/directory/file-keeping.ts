/** The contents that no file has any more, or that were not brought to their end: they go, once nobody reads or writes them. */

import type { RoleScope } from '../../cluster/role.ts';
import { limits } from '../../model/limits.ts';
import type { DataRowChange } from '../../model/protocol/data.ts';
import type { Timer } from '../../ports/clock.ts';
import { StoreClosed, StoreUnwritable } from '../../ports/store.ts';
import type { Contents } from '../../storage/contents.ts';
import type { Database } from '../../storage/database.ts';
import { concernsFiles, fileIn, fileRows } from './file-rows.ts';

export interface FileKeeperOptions {
  readonly scope: Pick<RoleScope, 'clock' | 'crash' | 'log'>;
  readonly database: Database;
  readonly contents: Contents;
}

export class FileKeeper {
  readonly #options: FileKeeperOptions;
  /** Since when each of them is known to be of no use. */
  readonly #useless = new Map<string, number>();
  #next: Timer | undefined;

  /** Looks at what an earlier life has left. */
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
