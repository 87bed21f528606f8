/**
 * Runs the oracles over a world and collects their verdicts. Must be created before the world starts, to miss nothing.
 */

import type { Listener, ObservationFilter, ObservationKind } from '../observation/observation.ts';
import { EndpointNames } from '../outside/endpoint-names.ts';
import type { World } from '../world/world.ts';
import { oracles, oraclesAmong } from './all.ts';
import type { Oracle, OracleContext, OracleFailure, OracleMaker, OracleVerdict } from './oracle.ts';
import { PublishedItems, type PublishedKind, type PublishedListener } from './published.ts';
import { Questions } from './questions.ts';
import { observedMs, Stability } from './stability.ts';

export interface WatchOptions {
  /** Names of the oracles to run. Default: all, except use cases and drills. */
  readonly only?: readonly string[] | undefined;
  /** Whether use cases are among all. */
  readonly useCases?: boolean;
  /** Whether drills are among all. */
  readonly drills?: boolean;
}

interface Watching {
  readonly maker: OracleMaker;
  readonly oracle: Oracle;
  readonly counts: { checks: number; readonly failures: OracleFailure[] };
}

/** Limit of the kept failures of an oracle; later ones repeat the first. */
const keptFailures = 20;
const tickMs = 1_000;

export class OracleRunner {
  readonly #world: World;
  readonly #stability: Stability;
  readonly #questions: Questions;
  readonly #published = new PublishedItems();
  readonly #watching: readonly Watching[];
  readonly #stops: (() => void)[] = [];
  readonly #listeners = new Set<(oracle: string, failure: OracleFailure) => void>();
  #tickedMs = 0;
  /** How long the cluster has been stable at this tick: no oracle changes it, and many ask. */
  #ticking: { stableMs: number | undefined } | undefined;

