/** Reads that a copy answered with data older than it said: bounded staleness, and the session guarantees within the bound. */

import type { Operation } from '../../../histories/operation.ts';
import { brokenGuarantees, type RegisterInput, type RegisterOutput } from '../../../histories/session-guarantees.ts';
import type { ItemOperation } from './item-histories.ts';

/** The header has whole seconds, and a change is on its way to the copies while it is acknowledged. */
const graceMs = 3_000;

type FieldOperation = Operation<RegisterInput, RegisterOutput> & { readonly of: ItemOperation };

export function staleReads(operations: readonly ItemOperation[]): string[] {
  const copies = operations.filter(({ ageS }) => ageS !== undefined);
  if (copies.length === 0) return [];
  const names = new Set(copies.flatMap(({ output }) => (output instanceof Map ? [...output.keys()] : [])));
  return [...existence(operations), ...[...names].flatMap((name) => staleField(name, operations))];
}

/** The time up to which the copy that answered says to be complete. */
function asOfMs({ calledMs, ageS = 0 }: ItemOperation): number {
  return calledMs - ageS * 1_000 - graceMs;
}

/** An item that a copy shows though it was removed, or does not show though it was made. */
function existence(operations: readonly ItemOperation[]): string[] {
  const made = operations.find(({ input, output }) => input.type === 'create' && output !== undefined);
  const removals = operations.filter(({ input: { type } }) => type === 'delete' || type === 'drop');
  return operations.flatMap((read) => {
    if (read.ageS === undefined || read.input.type !== 'read') return [];
    const isMissed = read.output === 'absent' && removals.length === 0;
    if (isMissed && made !== undefined && made.returnedMs < asOfMs(read))
      return [`${read.site} does not have it, at an age of ${read.ageS} s, though it was made before`];
    const isUndead =
      read.output !== 'absent' &&
      removals.some(({ output, returnedMs }) => output !== undefined && returnedMs < asOfMs(read));
    return isUndead ? [`${read.site} has it, at an age of ${read.ageS} s, though it was removed before`] : [];
  });
}

/** One field as a register. Only values that were written once tell which write a read saw. */
function staleField(name: string, operations: readonly ItemOperation[]): string[] {
  const written = new Map<string, number>();
  for (const { input, output, calledMs } of operations) {
    if (input.type === 'read') continue;
    const value = input.fields.get(name) ?? (output instanceof Map ? output.get(name) : undefined);
    if (value !== undefined)
      written.set(value, (written.get(value) ?? 0) + 1 + wasRead(name, value, operations, calledMs));
  }
  const register = operations.flatMap((of) => fieldOperation(name, of, written));
  // A session that knows all that was acknowledged: the bound of a copy holds for each client alike.
  const everyone = register.map((each) => ({ ...each, client: '' }));
  return brokenGuarantees(everyone).flatMap(({ at, known }) => {
    const read = (at as FieldOperation).of;
    const newer = (known as FieldOperation).of;
    if (read.ageS === undefined || newer.returnedMs >= asOfMs(read)) return [];
    const value = (at.output ?? 'nothing').slice(0, 40);
    return [`${read.site} shows ${name}=${value}, at an age of ${read.ageS} s, though it was changed before`];
  });
}

/** 1 for a value that was there before this write of it was called: an item of the topology has values without a write. */
function wasRead(name: string, value: string, operations: readonly ItemOperation[], calledMs: number): 0 | 1 {
  const shows = ({ output }: ItemOperation) => output instanceof Map && output.get(name) === value;
  return operations.some((each) => each.returnedMs < calledMs && shows(each)) ? 1 : 0;
}

function fieldOperation(name: string, of: ItemOperation, written: ReadonlyMap<string, number>): FieldOperation[] {
  const { client, input, output, calledAt, returnedAt } = of;
  const about = { client, calledAt, returnedAt, of };
  if (input.type === 'read' || (input.type === 'patch' && !input.fields.has(name))) {
    const value = output instanceof Map ? output.get(name) : undefined;
    return value === undefined || written.get(value) !== 1 ? [] : [{ ...about, input: 'read', output: value }];
  }
  if (input.type !== 'create' && input.type !== 'patch') return [];
  const value = input.fields.get(name) ?? (output instanceof Map ? output.get(name) : undefined);
  if (value === undefined || written.get(value) !== 1) return [];
  return [{ ...about, input: { write: value }, output: output === undefined ? undefined : 'done' }];
}
