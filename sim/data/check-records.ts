/** The check of the records of a store, by what it holds. */
import type { RecordsOnDisk } from '../ports/store.ts';
import { CallsCheck } from './check-calls.ts';
import { ContentsCheck } from './check-contents.ts';
import { KeyedCheck, keyedRules } from './check-keyed.ts';
import { RowsCheck } from './check-rows.ts';
import type { Finding, StoreLocation } from './store-kinds.ts';

export interface RecordsCheck {
  readonly findings: Finding[];
  readonly records: number;
  read(store: RecordsOnDisk, options: { readonly isDeep: boolean }): Promise<void>;
}

export function checkOf(place: StoreLocation): RecordsCheck {
  if (place.kind === 'rows') return new RowsCheck(place);
  if (place.kind === 'contents') return new ContentsCheck(place);
  if (place.kind === 'calls') return new CallsCheck(place);
  return new KeyedCheck(place, keyedRules[place.kind]);
}
