/** The disk below the stores of a process: opens databases, tries whether there is room, and logs when writing fails. */
import { closeSync, existsSync, fsyncSync, openSync, readdirSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { Level } from 'level';
import type { Log } from '../ports/log.ts';

/** What a store needs of the disk; tests have it fail. */
export interface Disk {
  /** How long writes are refused without a try after one has failed. */
  readonly retryMs: number;
  /** A database at a path, which is not open yet. */
  database(path: string): Level;
  /** Throws what the system says where a folder has no room for what opening a database may write. */
  tryToWrite(folder: string): void;
}

/** As much as level writes at once when it opens a database: what is in its log, as a table. */
const trialBytes = 8 * 1024 * 1024;

export const realDisk: Disk = {
  retryMs: 500,
  database: (path) => new Level(path),
  tryToWrite: (folder) => {
    const file = join(folder, 'room.tmp');
    try {
      const descriptor = openSync(file, 'w');
      try {
        const piece = Buffer.alloc(1024 * 1024);
        for (let at = 0; at < trialBytes; at += piece.length) writeAll(descriptor, piece);
        fsyncSync(descriptor);
      } finally {
        closeSync(descriptor);
      }
    } finally {
      rmSync(file, { force: true });
    }
  },
};

function writeAll(descriptor: number, piece: Buffer): void {
  for (let at = 0; at < piece.length; ) at += writeSync(descriptor, piece, at);
}

/** Whether a folder has files of a database without the one that names them: level would begin anew over them. */
export function isHeadless(path: string): boolean {
  if (!existsSync(path) || existsSync(join(path, 'CURRENT'))) return false;
  return readdirSync(path).some((file) => /^(MANIFEST-\d+|\d+\.(ldb|sst|log))$/.test(file));
}

/** Logs once that stores of a process can't be written, and once that all of them can be again. */
export class WriteTrouble {
  readonly #log: Log | undefined;
  readonly #stores = new Set<string>();

  constructor(log?: Log) {
    this.#log = log;
  }

  begins(store: string, reason: string): void {
    if (this.#stores.size === 0) this.#log?.write('error', 'store.unwritable', { store, reason });
    this.#stores.add(store);
  }

  ends(store: string): void {
    if (this.#stores.delete(store) && this.#stores.size === 0) this.#log?.write('warn', 'store.writable', { store });
  }
}
