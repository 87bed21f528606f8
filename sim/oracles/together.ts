/** Several hearers as one: each hears what it wants. */
import type { Observation } from './observation.ts';
import type { Hears } from './oracle.ts';

type Hear = (observation: Observation) => void;

export function together(...all: readonly Hears[]): Hears {
  const hearers = new Map<string, Hear[]>();
  for (const hears of all) {
    for (const [kind, hear] of Object.entries(hears)) {
      hearers.set(kind, [...(hearers.get(kind) ?? []), hear as Hear]);
    }
  }
  const hearAll = (some: readonly Hear[]): Hear => {
    return (observation) => {
      for (const hear of some) hear(observation);
    };
  };
  return Object.fromEntries([...hearers].map(([kind, some]) => [kind, hearAll(some)]));
}
