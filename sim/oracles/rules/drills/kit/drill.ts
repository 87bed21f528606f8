/**
 * Drills: one thing breaks in a quiescent cluster, and a feature is used meanwhile and after. A drawn workload rarely uses the feature
 * that a fault strikes at the moment when it does; a drill knows what is broken, and what must be so.
 */
import type { InstanceEntry } from '../../../../../src/model/cluster/cluster-map.ts';
import type { RoleName } from '../../../../../src/model/cluster/roles.ts';
import { limits } from '../../../../../src/model/limits.ts';
import type { Faults } from '../../../../faults/faults.ts';
import { boundsOf } from '../../../bounds.ts';
import type { OracleMaker } from '../../../oracle.ts';
import { playedBy, UseCase, type UseCaseRule } from '../../use-cases/kit/use-case.ts';

type End = () => void | Promise<void>;

/** By then a cluster in which nothing is broken any more is whole again. */
const wholeMs = 120_000;

export class Drill extends UseCase {
  /** All nodes know of a loss by then, and its successors serve. */
  readonly noticedMs: number;
  readonly #breaks = new Set<End>();

  constructor(...[context, ...played]: ConstructorParameters<typeof UseCase>) {
    super(context, ...played);
    this.noticedMs = boundsOf(context.map).noticedMs;
  }

  /** A callstore that has missed an event of a call knows of it by then, and a message of SIP that was lost has been sent again. */
  override get patienceMs(): number {
    return boundsOf(this.context.map).streamCatchUpMs;
  }

  /** Breaks something for as long as the work takes, and waits until the cluster is whole again. */
  async during(breaks: (faults: Faults) => End, work: () => Promise<void>): Promise<void> {
    const end = breaks(this.context.faults);
    this.#breaks.add(end);
    await work();
    await this.#mend(end);
    await this.becomesWhole();
  }

  /** The same, with something broken at each of several places. */
  duringAll<T>(places: Iterable<T>, breaks: (faults: Faults, place: T) => () => void, work: () => Promise<void>) {
    return this.during((faults) => {
      const lifts = [...places].map((place) => breaks(faults, place));
      return () => {
        for (const lift of lifts) lift();
      };
    }, work);
  }

  /** The same, with a site that no other one reaches. */
  cutOff(site: string, work: () => Promise<void>): Promise<void> {
    return this.during((faults) => faults.cut({ from: site }), work);
  }

  /** The same, with nodes that do not run. */
  without(nodes: readonly string[], work: () => Promise<void>): Promise<void> {
    return this.during((faults) => {
      for (const node of nodes) faults.crashNode(node);
      return async () => void (await Promise.all(nodes.map((node) => faults.restartNode(node))));
    }, work);
  }

  /** The same, with a node that does not run, and starts with an empty disk. */
  withoutDisk(node: string, work: () => Promise<void>): Promise<void> {
    return this.during((faults) => {
      void faults.wipeNode(node);
      return () => faults.restartNode(node);
    }, work);
  }

  /** The same, with nodes that do nothing until then, as if their processes were suspended. */
  paused(nodes: readonly string[], work: () => Promise<void>): Promise<void> {
    return this.during((faults) => {
      for (const node of nodes) faults.pauseNode(node);
      return () => {
        for (const node of nodes) faults.resumeNode(node);
      };
    }, work);
  }

  /** A role instance crashes; its supervisor restarts it. */
  crash({ name }: InstanceEntry): void {
    this.context.faults.crashInstance(name);
  }

  /** By then a supervisor counts no earlier crash, of a fault point or another drill: it restarts an instance as soon as it does at first. */
  crashesForgotten(): Promise<void> {
    return this.context.questions.wait(limits.restartWindowMs);
  }

  /** Whether an instance serves, or stands by. */
  isThere(instance: InstanceEntry): boolean {
    return ['active', 'standby'].includes(String(this.context.statusOf(instance)));
  }

  /** The instances of a role at a site that serve the domain and are active, by group priority. */
  activeOf(role: RoleName, site: string, domain = this.domain): readonly InstanceEntry[] {
    const { map, statusOf } = this.context;
    return map.serving(role, site, domain).filter((instance) => statusOf(instance) === 'active');
  }

  /** Waits until nothing is broken, and each node sees all others and an active member of each group. Returns whether that came. */
  async becomesWhole(): Promise<boolean> {
    const { stableMs } = this.context;
    const isWhole = await this.holds(wholeMs, 'the cluster is whole', () => stableMs() > 0);
    // Fronts, phones and copies have what they had missed soon after.
    await this.context.questions.wait(this.quickMs);
    return isWhole;
  }

  /** Judges whether something comes true in time. */
  async holds(withinMs: number, what: string, isTrue: () => boolean | Promise<boolean>): Promise<boolean> {
    const wrong = await this.context.questions.eventually(withinMs, async () => ((await isTrue()) ? [] : [what]));
    this.context.check();
    if (wrong.length > 0) this.report(`not within ${withinMs / 1_000} s: ${what}`);
    return wrong.length === 0;
  }

  /** Mends what is broken still, and ends what it has begun. */
  override async end(): Promise<void> {
    if (this.#breaks.size > 0) {
      await Promise.all([...this.#breaks].map((end) => this.#mend(end)));
      await this.becomesWhole();
    }
    await super.end();
  }

  async #mend(end: End): Promise<void> {
    this.#breaks.delete(end);
    await end();
  }
}

/** An oracle that plays a drill in one of the domains. */
export function drillOf(rule: UseCaseRule<Drill>): OracleMaker {
  return playedBy(rule, { plays: 'drill', begin: (...played) => new Drill(...played) });
}
