/**
 * Chance, split by purpose so that one more draw for one purpose shifts nothing for another.
 * The cryptographic source and the seeded one implement it.
 */
export interface Random {
  /** The stream for `purpose`. The same purpose gives the same stream. */
  stream(purpose: RandomPurpose): RandomStream;
}

export type RandomPurpose = 'ids' | 'jitter' | 'network' | 'phones' | 'faults';

export interface RandomStream {
  /** A number in [0, 1). */
  float(): number;
  /** An integer from `min` to `max`, both included. */
  integer(min: number, max: number): number;
  /** `count` random bytes. */
  bytes(count: number): Uint8Array;
}
