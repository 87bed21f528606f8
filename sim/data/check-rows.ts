/** Checks a store of domain data: its records, what they say of each other, and the log of changes. */
import { z } from 'zod';
import { entityOf } from '../../src/model/entities/entities.ts';
import type { Entity, EntityItem } from '../../src/model/entities/entity.ts';
import { maskedSecretOf } from '../../src/model/entities/item.ts';
import { type DataRow, rowSchema } from '../../src/model/protocol/messages/data.ts';
import type { StoreChange } from '../../src/ports/store.ts';
import { isAffectedBy } from '../../src/roles/directory/change-publisher.ts';
import { aboutKey, allLog, allRows, isOf, logKey, rowKey, sequenceIn } from '../../src/storage/keys.ts';
import { collectionKeyOf } from '../../src/storage/table.ts';
import type { RecordsOnDisk } from '../ports/store.ts';
import { type Finding, parsedJson, type StoreLocation } from './store-kinds.ts';

const aboutSchema = z.object({
  database: z.string().min(1),
  sequence: z.int().min(0),
  generation: z.int().min(0),
  filled: z.array(z.string()).optional(),
});
const touchedSchema = z.array(z.object({ kind: z.string(), domain: z.string(), id: z.string() }));

export class RowsCheck {
  readonly findings: Finding[] = [];
  /** By key: the valid rows. */
  readonly rows = new Map<string, DataRow>();
  readonly #place: StoreLocation;
  readonly #removed: string[] = [];
  readonly #log: number[] = [];
  #about: z.infer<typeof aboutSchema> | undefined;
  /** Rows from copies, by key. */
  readonly #restored = new Map<string, DataRow>();
  #isDamaged = false;

  constructor(place: StoreLocation) {
    this.#place = place;
  }

  /** `isDeep`: checks the fields of items and the references between rows too. */
  async read(store: RecordsOnDisk, { isDeep }: { isDeep: boolean }): Promise<void> {
    const records: [key: string, value: string][] = [];
    for await (const [key, value] of store.entries({})) {
      if (key === aboutKey) this.#readAbout(value);
      else records.push([key, value]);
    }
    if (this.#about === undefined && records.length > 0 && this.#removed.length === 0) {
      this.#damage(aboutKey, 'is missing', 'made anew from the rows');
    }
    const generation = this.#about?.generation ?? newestGeneration(records.map(([key]) => key));
    for (const [key, value] of records) this.#readRecord(key, value, generation);
    this.#checkLog();
    if (isDeep) this.#checkRows();
  }

  get records(): number {
    return this.rows.size + this.#log.length;
  }

  get isDamaged(): boolean {
    return this.#isDamaged;
  }

  /** The last change that it contains, if known. */
  get sequence(): number | undefined {
    return this.#about?.sequence;
  }

  /** The files of the store were damaged: rows may be lost without a trace. */
  hasLost(): void {
    this.#isDamaged = true;
  }

