/**
 * Shrinks a failing scenario: fewer steps, unfolded blocks, less load, shorter times, simpler steps, a smaller
 * topology, with the same failure. Every candidate is run in virtual time with the seed of the failure.
 */

import { existsSync } from 'node:fs';
import { parse, stringify } from 'yaml';
import type { ClusterMap } from '../../src/model/cluster/cluster-map.ts';
import { NotInTopology } from '../faults/places.ts';
import { YamlError } from '../input/yaml-error.ts';
import { oracles } from '../oracles/all.ts';
import { leavesIn } from '../scenario/language/steps.ts';
import { type LoadedScenario, readScenario } from '../scenario/load-scenario.ts';
import type { Failure } from '../scenario/report.ts';
import { runScenario } from '../scenario/run/runner.ts';
import { virtualWorldOf } from '../scenario/run/virtual-world.ts';
import { causeOf } from '../sweep/outcome.ts';
import { readTopology, topologyFile } from '../topology/load-topology.ts';
import { UnsettledCluster } from '../world/virtual.ts';
import type { World } from '../world/world.ts';
import {
  at,
  type Candidate,
  type Change,
  changesOf,
  listsIn,
  objectsIn,
  type PlainData,
  put,
  shrinkList,
  smallerTopology,
  unfolded,
} from './candidates.ts';
import { CausalChain } from './causal-chain.ts';
import { actsIn, momentFor, nearestOf, withoutFaults } from './neighbour.ts';

export interface Shrunk {
  readonly scenario: string;
  readonly topology: string;
  /** Whether the scenario needs its topology beside it: it is not one that ships, or was reduced. */
  readonly hasOwnTopology: boolean;
  readonly steps: number;
  readonly runs: number;
  /** The failure, as the smallest scenario reports it. */
  readonly failure: string;
  /** What one change makes it pass, in words; `undefined` if no tried one does. */
  readonly passes: string | undefined;
  /** Whether the scenario had faults, and fails without any: they are no cause. */
  readonly needsNoFault: boolean;
  /** From the failure back to its causes, in lines: see `causal-chain.ts`. */
  readonly chain: readonly string[];
  /** Fault points that fired in it, with how often. */
  readonly faultPoints: Readonly<Record<string, number>>;
}

export interface ShrinkOptions {
  readonly seed: number;
  readonly onProgress?: (text: string) => void;
  /** Creates the world of a run; default: a virtual one like that of `run`. */
  readonly worldOf?: (loaded: LoadedScenario, wanted: { readonly seed: number }) => World;
  /** Called before each run; true stops with the best scenario so far. */
  readonly isEnough?: () => boolean;
}

/** The smallest scenario that was found. Throws a one-line error if the scenario does not fail. */
export async function shrink(loaded: LoadedScenario, options: ShrinkOptions): Promise<Shrunk> {
  return new Shrinker(loaded, options).shrink({
    scenario: parse(loaded.source.text, { merge: true }),
    topology: parse(loaded.topologySource.text, { merge: true }),
  });
}

interface CandidateRun {
  readonly failure: Failure | undefined;
  readonly passes: boolean;
  readonly fired: Readonly<Record<string, number>>;
}

class Shrinker {
  readonly #loaded: LoadedScenario;
  readonly #options: ShrinkOptions;
  /** Tried candidates: most changes leave other candidates unchanged. */
  readonly #tried = new Set<string>();
  /** Maps by their data: most candidates have the topology of the best. */
  readonly #maps = new WeakMap<PlainData, ClusterMap>();
  #runs = 0;
  #wanted: Failure | undefined;
  /** Whether the scenario passes without its faults. Then each smaller one must do that too: else its failure is another one. */
  #isOfFaults = false;
  #acts = '';
  /** Candidates that passed, one change away from the best. */
  #passing: Candidate[] = [];
  #fired: Readonly<Record<string, number>> = {};
  #failure = '';
  #best: Candidate = { scenario: {}, topology: {} };

  constructor(loaded: LoadedScenario, options: ShrinkOptions) {
    this.#loaded = loaded;
    this.#options = options;
  }

