/**
 * The contents of the files whose rows a copy of the domain data has: pulled from the master, piece by piece, also after a
 * cut. A content of the topology needs no pull.
 */
import type { RoleScope } from '../../../cluster/role.ts';
import type { InstanceEntry } from '../../../model/cluster/cluster-map.ts';
import { limits } from '../../../model/limits.ts';
import type { DataRowChange } from '../../../model/protocol/messages/data.ts';
import { StoreClosed, StoreUnwritable } from '../../../ports/store.ts';
import { CatchUp, type Pull, pullPages } from '../../../replication/catch-up.ts';
import type { Contents } from '../../../storage/contents.ts';
import type { Database } from '../../../storage/database.ts';
import { contentsOf } from '../initial-data.ts';
import { FileKeeper } from './file-contents.ts';
import { concernsFiles, fileIn, fileRows } from './file-index.ts';

export interface FileCopiesOptions {
  readonly scope: RoleScope;
  readonly database: Database;
  readonly contents: Contents;
  /** The mdc that serves, if it is in reach. */
  readonly master: () => InstanceEntry | undefined;
}

interface MissingContent {
  readonly domain: string;
  readonly content: string;
  readonly bytes: number;
}

export class FileCopies {
  readonly #options: FileCopiesOptions;
  readonly #keeper: FileKeeper;
  readonly #catchUp: CatchUp;

  constructor(options: FileCopiesOptions) {
    this.#options = options;
    this.#keeper = new FileKeeper(options);
    this.#catchUp = new CatchUp({
      scope: options.scope,
      source: options.master,
      pull: (master, pull) => this.#pull(master, pull),
      delaysMs: { retry: limits.dataReadyMs, check: limits.dataPullMs, gone: Number.POSITIVE_INFINITY },
    });
  }

  /** Looks whether the master is in reach. */
  look(): void {
    this.#catchUp.look();
  }

  /** Rows have changed. */
  changed(changes: readonly DataRowChange[] | 'all'): void {
    if (!concernsFiles(changes)) return;
    this.#keeper.changed(changes);
    this.#catchUp.noticeGap();
  }

  end(): void {
    this.#catchUp.stop();
    this.#keeper.end();
  }

  #missing(): MissingContent[] {
    const { database, contents } = this.#options;
    const files = Array.from(fileRows(database), (row) => ({ domain: row.domain, ...fileIn(row) }));
    return files.filter(({ content, bytes }) => contents.bytesOf(content) < bytes);
  }

  /** False: a content is not to be had, or can't be kept now. */
  async #pull(master: InstanceEntry, pull: Pull): Promise<boolean> {
    let isComplete = true;
    try {
      for (const each of this.#missing()) {
        if (pull.isOver) return false;
        isComplete = (await this.#pullContent(master, pull, each)) && isComplete;
      }
    } catch (error) {
      if (error instanceof StoreUnwritable || error instanceof StoreClosed || pull.isOver) return false;
      throw error;
    }
    return isComplete;
  }

  async #pullContent(
    { address }: InstanceEntry,
    pull: Pull,
    { domain, content, bytes }: MissingContent,
  ): Promise<boolean> {
    const { scope, contents } = this.#options;
    const own = contents.bytesOf(content) === 0 ? contentsOf(scope.map.topology).get(content) : undefined;
    if (own !== undefined) await contents.append(content, own);
    if (contents.bytesOf(content) >= bytes) return true;
    return pullPages(
      pull,
      () => scope.ask(address, 'file.read', { domain, content, from: contents.bytesOf(content) }),
      async ({ piece }) => {
        await contents.append(content, piece);
        return contents.bytesOf(content) < bytes ? 'more' : 'done';
      },
    );
  }
}
