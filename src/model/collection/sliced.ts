/**
 * Long work in slices: it stops after some steps, of about ten nanoseconds each, and tells how many they were. Whoever has
 * it done decides whether others have their turn before it goes on.
 */
export type Sliced<T> = Generator<number, T, undefined>;

/** Steps after which work stops: few enough that several such slices go into one turn. */
const sliceSteps = 2_000;

/** Steps that an item costs beside what is done with its texts. */
export const itemSteps = 100;

/** Counts the steps of a slice. */
export class Steps {
  #count = 0;

  add(steps: number): void {
    this.#count += steps;
  }

  /** Whether the slice is long enough. */
  get areMany(): boolean {
    return this.#count >= sliceSteps;
  }

  /** The steps since this was asked last. */
  take(): number {
    const count = this.#count;
    this.#count = 0;
    return count;
  }
}
