/**
 * Splits lists that are too long for one answer between instances: the rest is kept for a while, so that all pieces show
 * the same moment.
 */

import { ExpiringMap } from '../actors/expiring-map.ts';
import type { RoleScope } from '../cluster/role.ts';
import { done, failed, fault, type Outcome } from '../model/fault.ts';
import { limits } from '../model/limits.ts';

export interface Piece<T> {
  readonly items: T[];
  /** The name of the rest, if there is one. */
  readonly rest?: string;
}

export class Pieces<T> {
  readonly #scope: Pick<RoleScope, 'clock' | 'random' | 'faultPoints'>;
  readonly #kept: ExpiringMap<readonly T[]>;

  constructor(scope: Pick<RoleScope, 'clock' | 'random' | 'faultPoints'>) {
    this.#scope = scope;
    this.#kept = new ExpiringMap(scope.clock, limits.keptListMs, limits.keptLists);
  }

  /** The first piece of a list. */
  first(items: readonly T[]): Piece<T> {
    const isShort = items.length > 1 && this.#scope.faultPoints.fires('list.short_piece');
    const end = isShort ? 1 : fitting(items);
    if (end === items.length) return { items: [...items] };
    return { items: items.slice(0, end), rest: this.#keep(items.slice(end)) };
  }

  /** The next piece; `undefined` when the rest has expired. */
  next(rest: string): Piece<T> | undefined {
    const items = this.#kept.get(rest);
    this.#kept.delete(rest);
    return items === undefined ? undefined : this.first(items);
  }

  /** The same, as an answer. */
  answerNext(rest: string): Outcome<Piece<T>> {
    const piece = this.next(rest);
    return piece === undefined
      ? failed(fault('overloaded', 'the rest of the list has expired: ask for the list again'))
      : done(piece);
  }

  /** Keeps a list under a name; the one that waits longest gives way to one over the limit. */
  #keep(items: readonly T[]): string {
    const name = Buffer.from(this.#scope.random.stream('ids').bytes(9)).toString('base64url');
    this.#kept.set(name, items);
    return name;
  }
}

/** The whole of a list, of which the first piece is here. A fault where the rest is not to be had any more. */
export async function wholeOf<T, R = string>(
  { items: first, rest: name }: { readonly items: readonly T[]; readonly rest?: R | undefined },
  next: (rest: R) => Promise<Outcome<{ readonly items: readonly T[]; readonly rest?: R | undefined }>>,
): Promise<Outcome<T[]>> {
  const items = [...first];
  for (let rest = name; rest !== undefined; ) {
    const piece = await next(rest);
    if (!piece.ok) return piece;
    for (const item of piece.value.items) items.push(item);
    rest = piece.value.rest;
  }
  return done(items);
}

/** How many of the first items go into one answer: one at least. */
function fitting(items: readonly unknown[]): number {
  let bytes = 0;
  for (const [index, item] of items.entries()) {
    bytes += Buffer.byteLength(JSON.stringify(item));
    if (bytes > limits.listBytes && index > 0) return index;
  }
  return items.length;
}
