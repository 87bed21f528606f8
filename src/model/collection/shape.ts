/** The names that items of a list can have, from their schema: an impossible name is refused instead of read as null. */
import type { z } from 'zod';
import { limits } from '../limits.ts';
import type { PropertyPath } from './property.ts';
import { faultAt, type QueryFault, shown, unexpected } from './query-fault.ts';

/** The parts of a schema's definition that lead to inner schemas. */
interface Definition {
  readonly type: string;
  readonly shape?: Readonly<Record<string, z.ZodType>>;
  readonly innerType?: z.ZodType;
  readonly out?: z.ZodType;
  readonly options?: readonly z.ZodType[];
  readonly catchall?: z.ZodType;
}

/** Wrappers that do not change the names. */
const wrappers = new Set(['optional', 'nullable', 'default', 'prefault', 'readonly', 'catch', 'nonoptional']);

/** Whether an item of the schema can have a dotted name. Names inside records and unknown values are open. */
export function canHave(schema: z.ZodType, name: string): boolean {
  return reaches(schema, name.split('.'));
}

/** The names of the outermost level, for messages. */
export function namesOf(schema: z.ZodType): string[] {
  const { shape, innerType, out } = definitionOf(schema);
  const inner = innerType ?? out;
  return inner === undefined ? Object.keys(shape ?? {}) : namesOf(inner);
}

function reaches(schema: z.ZodType, [step, ...rest]: readonly string[]): boolean {
  if (step === undefined) return true;
  const { type, shape = {}, innerType, out, options = [], catchall } = definitionOf(schema);
  if (wrappers.has(type) && innerType !== undefined) return reaches(innerType, [step, ...rest]);
  if (type === 'pipe' && out !== undefined) return reaches(out, [step, ...rest]);
  if (type === 'union') return options.some((option) => reaches(option, [step, ...rest]));
  if (type === 'object') {
    const property = Object.hasOwn(shape, step) ? shape[step] : undefined;
    if (property !== undefined) return reaches(property, rest);
    return catchall !== undefined && definitionOf(catchall).type !== 'never';
  }
  return type === 'record' || type === 'any' || type === 'unknown';
}

function definitionOf(schema: z.ZodType): Definition {
  return schema.def as unknown as Definition;
}

/** A dotted name that begins with a property of `T`: `id`, `opts.title`. */
export type NameIn<T> = (keyof T & string) | `${keyof T & string}.${string}`;

/** The shape of a list: its fields and its order. `T` is an item of it. */
export interface CollectionShape<T extends object> {
  /** The schema of an item: a `filter` or an `order` may use its names only. Absent: every name. */
  readonly item?: z.ZodType;
  /** Names that the list's `mask` knows. Absent: every name. */
  readonly fields?: readonly NameIn<T>[];
  /** Fields of a list item when no `mask` is given. Absent: all of the item. */
  readonly defaultFields?: readonly NameIn<T>[];
  /** Aliases of names (misspelt where they are documented), with the right name. Queries accept both. */
  readonly aliases?: Readonly<Record<string, NameIn<T>>>;
  /** Names to order by, ascending, when the query gives no `order`. */
  readonly defaultOrder: readonly NameIn<T>[];
  /** Names, ascending, that order items which are equal in every name of the order. */
  readonly tieBreak: readonly NameIn<T>[];
  /** The items arrive in the default order, ties included: they are sorted only for an `order`. */
  readonly isOrdered?: boolean;
  /** The list accepts `countonly`. For other lists the parameter is unknown. */
  readonly isCountable?: boolean;
}

/** Reads names of a query. */
export interface NameReader {
  /** The name behind an alias of the list; other names unchanged. */
  translate(name: string): string;
  /** The problem of a name in a `filter` or an `order`: that no item can have it. */
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

/** State shared by all paths of one filter. */
interface Shared {
  readonly readName: NameReader;
  nodes: number;
  comparisons: number;
}

/** A path into the JSON of a filter, with the limits there: faults are reported for it (`filter[1][2]: …`). */
export class FilterPath {
  readonly #path: string;
  readonly #depth: number;
  readonly #shared: Shared;

  private constructor(path: string, depth: number, shared: Shared) {
    this.#path = path;
    this.#depth = depth;
    this.#shared = shared;
  }

  /** The outermost path, at depth 1, of a new filter. */
  static root(readName: NameReader): FilterPath {
    return new FilterPath('', 1, { readName, nodes: 0, comparisons: 0 });
  }

  /** The path of a member, one deeper. */
  inside(key: string | number): FilterPath {
    return new FilterPath(`${this.#path}[${shown(key)}]`, this.#depth + 1, this.#shared);
  }

  /** Counts the node at this path; returns a fault above the limits of nodes and depth. */
  enter(): QueryFault | undefined {
    this.#shared.nodes += 1;
    if (this.#depth > limits.filterDepth) return this.fault(`nested deeper than ${limits.filterDepth}`);
    if (this.#shared.nodes > limits.filterNodes) return this.fault(`more than ${limits.filterNodes} nodes`);
    return undefined;
  }

  /** The index of the next comparison of this filter. */
  countComparison(): number {
    this.#shared.comparisons += 1;
    return this.#shared.comparisons - 1;
  }

  fault(problem: string): QueryFault {
    return faultAt('filter', this.#path, problem);
  }

  unexpected(wanted: string, got: unknown): QueryFault {
    return unexpected('filter', this.#path, { wanted, got });
  }

  /** The property that a name in the filter refers to. */
  pathOf(name: string): PropertyPath | QueryFault {
    const { translate, problemOf } = this.#shared.readName;
    const problem = problemOf(name);
    return problem === undefined ? pathOf(translate(name)) : this.fault(problem);
  }
}
