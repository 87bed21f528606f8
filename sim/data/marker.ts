/** The file in a data folder that says which cluster it belongs to, and in which format its stores are. */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { ClusterMap } from '../../src/model/cluster-map.ts';
import { faultText, readValue } from '../read-value.ts';
import { parsedJson } from './finding.ts';
import { ownersIn } from './stores.ts';

export const markerName = 'strowger-data.json';

/** Of the key layouts in `src/storage/keys.ts`, `src/storage/contents.ts` and `src/roles/callstore/keys.ts`. */
const format = 1;

const markerSchema = z.strictObject({
  format: z.int().describe('The version of the format'),
  cluster: z.string().describe('The name of the topology'),
  masterDomain: z.string(),
});
export type Marker = z.infer<typeof markerSchema>;

/** The marker of a folder, if it has one. Throws where it can't be read, or is of another version. */
export function readMarker(folder: string): Marker | undefined {
  const file = join(folder, markerName);
  if (!existsSync(file)) return undefined;
  const read = readValue(markerSchema, parsed(file));
  if (!read.isSound) throw new Error(read.faults.map((each) => `${file}: ${faultText(each)}`).join('\n'));
  if (read.value.format !== format) {
    throw new Error(
      `${file}: the folder has format ${read.value.format}, this version of strowger reads format ${format}: ` +
        'use the version that wrote it, or another folder',
    );
  }
  return read.value;
}

/** Marks a folder as one of a cluster; one that is marked, or holds data already, must be its own. */
export function claimFolder(folder: string, map: ClusterMap): void {
  makeFolder(folder);
  const own: Marker = { format, cluster: map.topology.name, masterDomain: map.masterDomain };
  const marker = readMarker(folder);
  if (marker !== undefined) return assertSame(folder, marker, own);
  assertOwn(folder, map);
  // By a name of its own, then in one step: two nodes may mark one folder at a time.
  const temporary = join(folder, `${markerName}.${process.pid}.tmp`);
  attempt(folder, 'written', () => {
    writeFileSync(temporary, `${JSON.stringify(own)}\n`);
    renameSync(temporary, join(folder, markerName));
  });
}

/** What the system says of a folder, in words. */
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
  attempt(folder, 'made', () => mkdirSync(folder, { recursive: true }));
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

/** A folder from before there were markers has stores of nodes or sites of the topology; else it is somebody else's. */
function assertOwn(folder: string, map: ClusterMap): void {
  const others = readdirSync(folder).filter((name) => !name.startsWith('.') && name !== 'lost+found');
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