  /** Throws if `only` names an unknown oracle. */
  constructor(world: World, options: WatchOptions = {}) {
    this.#world = world;
    this.#stability = new Stability(world);
    this.#questions = new Questions(world);
    this.#watching = pick(options).map((maker) => this.#begin(maker));
    this.#stops.push(
      world.observe<'envelope.sent'>(({ envelope, atMs }) => this.#published.take(envelope, atMs), {
        kinds: ['envelope.sent'],
        types: ['stream.published'],
      }),
    );
    // Driven by the pings between nodes, so that no timer is needed.
    this.#stops.push(world.observe(({ atMs }) => this.#tick(atMs), { kinds: ['envelope.sent'], types: ['peer.ping'] }));
  }

  verdicts(): readonly OracleVerdict[] {
    return this.#watching.map(({ maker: { name, rule }, counts: { checks, failures } }) => {
      const verdict = failures.length > 0 ? 'fail' : checks > 0 ? 'pass' : 'unknown';
      return { name, rule, verdict, checks, failures };
    });
  }

  /** The use cases or drills that it can play. */
  playable(kind: NonNullable<OracleMaker['plays']>): OracleMaker[] {
    return this.#watching.flatMap(({ maker }) => (maker.plays === kind ? [maker] : []));
  }

  /**
   * Runs the quiescence checks of all rules, and between the first and the last of them `useCases`. Call it when the load has ended and no
   * call is live. Resolves when all have finished.
   */
  async atQuiescence(useCases = async (): Promise<void> => {}): Promise<void> {
    const isRule = ({ maker: { plays } }: Watching) => plays === undefined;
    const rules = this.#watching.findIndex((each) => !isRule(each));
    const isFirst = (index: number) => rules < 0 || index < rules;
    await this.#check(this.#watching.filter((_, index) => isFirst(index)));
    await useCases();
    await this.#check(this.#watching.filter((each, index) => !isFirst(index) && isRule(each)));
  }

  /** Plays a use case or a drill in the quiescent cluster. Resolves when it has ended, with whether it was possible here: it has judged something. */
  async play(name: string): Promise<boolean> {
    const played = this.#watching.filter(({ maker }) => maker.name === name);
    const checks = () => played.reduce((sum, { counts }) => sum + counts.checks, 0);
    const before = checks();
    await this.#check(played);
    return checks() > before;
  }

  async #check(watching: readonly Watching[]): Promise<void> {
    this.#tick(observedMs(this.#world));
    for (const { oracle, maker } of watching) {
      try {
        await oracle.atQuiescence?.();
      } catch (error) {
        this.#failed(maker, `the oracle could not check: ${messageOf(error)}`);
      }
    }
  }

  /** Calls `listener` at each failure. */
  onFailure(listener: (oracle: string, failure: OracleFailure) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Stops observing; verdicts stay. */
  stop(): void {
    for (const stop of this.#stops.splice(0)) stop();
    this.#stability.stop();
  }

  #begin(maker: OracleMaker): Watching {
    const counts = { checks: 0, failures: [] as OracleFailure[] };
    const oracle = maker.make(this.#contextFor(maker, counts));
    const sources = { observe: this.#world.observe.bind(this.#world), published: this.#published };
    const guarded = (hear: (observation: never) => void) => (observation: never) => {
      // As `#guard` does, without a function for each observation.
      try {
        hear(observation);
      } catch (error) {
        this.#foundBug(maker, error);
      }
    };
    this.#stops.push(...subscribe(oracle, sources, guarded));
    return { maker, oracle, counts };
  }

  #contextFor(maker: OracleMaker, counts: Watching['counts']): OracleContext {
    const world = this.#world;
    return {
      map: world.map,
      now: () => observedMs(world),
      stableMs: () => this.#stableMs,
      areClocksRight: () => this.#stability.areClocksRight,
      fired: (point) => world.faultPoints?.fired.get(point) ?? 0,
      census: (options) => world.census(options),
      onDisk: () => world.onDisk?.() ?? new Map(),
      phones: () => world.outside.phones(),
      providers: () => world.outside.providers(),
      statusOf: (instance) => world.cluster.viewOf(instance.node)?.statusOf(instance),
      faults: world.faults,
      questions: this.#questions,
      check: (times = 1) => {
        counts.checks += times;
      },
      fail: (what, atMs) => this.#fail(maker, counts, what, atMs),
    };
  }

  get #stableMs(): number {
    if (this.#ticking === undefined) return this.#stability.forMs;
    this.#ticking.stableMs ??= this.#stability.forMs;
    return this.#ticking.stableMs;
  }

  #tick(nowMs: number): void {
    if (nowMs - this.#tickedMs < tickMs) return;
    this.#tickedMs = nowMs;
    this.#ticking = { stableMs: undefined };
    for (const { oracle, maker } of this.#watching) {
      if (oracle.tick !== undefined) this.#guard(maker, () => oracle.tick?.(nowMs));
    }
    this.#ticking = undefined;
  }

  /** An error in an oracle must not reach the code that it observes. */
  #guard(maker: OracleMaker, look: () => void): void {
    try {
      look();
    } catch (error) {
      this.#foundBug(maker, error);
    }
  }

  #foundBug(maker: OracleMaker, error: unknown): void {
    this.#failed(maker, `the oracle has a bug: ${messageOf(error)}`);
  }

  #failed(maker: OracleMaker, what: string): void {
    const watching = this.#watching.find((each) => each.maker === maker);
    if (watching !== undefined) this.#fail(maker, watching.counts, what);
  }

  #fail({ name }: OracleMaker, { failures }: Watching['counts'], what: string, atMs = observedMs(this.#world)): void {
    const failure = { atMs, what: new EndpointNames(this.#world).inText(what) };
    if (failures.length < keptFailures) failures.push(failure);
    for (const listener of this.#listeners) listener(name, failure);
  }
}

function pick({ only, ...plays }: WatchOptions): readonly OracleMaker[] {
  if (only === undefined) return oraclesAmong(plays);
  return only.map((name) => {
    const found = oracles.find((oracle) => oracle.name === name);
    if (found !== undefined) return found;
    throw new Error(`no oracle named "${name}"; expected one of ${oracles.map((oracle) => oracle.name).join(', ')}`);
  });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

interface Sources {
  observe(listener: Listener, filter: ObservationFilter): () => void;
  readonly published: PublishedItems;
}

type Heard = (observation: never) => void;

/** Subscribes the listeners of an oracle, each wrapped by `guarded`. Returns the functions that unsubscribe them. */
export function subscribe(
  { listeners = {} }: Oracle,
  { observe, published }: Sources,
  guarded: (listener: Heard) => Heard,
): (() => void)[] {
  const add = (kind: string, listener: Heard, type?: string): (() => void)[] => {
    if (!kind.startsWith('published.')) {
      const filter = { kinds: [kind as ObservationKind], ...(type !== undefined && { types: [type] }) };
      return [observe(guarded(listener) as Listener, filter)];
    }
    published.add(kind as PublishedKind, guarded(listener) as PublishedListener, type);
    return [];
  };
  return Object.entries(listeners).flatMap(([kind, heard]) =>
    typeof heard === 'function'
      ? add(kind, heard)
      : Object.entries(heard).flatMap(([type, listener]) => add(kind, listener, type)),
  );
}
