/** Runs a scenario in a world, step by step, and says what held. It does not know which world it is in. */

import type { Traffic } from '../outside/traffic.ts';
import { FrontAway, type World } from '../world/world.ts';
import { type Answer, unmet } from './expecting.ts';
import type { ScenarioFault } from './fault-schema.ts';
import { Inflictor } from './inflictor.ts';
import type { Expectation, Scenario, ScenarioRequest, ScenarioStep } from './schema.ts';
import { Values } from './values.ts';

/** `unknown`: nothing failed, but nothing was expected either. */
export type VerdictWord = 'pass' | 'fail' | 'unknown';

export interface StepReport {
  readonly number: number;
  readonly what: string;
  /** Milliseconds since the cluster was ready, when the step was over. */
  readonly atMs: number;
  readonly isExpectation: boolean;
  /** What did not hold. */
  readonly failures: readonly string[];
}

export interface RunReport {
  readonly name: string;
  readonly mode: World['mode'];
  readonly seed: number;
  readonly verdict: VerdictWord;
  readonly steps: readonly StepReport[];
  /** Hash of everything that happened; of the virtual world only, for the live one never happens twice. */
  readonly traceHash: string | undefined;
}

/** How long to wait before a request whose answer is not yet as expected is sent again. */
const retryMs = 250;
/** How much time passes before the runner looks again whether a node has started. */
const startStepMs = 1;

/** Starts the world, runs every step until one fails, and stops the world. */
export async function runScenario(
  scenario: Scenario,
  world: World,
  options: { seed: number; onStep?: (report: StepReport) => void },
): Promise<RunReport> {
  const steps: StepReport[] = [];
  try {
    await world.start();
    const run = new Run(scenario, world);
    await run.openSessions();
    for (const [index, step] of scenario.steps.entries()) {
      const report = await run.step(step, index + 1);
      steps.push(report);
      options.onStep?.(report);
      if (report.failures.length > 0) break;
    }
  } finally {
    await world.stop();
  }
  const hasFailed = steps.some((step) => step.failures.length > 0);
  const verdict = hasFailed ? 'fail' : steps.some((step) => step.isExpectation) ? 'pass' : 'unknown';
  const traceHash = world.mode === 'virtual' ? world.journal.hash() : undefined;
  return { name: scenario.name, mode: world.mode, seed: options.seed, verdict, steps, traceHash };
}

class Run {
  readonly #scenario: Scenario;
  readonly #world: World;
  readonly #startMs: number;
  readonly #tokens = new Map<string, string>();
  readonly #values = new Values();
  readonly #inflictor: Inflictor;
  #traffic: Traffic | undefined;

  constructor(scenario: Scenario, world: World) {
    this.#scenario = scenario;
    this.#world = world;
    this.#inflictor = new Inflictor(world);
    this.#startMs = world.now();
  }

