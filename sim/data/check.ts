/**
 * Checks a data folder that no process uses: the files of every store, their records, and what these say of each other. Repairs
 * what can be repaired: what is damaged is set aside or removed, and what rests on it made anew.
 */
import { accessSync, constants, existsSync, readdirSync, statSync } from 'node:fs';
import { systemRandom } from '../../src/adapters/system-random.ts';
import type { ClusterMap } from '../../src/model/cluster/cluster-map.ts';
import type { DataRow } from '../../src/model/protocol/messages/data.ts';
import { randomUuid } from '../../src/model/uuid.ts';
import type { Store, StoreChange } from '../../src/ports/store.ts';
import { contentsNameOf } from '../../src/storage/keys.ts';
import { CallsCheck } from './check-calls.ts';
import { ContentsCheck, filesAmong } from './check-contents.ts';
import { KeyedCheck, keyedRules } from './check-keyed.ts';
import { checkOf, type RecordsCheck } from './check-records.ts';
import { RowsCheck } from './check-rows.ts';
import {
  assertUnlocked,
  attempt,
  claimFolder,
  type FolderLocks,
  isLocked,
  lockFolder,
  type Marker,
  markerName,
  readMarker,
} from './folder.ts';
import { LevelFiles } from './level-files.ts';
import { copiesIn, restoreContent, restoreRows, salvage, setAside } from './repair.ts';
import { type Finding, findingText, type StoreLocation } from './store-kinds.ts';
import { ownersIn, storesOf, unknownStoresIn, withStore } from './stores.ts';

export interface FolderUse {
  readonly folder: string;
  readonly map: ClusterMap;
  /** The nodes that the process runs. Absent: all. */
  readonly nodes?: readonly string[];
  /** Other processes may run other nodes on the folder. */
  readonly isShared?: boolean;
  /** The one store that is needed. Absent: all of the nodes and their sites. */
  readonly only?: string;
  /** For other processes that want the folder. */
  readonly command: string;
}

/** Limit of the faults in one message. */
const shownFaults = 5;

/**
 * Claims a data folder for a process that runs nodes on it: locks the stores of the nodes until it is released. Throws the
 * reason if the folder cannot be used: another cluster, another process, damage.
 */
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
    const free: StoreLocation[] = [];
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
async function assertWhole(folder: string, places: readonly StoreLocation[]): Promise<void> {
  const damage = await damageIn(places);
  if (damage.length === 0) return;
  const lines = damage.slice(0, shownFaults).map((finding) => `  ${findingText(finding, false)}`);
  const more = damage.length > shownFaults ? [`  and ${damage.length - shownFaults} more`] : [];
  const advice = `"strowger data check ${folder}" says more, with --repair it repairs what can be repaired; or use another folder`;
  throw new Error([`data folder ${folder} is damaged:`, ...lines, ...more, advice].join('\n'));
}

export interface CheckedFolder {
  readonly folder: string;
  readonly cluster: string | undefined;
  readonly stores: readonly { readonly store: string; readonly records: number }[];
  readonly findings: readonly Finding[];
  readonly isRepaired: boolean;
}

/** Throws where there is no such folder, or a process uses it. */
export async function checkFolder(folder: string, { isRepair }: { isRepair: boolean }): Promise<CheckedFolder> {
  if (!existsSync(folder)) throw new Error(`data folder ${folder}: no such folder`);
  if (!statSync(folder).isDirectory()) throw new Error(`data folder ${folder} is a file: expected a folder`);
  const marker = readMarker(folder);
  const owners = attempt(folder, 'read', () => ownersIn(folder));
  if (marker === undefined && owners.length === 0 && readdirSync(folder).length > 0) {
    throw new Error(`data folder ${folder} is not one of strowger: it has no ${markerName} and no stores`);
  }
  const locks = await lockFolder(folder, owners, 'data check');
  try {
    const check = new FolderCheck(folder, isRepair);
    for (const owner of owners) await check.owner(owner);
    return check.result(marker);
  } finally {
    await locks.release();
  }
}

class FolderCheck {
  readonly #folder: string;
  readonly #isRepair: boolean;
  readonly #findings: Finding[] = [];
  /** Stores that were made anew of what could be read of them. */
  readonly #salvaged = new Set<string>();
  readonly #stores: { store: string; records: number }[] = [];

  constructor(folder: string, isRepair: boolean) {
    this.#folder = folder;
    this.#isRepair = isRepair;
  }

