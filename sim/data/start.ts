/** Takes a data folder for a process that runs nodes on it, or says why it can't be had: whose it is, who uses it, what is damaged. */
import { accessSync, constants } from 'node:fs';
import type { ClusterMap } from '../../src/model/cluster-map.ts';
import { damageIn } from './check.ts';
import { findingText } from './finding.ts';
import { assertUnlocked, type FolderLocks, isLocked, lockFolder } from './locks.ts';
import { attempt, claimFolder } from './marker.ts';
import { type StorePlace, storesOf } from './stores.ts';

export interface FolderUse {
  readonly folder: string;
  readonly map: ClusterMap;
  /** The nodes that the process runs. Absent: all. */
  readonly nodes?: readonly string[];
  /** Other processes may run other nodes on the folder. */
  readonly isShared?: boolean;
  /** The one store that is needed. Absent: all of the nodes and their sites. */
  readonly only?: string;
  /** For others who want the folder. */
  readonly command: string;
}

/** How many faults one message tells of. */
const shownFaults = 5;

/** Locks the stores of the nodes until it is released. Throws where the folder can't be used. */
export async function takeFolder({ folder, map, nodes, isShared, only, command }: FolderUse): Promise<FolderLocks> {
  claimFolder(folder, map);
  const own = nodes ?? [...map.nodes.keys()];
  const sites = [...new Set(own.map((name) => map.node(name).site))];
  // A file in the place of a folder shows before anything is written.
  const all = [...own, ...sites].flatMap((owner) => storesOf(folder, owner));
  const places = only === undefined ? all : all.filter(({ name }) => name === only);
  for (const { path } of places) attempt(path, 'written', () => accessSync(path, constants.R_OK | constants.W_OK));
  const locks = await lockFolder(folder, own, command);
  try {
    const free: StorePlace[] = [];
    for (const place of places) {
      // Nodes of one site share its stores: one that another process has open was looked at by that.
      if (isShared !== true) await assertUnlocked(folder, place.path);
      if (isShared !== true || !(await isLocked(place.path))) free.push(place);
    }
    await assertWhole(folder, free);
    return locks;
  } catch (error) {
    await locks.release();
    throw error;
  }
}

/** Throws where stores are damaged. */
async function assertWhole(folder: string, places: readonly StorePlace[]): Promise<void> {
  const damage = await damageIn(places);
  if (damage.length === 0) return;
  const lines = damage.slice(0, shownFaults).map((finding) => `  ${findingText(finding, false)}`);
  const more = damage.length > shownFaults ? [`  and ${damage.length - shownFaults} more`] : [];
  const advice = `"strowger data check ${folder}" says more, with --repair it repairs what can be repaired; or use another folder`;
  throw new Error([`data folder ${folder} is damaged:`, ...lines, ...more, advice].join('\n'));
}