  async openSessions(): Promise<void> {
    for (const [name, { through, ...credentials }] of Object.entries(this.#scenario.sessions)) {
      const path = '/rest/v1/iam/sessions';
      const body = { ...credentials, session_type: 'token' };
      const answer = await this.#ask({ through, method: 'POST', path, body });
      const token = (answer.body as { session_token?: string } | undefined)?.session_token;
      if (token === undefined) throw new Error(`session ${name}: login at ${through} gave ${JSON.stringify(answer)}`);
      this.#tokens.set(name, token);
    }
  }

  async step(step: ScenarioStep, number: number): Promise<StepReport> {
    const { at = 0, wait, fault, request, look, expect } = step;
    const early = this.#startMs + at - this.#world.now();
    if (early > 0) await this.#world.wait(early);
    const failures: string[] = [];
    if (wait !== undefined) await this.#world.wait(wait);
    if (fault !== undefined) await this.#inflict(fault);
    if (request !== undefined) failures.push(...(await this.#fulfil(() => this.#try(request, expect), expect)));
    if (look !== undefined) failures.push(...(await this.#fulfil(() => this.#look(look, expect), expect)));
    this.#play(step);
    const atMs = this.#world.now() - this.#startMs;
    return { number, what: describe(step), atMs, isExpectation: expect !== undefined, failures };
  }

  /** Asks until the answer is as expected, or the time for that is over. */
  async #fulfil(
    attempt: () => string[] | Promise<string[]>,
    expect: Expectation | undefined,
  ): Promise<readonly string[]> {
    const untilMs = this.#world.now() + (expect?.within ?? 0);
    for (;;) {
      const failures = await attempt();
      if (failures.length === 0 || this.#world.now() + retryMs > untilMs) return failures;
      await this.#world.wait(retryMs);
    }
  }

  async #try(request: ScenarioRequest, expect: Expectation | undefined): Promise<string[]> {
    try {
      const answer = await this.#ask(this.#values.fill(request));
      const failures = expect === undefined ? [] : unmet(this.#values.fill(expect), answer);
      return failures.length > 0 ? failures : this.#values.save(request.save ?? {}, answer.body);
    } catch (error) {
      if (error instanceof FrontAway) return [error.message];
      throw error;
    }
  }

  async #ask({ through, as, method, path, body }: ScenarioRequest): Promise<Answer> {
    const headers: Record<string, string> = {};
    if (as !== undefined) headers['authorization'] = `Bearer ${this.#tokens.get(as)}`;
    if (body !== undefined) headers['content-type'] = 'application/json';
    const text = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await this.#world.request(
      through,
      new Request(`http://${through}${path}`, { method, headers, ...text }),
    );
    const answer = await response.text();
    return { status: response.status, body: answer === '' ? undefined : parsed(answer) };
  }

  /** What is expected of a phone or provider as it is now. */
  #look(name: string, expect: Expectation | undefined): string[] {
    const { outside } = this.#world;
    const isPhone = outside.phones().some((phone) => phone.name === name || phone.endpoint === name);
    const [body] = isPhone ? outside.phones(name) : outside.providers(name);
    return expect === undefined ? [] : unmet(this.#values.fill(expect), { status: 200, body });
  }

  /** What happens outside by itself. */
  #play({ dial, hangUp, load }: ScenarioStep): void {
    const { outside } = this.#world;
    if (dial !== undefined) outside.call(dial.from, String(this.#values.fill(dial.to)));
    if (hangUp !== undefined) outside.hangUp(hangUp);
    if (load === undefined) return;
    this.#traffic?.stop();
    const { rate, holding: holdingMs } = load;
    if (rate === 0) return;
    this.#traffic = outside.traffic({ rate, ...(holdingMs !== undefined && { holdingMs }) });
    this.#traffic.start();
  }

  #inflict(fault: ScenarioFault): Promise<void> {
    const done = this.#inflictor.inflict(fault);
    return fault.restart === undefined ? done : this.#during(done);
  }

  /** Lets time pass until it is done: a node does not start in no time, and virtual time passes for those who wait. */
  async #during(done: Promise<void>): Promise<void> {
    let isSettled = false;
    const settle = () => {
      isSettled = true;
    };
    done.then(settle, settle);
    while (!isSettled) await this.#world.wait(startStepMs);
    return done;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function describe({ note, wait, fault, request, look, dial, hangUp, load, expect }: ScenarioStep): string {
  if (note !== undefined) return note;
  if (wait !== undefined) return `wait ${wait} ms`;
  if (request !== undefined) {
    const until = expect?.within === undefined ? '' : ` within ${expect.within} ms`;
    return `${request.method} ${request.path} through ${request.through}${until}`;
  }
  if (look !== undefined) return `look at ${look}`;
  if (dial !== undefined) return `${dial.from} calls ${dial.to}`;
  if (hangUp !== undefined) return `${hangUp} hangs up`;
  if (load !== undefined) return load.rate === 0 ? 'no more calls' : `${load.rate} calls a second`;
  return Object.entries(fault ?? {})
    .filter(([verb]) => verb !== 'name')
    .map(([verb, on]) => `${verb} ${typeof on === 'string' ? on : Object.values(on as object).join(' ')}`)
    .join(', ');
}
