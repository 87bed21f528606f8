/**
 * Locks of a data folder: a process that uses the stores of a node holds a database of its own open in the node's folder. So
 * the lock ends with the process, whatever ends it. A file beside it says which process that is.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Level } from 'level';
import { LevelStores } from '../../src/adapters/level-store.ts';
import { type Store, StoreDamaged, StoreLocked } from '../../src/ports/store.ts';
import { folderProblem } from './marker.ts';
import { lockName, ownersIn } from './stores.ts';

const holderName = 'holder.json';

export interface FolderLocks {
  release(): Promise<void>;
}

/** Locks the stores of nodes. Throws, with the lock and its holder, where another process has them. */
export async function lockFolder(folder: string, owners: readonly string[], command: string): Promise<FolderLocks> {
  const held: { path: string; store: Store }[] = [];
  const release = async () => {
    for (const { path, store } of held.splice(0)) {
      rmSync(join(path, holderName), { force: true });
      await store.close();
    }
  };
  try {
    for (const owner of owners) {
      const path = join(folder, owner);
      held.push({ path, store: await openLock(folder, path) });
      writeFileSync(join(path, holderName), `${JSON.stringify({ pid: process.pid, command })}\n`);
    }
  } catch (error) {
    await release();
    throw error instanceof Error && 'syscall' in error ? folderProblem(folder, 'locked', error) : error;
  }
  return { release };
}

async function openLock(folder: string, path: string, isRetry = false): Promise<Store> {
  try {
    return await new LevelStores(path).open(lockName);
  } catch (error) {
    if (error instanceof StoreLocked) throw inUse(folder, join(path, lockName, 'LOCK'), [path]);
    if (!(error instanceof StoreDamaged) || isRetry) throw lockProblem(folder, error);
    // It holds nothing: one that is damaged is made anew.
    rmSync(join(path, lockName), { recursive: true, force: true });
    return openLock(folder, path, true);
  }
}

function lockProblem(folder: string, error: unknown): Error {
  return new Error(`data folder ${folder} can't be locked: ${error instanceof Error ? error.message : String(error)}`);
}

/** Throws where another process has the database at a path open. Changes nothing in it. */
export async function assertUnlocked(folder: string, path: string): Promise<void> {
  if (!(await isLocked(path))) return;
  // The stores of a site are held by the process of one of its nodes: which one that is is not known.
  const others = ownersIn(folder)
    .map((owner) => join(folder, owner))
    .filter((owner) => holderIn(owner)?.pid !== process.pid);
  throw inUse(folder, join(path, 'LOCK'), others);
}

export async function isLocked(path: string): Promise<boolean> {
  if (!existsSync(join(path, 'CURRENT'))) return false;
  const database = new Level(path);
  try {
    // Refused in any case: while it is locked because of that, else because it is there.
    await database.open({ createIfMissing: false, errorIfExists: true });
  } catch (error) {
    const cause = error instanceof Error ? (error.cause as { code?: string } | undefined) : undefined;
    return cause?.code === 'LEVEL_LOCKED';
  }
  await database.close();
  return false;
}

function inUse(folder: string, lock: string, owners: readonly string[]): Error {
  const holders = new Set(
    owners
      .map(holderIn)
      .flatMap((holder) => holder ?? [])
      .map(holderText),
  );
  // An older version, or one that is just starting or ending, leaves no word.
  const who = holders.size === 0 ? 'another process' : [...holders].join(' or ');
  return new Error(
    `data folder ${folder} is in use by ${who}: it holds the lock ${lock}; stop it first, or use another folder`,
  );
}

interface Holder {
  readonly pid: number;
  readonly command: string;
}

function holderText({ pid, command }: Holder): string {
  return `process ${pid} (strowger ${command})`;
}

function holderIn(path: string): Holder | undefined {
  try {
    return JSON.parse(readFileSync(join(path, holderName), 'utf8')) as Holder;
  } catch {
    return undefined;
  }
}
