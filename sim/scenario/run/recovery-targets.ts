/**
 * Measures the times that a scenario promises for failures. An episode begins with a fault that breaks something and
 * ends when the cluster has recovered; later faults within it belong to it.
 *
 * - `detect`: from the fault until a node sees a role instance of another node as gone that it saw at work when the
 * fault began.
 * - `failOver`: from the fault until the end of the first request since which all requests have succeeded. The runner
 * sends   them in sequence, 250 ms apart, until the episode ends.
 * - `recover`: from the last repair within the episode, or from the fault if there is none, until all nodes see each
 * other,   each group has its active instance, and the list under `agree` is the same at all sites.
 */
import type { InstanceEntry } from '../../../src/model/cluster/cluster-map.ts';
import { describeFault } from '../language/describe.ts';
import { breakingVerb, type ScenarioFault } from '../language/fault-schema.ts';
import type { Promised } from '../language/scenario.ts';
import type { PromiseReport } from '../report.ts';
import { type RunContext, retryMs } from './context.ts';

interface Episode {
  readonly fault: string;
  readonly atMs: number;
  /** The instances that each node saw at work when the fault began. */
  readonly before: ReadonlyMap<string, ReadonlySet<InstanceEntry>>;
  repairMs: number | undefined;
  detectMs: number | undefined;
  /** End of the first request since which all requests have succeeded. */
  succeededMs: number | undefined;
  recoverMs: number | undefined;
  isOpen: boolean;
  /** When the run ended, if the episode was still open. */
  cutMs: number | undefined;
}

const names = ['detect', 'failOver', 'recover'] as const;

export class RecoveryTargets {
  readonly #context: RunContext;
  readonly #promised: Promised;
  readonly #episodes: Episode[] = [];
  readonly #stop: () => void;

  constructor(context: RunContext, promised: Promised) {
    this.#context = context;
    this.#promised = promised;
    context.onFault = (fault) => this.#onFault(fault);
    this.#stop = context.world.cluster.onChange(() => this.#detect());
  }

  /** Waits until each promise is measured or its time is over. Broken promises fail the run. */
  async whenDone(): Promise<void> {
    const context = this.#context;
    for (const episode of this.#episodes) {
      while (episode.isOpen && context.atMs < this.#endOf(episode)) await context.wait(retryMs);
      episode.isOpen = false;
    }
    for (const { name, fault, promisedMs, measuredMs, verdict } of this.reports()) {
      if (verdict === 'kept') continue;
      const text = `promised within ${promisedMs} ms of "${fault}", got ${measuredMs === undefined ? 'nothing' : `${measuredMs} ms`}`;
      context.fail({ kind: 'promise', name, text });
    }
  }

  /** Closes open episodes at the end of the run. */
  end(): void {
    this.#stop();
    for (const episode of this.#episodes) {
      if (episode.isOpen) episode.cutMs = this.#context.atMs;
      episode.isOpen = false;
    }
  }

  reports(): PromiseReport[] {
    return this.#episodes.flatMap((episode) =>
      names.flatMap((name): PromiseReport[] => {
        const promisedMs = this.#promised[name];
        if (promisedMs === undefined) return [];
        const { fault, atMs } = episode;
        const measuredMs = measured(episode, name);
        const verdict = judged(episode, { name, promisedMs, measuredMs });
        return [{ name, fault, atMs, promisedMs, measuredMs, verdict }];
      }),
    );
  }