  async shrink(start: Candidate): Promise<Shrunk> {
    const { seed } = this.#options;
    const { failure: wanted, fired } = await this.#run(start);
    this.#wanted = wanted;
    this.#fired = fired;
    if (this.#wanted === undefined)
      throw new Error(`${this.#loaded.source.file}: the scenario does not fail with seed ${seed}`);
    this.#failure = this.#wanted.text;
    this.#best = start;
    this.#tried.add(JSON.stringify(start));
    if (hasFaults(start) && this.#wanted.kind === 'step') this.#isOfFaults = !(await this.#failsWithoutFaults(start));
    this.#acts = JSON.stringify(actsIn(start.scenario));
    const steps = start.scenario['steps'] as readonly PlainData[];
    await this.#try({ ...start.scenario, steps: steps.slice(0, this.#wanted.step) });
    // Without load and other oracles each further run takes less.
    await this.#apply(this.#changes.filter(({ path }) => path.length === 1));
    for (let before = ''; before !== JSON.stringify(this.#best); ) {
      before = JSON.stringify(this.#best);
      await this.#shortenLists();
      await this.#unfold();
      await this.#simplify();
      await this.#shrinkTopology();
      await this.#dropSessions();
    }
    return this.#shrunk(start);
  }

  async #shrunk(start: Candidate): Promise<Shrunk> {
    const { scenario, topology } = this.#best;
    const hasOwnTopology = topology !== start.topology || !ships(scenario['topology'] ?? 'default');
    const said = { ...scenario, seed: this.#options.seed };
    return {
      scenario: stringify(hasOwnTopology ? { ...said, topology: 'its own' } : said, { lineWidth: 120 }),
      topology: stringify(topology, { lineWidth: 120 }),
      hasOwnTopology,
      steps: leavesIn(scenario['steps']).length,
      runs: this.#runs,
      passes: nearestOf(this.#best, this.#passing),
      needsNoFault: hasFaults(start) && !hasFaults(this.#best),
      ...(await this.#explained()),
      faultPoints: this.#fired,
    };
  }

  /** Whole blocks and steps first, then the contents of the remaining blocks. */
  async #shortenLists(): Promise<void> {
    for (let done = 0; done < listsIn(this.#best.scenario).length; done += 1) {
      const path = listsIn(this.#best.scenario)[done] ?? [];
      const items = at(this.#best.scenario, path) as readonly unknown[];
      await shrinkList(items, (shorter) => this.#try(put(this.#best.scenario, path, shorter) as PlainData));
    }
  }

  async #unfold(): Promise<void> {
    for (let isAny = true; isAny; ) {
      isAny = false;
      for (const simpler of unfolded(this.#best.scenario)) {
        isAny = await this.#try(simpler);
        if (isAny) break;
      }
    }
  }

  async #simplify(): Promise<void> {
    for (const { path, object } of [...objectsIn(this.#best.scenario)]) {
      const isFault = 'fault' in object && at(this.#best.scenario, path) === object;
      // Without its time the steps behind it may not fail.
      if (isFault) await this.#try(put(this.#best.scenario, path, momentFor(object)) as PlainData);
    }
    await this.#apply(this.#changes);
  }

  get #changes(): Change[] {
    return changesOf(this.#best.scenario, this.#wanted?.kind === 'oracle' ? this.#wanted.name : undefined);
  }

  async #apply(changes: readonly Change[]): Promise<void> {
    for (const { path, value } of changes) {
      if (at(this.#best.scenario, path.slice(0, -1)) === undefined) continue;
      await this.#try(put(this.#best.scenario, path, value) as PlainData);
    }
  }

  async #shrinkTopology(): Promise<void> {
    const { scenario, topology } = this.#best;
    await smallerTopology(topology, (smaller) => this.#tryCandidate({ scenario, topology: smaller }));
  }

  /** Also a session without requests may matter: its login is a part of the run. */
  async #dropSessions(): Promise<void> {
    const sessions = (this.#best.scenario['sessions'] ?? {}) as PlainData;
    const used = new Set([...objectsIn(this.#best.scenario)].flatMap(({ object }) => object['as']));
    await shrinkList(
      Object.keys(sessions).filter((name) => !used.has(name)),
      (names) => this.#try({ ...this.#best.scenario, sessions: sessionsOf(sessions, [...used, ...names]) }),
    );
  }

  #try(scenario: PlainData): Promise<boolean> {
    return this.#tryCandidate({ ...this.#best, scenario });
  }

  /** Whether it fails in the same way; then it is the new best. */
  async #tryCandidate(candidate: Candidate): Promise<boolean> {
    const { isEnough = () => false, onProgress = () => {} } = this.#options;
    const key = JSON.stringify(candidate);
    if (this.#tried.has(key) || isEnough()) return false;
    this.#tried.add(key);
    const { failure, passes, fired } = await this.#run(candidate);
    onProgress(`${leavesIn(this.#best.scenario['steps']).length} steps after ${this.#runs} runs`);
    if (passes) this.#passing.push(candidate);
    if (failure === undefined || !(await this.#isSame(failure, candidate))) return false;
    this.#failure = failure.text;
    this.#fired = fired;
    this.#best = candidate;
    this.#passing = [];
    return true;
  }

  /**
   * Failures of a rule are the same whatever the text, those of a use case or drill if they are of one judgement. The failure of a step is the same if the step and the cause are, and
   * if what it rests on is still there: a scenario that passes without its faults still does, any other still acts as before.
   */
  async #isSame(failure: Failure, candidate: Candidate): Promise<boolean> {
    const wanted = this.#wanted;
    if (wanted === undefined || failure.kind !== wanted.kind) return false;
    if (failure.kind !== 'step') return failure.name === wanted.name && judgementOf(failure) === judgementOf(wanted);
    if (failure.name !== wanted.name || causeOf(failure.text) !== causeOf(wanted.text)) return false;
    if (!this.#isOfFaults) return JSON.stringify(actsIn(candidate.scenario)) === this.#acts;
    return !(await this.#failsWithoutFaults(candidate));
  }

  async #failsWithoutFaults({ scenario, topology }: Candidate): Promise<boolean> {
    return (await this.#run({ scenario: withoutFaults(scenario), topology })).failure !== undefined;
  }

  /** Runs the best once more, and observes what leads to its failure. */
  async #explained(): Promise<Pick<Shrunk, 'failure' | 'chain'>> {
    const { seed, worldOf = virtualWorldOf } = this.#options;
    const loaded = this.#loadedOf(this.#best);
    const world = worldOf(loaded, { seed });
    const chain = new CausalChain(world);
    let since = (worldMs: number) => worldMs;
    const onReady = (context: { since(worldMs: number): number }) => {
      since = (worldMs) => context.since(worldMs);
    };
    const { failures } = await runScenario(loaded.scenario, world, { seed, onReady, onEnd: () => chain.stop() });
    const [failure] = failures;
    return {
      failure: this.#failure,
      chain: failure === undefined ? [] : chain.of(failure, since),
    };
  }

  #loadedOf({ scenario, topology }: Candidate): LoadedScenario {
    const topologySource = { ...this.#loaded.topologySource, text: stringify(topology) };
    const source = { ...this.#loaded.source, text: stringify(scenario) };
    const { webApps, metadataFiles } = this.#loaded;
    return readScenario(source, () => {
      const map = this.#maps.get(topology) ?? readTopology(topologySource);
      this.#maps.set(topology, map);
      return { map, webApps, metadataFiles, topologySource };
    });
  }

  /** The first failure, if any; a candidate that cannot run neither fails nor passes. */
  async #run(candidate: Candidate): Promise<CandidateRun> {
    this.#runs += 1;
    const { seed, worldOf = virtualWorldOf } = this.#options;
    try {
      const loaded = this.#loadedOf(candidate);
      const world = worldOf(loaded, { seed });
      const { failures } = await runScenario(loaded.scenario, world, { seed });
      const fired = Object.fromEntries(world.faultPoints?.fired ?? []);
      return { failure: failures[0], passes: failures.length === 0, fired };
    } catch (error) {
      // A candidate that is invalid, cannot start, or lacks a part does not fail in the wanted way. Any other error is a bug.
      const isUnfit = [YamlError, UnsettledCluster, NotInTopology].some((kind) => error instanceof kind);
      if (isUnfit) return { failure: undefined, passes: false, fired: {} };
      throw error;
    }
  }
}

/** What a use case or drill has judged, without its domain and site; empty: a rule is of one judgement. */
export function judgementOf({ kind, name, text }: Pick<Failure, 'kind' | 'name' | 'text'>): string {
  const isPlayed = kind === 'oracle' && oracles.some((each) => each.name === name && each.plays !== undefined);
  return isPlayed ? causeOf(text.replace(/^quiescent: \S+ at \S+: /, '')) : '';
}

function sessionsOf(sessions: PlainData, names: readonly unknown[]): PlainData {
  return Object.fromEntries(Object.entries(sessions).filter(([name]) => names.includes(name)));
}

/** Whether a scenario in any folder finds the topology by this name. */
function ships(topology: unknown): boolean {
  if (typeof topology !== 'string') return false;
  const file = topologyFile(topology);
  return file !== topology && existsSync(file);
}

/** Whether a scenario has faults, or lets fault points fire. */
function hasFaults({ scenario }: Candidate): boolean {
  return JSON.stringify(withoutFaults(scenario)) !== JSON.stringify(scenario);
}
