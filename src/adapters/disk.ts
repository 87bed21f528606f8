/** The disk below the stores of a process: opens databases, tests for free space, and logs failures to write. */
import { closeSync, existsSync, fsyncSync, openSync, readdirSync, rmSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Level } from 'level';
import type { Log } from '../ports/log.ts';

/** What a store needs of the disk. Tests replace it by one that fails. */
export interface Disk {
  /** Time for which writes are refused without another attempt after one has failed. */
  readonly retryMs: number;
  /** The database at a path, not opened yet. */
  database(path: string): Level;
  /** Throws the system's error when a folder has no space for what opening a database may write. */
  tryToWrite(folder: string): void;
}

/** The largest write of level when it opens a database: the content of its log, as a table. */
const trialBytes = 8 * 1024 * 1024;

const requireHere = createRequire(import.meta.url);

/** A database that is not opened yet. Loads level, native code, at the first call: most commands have no stores on disk. */
export function levelAt(path: string): Level {
  const level = requireHere('level') as typeof import('level');
  return new level.Level(path);
}

export const realDisk: Disk = {
  retryMs: 500,
  database: levelAt,
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

/** Whether a folder has database files but no CURRENT file: level would create a new database over them. */
export function isHeadless(path: string): boolean {
  if (!existsSync(path) || existsSync(join(path, 'CURRENT'))) return false;
  return readdirSync(path).some((file) => /^(MANIFEST-\d+|\d+\.(ldb|sst|log))$/.test(file));
}

/** Logs once when stores of a process become unwritable, and once when all of them are writable again. */
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
