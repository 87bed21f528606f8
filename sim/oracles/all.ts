/** All oracles, in the order of the documents. */
import type { OracleMaker } from './oracle.ts';

export const oracles: readonly OracleMaker[] = [];
