/** The contents of the files whose rows a copy of the domain data has: fetched from the master, piece by piece, also after a cut. */

import type { RoleScope } from '../../cluster/role.ts';
import type { InstanceEntry } from '../../model/cluster-map.ts';
import { limits } from '../../model/limits.ts';
import type { RowChange } from '../../model/protocol/data.ts';
import type { Timer } from '../../ports/clock.ts';
import { StoreClosed, StoreUnwritable } from '../../ports/store.ts';
import type { Contents } from '../../storage/contents.ts';
import type { Database } from '../../storage/database.ts';
import { FileKeeper } from './file-keeping.ts';
import { concernsFiles, fileIn, fileRows } from './file-rows.ts';

export interface FileCopiesOptions {
  readonly scope: RoleScope;
  readonly database: Database;
  readonly contents: Contents;
  /** The mdc that serves, if it is in reach. */
  readonly master: () => InstanceEntry | undefined;
}

interface Wanted {
  readonly domain: string;
  readonly content: string;
  readonly bytes: number;
}

export class FileCopies {
  readonly #options: FileCopiesOptions;
  readonly #keeper: FileKeeper;
  #isFetching = false;
  #isOver = false;
  #again: Timer | undefined;

  constructor(options: FileCopiesOptions) {
    this.#options = options;
    this.#keeper = new FileKeeper(options);
  }

  /** Rows have changed. */
  heard(changes: readonly RowChange[] | 'all'): void {
    if (!concernsFiles(changes)) return;
    this.#keeper.heard(changes);
    this.fetch();
  }

  /** Fetches what is missing, as far as the master is in reach. */
  fetch(): void {
    if (this.#isFetching || this.#isOver) return;
    const wanted = this.#missing();
    if (wanted.length === 0 || this.#options.master() === undefined) return;
    this.#isFetching = true;
    this.#again?.cancel();
    this.#fetchAll(wanted).then(
      (isDone) => {
        this.#isFetching = false;
        // There may be more by now.
        if (isDone) this.fetch();
        else this.#again = this.#options.scope.clock.setTimer(limits.dataReadyMs, () => this.fetch());
      },
      (error: unknown) => {
        if (!(error instanceof StoreClosed) && !this.#isOver) this.#options.scope.crash(error);
      },
    );
  }

  end(): void {
    this.#isOver = true;
    this.#again?.cancel();
    this.#keeper.end();
  }

  #missing(): Wanted[] {
    const { database, contents } = this.#options;
    const files = Array.from(fileRows(database), (row) => ({ domain: row.domain, ...fileIn(row) }));
    return files.filter(({ content, bytes }) => contents.bytesOf(content) < bytes);
  }

  /** False: something was not to be had. */
  async #fetchAll(wanted: readonly Wanted[]): Promise<boolean> {
    let isDone = true;
    for (const each of wanted) isDone = (await this.#fetchContent(each)) && isDone;
    return isDone;
  }

  async #fetchContent({ domain, content, bytes }: Wanted): Promise<boolean> {
    const { scope, contents, master } = this.#options;
    for (;;) {
      const from = contents.bytesOf(content);
      if (from >= bytes) return true;
      const address = master()?.address;
      if (address === undefined) return false;
      const answer = await scope.ask(address, 'file.read', { domain, content, from });
      if (!answer.ok || this.#isOver) return false;
      try {
        await contents.append(content, answer.value.piece);
      } catch (error) {
        if (error instanceof StoreUnwritable) return false;
        throw error;
      }
    }
  }
}
