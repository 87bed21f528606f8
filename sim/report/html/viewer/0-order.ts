/** An order of columns with short arrows: groups stay together, and frequent partners stand side by side. */

/** Two places and the weight of their distance. */
type Talk = readonly [one: number, other: number, weight: number];

/** How far a place is moved in a try, and how often all places are tried. */
const reach = 6;
const mostRounds = 6;

function ordered(groups: readonly (readonly number[])[], talks: readonly Talk[]): number[] {
  let best = improved(groups, (order) => lengthOf(order.flat(), talks));
  for (const group of best) {
    const members = new Set(group);
    const own = talks.filter(([one, other]) => members.has(one) || members.has(other));
    const inPlace = (order: readonly number[]) => best.map((each) => (each === group ? order : each));
    const better = improved(group, (order) => lengthOf(inPlace(order).flat(), own));
    best = inPlace(better);
  }
  return best.flat();
}

/** Length of all arrows together, in columns. */
function lengthOf(order: readonly number[], talks: readonly Talk[]): number {
  const at: number[] = [];
  for (const [i, place] of order.entries()) at[place] = i;
  let length = 0;
  for (const [one, other, weight] of talks) length += Math.abs((at[one] ?? 0) - (at[other] ?? 0)) * weight;
  return length;
}

/** Moves one place at a time while that shortens the arrows. */
function improved<T>(items: readonly T[], cost: (order: readonly T[]) => number): readonly T[] {
  let best = items;
  let least = cost(best);
  let isBetter = true;
  for (let round = 0; round < mostRounds && isBetter; round += 1) {
    isBetter = false;
    for (const item of items) {
      const from = best.indexOf(item);
      for (let to = Math.max(0, from - reach); to <= Math.min(best.length - 1, from + reach); to += 1) {
        const order = best.filter((each) => each !== item);
        order.splice(to, 0, item);
        const length = cost(order);
        if (length >= least) continue;
        [best, least, isBetter] = [order, length, true];
      }
    }
  }
  return best;
}
