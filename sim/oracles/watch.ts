/** Watches a world through the eyes of the oracles, from when it is made until it is stopped, and gives their verdicts. */
import type { World } from '../world/world.ts';
import { oracles } from './all.ts';
import type { Oracle, OracleFailure, OracleMaker, OracleVerdict } from './oracle.ts';

export interface WatchOptions {
  /** Only the oracles of these names. Default: all. */
  readonly only?: readonly string[];
}

interface Watching {
  readonly oracle: Oracle;
  checks: number;
  readonly failures: OracleFailure[];
}

/** Of one oracle no more failures are kept: they would say the same. */
const keptFailures = 20;

export class Watch {
  readonly #world: World;
  readonly #watching: readonly Watching[];
  readonly #stops: (() => void)[] = [];
  readonly #listeners = new Set<(oracle: string, failure: OracleFailure) => void>();

  /** Throws where `only` names an oracle that does not exist. */
  constructor(world: World, options: WatchOptions = {}) {
    this.#world = world;
    this.#watching = pick(options.only).map((maker) => this.#begin(maker));
  }

  verdicts(): readonly OracleVerdict[] {
    return this.#watching.map(({ oracle: { name, rule }, checks, failures }) => {
      const verdict = failures.length > 0 ? 'fail' : checks > 0 ? 'pass' : 'unknown';
      return { name, rule, verdict, checks, failures };
    });
  }

  /** Has each oracle look and ask; to be called when the load has ended, no call is live, and time has passed. */
  async atQuiet(): Promise<void> {
    for (const { oracle } of this.#watching) await oracle.atQuiet?.();
  }

  /** Calls `listener` at each failure. */
  onFailure(listener: (oracle: string, failure: OracleFailure) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Sees nothing more; verdicts stay. */
  stop(): void {
    for (const stop of this.#stops.splice(0)) stop();
  }

  #begin({ name, rule, make }: OracleMaker): Watching {
    const counts = { checks: 0, failures: [] as OracleFailure[] };
    const made = make({
      map: this.#world.map,
      world: this.#world,
      check: (times = 1) => {
        counts.checks += times;
      },
      fail: (what) => {
        const failure = { atMs: this.#world.now(), what };
        if (counts.failures.length < keptFailures) counts.failures.push(failure);
        for (const listener of this.#listeners) listener(name, failure);
      },
    });
    const { kinds, types } = made;
    const wanted = { ...(kinds !== undefined && { kinds }), ...(types !== undefined && { types }) };
    this.#stops.push(this.#world.observe((observation) => made.see(observation), wanted));
    return Object.assign(counts, { oracle: { ...made, name, rule } });
  }
}

function pick(only: readonly string[] | undefined): readonly OracleMaker[] {
  if (only === undefined) return oracles;
  return only.map((name) => {
    const found = oracles.find((oracle) => oracle.name === name);
    if (found !== undefined) return found;
    throw new Error(`no oracle named "${name}"; there are ${oracles.map((oracle) => oracle.name).join(', ')}`);
  });
}
