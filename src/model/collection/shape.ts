import type { z } from 'zod';
import { shown } from './fault.ts';
import { canHave, namesOf } from './names.ts';
import type { PropertyPath } from './property.ts';

/** A dotted name that begins with a property of `T`: `id`, `opts.title`. */
export type NameIn<T> = (keyof T & string) | `${keyof T & string}.${string}`;

/** What one list of the product is like: which fields it shows and how it is ordered. `T` is an item of it. */
export interface CollectionShape<T extends object> {
  /** An item of the list: a `filter` or an `order` may name what it can have, and nothing else. Absent: every name. */
  readonly item?: z.ZodType;
  /** Names that the list's `mask` knows. Absent: every name. */
  readonly fields?: readonly NameIn<T>[];
  /** Fields of a list item when no `mask` is given. Absent: all of the item. */
  readonly defaultFields?: readonly NameIn<T>[];
  /** Other spellings of names (misspelt where they are documented), with the right one. Either works in a query. */
  readonly aliases?: Readonly<Record<string, NameIn<T>>>;
  /** Names to order by, ascending, when the query gives no `order`. */
  readonly defaultOrder: readonly NameIn<T>[];
  /** Names, ascending, that decide between items which are equal in every name of the order. */
  readonly tieBreak: readonly NameIn<T>[];
  /** The items come in the default order already, ties included: they are sorted only by an `order`. */
  readonly isOrdered?: boolean;
  /** The list takes `countonly`. Elsewhere that parameter is as unknown as any other. */
  readonly isCountable?: boolean;
}

/** Reads names of a query. */
export interface NameReader {
  /** The right name for an alias of the list; any other name as it is. */
  translate(name: string): string;
  /** What is wrong with a name in a `filter` or an `order`: that no item can have it. */
  problemOf(name: string): string | undefined;
}

export function nameReader<T extends object>({ aliases = {}, item }: CollectionShape<T>): NameReader {
  const translate = (name: string) => (Object.hasOwn(aliases, name) ? (aliases[name] as string) : name);
  return {
    translate,
    problemOf: (name) => {
      if (item === undefined || canHave(item, translate(name))) return undefined;
      return `no field ${shown(name)} here; expected one of ${namesOf(item).join(', ')}, or a dotted name in one of them`;
    },
  };
}

export function pathOf(name: string): PropertyPath {
  return name.split('.');
}
