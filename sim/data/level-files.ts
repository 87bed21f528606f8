/**
 * The files of a level database that is not open: whether all are there and whole, by level's own checksums, and what can
 * still be read of them. level looks at its checksums only when it must, and leaves out in silence what is damaged in a log.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { BadBytes, ByteReader } from './level-bytes.ts';
import { type Batch, blocksOf, changesIn, type LevelEntry, otherFaults, readBatch, readLog } from './level-tables.ts';

/** What a file of a database lacks, in words that follow its name. */
export interface FileDamage {
  readonly file: string;
  readonly problem: string;
}

/** Which files count, as the manifest has it. */
interface Manifest {
  logNumber: number;
  previousLog: number;
  lastSequence: number;
  readonly tables: Map<number, number>;
}

export class LevelFiles {
  readonly #path: string;
  readonly #names: readonly string[];
  readonly #faults: FileDamage[] = [];
  readonly #manifest: Manifest | undefined;

  constructor(path: string) {
    this.#path = path;
    this.#names = readdirSync(path).sort();
    this.#manifest = this.#readManifest();
  }

  /** Every fault of every file that counts. Reads all of them. */
  faults(): readonly FileDamage[] {
    const entries = this.entries();
    while (!entries.next().done);
    return this.#faults;
  }

  /** All changes that can be read, in no order; notes what can't be. To be read once. */
  *entries(): Generator<LevelEntry> {
    this.#faults.splice(this.#manifest === undefined ? 1 : 0);
    for (const name of this.#tables()) yield* this.#entriesOfTable(name);
    yield* this.#entriesOfLogs();
  }

  #say(file: string, problem: string): void {
    this.#faults.push({ file, problem });
  }

  #readManifest(): Manifest | undefined {
    // A database that was begun and never written to.
    if (!this.#names.some((name) => /^(CURRENT|MANIFEST-\d+|\d+\.(ldb|sst|log))$/.test(name))) {
      return { logNumber: 0, previousLog: 0, lastSequence: 0, tables: new Map() };
    }
    const text = this.#names.includes('CURRENT') ? this.#tried('CURRENT', (bytes) => bytes.toString()) : undefined;
    const [, name] = /^(MANIFEST-\d+)\n$/.exec(text ?? '') ?? [];
    if (name === undefined) {
      if (this.#faults.length === 0) this.#say('CURRENT', text === undefined ? 'is missing' : 'names no manifest');
      return undefined;
    }
    if (!this.#names.includes(name)) {
      this.#say(name, 'is missing');
      return undefined;
    }
    return this.#tried(name, manifestIn);
  }