  result(marker: Marker | undefined): CheckedFolder {
    const isRepaired = this.#isRepair && this.#findings.some(({ level }) => level === 'damage');
    const [folder, cluster] = [this.#folder, marker?.cluster];
    return { folder, cluster, stores: this.#stores, findings: this.#findings, isRepaired };
  }

  async owner(owner: string): Promise<void> {
    const places = storesOf(this.#folder, owner);
    for (const place of places) await assertUnlocked(this.#folder, place.path);
    for (const store of unknownStoresIn(this.#folder, owner)) {
      this.#findings.push({ level: 'note', store, problem: 'is not a store of this version, and was not checked' });
    }
    const sound = new Map<string, StoreLocation>();
    for (const place of places) if (await this.#checkFiles(place)) sound.set(place.name, place);
    for (const place of sound.values()) {
      if (place.kind === 'rows') await this.#checkData(place, sound.get(contentsNameOf(place.name)));
      else if (place.kind === 'calls') await this.#checkAlone(place, new CallsCheck(place));
      else if (place.kind !== 'contents') await this.#checkAlone(place, new KeyedCheck(place, keyedRules[place.kind]));
      else if (!sound.has(place.name.replace(/-files$/, ''))) await this.#checkAlone(place, new ContentsCheck(place));
    }
  }

  /** Whether the store can be opened, now that it may have been repaired. */
  async #checkFiles(place: StoreLocation): Promise<boolean> {
    const faults = new LevelFiles(place.path).faults();
    if (faults.length === 0) return true;
    let repair = place.isCopy
      ? 'the copy is set aside, and fetched again from the master'
      : 'what can be read is copied into a new store, the damaged one is set aside';
    if (this.#isRepair) repair = await mend(place);
    this.#salvaged.add(place.store);
    const { store } = place;
    for (const { file, problem } of faults) this.#findings.push({ level: 'damage', store, at: file, problem, repair });
    if (!this.#isRepair) {
      this.#findings.push({ level: 'note', store, problem: 'its records were not checked, its files are damaged' });
    }
    return this.#isRepair && existsSync(place.path);
  }

  async #checkAlone(place: StoreLocation, check: RecordsCheck & { repairs(): StoreChange[] }): Promise<void> {
    await withStore(place, async (store) => {
      await check.read(store, { isDeep: true });
      await this.#finish(store, check, () => check.repairs());
    });
    this.#note(place, check);
  }

  /** Rows, and the contents of the files among them. */
  async #checkData(place: StoreLocation, contents: StoreLocation | undefined): Promise<void> {
    const rows = new RowsCheck(place);
    await withStore(place, async (store) => {
      await rows.read(store, { isDeep: true });
      if (this.#salvaged.has(place.store)) rows.hasLost();
      if (this.#isRepair && !place.isCopy && rows.isDamaged) await this.#restoreRows(place, rows);
      if (contents !== undefined) await this.#checkContents(contents, rows);
      await this.#finish(store, rows, () => rows.repairs(newId));
    });
    this.#note(place, rows);
  }

  async #checkContents(place: StoreLocation, rows: RowsCheck): Promise<void> {
    const check = new ContentsCheck(place);
    await withStore(place, async (store) => {
      await check.read(store, { isDeep: true });
      const lost = await check.lost(store, filesAmong(rows.rows));
      // A copy fetches the content again.
      for (const file of place.isCopy ? [] : lost) {
        const isBack = this.#isRepair && (await this.#restoreContent(place, store, { check, row: file.row }));
        if (!isBack) rows.remove(file.key);
      }
      await this.#finish(store, check, () => check.repairs());
    });
    this.#note(place, check);
  }

  async #restoreRows({ store }: StoreLocation, rows: RowsCheck): Promise<void> {
    for (const copy of await restoreRows(rows, copiesIn(this.#folder, 'rows'))) {
      this.#findings.push({ level: 'note', store, problem: `rows were taken from the copy ${copy}` });
    }
  }

  /** Whether a copy had the content of a file. */
  async #restoreContent(
    { store }: StoreLocation,
    master: Store,
    { check, row }: { check: ContentsCheck; row: DataRow },
  ): Promise<boolean> {
    const found = await restoreContent(master, row, copiesIn(this.#folder, 'contents'));
    if (found === undefined) return false;
    check.keep(row, found.pieces);
    const problem = `the content of file ${JSON.stringify(row.item['name'])} of ${row.domain} was taken from the copy ${found.from}`;
    this.#findings.push({ level: 'note', store, problem });
    return true;
  }

  async #finish(store: Store, { findings }: RecordsCheck, repairs: () => StoreChange[]): Promise<void> {
    if (this.#isRepair && (findings.length > 0 || repairs().length > 0)) await store.write(repairs());
  }

  #note({ store }: StoreLocation, { records, findings }: RecordsCheck): void {
    this.#stores.push({ store, records });
    this.#findings.push(...findings);
  }
}

/** What was done about damaged files. */
async function mend(place: StoreLocation): Promise<string> {
  if (place.isCopy) return `the copy is set aside as ${setAside(place.path)}, and fetched again from the master`;
  const { kept, records } = await salvage(place.path);
  return `${records} records that can be read are in a new store, the damaged one is set aside as ${kept}`;
}

function newId(): string {
  return randomUuid(systemRandom.stream('ids').bytes(16));
}

/** What would keep a cluster from serving: damaged files, and records that can't be read. Pieces of contents are looked at when they are read. */
export async function damageIn(places: readonly StoreLocation[]): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const place of places) {
    for (const { file, problem } of new LevelFiles(place.path).faults()) {
      findings.push({ level: 'damage', store: place.store, at: file, problem });
    }
    if (findings.some(({ store }) => store === place.store)) continue;
    const check = checkOf(place);
    await withStore(place, (store) => check.read(store, { isDeep: false }));
    findings.push(...check.findings.filter(({ level }) => level === 'damage'));
  }
  return findings;
}
