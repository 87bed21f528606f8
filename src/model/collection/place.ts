import { limits } from '../limits.ts';
import { faultAt, type QueryFault, shown, unexpected } from './fault.ts';
import type { PropertyPath } from './property.ts';
import { type NameReader, pathOf } from './shape.ts';

/** What all places of one filter share. */
interface Shared {
  readonly readName: NameReader;
  nodes: number;
  comparisons: number;
}

/** A place in the JSON of a filter, and the limits there: faults are reported at it (`filter[1][2]: …`). */
export class FilterPlace {
  readonly #path: string;
  readonly #depth: number;
  readonly #shared: Shared;

  private constructor(path: string, depth: number, shared: Shared) {
    this.#path = path;
    this.#depth = depth;
    this.#shared = shared;
  }

  /** The outermost place, at depth 1, of a new filter. */
  static root(readName: NameReader): FilterPlace {
    return new FilterPlace('', 1, { readName, nodes: 0, comparisons: 0 });
  }

  /** The place of a member, one deeper. */
  inside(key: string | number): FilterPlace {
    return new FilterPlace(`${this.#path}[${shown(key)}]`, this.#depth + 1, this.#shared);
  }

  /** Counts the node at this place, and gives a fault when it is one too many or too deep. */
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

  /** The property that a name in the filter means. */
  pathOf(name: string): PropertyPath | QueryFault {
    const { translate, problemOf } = this.#shared.readName;
    const problem = problemOf(name);
    return problem === undefined ? pathOf(translate(name)) : this.fault(problem);
  }
}
