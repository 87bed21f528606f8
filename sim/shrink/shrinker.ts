/**
 * Shrinks a scenario that fails: fewer steps, shorter times, less said in a step, a smaller topology, and still the same
 * failure. Every candidate is run, in virtual time, with the seed of the failure.
 */
import { parse, stringify } from 'yaml';
import { type LoadedScenario, readScenario } from '../scenario/load.ts';
import { runScenario } from '../scenario/runner.ts';
import { readTopology } from '../topology/load.ts';
import { VirtualWorld } from '../world/virtual.ts';
import { shrinkList } from './shrink-list.ts';

type Data = Record<string, unknown>;

/** A scenario and its topology, as data. */
export interface Candidate {
  readonly scenario: Data & { readonly steps: readonly Data[] };
  readonly topology: Data;
}

export interface Shrunk {
  readonly scenario: string;
  readonly topology: string;
  /** Whether the topology is smaller than it was. */
  readonly hasOwnTopology: boolean;
  readonly steps: number;
  readonly runs: number;
  /** What fails, as the smallest scenario says it. */
  readonly failure: string;
}

export interface ShrinkOptions {
  readonly seed: number;
  readonly onProgress?: (text: string) => void;
}

/** The smallest scenario that was found. Throws an error in one line when the scenario does not fail. */
export async function shrink(loaded: LoadedScenario, { seed, onProgress = () => {} }: ShrinkOptions): Promise<Shrunk> {
  const start: Candidate = {
    scenario: parse(loaded.source.text, { merge: true }),
    topology: parse(loaded.topologySource.text, { merge: true }),
  };
  const shrinker = new Shrinker(loaded, seed, onProgress);
  return shrinker.shrink(start);
}

class Shrinker {
  readonly #loaded: LoadedScenario;
  readonly #seed: number;
  readonly #onProgress: (text: string) => void;
  #runs = 0;
  #wanted = '';
  #failure = '';

  constructor(loaded: LoadedScenario, seed: number, onProgress: (text: string) => void) {
    this.#loaded = loaded;
    this.#seed = seed;
    this.#onProgress = onProgress;
  }