  /** Takes the rows of a copy's domains from it, unless it is older. Returns whether it did. */
  restore(copy: RowsCheck): boolean {
    const [own, theirs] = [this.#about, copy.#about];
    if (theirs === undefined || (own !== undefined && own.database !== theirs.database)) return false;
    if (own !== undefined && theirs.sequence < own.sequence) return false;
    const generation = own?.generation ?? newestGeneration(this.rows.keys());
    const wanted = new Map([...copy.rows.values()].map((row) => [rowKey(generation, row), row]));
    for (const [key, row] of this.rows) {
      // Rows that the copy does not have were deleted since.
      if (isAffectedBy(theirs.filled ?? [], { put: row }) && !wanted.has(key)) this.remove(key);
    }
    for (const [key, row] of wanted) {
      if (JSON.stringify(this.rows.get(key)) === JSON.stringify(row)) continue;
      this.#restored.set(key, row);
      this.rows.set(key, row);
    }
    return true;
  }

  /** Removes a row for another reason. */
  remove(key: string): void {
    this.#removed.push(key);
    this.rows.delete(key);
    this.#isDamaged = true;
  }

  /** The changes that repair the store. */
  repairs(newId: () => string): StoreChange[] {
    if (!this.#isDamaged) return [];
    const removed = this.#removed.map((key): StoreChange => ({ delete: key }));
    const domains = new Set([...this.rows.values()].map(({ domain }) => domain));
    const about = this.#about ?? {
      sequence: this.#log.at(-1) ?? 0,
      filled: [...domains],
      generation: newestGeneration(this.rows.keys()),
    };
    const restored = [...this.#restored].filter(([key, row]) => this.rows.get(key) === row);
    return [
      ...removed,
      ...restored.map(([key, row]): StoreChange => ({ put: key, value: JSON.stringify(row) })),
      ...this.#log.map((sequence): StoreChange => ({ delete: logKey(sequence) })),
      { put: aboutKey, value: JSON.stringify({ ...about, database: newId() }) },
    ];
  }

  #readAbout(value: string): void {
    const read = aboutSchema.safeParse(jsonOf(value));
    if (read.success) this.#about = read.data;
    else this.#drop(aboutKey, issueText(read.error), 'made anew from the rows');
  }

  #readRecord(key: string, value: string, generation: number): void {
    if (key >= (allLog.from ?? '') && key < (allLog.to ?? '')) return this.#readLog(key, value);
    if (!(key >= (allRows.from ?? '') && key < (allRows.to ?? ''))) return this.#drop(key, 'has an unknown key');
    if (!isOf(generation, key)) {
      if (!this.findings.some(({ at }) => at === 'r/')) {
        const problem = 'rows of a replacement that did not come to its end; the next start removes them';
        this.findings.push({ level: 'note', store: this.#place.store, at: 'r/', problem });
      }
      return;
    }
    const json = parsedJson(value);
    if ('problem' in json) return this.#drop(key, json.problem);
    const read = rowSchema.safeParse(json.value);
    if (!read.success) return this.#drop(key, issueText(read.error));
    if (rowKey(generation, read.data) !== key) return this.#drop(key, 'is the row of another key');
    // As it was written: a schema changes the order of fields.
    this.rows.set(key, json.value as DataRow);
  }

  #readLog(key: string, value: string): void {
    const sequence = sequenceIn(key);
    const read = touchedSchema.safeParse(jsonOf(value));
    const isSound = read.success && Number.isSafeInteger(sequence) && logKey(sequence) === key;
    if (isSound) this.#log.push(sequence);
    else this.#drop(key, 'is not a line of the log of changes', 'the log begins anew, copies fetch all rows');
  }

  #checkLog(): void {
    const gap = this.#log.findIndex((sequence, at) => at > 0 && sequence !== (this.#log[at - 1] as number) + 1);
    const repair = 'the log begins anew, copies fetch all rows';
    if (gap > 0) {
      const problem = `the log of changes has a gap: ${this.#log[gap]} comes after ${this.#log[gap - 1]}`;
      this.#damage(logKey(this.#log[gap] as number), problem, repair);
    }
    const last = this.#log.at(-1);
    if (last === undefined || this.#about === undefined || last === this.#about.sequence) return;
    this.#damage(logKey(last), `the log ends with change ${last}, the database with ${this.#about.sequence}`, repair);
  }

  #checkRows(): void {
    const ids = new Set<string>();
    const values = new Map<string, string>();
    // Of two conflicting rows the one that was changed last stays.
    const newestFirst = [...this.rows].sort(([, a], [, b]) => (a.item.ext.lwt < b.item.ext.lwt ? 1 : -1));
    for (const [key, row] of newestFirst) {
      const problem = itemProblem(row);
      if (problem !== undefined) {
        // Another version has accepted it, so it stays as it is.
        this.findings.push({
          level: 'note',
          store: this.#place.store,
          at: key,
          problem: `${problem}; it is left as it is`,
        });
      }
      if (ids.has(`${row.kind}/${row.item.id}`)) this.#drop(key, 'another row has the same id');
      ids.add(`${row.kind}/${row.item.id}`);
    }
    for (const [key, row] of newestFirst) {
      if (!this.rows.has(key)) continue;
      const { parent } = entityOf(row.kind);
      const isOrphan = parent !== undefined && !ids.has(`${parent.kind}/${row.parent}`);
      if (isOrphan) this.#drop(key, `belongs to ${parent.kind} ${JSON.stringify(row.parent)}, which is not there`);
      else this.#checkUnique(key, row, values);
    }
  }

  #checkUnique(key: string, row: DataRow, values: Map<string, string>): void {
    for (const name of entityOf(row.kind).unique) {
      const value = row.item[name];
      if (value === '' || value === undefined) continue;
      const place = `${row.kind}\n${collectionKeyOf(row)}\n${name}\n${JSON.stringify(value)}`;
      const other = values.get(place);
      if (other !== undefined) return this.#drop(key, `${name} ${JSON.stringify(value)} is that of ${other} as well`);
      values.set(place, key);
    }
  }

  #drop(key: string, problem: string, repair = 'removed'): void {
    this.#damage(key, problem, repair);
    this.#removed.push(key);
    this.rows.delete(key);
  }

  #damage(key: string, problem: string, repair: string): void {
    this.#isDamaged = true;
    this.findings.push({ level: 'damage', store: this.#place.store, at: key, problem, repair });
  }
}

/** The number of the generation with the highest number that has rows. */
function newestGeneration(keys: Iterable<string>): number {
  let newest = 0;
  for (const key of keys) newest = Math.max(newest, Number(/^r\/(\d+)\//.exec(key)?.[1] ?? 0));
  return newest;
}

/**
 * The first field of an item that this version would refuse. A missing field is valid: an older version did not have
 * it.
 */
function itemProblem({ kind, item, parent, secret }: DataRow): string | undefined {
  const entity: Entity = entityOf(kind);
  if ((entity.parent !== undefined) !== (parent !== undefined)) return 'has a parent, or none, where its kind has not';
  const read = entity.item.safeParse(item);
  const issue = read.error?.issues.find(({ path }) => at(item, path) !== undefined);
  if (issue !== undefined) return `${issue.path.join('.')}: ${issue.message}`;
  if (maskedSecretOf(entity) !== undefined && secret === undefined) return 'has no secret';
  return read.success ? entity.rule(item as EntityItem) : undefined;
}

function at(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((inner, name) => (inner as Record<PropertyKey, unknown> | undefined)?.[name], value);
}

function jsonOf(text: string): unknown {
  const json = parsedJson(text);
  return 'value' in json ? json.value : undefined;
}

export function issueText({ issues: [issue] }: z.ZodError): string {
  return `${issue?.path.join('.') || 'the record'}: ${issue?.message ?? 'is not valid'}`;
}
