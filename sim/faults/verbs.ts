/** The target of each fault verb, for oracles that judge its consequences. */
import type { Faults } from './faults.ts';

export interface VerbTarget {
  /** Kind of target. `all`: every active fault. */
  readonly on: 'node' | 'instance' | 'traffic' | 'clock' | 'store' | 'outside' | 'all';
  /** The verb that ends the fault of the same target. */
  readonly undoneBy?: keyof Faults;
}

const verbs: Readonly<Record<Exclude<keyof Faults, 'affectedCounts'>, VerbTarget>> = {
  crashNode: { on: 'node' },
  wipeNode: { on: 'node' },
  drainNode: { on: 'node' },
  restartNode: { on: 'node' },
  pauseNode: { on: 'node', undoneBy: 'resumeNode' },
  resumeNode: { on: 'node' },
  crashInstance: { on: 'instance' },
  restartInstance: { on: 'instance' },
  cut: { on: 'traffic' },
  hold: { on: 'traffic' },
  delay: { on: 'traffic' },
  lose: { on: 'traffic' },
  duplicate: { on: 'traffic' },
  flap: { on: 'traffic' },
  swizzle: { on: 'traffic' },
  halfOpen: { on: 'traffic' },
  skew: { on: 'clock' },
  slowStore: { on: 'store' },
  fillStore: { on: 'store' },
  makeRoom: { on: 'store' },
  silence: { on: 'outside', undoneBy: 'revive' },
  flapOutside: { on: 'outside', undoneBy: 'revive' },
  refuseRegister: { on: 'outside', undoneBy: 'revive' },
  revive: { on: 'outside' },
  loseOutside: { on: 'outside' },
  duplicateOutside: { on: 'outside' },
  delayOutside: { on: 'outside' },
  cutOutside: { on: 'outside' },
  refuseHttp: { on: 'outside' },
  delayHttp: { on: 'outside' },
  duplicateHttp: { on: 'outside' },
  reorderHttp: { on: 'outside' },
  forgeHttp: { on: 'outside' },
  truncateHttp: { on: 'outside' },
  mend: { on: 'all' },
};

export const faultMethods: readonly string[] = Object.keys(verbs);

export function targetOfVerb(verb: string): VerbTarget {
  return verbs[verb as keyof typeof verbs];
}

/** Verbs whose effect lasts without a function that lifts it, each with the verb that ends it. */
export const endedBy: Readonly<Record<string, keyof Faults>> = {
  pauseNode: 'resumeNode',
  silence: 'revive',
  flapOutside: 'revive',
  refuseRegister: 'revive',
  crashNode: 'restartNode',
  wipeNode: 'restartNode',
  drainNode: 'restartNode',
  crashInstance: 'restartInstance',
};
/** The verbs that end effects of others. */
export const repairs: ReadonlySet<string> = new Set([...Object.values(endedBy), 'makeRoom']);