  /** The tables in use; all where that is not known. */
  #tables(): string[] {
    const there = this.#names.filter((name) => /^\d+\.(ldb|sst)$/.test(name));
    const { tables } = this.#manifest ?? {};
    if (tables === undefined) return there;
    const counting = there.filter((name) => tables.has(Number.parseInt(name, 10)));
    for (const number of tables.keys()) {
      const isThere = counting.some((name) => Number.parseInt(name, 10) === number);
      if (!isThere) this.#say(fileName(number, 'ldb'), 'is missing');
    }
    return counting;
  }

  *#entriesOfTable(name: string): Generator<LevelEntry> {
    const bytes = this.#tried(name, (read) => read);
    if (bytes === undefined) return;
    const size = this.#manifest?.tables.get(Number.parseInt(name, 10)) ?? bytes.length;
    if (bytes.length !== size) this.#say(name, `has ${bytes.length} bytes, expected ${size}`);
    try {
      for (const problem of otherFaults(bytes)) this.#say(name, problem);
      for (const { content, after, upTo } of blocksOf(bytes)) {
        if (content instanceof BadBytes) this.#say(name, `${rangeText(after, upTo)} ${content.message}`);
        else yield* changesIn(content);
      }
    } catch (error) {
      if (!(error instanceof BadBytes)) throw error;
      this.#say(name, error.message);
    }
  }

  *#entriesOfLogs(): Generator<LevelEntry> {
    const { logNumber = 0, previousLog = 0, lastSequence = Number.MAX_SAFE_INTEGER } = this.#manifest ?? {};
    const numbers = this.#names.flatMap((name) => (/^\d+\.log$/.test(name) ? [Number.parseInt(name, 10)] : []));
    if (logNumber !== 0 && !numbers.includes(logNumber)) this.#say(fileName(logNumber, 'log'), 'is missing');
    const counting = numbers.filter((number) => number >= logNumber || number === previousLog);
    let next = lastSequence + 1;
    for (const number of counting.sort((a, b) => a - b)) {
      const name = this.#names.find((each) => Number.parseInt(each, 10) === number && each.endsWith('.log')) as string;
      for (const { sequence, entries } of this.#batchesOf(name)) {
        if (sequence > next) this.#say(name, `changes ${next} to ${sequence - 1} are missing before it`);
        next = sequence + entries.length;
        yield* entries;
      }
    }
  }

  #batchesOf(name: string): Batch[] {
    const log = this.#tried(name, readLog);
    for (const fault of log?.faults ?? []) this.#say(name, fault);
    return (log?.records ?? []).flatMap((record) => {
      try {
        return [readBatch(record)];
      } catch (error) {
        if (!(error instanceof BadBytes)) throw error;
        this.#say(name, `a record ${error.message}`);
        return [];
      }
    });
  }

  /** Reads a file; says why where that can't be. */
  #tried<T>(name: string, read: (bytes: Buffer) => T): T | undefined {
    const file = join(this.#path, name);
    try {
      if (!statSync(file).isFile()) throw new BadBytes('is not a file');
      return read(readFileSync(file));
    } catch (error) {
      this.#say(name, error instanceof BadBytes ? error.message : String((error as Error).message));
      return undefined;
    }
  }
}

function fileName(number: number, extension: string): string {
  return `${String(number).padStart(6, '0')}.${extension}`;
}

function rangeText(after: string | undefined, upTo: string): string {
  return after === undefined
    ? `the block up to key ${show(upTo)}`
    : `the block after key ${show(after)} up to ${show(upTo)}`;
}

function show(key: string): string {
  return JSON.stringify(key.length <= 120 ? key : `${key.slice(0, 120)}…`);
}

/** The tags of an edit, and what follows each of them. */
const tags = {
  comparator: 1,
  log: 2,
  nextFile: 3,
  lastSequence: 4,
  compactPointer: 5,
  deleted: 6,
  added: 7,
  previous: 9,
};

function manifestIn(bytes: Buffer): Manifest {
  const { records, faults } = readLog(bytes);
  const [fault] = faults;
  if (fault !== undefined) throw new BadBytes(`is damaged: ${fault}`);
  if (records.length === 0) throw new BadBytes('is empty');
  const manifest: Manifest = { logNumber: 0, previousLog: 0, lastSequence: 0, tables: new Map() };
  const seen = new Set<number>();
  for (const record of records) applyEdit(manifest, new ByteReader(record), seen);
  for (const tag of [tags.log, tags.nextFile, tags.lastSequence]) {
    if (!seen.has(tag)) throw new BadBytes('ends too early');
  }
  return manifest;
}

function applyEdit(manifest: Manifest, reader: ByteReader, seen: Set<number>): void {
  while (!reader.isAtEnd) {
    const tag = reader.varint();
    seen.add(tag);
    if (tag === tags.comparator) reader.text();
    else if (tag === tags.log) manifest.logNumber = reader.varint();
    else if (tag === tags.previous) manifest.previousLog = reader.varint();
    else if (tag === tags.nextFile) reader.varint();
    else if (tag === tags.lastSequence) manifest.lastSequence = reader.varint();
    else if (tag === tags.compactPointer) {
      reader.varint();
      reader.text();
    } else if (tag === tags.deleted) {
      reader.varint();
      manifest.tables.delete(reader.varint());
    } else if (tag === tags.added) {
      reader.varint();
      manifest.tables.set(reader.varint(), reader.varint());
      reader.text();
      reader.text();
    } else throw new BadBytes(`has an unknown edit ${tag}`);
  }
}