  async shrink(start: Candidate): Promise<Shrunk> {
    const failed = await this.#failureOf(start);
    if (failed === undefined) throw new Error(`${this.#loaded.source.file}: it does not fail with seed ${this.#seed}`);
    this.#wanted = causeOf(failed.text);
    this.#failure = failed.text;
    let best = withSteps(start, start.scenario.steps.slice(0, failed.step));
    best = await this.#fewerSteps(best);
    best = await this.#simplerSteps(best);
    best = await this.#smallerTopology(best);
    best = await this.#fewerSteps(best);
    const used = new Set(best.scenario.steps.map(({ request }) => (request as Data | undefined)?.['as']));
    const sessions = Object.entries((best.scenario['sessions'] ?? {}) as Data).filter(([name]) => used.has(name));
    const scenario = { ...best.scenario, seed: this.#seed, sessions: Object.fromEntries(sessions) };
    return {
      scenario: stringify(scenario, { lineWidth: 120 }),
      topology: stringify(best.topology, { lineWidth: 120 }),
      hasOwnTopology: best.topology !== start.topology,
      steps: best.scenario.steps.length,
      runs: this.#runs,
      failure: this.#failure,
    };
  }

  /** The last step is the one that fails. */
  async #fewerSteps(candidate: Candidate): Promise<Candidate> {
    const last = candidate.scenario.steps.at(-1) as Data;
    const others = candidate.scenario.steps.slice(0, -1);
    const fewer = await shrinkList(others, (steps) => this.#stillFails(withSteps(candidate, [...steps, last])));
    return withSteps(candidate, [...fewer, last]);
  }

  async #simplerSteps(candidate: Candidate): Promise<Candidate> {
    let best = candidate;
    for (const index of candidate.scenario.steps.keys()) {
      for (const simpler of simplerForms(
        best.scenario.steps[index] as Data,
        index === best.scenario.steps.length - 1,
      )) {
        const next = withSteps(best, best.scenario.steps.with(index, simpler(best.scenario.steps[index] as Data)));
        if (await this.#stillFails(next)) best = next;
      }
    }
    return best;
  }

  async #smallerTopology(candidate: Candidate): Promise<Candidate> {
    let best = candidate;
    const shrinkAt = async (path: readonly (string | number)[]) => {
      const items = at(best.topology, path);
      if (!Array.isArray(items) || items.length === 0) return;
      const fewer = await shrinkList(items, (shorter) => this.#stillFails(withTopology(best, path, shorter)));
      if (fewer.length < items.length) best = withTopology(best, path, fewer);
    };
    await shrinkAt(['sites']);
    await shrinkAt(['domains']);
    for (const s of indices(at(best.topology, ['sites']))) {
      await shrinkAt(['sites', s, 'nodes']);
      for (const n of indices(at(best.topology, ['sites', s, 'nodes'])))
        await shrinkAt(['sites', s, 'nodes', n, 'instances']);
    }
    for (const d of indices(at(best.topology, ['domains']))) {
      for (const part of ['sipusers', 'providers', 'features', 'users']) await shrinkAt(['domains', d, part]);
    }
    return best;
  }

  async #stillFails(candidate: Candidate): Promise<boolean> {
    const failed = await this.#failureOf(candidate);
    if (failed === undefined || failed.step !== candidate.scenario.steps.length) return false;
    if (causeOf(failed.text) !== this.#wanted) return false;
    this.#failure = failed.text;
    this.#onProgress(`${candidate.scenario.steps.length} steps after ${this.#runs} runs`);
    return true;
  }

  /** What the first step that fails says; nothing when none fails, or the candidate can't be run at all. */
  async #failureOf({ scenario, topology }: Candidate): Promise<{ step: number; text: string } | undefined> {
    this.#runs += 1;
    const topologySource = { ...this.#loaded.topologySource, text: stringify(topology) };
    const source = { ...this.#loaded.source, text: stringify(scenario) };
    const { webApps } = this.#loaded;
    let report: Awaited<ReturnType<typeof runScenario>>;
    try {
      const loaded = readScenario(source, () => ({ map: readTopology(topologySource), webApps, topologySource }));
      const world = new VirtualWorld({ map: loaded.map, webApps, seed: this.#seed });
      report = await runScenario(loaded.scenario, world, { seed: this.#seed });
    } catch (error) {
      // Not sound, or it can't start: not the failure that is looked for.
      if (error instanceof Error) return undefined;
      throw error;
    }
    const failed = report.steps.find(({ failures }) => failures.length > 0);
    return failed === undefined ? undefined : { step: failed.number, text: failed.failures[0] ?? '' };
  }
}

/** What a failure is about, without the numbers and what came instead. */
function causeOf(failure: string): string {
  return failure.replace(/, got .*$/s, '').replace(/\d+/g, '#');
}

function withSteps(candidate: Candidate, steps: readonly Data[]): Candidate {
  return { ...candidate, scenario: { ...candidate.scenario, steps } };
}

function withTopology(candidate: Candidate, path: readonly (string | number)[], value: unknown): Candidate {
  return { ...candidate, topology: put(candidate.topology, path, value) as Data };
}

/** Ways to say less in a step; of the one that fails only its times change. */
function simplerForms(step: Data, isLast: boolean): ((step: Data) => Data)[] {
  const without = (name: string) => (from: Data) =>
    Object.fromEntries(Object.entries(from).filter(([key]) => key !== name));
  const forms = ['at', ...(isLast ? [] : ['expect'])].filter((name) => name in step).map(without);
  if (typeof step['wait'] !== 'string') return forms;
  const waits = ['100ms', '1s', '2s', '5s', '10s', '30s', '60s'].filter((text) => ms(text) < ms(String(step['wait'])));
  return [...forms, ...waits.toReversed().map((wait) => (from: Data) => ({ ...from, wait }))];
}

function ms(text: string): number {
  const [, number = '0', unit = 'ms'] = /^([\d.]+)(ms|s|m|h)$/.exec(text) ?? [];
  return Number(number) * ({ ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }[unit] ?? 1);
}

function indices(items: unknown): number[] {
  return Array.isArray(items) ? [...items.keys()] : [];
}

function at(data: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>((found, key) => (found as Record<string | number, unknown> | undefined)?.[key], data);
}

function put(data: unknown, [key, ...rest]: readonly (string | number)[], value: unknown): unknown {
  if (key === undefined) return value;
  if (Array.isArray(data)) return data.with(Number(key), put(data[Number(key)], rest, value));
  return { ...(data as Data), [key]: put((data as Data)[key], rest, value) };
}
