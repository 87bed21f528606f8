/** What the steps of a run share: the world, the time since it was ready, saved values, and whether it is over already. */
import { ScopedClock } from '../../../src/actors/scoped-clock.ts';
import type { Watch } from '../../oracles/watch.ts';
import type { World } from '../../world/world.ts';
import { Names } from '../checks/names.ts';
import { type Settled, settle, type Target } from '../checks/targets.ts';
import type { ScenarioFault } from '../language/faults.ts';
import type { Scenario } from '../language/scenario.ts';
import { Values } from '../language/values.ts';
import type { Failure } from '../report.ts';
import { Workloads } from '../workload/workload.ts';
import { Desk } from './api-clients.ts';
import { FaultInjector } from './fault-injector.ts';
import { Sights } from './observer.ts';

export interface StageOptions {
  readonly seed: number;
  readonly watch?: Watch | undefined;
}

export class Stage {
  readonly scenario: Scenario;
  readonly world: World;
  readonly seed: number;
  readonly watch: Watch | undefined;
  /** Ends with the run. */
  readonly clock: ScopedClock;
  readonly desk: Desk;
  readonly values = new Values();
  readonly inflictor: FaultInjector;
  readonly sights: Sights;
  readonly workloads: Workloads;
  /** Resolves when something has failed: nothing more is done then. */
  readonly over: Promise<void>;
  readonly failures: Failure[] = [];
  /** Number of the step of the scenario that is under way. */
  step = 0;
  /** Told of each fault right before it is inflicted. */
  onFault: (fault: ScenarioFault) => void = () => {};
  /** What was asked of the cluster by steps; without any, nothing was proved. */
  demands = 0;
  /** When the oracles were last asked at quiet. */
  quietMs = -1;
  readonly #names: Names;
  #startMs: number;
  #isOver = false;
  #end: () => void = () => {};

  constructor(scenario: Scenario, world: World, { seed, watch }: StageOptions) {
    this.scenario = scenario;
    this.world = world;
    this.seed = seed;
    this.watch = watch;
    this.clock = new ScopedClock(world.clock);
    this.#names = new Names(world.map, { areOpen: false });
    this.desk = new Desk(world);
    this.inflictor = new FaultInjector(world);
    this.sights = new Sights(world, watch);
    this.workloads = new Workloads({ world, desk: this.desk, clock: this.clock, seed, sessions: scenario.sessions });
    this.over = new Promise((resolve) => {
      this.#end = resolve;
    });
    this.#startMs = world.now();
  }

  /** The cluster is ready: time counts from here. */
  begin(): void {
    this.#startMs = this.world.now();
  }

  /** Milliseconds since the cluster was ready. */
  get atMs(): number {
    return this.world.now() - this.#startMs;
  }

  /** Milliseconds since the cluster was ready, of a time of the world. */
  since(worldMs: number): number {
    return worldMs - this.#startMs;
  }

  /** A step with the names that its values are now. */
  settle<W extends Target>(step: W): Settled<W> {
    return settle(step, this.values, this.#names);
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Something does not hold: the run ends here, unless it is to go on. */
  fail(failure: Omit<Failure, 'step' | 'atMs'> & { readonly atMs?: number }, { goesOn = false } = {}): void {
    this.failures.push({ step: this.step, atMs: this.atMs, ...failure });
    if (!goesOn) this.stop();
  }

  /** Nothing more is done. */
  stop(): void {
    this.#isOver = true;
    this.#end();
  }

  /** Lets time pass, or less where `cut` comes first. Once the run is over it never resolves. */
  async wait(ms: number, cut?: Promise<unknown>): Promise<void> {
    let end = () => {};
    const passed = new Promise<void>((resolve) => {
      const timer = this.clock.setTimer(ms, resolve);
      end = () => timer.cancel();
    });
    await (cut === undefined ? passed : Promise.race([passed, cut]));
    end();
  }

  /** Resolves at a time since the cluster was ready; at once where that is over. */
  async until(atMs: number, cut?: Promise<unknown>): Promise<void> {
    if (atMs > this.atMs) await this.wait(atMs - this.atMs, cut);
  }

  /** Asks until nothing is unmet any more, or the time for that is over; then what is. */
  async fulfil<T>(attempt: () => readonly T[] | Promise<readonly T[]>, withinMs: number): Promise<readonly T[]> {
    const untilMs = this.atMs + withinMs;
    for (;;) {
      const unmet = await attempt();
      if (unmet.length === 0 || this.atMs + retryMs > untilMs) return unmet;
      await this.wait(retryMs);
    }
  }
}

/** How long to wait before a request whose answer is not yet as expected is sent again. */
export const retryMs = 250;
