/** The marks of a data folder: the file that names its cluster and format, and the locks of the processes that use it. */
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { levelAt } from '../../src/adapters/disk.ts';
import { LevelStores } from '../../src/adapters/level-store.ts';
import type { ClusterMap } from '../../src/model/cluster/cluster-map.ts';
import { type Store, StoreDamaged, StoreLocked } from '../../src/ports/store.ts';
import { faultText, readValue } from '../input/read-value.ts';
import { makeFolders } from './make-folders.ts';
import { parsedJson } from './store-kinds.ts';
import { lockName, ownersIn } from './stores.ts';

/** The file in a data folder that says which cluster it belongs to, and in which format its stores are. */
export const markerName = 'strowger-data.json';

/** Of the key layouts in `src/storage/keys.ts`, `src/storage/contents.ts` and `src/roles/callstore/call-records.ts`. */
const format = 1;

const markerSchema = z.strictObject({
  format: z.int().describe('The version of the format'),
  cluster: z.string().describe('The name of the topology'),
  masterDomain: z.string(),
});
export type Marker = z.infer<typeof markerSchema>;

/** The marker of a folder, if it has one. Throws if it cannot be read, or has another version. */
export function readMarker(folder: string): Marker | undefined {
  const file = join(folder, markerName);
  if (!existsSync(file)) return undefined;
  const read = readValue(markerSchema, parsed(file));
  if (!read.isValid) throw new Error(read.faults.map((each) => `${file}: ${faultText(each)}`).join('\n'));
  if (read.value.format !== format) {
    throw new Error(
      `${file}: the folder has format ${read.value.format}, this version of strowger reads format ${format}: ` +
        'use the version that wrote it, or another folder',
    );
  }
  return read.value;
}

/** Marks a folder with its cluster. A folder that has a marker or data must belong to this cluster. */
export function claimFolder(folder: string, map: ClusterMap): void {
  makeFolder(folder);
  const own: Marker = { format, cluster: map.topology.name, masterDomain: map.masterDomain };
  const marker = readMarker(folder);
  if (marker !== undefined) return assertSame(folder, marker, own);
  assertOwn(folder, map);
  // Written under a temporary name, then renamed: two nodes may mark one folder at the same time.
  const temporary = join(folder, `${markerName}.${process.pid}.tmp`);
  attempt(folder, 'written', () => {
    writeFileSync(temporary, `${JSON.stringify(own)}\n`);
    renameSync(temporary, join(folder, markerName));
  });
}

/** Messages for errors of the file system. */
export function folderProblem(folder: string, what: string, error: unknown): Error {
  const { code, message } = error as NodeJS.ErrnoException;
  const words: Record<string, string> = {
    EACCES: `permission denied: give the user of this process access, or use another folder`,
    EPERM: `permission denied: give the user of this process access, or use another folder`,
    EROFS: 'the file system is read-only: mount it for writing, or use another folder',
    ENOSPC: 'no space left on its disk: make room, or use another folder',
    EDQUOT: 'the quota of its disk is used up: make room, or use another folder',
    ENOTDIR: 'a part of its path is a file: use another folder',
    EEXIST: 'it is a file: use another folder',
  };
  return new Error(`data folder ${folder} can't be ${what}: ${(code && words[code]) ?? message}`);
}

export function attempt<T>(folder: string, what: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw folderProblem(folder, what, error);
  }
}

function makeFolder(folder: string): void {
  if (existsSync(folder) && !statSync(folder).isDirectory()) {
    throw new Error(`data folder ${folder} can't be used: it is a file: use another folder`);
  }
  attempt(folder, 'made', () => makeFolders(folder));
  attempt(folder, 'read', () => readdirSync(folder));
}

function assertSame(folder: string, marker: Marker, own: Marker): void {
  for (const field of ['cluster', 'masterDomain'] as const) {
    if (marker[field] === own[field]) continue;
    throw new Error(
      `data folder ${folder} belongs to another cluster: its ${field} is "${marker[field]}", that of the topology is ` +
        `"${own[field]}"; use another folder or, if the topology was renamed, write its name into ${join(folder, markerName)}`,
    );
  }
}

/** A folder without a marker must have stores of nodes or sites of the topology; else it belongs to another program. */
function assertOwn(folder: string, map: ClusterMap): void {
  // Another node of the cluster may be writing the marker.
  const isOther = (name: string) => !/^\.|^lost\+found$/.test(name) && !name.startsWith(markerName);
  const others = readdirSync(folder).filter(isOther);
  if (others.length === 0) return;
  const owners = ownersIn(folder);
  if (owners.some((owner) => map.nodes.has(owner) || map.sites.has(owner))) return;
  const found = owners.length > 0 ? `data of ${owners.join(', ')}` : others.slice(0, 3).join(', ');
  throw new Error(
    `data folder ${folder} is not one of this cluster: it holds ${found}, and nothing of the nodes and sites of topology ` +
      `"${map.topology.name}"; use an empty or a new folder`,
  );
}

function parsed(file: string): unknown {
  const json = parsedJson(attempt(file, 'read', () => readFileSync(file, 'utf8')));
  if ('problem' in json) throw new Error(`${file}: ${json.problem}`);
  return json.value;
}

const holderName = 'holder.json';

/**
 * Locks of a data folder: a process that uses the stores of a node holds a database of its own open in the node's folder. So
 * the lock ends with the process, whatever ends it. A file beside it says which process that is.
 */
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
  const database = levelAt(path);
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
    // Another process is writing it, or has removed it.
    return undefined;
  }
}
