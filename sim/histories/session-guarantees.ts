/**
 * The session guarantees of replicated data (Terry et al., 1994), judged over a history of one register whose writes
 * have unique values: monotonic reads, read your writes, writes follow reads.
 *
 * A version precedes another if its write, or a read of it, returned before the write of the other one was called: so
 * two writes that overlap are in no order, unless a client wrote the second one after it had read the first.
 */
import type { Operation } from './operation.ts';

export type RegisterInput = { readonly write: string } | 'read';
/** What a read returned, `null` before the first write; for a write any text. */
export type RegisterOutput = string | null;
type RegisterOperation = Operation<RegisterInput, RegisterOutput>;

export type Guarantee = 'monotonic reads' | 'read your writes';

export interface BrokenGuarantee {
  readonly guarantee: Guarantee;
  /** The read that returned an older version than its client already knew. */
  readonly at: RegisterOperation;
  /** The newer version that the client knew. */
  readonly known: RegisterOperation;
}

/** What a session knows: the operation that made it know the newest version. */
interface Known {
  readonly writtenAt: number;
  readonly by: RegisterOperation;
}

/** Writes follow reads is part of the order of the versions, so a break of it is one of monotonic reads. */
export function brokenGuarantees(history: readonly RegisterOperation[]): BrokenGuarantee[] {
  const writes = new Map(history.flatMap((each) => (each.input === 'read' ? [] : [[each.input.write, each] as const])));
  const knownAt = knownSince(history);
  const sessions = new Map<string, Known>();
  const broken: BrokenGuarantee[] = [];
  for (const operation of history.filter(({ output }) => output !== undefined).sort(byReturn)) {
    const { client, input, output = null, calledAt } = operation;
    const version = input === 'read' ? output : input.write;
    const known = sessions.get(client);
    const isLater = known !== undefined && known.by.returnedAt < calledAt;
    if (input === 'read' && isLater && sinceOf(knownAt, version) < known.writtenAt) {
      const guarantee = known.by.input === 'read' ? 'monotonic reads' : 'read your writes';
      broken.push({ guarantee, at: operation, known: known.by });
    }
    const writtenAt = version === null ? -1 : (writes.get(version)?.calledAt ?? -1);
    if (known === undefined || writtenAt > known.writtenAt) sessions.set(client, { writtenAt, by: operation });
  }
  return broken;
}

function byReturn(a: RegisterOperation, b: RegisterOperation): number {
  return a.returnedAt - b.returnedAt;
}

/** Since when each version certainly existed: the return of its write, or of the first read of it. */
function knownSince(history: readonly RegisterOperation[]): Map<string, number> {
  const since = new Map<string, number>();
  for (const { input, output, returnedAt } of history) {
    if (output === undefined) continue;
    const version = input === 'read' ? output : input.write;
    if (version !== null) since.set(version, Math.min(since.get(version) ?? Number.POSITIVE_INFINITY, returnedAt));
  }
  return since;
}

function sinceOf(since: ReadonlyMap<string, number>, version: string | null): number {
  return version === null ? -1 : (since.get(version) ?? Number.POSITIVE_INFINITY);
}
