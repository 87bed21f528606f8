/** The world outside the cluster. */
import type { Outside } from '../../src/ports/outside.ts';

/** Nobody is there: what is sent is lost. */
export const nobodyOutside: Outside = { attach: () => ({ send: () => {}, detach: () => {} }) };