  #onFault(fault: ScenarioFault): void {
    const open = this.#episodes.find(({ isOpen }) => isOpen);
    if (breakingVerb(fault) === undefined) {
      if (open !== undefined) open.repairMs = this.#context.atMs;
      return;
    }
    if (open !== undefined || (this.#promised.of !== undefined && this.#promised.of !== fault.name)) return;
    const unmeasured = { repairMs: undefined, detectMs: undefined, succeededMs: undefined, recoverMs: undefined };
    const episode: Episode = {
      fault: fault.name ?? describeFault(fault),
      atMs: this.#context.atMs,
      before: this.#seenAtWork(),
      ...unmeasured,
      isOpen: true,
      cutMs: undefined,
    };
    this.#episodes.push(episode);
    void this.#serve(episode);
    void this.#recover(episode);
  }

  #detect(): void {
    const open = this.#episodes.find(({ isOpen, detectMs }) => isOpen && detectMs === undefined);
    if (open !== undefined && this.#hasLost(open)) open.detectMs = this.#context.atMs;
  }

  #hasLost({ before }: Episode): boolean {
    for (const [node, seen] of before) {
      const view = this.#context.world.cluster.viewOf(node);
      if (view === undefined) continue;
      for (const instance of seen) if (!isAtWork(view.statusOf(instance))) return true;
    }
    return false;
  }

  /** The instances of other nodes that each node sees at work. */
  #seenAtWork(): Map<string, Set<InstanceEntry>> {
    const { map, cluster } = this.#context.world;
    return new Map(
      [...map.nodes.keys()].map((name) => {
        const view = cluster.viewOf(name);
        const all = [...map.instances.values()].filter(({ node }) => node !== name);
        return [name, new Set(all.filter((instance) => isAtWork(view?.statusOf(instance))))];
      }),
    );
  }

  async #serve(episode: Episode): Promise<void> {
    const context = this.#context;
    const { request } = this.#promised;
    if (request === undefined) return;
    while (episode.isOpen && !context.isOver) {
      const answer = await context.apiClients.sendOrNone(context.values.fill(request));
      if (answer === undefined || answer.status >= 400) episode.succeededMs = undefined;
      else episode.succeededMs ??= context.atMs;
      await context.wait(retryMs);
    }
  }

  async #recover(episode: Episode): Promise<void> {
    const context = this.#context;
    while (episode.isOpen && !context.isOver) {
      await context.wait(retryMs);
      const hasBegun = episode.detectMs !== undefined || episode.repairMs !== undefined;
      if (!hasBegun || !context.world.cluster.isSettled || !(await this.#agree())) continue;
      episode.recoverMs = context.atMs;
      episode.isOpen = false;
    }
  }

  /** Whether all sites return the same list. */
  async #agree(): Promise<boolean> {
    const { agree } = this.#promised;
    if (agree === undefined) return true;
    const { apiClients, world } = this.#context;
    const sites = agree.through ?? [...new Set(world.map.instancesOf('ws').map(({ site }) => site))];
    const { as, path } = agree;
    const answers = await Promise.all(
      sites.map((through) => apiClients.sendOrNone({ through, as, method: 'GET', path })),
    );
    const texts = answers.map((answer) => (answer?.status === 200 ? JSON.stringify(answer.body) : undefined));
    return texts.every((text) => text !== undefined && text === texts[0]);
  }

  /** Latest time at which an open measurement can still keep its promise. */
  #endOf(episode: Episode): number {
    const { detect = 0, failOver = 0, recover = 0 } = this.#promised;
    return (
      Math.max(episode.atMs + detect, episode.atMs + failOver, (episode.repairMs ?? episode.atMs) + recover) + retryMs
    );
  }
}

function measured(
  { atMs, repairMs, detectMs, succeededMs, recoverMs }: Episode,
  name: PromiseReport['name'],
): number | undefined {
  if (name === 'detect') return detectMs && detectMs - atMs;
  if (name === 'failOver') return succeededMs && succeededMs - atMs;
  return recoverMs && recoverMs - (repairMs ?? atMs);
}

function judged(
  { atMs, repairMs, cutMs }: Episode,
  { name, promisedMs, measuredMs }: Pick<PromiseReport, 'name' | 'promisedMs' | 'measuredMs'>,
): PromiseReport['verdict'] {
  if (measuredMs !== undefined) return measuredMs <= promisedMs ? 'kept' : 'broken';
  const fromMs = name === 'recover' ? repairMs : atMs;
  const hadTime = cutMs === undefined || (fromMs !== undefined && cutMs - fromMs >= promisedMs);
  return hadTime ? 'broken' : 'open';
}

function isAtWork(status: string | undefined): boolean {
  return status === 'active' || status === 'standby';
}
