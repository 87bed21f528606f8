/** Checks a store of call records, and what leads to them: it is made anew from the records where it is wrong. */
import { type Cdr, cdrSchema } from '../../src/model/protocol/messages/callstore.ts';
import { markOf } from '../../src/model/recording/call-record.ts';
import type { StoreChange } from '../../src/ports/store.ts';
import { recordKeys, sequenceIn } from '../../src/roles/callstore/call-records.ts';
import type { RecordsOnDisk } from '../ports/store.ts';
import { issueText } from './check-rows.ts';
import { type Finding, parsedJson, type StoreLocation } from './store-kinds.ts';

export class CallsCheck {
  readonly findings: Finding[] = [];
  readonly #place: StoreLocation;
  readonly #changes: StoreChange[] = [];
  /** What leads to the records: as it is, and as it must be. */
  readonly #found = new Map<string, string>();
  readonly #wanted = new Map<string, string>();
  /** By inviteid: the record that was written last. */
  readonly #newest = new Map<
    string,
    { readonly key: string; readonly places: readonly (readonly [string, string])[] }
  >();

  constructor(place: StoreLocation) {
    this.#place = place;
  }

  get records(): number {
    return this.#newest.size;
  }

  async read(store: RecordsOnDisk): Promise<void> {
    for await (const [key, value] of store.entries({})) {
      if (key.startsWith('w/')) this.#readRecord(key, value);
      else if (/^[rtd]\//.test(key)) this.#found.set(key, value);
      else if (key === recordKeys.identity ? value === '' : !/^p\/./.test(key) || !isProgress(value)) {
        this.#drop(key, key.startsWith('p/') || key === recordKeys.identity ? 'is not valid' : 'has an unknown key');
      }
    }
    this.#compare();
  }

  repairs(): StoreChange[] {
    return this.#changes;
  }

  #readRecord(key: string, value: string): void {
    const json = parsedJson(value);
    if ('problem' in json) return this.#drop(key, json.problem);
    const read = cdrSchema.safeParse(json.value);
    const sequence = sequenceIn(key);
    if (!read.success) return this.#drop(key, issueText(read.error));
    if (recordKeys.written(sequence) !== key) return this.#drop(key, 'has an unknown key');
    const record = read.data as Cdr;
    const before = this.#newest.get(record.inviteid);
    if (before !== undefined) this.#drop(before.key, `is an older record of ${record.inviteid}`);
    this.#newest.set(record.inviteid, { key, places: leadingTo(record, sequence) });
  }

  #compare(): void {
    for (const { places } of this.#newest.values()) for (const [key, value] of places) this.#wanted.set(key, value);
    for (const [key, value] of this.#wanted) {
      const found = this.#found.get(key);
      if (found !== value) this.#mend(key, found === undefined ? 'is missing' : 'leads elsewhere', { put: key, value });
    }
    for (const key of this.#found.keys()) {
      if (!this.#wanted.has(key)) this.#mend(key, 'leads to a record that is not there', { delete: key });
    }
  }

  #mend(at: string, problem: string, change: StoreChange): void {
    const repair = 'put' in change ? 'made anew from the records' : 'removed';
    this.findings.push({ level: 'damage', store: this.#place.store, at, problem, repair });
    this.#changes.push(change);
  }

  #drop(key: string, problem: string): void {
    this.#mend(key, problem, { delete: key });
  }
}

/** As `src/roles/callstore/call-records.ts` writes it. */
function leadingTo(record: Cdr, sequence: number): [key: string, value: string][] {
  const { inviteid, endts, domains } = record;
  return [
    [recordKeys.record(inviteid), `${sequence} ${markOf(record)}`],
    [recordKeys.ended(endts, inviteid), JSON.stringify({ sequence, domains })],
    ...domains.map((domain): [string, string] => [recordKeys.endedIn(domain, endts, inviteid), String(sequence)]),
  ];
}

function isProgress(value: string): boolean {
  const json = parsedJson(value);
  return 'value' in json && typeof json.value === 'object' && json.value !== null;
}
