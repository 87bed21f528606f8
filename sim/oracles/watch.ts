/**
 * Watches a world through the eyes of the oracles, from when it is made until it is stopped, and gives their verdicts. To be
 * made before the world starts, so that nothing escapes it.
 */
import type { World } from '../world/world.ts';
import { oracles } from './all.ts';
import type { Listener, ObservationKind } from './observation.ts';
import type { Oracle, OracleContext, OracleFailure, OracleMaker, OracleVerdict } from './oracle.ts';
import { Questions } from './questions.ts';
import { Stability } from './stability.ts';

export interface WatchOptions {
  /** Only the oracles of these names. Default: all. */
  readonly only?: readonly string[];
}

interface Watching {
  readonly maker: OracleMaker;
  readonly oracle: Oracle;
  readonly counts: { checks: number; readonly failures: OracleFailure[] };
}

/** Of one oracle no more failures are kept: they would say the same. */
const keptFailures = 20;
const tickMs = 1_000;

export class Watch {
  readonly #world: World;
  readonly #calm: Stability;
  readonly #questions: Questions;
  readonly #watching: readonly Watching[];
  readonly #stops: (() => void)[] = [];
  readonly #listeners = new Set<(oracle: string, failure: OracleFailure) => void>();
  #tickedMs = 0;

  /** Throws where `only` names an oracle that does not exist. */
  constructor(world: World, options: WatchOptions = {}) {
    this.#world = world;
    this.#calm = new Stability(world);
    this.#questions = new Questions(world);
    this.#watching = pick(options.only).map((maker) => this.#begin(maker));
    // Nodes ping each other as long as the world runs, so that nobody needs a timer.
    this.#stops.push(world.observe(({ atMs }) => this.#tick(atMs), { kinds: ['envelope.sent'], types: ['peer.ping'] }));
  }

  verdicts(): readonly OracleVerdict[] {
    return this.#watching.map(({ maker: { name, rule }, counts: { checks, failures } }) => {
      const verdict = failures.length > 0 ? 'fail' : checks > 0 ? 'pass' : 'unknown';
      return { name, rule, verdict, checks, failures };
    });
  }

  /** Has each oracle look and ask; to be called when the load has ended and no call is live. Resolves when all have. */
  async atQuiet(): Promise<void> {
    this.#tick(this.#world.now());
    for (const { oracle, maker } of this.#watching) {
      try {
        await oracle.atQuiet?.();
      } catch (error) {
        this.#failed(maker, `the oracle could not look: ${messageOf(error)}`);
      }
    }
  }

  /** Calls `listener` at each failure. */
  onFailure(listener: (oracle: string, failure: OracleFailure) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Sees nothing more; verdicts stay. */
  stop(): void {
    for (const stop of this.#stops.splice(0)) stop();
    this.#calm.stop();
  }

  #begin(maker: OracleMaker): Watching {
    const counts = { checks: 0, failures: [] as OracleFailure[] };
    const oracle = maker.make(this.#contextFor(maker, counts));
    const { hears = {}, types } = oracle;
    for (const [kind, hear] of Object.entries(hears) as [ObservationKind, Listener][]) {
      const guarded: Listener = (observation) => this.#guard(maker, () => hear(observation));
      const wanted = { kinds: [kind], ...(types !== undefined && { types }) };
      this.#stops.push(this.#world.observe(guarded, wanted));
    }
    return { maker, oracle, counts };
  }

  #contextFor(maker: OracleMaker, counts: Watching['counts']): OracleContext {
    const world = this.#world;
    return {
      map: world.map,
      now: () => world.now(),
      calmMs: () => this.#calm.forMs,
      fired: (point) => world.faultPoints?.fired.get(point) ?? 0,
      census: (options) => world.census(options),
      phones: () => world.outside.phones(),
      questions: this.#questions,
      check: (times = 1) => {
        counts.checks += times;
      },
      fail: (what) => this.#fail(maker, counts, what),
    };
  }

  #tick(nowMs: number): void {
    if (nowMs - this.#tickedMs < tickMs) return;
    this.#tickedMs = nowMs;
    for (const { oracle, maker } of this.#watching) {
      if (oracle.tick !== undefined) this.#guard(maker, () => oracle.tick?.(nowMs));
    }
  }

  /** Whatever an oracle does, those whom it looks at must not feel it. */
  #guard(maker: OracleMaker, look: () => void): void {
    try {
      look();
    } catch (error) {
      this.#failed(maker, `the oracle has a bug: ${messageOf(error)}`);
    }
  }

  #failed(maker: OracleMaker, what: string): void {
    const watching = this.#watching.find((each) => each.maker === maker);
    if (watching !== undefined) this.#fail(maker, watching.counts, what);
  }

  #fail({ name }: OracleMaker, { failures }: Watching['counts'], what: string): void {
    const failure = { atMs: this.#world.now(), what };
    if (failures.length < keptFailures) failures.push(failure);
    for (const listener of this.#listeners) listener(name, failure);
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

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
