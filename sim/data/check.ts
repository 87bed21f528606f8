/**
 * Checks a data folder that no process uses: the files of every store, their records, and what these say of each other. Repairs
 * what can be repaired: what is damaged is set aside or removed, and what rests on it made anew.
 */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { LevelStores } from '../../src/adapters/level-store.ts';
import { systemRandom } from '../../src/adapters/system-random.ts';
import { randomUuid } from '../../src/model/uuid.ts';
import type { Store, StoreChange } from '../../src/ports/store.ts';
import { contentsNameOf } from '../../src/storage/keys.ts';
import { CallsCheck } from './check-calls.ts';
import { ContentsCheck, filesAmong } from './check-contents.ts';
import { LivesCheck } from './check-lives.ts';
import { RowsCheck } from './check-rows.ts';
import type { Finding } from './finding.ts';
import { LevelFiles } from './level-files.ts';
import { assertUnlocked, lockFolder } from './locks.ts';
import { attempt, type Marker, markerName, readMarker } from './marker.ts';
import { salvage, setAside } from './salvage.ts';
import { ownersIn, type StorePlace, storesOf } from './stores.ts';

export interface CheckedFolder {
  readonly folder: string;
  readonly cluster: string | undefined;
  readonly stores: readonly { readonly store: string; readonly records: number }[];
  readonly findings: readonly Finding[];
  readonly isRepaired: boolean;
}

interface RecordsCheck {
  readonly findings: Finding[];
  readonly records: number;
  read(store: Store, options: { readonly isDeep: boolean }): Promise<void>;
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
    const sound = new Map<string, StorePlace>();
    for (const place of places) if (await this.#checkFiles(place)) sound.set(place.name, place);
    for (const place of sound.values()) {
      if (place.kind === 'rows') await this.#checkData(place, sound.get(contentsNameOf(place.name)));
      else if (place.kind === 'calls') await this.#checkAlone(place, new CallsCheck(place));
      else if (place.kind === 'lives') await this.#checkAlone(place, new LivesCheck(place));
      else if (!sound.has(place.name.replace(/-files$/, ''))) await this.#checkAlone(place, new ContentsCheck(place));
    }
  }

  /** Whether the store can be opened, now that it may have been repaired. */
  async #checkFiles(place: StorePlace): Promise<boolean> {
    const faults = new LevelFiles(place.path).faults();
    if (faults.length === 0) return true;
    let repair = place.isCopy
      ? 'the copy is set aside, and fetched again from the master'
      : 'what can be read is copied into a new store, the damaged one is set aside';
    if (this.#isRepair) repair = await mend(place);
    const { store } = place;
    for (const { file, problem } of faults) this.#findings.push({ level: 'damage', store, at: file, problem, repair });
    if (!this.#isRepair) {
      this.#findings.push({ level: 'note', store, problem: 'its records were not checked, its files are damaged' });
    }
    return this.#isRepair && existsSync(place.path);
  }

  async #checkAlone(place: StorePlace, check: RecordsCheck & { repairs(): StoreChange[] }): Promise<void> {
    await withStore(place, async (store) => {
      await check.read(store, { isDeep: true });
      await this.#finish(store, check, () => check.repairs());
    });
    this.#note(place, check);
  }

  /** Rows, and the contents of the files among them. */
  async #checkData(place: StorePlace, contents: StorePlace | undefined): Promise<void> {
    const rows = new RowsCheck(place);
    await withStore(place, async (store) => {
      await rows.read(store, { isDeep: true });
      if (contents !== undefined) await this.#checkContents(contents, rows);
      await this.#finish(store, rows, () => rows.repairs(newId));
    });
    this.#note(place, rows);
  }

  async #checkContents(place: StorePlace, rows: RowsCheck): Promise<void> {
    const check = new ContentsCheck(place);
    await withStore(place, async (store) => {
      await check.read(store, { isDeep: true });
      const lost = await check.lost(store, filesAmong(rows.rows));
      // A copy fetches the content again.
      if (!place.isCopy) for (const { key } of lost) rows.remove(key);
      await this.#finish(store, check, () => check.repairs());
    });
    this.#note(place, check);
  }

  async #finish(store: Store, { findings }: RecordsCheck, repairs: () => StoreChange[]): Promise<void> {
    if (this.#isRepair && (findings.length > 0 || repairs().length > 0)) await store.write(repairs());
  }

  #note({ store }: StorePlace, { records, findings }: RecordsCheck): void {
    this.#stores.push({ store, records });
    this.#findings.push(...findings);
  }
}

/** What was done about damaged files. */
async function mend(place: StorePlace): Promise<string> {
  if (place.isCopy) return `the copy is set aside as ${setAside(place.path)}, and fetched again from the master`;
  const { kept, records } = await salvage(place.path);
  return `${records} records that can be read are in a new store, the damaged one is set aside as ${kept}`;
}

function newId(): string {
  return randomUuid(systemRandom.stream('ids').bytes(16));
}

/** What would keep a cluster from serving: damaged files, and records that can't be read. Pieces of contents are looked at when they are read. */
export async function damageIn(places: readonly StorePlace[]): Promise<Finding[]> {
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

async function withStore({ path, name }: StorePlace, work: (store: Store) => Promise<void>): Promise<void> {
  const store = await new LevelStores(dirname(path)).open(name).catch((error: Error) => {
    throw new Error(`${path}: ${error.message}`);
  });
  try {
    await work(store);
  } finally {
    await store.close();
  }
}

function checkOf(place: StorePlace): RecordsCheck {
  if (place.kind === 'rows') return new RowsCheck(place);
  if (place.kind === 'contents') return new ContentsCheck(place);
  return place.kind === 'calls' ? new CallsCheck(place) : new LivesCheck(place);
}
