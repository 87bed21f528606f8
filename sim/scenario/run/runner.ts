/** The runner: runs a scenario step by step in a world, virtual or live, and reports the result. */
import { OracleRunner } from '../../oracles/oracle-runner.ts';
import type { World } from '../../world/world.ts';
import type { Scenario } from '../language/scenario.ts';
import { leavesIn } from '../language/steps.ts';
import { type RunReport, type StepReport, unprovedOf, verdictOf } from '../report.ts';
import { RunContext } from './context.ts';
import { Goals } from './goals.ts';
import { becomeQuiescent, observeAll, playDrills } from './quiescence.ts';
import { RecoveryTargets } from './recovery-targets.ts';
import { StepRunner } from './step-runner.ts';

export type { RunReport, StepReport } from '../report.ts';

export interface RunOptions {
  readonly seed: number;
  /** Called when a step has ended. */
  readonly onStep?: (report: StepReport) => void;
  /** Aborting ends the run at its current step. */
  readonly stopped?: AbortSignal | undefined;
  /** Called when the cluster is ready, for observers of the run. */
  readonly onReady?: (context: RunContext) => void;
  /** Called at the end of the run, before the world stops. */
  readonly onEnd?: () => void;
}

/** Starts the world, runs the steps until one fails, and stops the world. */
export async function runScenario(scenario: Scenario, world: World, options: RunOptions): Promise<RunReport> {
  const run = new Run(scenario, world, options);
  try {
    await world.start();
    await world.during(run.run());
  } finally {
    run.end();
    await world.stop();
  }
  return run.report(options.seed);
}

class Run {
  readonly #scenario: Scenario;
  readonly #world: World;
  readonly #options: RunOptions;
  readonly #watch: OracleRunner;
  readonly #context: RunContext;
  readonly #goals: Goals;
  readonly #recoveryTargets: RecoveryTargets | undefined;
  readonly #steps: StepReport[] = [];
  #endMs = 0;
  readonly #ended = new AbortController();
  #isCut = false;

  constructor(scenario: Scenario, world: World, options: RunOptions) {
    this.#scenario = scenario;
    this.#world = world;
    this.#options = options;
    const { always = 'all', useCases, drills, promise } = scenario;
    this.#watch = new OracleRunner(
      world,
      always === 'all' ? { useCases: Number(useCases) > 0, drills: drills > 0 } : { only: always },
    );
    this.#context = new RunContext(scenario, world, { seed: options.seed, watch: this.#watch });
    this.#goals = new Goals(this.#context);
    this.#recoveryTargets = promise && new RecoveryTargets(this.#context, promise);
  }

  async run(): Promise<void> {
    const context = this.#context;
    this.#watchOracles();
    context.start();
    await this.#logIn();
    this.#options.onReady?.(context);
    if (!context.isOver) await Promise.race([this.#runSteps(), context.over, this.#stopped()]);
    this.#endMs = context.atMs;
  }

  /** Resolves when the caller aborts the run. */
  #stopped(): Promise<void> {
    const { stopped } = this.#options;
    return new Promise((resolve) => {
      const cut = () => {
        this.#isCut = true;
        // Failures from here on are caused by the abort.
        this.#context.stop();
        resolve();
      };
      if (stopped?.aborted === true) return cut();
      stopped?.addEventListener('abort', cut, { signal: this.#ended.signal });
      return undefined;
    });
  }

  /** A failed login fails the run: the steps need the session. */
  async #logIn(): Promise<void> {
    const context = this.#context;
    for (const { session, text } of await context.apiClients.openSessions(this.#scenario.sessions)) {
      const what = `session ${session}`;
      this.#report({ number: 0, what, atMs: context.atMs, isExpectation: true, failures: [text], is: 'session' });
      context.fail({ kind: 'step', name: what, text });
    }
  }

  end(): void {
    this.#ended.abort();
    this.#context.clock.end();
    this.#context.workloads.end();
    this.#watch.stop();
    // Observations while the world stops are not part of the run.
    this.#options.onEnd?.();
    this.#goals.end();
    this.#recoveryTargets?.end();
  }

  report(seed: number): RunReport {
    const { mode, journal } = this.#world;
    const { failures, requestCount: demands, workloads } = this.#context;
    const findings = {
      steps: this.#steps,
      stepCount: leavesIn(this.#scenario.steps).length,
      failures,
      oracles: this.#watch.verdicts().map((oracle) => ({
        ...oracle,
        failures: oracle.failures.map(({ atMs, what }) => ({ atMs: this.#context.since(atMs), what })),
      })),
      ...this.#goals.reports(),
      promises: this.#recoveryTargets?.reports() ?? [],
      workload: workloads.tallies(),
    };
    const cut = this.#isCut ? [`the run was stopped ${this.#place()}`] : [];
    const unproved = [...cut, ...unprovedOf(this.#scenario, { ...findings, demands })];
    const verdict = verdictOf({ ...findings, demands }, unproved);
    const traceHash = mode === 'virtual' ? journal.hash() : undefined;
    const about = { name: this.#scenario.name, mode, seed, verdict, traceHash, durationMs: this.#endMs };
    return { ...about, ...findings, unproved };
  }

  #place(): string {
    const { step } = this.#context;
    return step > this.#scenario.steps.length ? 'after its last step' : `in step ${step}`;
  }

  async #runSteps(): Promise<void> {
    const context = this.#context;
    const { workload, steps } = this.#scenario;
    if (workload !== undefined) context.workloads.change(workload);
    this.#goals.start();
    await new StepRunner(context, (report) => this.#report(report)).run(steps);
    if (context.isOver) return;
    context.step = steps.length + 1;
    await this.#goals.whenDone();
    await this.#recoveryTargets?.whenDone();
    if (!context.isOver) await becomeQuiescent(context);
    if (!context.isOver) await playDrills(context);
    if (!context.isOver) await observeAll(context);
  }

  #report(report: StepReport): void {
    this.#steps.push(report);
    this.#options.onStep?.(report);
  }

  /** The failure of an oracle counts for the step that is running. */
  #watchOracles(): void {
    const context = this.#context;
    const goesOn = this.#scenario.atFailure === 'goOn';
    this.#watch.onFailure((name, { atMs, what }) => {
      if (context.isOver) return;
      this.#report({
        number: context.step,
        what: `oracle ${name}`,
        atMs: context.since(atMs),
        isExpectation: true,
        failures: [what],
        is: 'oracle',
      });
      context.fail({ kind: 'oracle', name, text: what, atMs: context.since(atMs) }, { goesOn });
    });
  }
}
