/**
 * Positional choices: the maker of an event picks the k-th of the present options, by numbers from a list. So a
 * sequence of stimuli is a list of numbers, which shrinks towards the first of every choice, and a maker gives all its
 * events when every list of numbers is tried in turn.
 */

export interface Pick {
  /** Picks one of a list. From an empty list the event cannot be made now. */
  from<T>(list: readonly T[]): T;
  /** An integer within bounds, the lower one first. */
  integer(least: number, most: number): number;
  /** `false` first. */
  maybe(): boolean;
}

/** There is nothing to pick from: the stimulus cannot be executed. */
export class NothingToPick extends Error {}

export class Choices implements Pick {
  readonly #numbers: readonly number[];
  /** Number of options at each choice so far. */
  readonly widths: number[] = [];

  constructor(numbers: readonly number[]) {
    this.#numbers = numbers;
  }

  from<T>(list: readonly T[]): T {
    if (list.length === 0) throw new NothingToPick();
    return list[this.#next(list.length)] as T;
  }

  integer(least: number, most: number): number {
    return least + this.#next(most - least + 1);
  }

  maybe(): boolean {
    return this.#next(2) === 1;
  }

  #next(width: number): number {
    const number = this.#numbers[this.widths.length] ?? 0;
    this.widths.push(width);
    return number % width;
  }
}

/** All results of `make`, at most `limit`, the first choices first. Wide ranges are cut to their ends. */
export function everyChoice<T>(make: (pick: Choices) => T, limit: number): T[] {
  const all: T[] = [];
  let numbers: number[] | undefined = [];
  for (let tries = 0; numbers !== undefined && tries < limit; tries++) {
    const choices = new Choices(numbers);
    const attempted = attempt(make, choices);
    if (attempted !== undefined) all.push(attempted.value);
    numbers = following(numbers, choices.widths);
  }
  return all;
}

function attempt<T>(make: (pick: Choices) => T, choices: Choices): { readonly value: T } | undefined {
  try {
    return { value: make(choices) };
  } catch (error) {
    if (error instanceof NothingToPick) return undefined;
    throw error;
  }
}

/** The next list of numbers, like the dials of a counter; a choice of many is tried at its ends. */
function following(numbers: readonly number[], widths: readonly number[]): number[] | undefined {
  const full = widths.map((_, index) => numbers[index] ?? 0);
  for (let index = full.length - 1; index >= 0; index--) {
    const width = widths[index] ?? 1;
    const next = stepped(full[index] ?? 0, width);
    if (next < width) return [...full.slice(0, index), next];
  }
  return undefined;
}

const wide = 16;

function stepped(number: number, width: number): number {
  if (width <= wide) return number + 1;
  return number < wide / 2 ? number + 1 : number === width - 1 ? width : width - 1;
}
