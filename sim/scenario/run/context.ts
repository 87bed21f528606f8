/** The run context that all steps share: the world, the run's clock, saved values, failures. */
import { ScopedClock } from '../../../src/actors/scoped-clock.ts';
import type { OracleRunner } from '../../oracles/oracle-runner.ts';
import type { World } from '../../world/world.ts';
import { Names } from '../checks/names.ts';
import { type ResolvedStep, resolveTargets, type StepTargets } from '../checks/targets.ts';
import type { ScenarioFault } from '../language/fault-schema.ts';
import type { Scenario } from '../language/scenario.ts';
import { Values } from '../language/values.ts';
import type { Failure } from '../report.ts';
import { Workloads } from '../workload/workload.ts';
import { ApiClients } from './api-clients.ts';
import { EventMatchers } from './event-matchers.ts';
import { FaultInjector } from './fault-injector.ts';

export interface RunContextOptions {
  readonly seed: number;
  readonly watch?: OracleRunner | undefined;
}

export class RunContext {
  readonly scenario: Scenario;
  readonly world: World;
  readonly seed: number;
  readonly watch: OracleRunner | undefined;
  /** Ends with the run. */
  readonly clock: ScopedClock;
  readonly apiClients: ApiClients;
  readonly values = new Values();
  readonly faultInjector: FaultInjector;
  readonly matchers: EventMatchers;
  readonly workloads: Workloads;
  /** Resolves when the run must stop, for instance after a failure. */
  readonly over: Promise<void>;
  readonly failures: Failure[] = [];
  /** Number of the top-level step that is running. */
  step = 0;
  /** Called right before each fault is injected. */
  onFault: (fault: ScenarioFault) => void = () => {};
  /** Requests and calls that steps made, and drills that were played. A run without any proves nothing. */
  requestCount = 0;
  /** When the oracles last ran their checks for a quiescent cluster. */
  quiescentMs = -1;
  readonly #names: Names;
  #startMs: number;
  #isOver = false;
  #end: () => void = () => {};

  constructor(scenario: Scenario, world: World, { seed, watch }: RunContextOptions) {
    this.scenario = scenario;
    this.world = world;
    this.seed = seed;
    this.watch = watch;
    this.clock = new ScopedClock(world.clock);
    this.#names = new Names(world.map, { areOpen: false });
    this.apiClients = new ApiClients(world);
    this.faultInjector = new FaultInjector(world);
    this.matchers = new EventMatchers(world, watch);
    this.workloads = new Workloads({
      world,
      apiClients: this.apiClients,
      clock: this.clock,
      seed,
      sessions: scenario.sessions,
    });
    this.over = new Promise((resolve) => {
      this.#end = resolve;
    });
    this.#startMs = world.now();
  }

  /** The cluster is ready: the time of the run begins. */
  start(): void {
    this.#startMs = this.world.now();
  }

  /** Milliseconds since the cluster was ready. */
  get atMs(): number {
    return this.world.now() - this.#startMs;
  }

  /** Converts a time of the world into milliseconds since the cluster was ready. */
  since(worldMs: number): number {
    return worldMs - this.#startMs;
  }

  /** The step with all `$name` references in its targets resolved. */
  resolveTargets<W extends StepTargets>(step: W): ResolvedStep<W> {
    return resolveTargets(step, this.values, this.#names);
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Records a failure and stops the run, unless `goesOn` is set. */
  fail(failure: Omit<Failure, 'step' | 'atMs'> & { readonly atMs?: number }, { goesOn = false } = {}): void {
    this.failures.push({ step: this.step, atMs: this.atMs, ...failure });
    if (!goesOn) this.stop();
  }

  /** Stops the run: no further step begins. */
  stop(): void {
    this.#isOver = true;
    this.#end();
  }

  /** Waits for `ms`, or until `cut` resolves. After the end of the run it never resolves. */
  async wait(ms: number, cut?: Promise<unknown>): Promise<void> {
    let end = () => {};
    const passed = new Promise<void>((resolve) => {
      const timer = this.clock.setTimer(ms, resolve);
      end = () => timer.cancel();
    });
    await (cut === undefined ? passed : Promise.race([passed, cut]));
    end();
  }

  /** Waits until a time since the cluster was ready; returns at once if it has passed. */
  async until(atMs: number, cut?: Promise<unknown>): Promise<void> {
    if (atMs > this.atMs) await this.wait(atMs - this.atMs, cut);
  }

  /** Retries an attempt until nothing is unmet or the time is over. Returns what is unmet in the end. */
  async retry<T>(attempt: () => readonly T[] | Promise<readonly T[]>, withinMs: number): Promise<readonly T[]> {
    const untilMs = this.atMs + withinMs;
    for (;;) {
      const unmet = await attempt();
      if (unmet.length === 0 || this.atMs + retryMs > untilMs) return unmet;
      await this.wait(retryMs);
    }
  }
}

/** Pause between two attempts of a request. */
export const retryMs = 250;
