/**
 * Randomness, split by purpose: an additional draw for one purpose does not change the draws of another. Implemented by the
 * cryptographic source and the seeded one.
 */
export interface Random {
  /** The stream for `purpose`; the same purpose returns the same stream. */
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
