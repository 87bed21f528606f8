/**
 * The engine: runs scripts, each as a machine, one component at a time. With a store a run survives its instance: whichever
 * opens the store next continues it. A role constructs one with its handlers of effects (`effects.ts`), and starts a run for
 * each request or call.
 */
import { EntityHost } from '../actors/entity-host.ts';
import { type RoleScope, reportBug } from '../cluster/role.ts';
import { type ScriptRunCommand, type ScriptRunEvent, scriptRunMachine } from '../machines/script/script-run.ts';
import { done, failed, fault, type Outcome } from '../model/fault.ts';
import { limits } from '../model/limits.ts';
import type { RunResult, ScriptRequester } from '../model/protocol/messages/script.ts';
import type { ScriptKind } from '../model/script/component.ts';
import { scriptLimitsOf } from '../model/script/script-settings.ts';
import type { Breakpoints } from '../ports/instrumentation/breakpoints.ts';
import type { Evaluation, Sandbox } from '../ports/sandbox.ts';
import type { EffectHandlers, FindScript } from './effects.ts';
import { Evaluator } from './evaluator.ts';
import { GlobalVariables } from './global-variables.ts';
import { RunMemory } from './run-memory.ts';
import { type RunRecord, resultOf } from './run-record.ts';
import type { RunStore } from './run-store.ts';
import { RunTurns, type Work } from './run-turns.ts';
import { RunningScript } from './running-script.ts';

export interface ScriptRunsOptions {
  readonly scope: RoleScope;
  readonly sandbox: Sandbox;
  readonly handlers: EffectHandlers;
  readonly findScript: FindScript;
  /** Functions of expressions beside `startparam`. */
  readonly functions?: Evaluation['functions'];
  /** Where runs stop; default: nowhere. */
  readonly breakpoints?: Breakpoints;
  /** Absent: runs are not stored, and end with the instance. */
  readonly store?: RunStore;
}

export interface ScriptStart {
  /** The asker chooses it, so that a duplicate of its request starts no second run. */
  readonly id: string;
  readonly kind: ScriptKind;
  readonly domain: string;
  readonly code: string;
  readonly params: readonly unknown[];
  readonly requester: ScriptRequester;
}

type Waiter = (outcome: Outcome<RunResult>) => void;

export class ScriptRuns {
  readonly #options: ScriptRunsOptions;
  readonly #globals: GlobalVariables;
  readonly #host: EntityHost<typeof scriptRunMachine>;
  readonly #running = new Map<string, RunningScript>();
  readonly #waiters = new Map<string, Waiter[]>();
  readonly #ended: EndedRuns;
  /** Writes of a run so far: only the end of the last one counts. */
  readonly #writes = new Map<string, number>();
  readonly #turns: RunTurns;
  readonly #memory = new RunMemory();
  #isOver = false;

  constructor(options: ScriptRunsOptions) {
    const { clock, counters, crash, map } = options.scope;
    this.#globals = new GlobalVariables((domain) => scriptLimitsOf(map, domain).allowsGlobals);
    this.#options = options;
    this.#turns = new RunTurns(clock);
    this.#ended = new EndedRuns((id) => void options.store?.remove(id).catch(crash));
    const onCommand = (id: string, command: ScriptRunCommand) => this.#executeCommand(id, command);
    this.#host = new EntityHost({ machine: scriptRunMachine, clock, counters, onCommand, onCrash: crash });
  }

  /** Continues the runs that are in the store. */
  async resume(): Promise<void> {
    const { store, sandbox } = this.#options;
    for (const [domain, values] of (await store?.globals()) ?? []) this.#globals.restore(domain, values);
    const records = (await store?.load()) ?? [];
    if (records.some(({ status }) => status === 'running')) await sandbox.ready();
    for (const record of records) {
      if (this.#isOver) return;
      if (record.status === 'running') this.#begin(record, record.effect === undefined ? 'component' : 'effect');
      else this.#ended.keep(record);
    }
  }

  /** Starts a script. Resolves with its result when it has ended, on behalf of another instance after a failover too. */
  async start(request: ScriptStart): Promise<Outcome<RunResult>> {
    if (!this.#isKnown(request.id)) {
      const refusal = await this.#startNew(request);
      if (refusal !== undefined) return refusal;
    }
    const ended = this.#ended.get(request.id);
    if (ended !== undefined) return done(resultOf(ended));
    return new Promise((resolve) => {
      this.#waiters.set(request.id, [...(this.#waiters.get(request.id) ?? []), resolve]);
    });
  }

  /** Ends a run, such as that of a call that is over. */
  end(id: string): void {
    this.#host.send(id, { type: 'end.requested' });
  }

  /** The runs of a domain that this instance knows, the oldest first. */
  records(domain: string): RunRecord[] {
    const live = [...this.#running.values()].map(({ record }) => record);
    return [...this.#ended.all, ...live].filter((record) => record.domain === domain);
  }

  /** Stops every run where it is: the store has its last position. */
  stop(): void {
    this.#isOver = true;
    this.#host.stopAll();
    this.#turns.stop();
    this.#options.store?.close();
    const left = fault('timeout', `${this.#options.scope.instance.address} has stopped, and the script goes on`);
    for (const waiters of this.#waiters.values()) for (const resolve of waiters) resolve(failed(left));
    this.#waiters.clear();
    for (const script of this.#running.values()) script.stop();
    this.#running.clear();
  }

  #isKnown(id: string): boolean {
    return this.#running.has(id) || this.#ended.get(id) !== undefined;
  }

  async #startNew({ id, kind, domain, code, params, requester }: ScriptStart): Promise<Outcome<never> | undefined> {
    const { scope, findScript, sandbox } = this.#options;
    const found = await findScript(domain, kind, code);
    if (!found.ok) return found;
    if (found.value === undefined) return failed(fault('not_found', `no script with code ${JSON.stringify(code)}`));
    await sandbox.ready();
    // A duplicate of the request may have run it meanwhile.
    if (this.#isKnown(id)) return undefined;
    if (this.#isOver) return failed(fault('unreachable', `${scope.instance.address} does not serve any more`));
    const { siteCount, durationSec } = scriptLimitsOf(scope.map, domain);
    const own = [...this.#running.values()].filter(({ record }) => record.domain === domain).length;
    if (siteCount > 0 && own >= siteCount) {
      return failed(
        fault(
          'overloaded',
          `${own} scripts of ${domain} run at site ${scope.instance.site}: its limit is ${siteCount}`,
        ),
      );
    }
    if (this.#running.size >= limits.scriptRuns) {
      return failed(fault('overloaded', `${scope.instance.address}: ${limits.scriptRuns} scripts run`));
    }
    const full = this.#memory.problemOf(domain, JSON.stringify(params).length + JSON.stringify(found.value).length);
    if (full !== undefined) return failed(fault('overloaded', `${scope.instance.address}: ${full}`));
    const startedMs = scope.clock.now();
    const start = found.value.find(({ type }) => type === 'start')?.name;
    this.#begin({
      ...{ id, kind, domain, code, requester, params, startedMs },
      untilMs: startedMs + durationSec * 1_000,
      scripts: { [code]: found.value },
      frames: [{ code, position: start, variables: {} }],
      passed: 0,
      steps: [],
      status: 'running',
    });
    return undefined;
  }

  #begin(record: RunRecord, from?: 'component' | 'effect'): void {
    const { scope, sandbox, handlers, findScript, functions } = this.#options;
    const { id, effect } = record;
    const { pauseMs } = scriptLimitsOf(scope.map, record.domain);
    const durationMs = Math.max(0, record.untilMs - scope.clock.now());
    const onWork = (work: Work) => this.#turns.count(work);
    const all = { ...functions, ...this.#globals.functions(record.domain) };
    const evaluator = new Evaluator({ sandbox, record, functions: all, onWork });
    const send = (event: ScriptRunEvent) => void this.#host.send(id, event);
    const onBug = (error: unknown) => reportBug(scope, error);
    const script = new RunningScript({
      record,
      scope,
      evaluator,
      handlers,
      findScript,
      send,
      onBug,
      isResumed: from !== undefined,
    });
    this.#running.set(id, script);
    const isRepeatable = effect?.isRepeatable ?? false;
    const refusal = this.#host.start(id, { durationMs, pauseMs, isRepeatable, ...(from !== undefined && { from }) });
    if (refusal !== undefined) throw new Error(refusal.message);
  }

  #executeCommand(id: string, command: ScriptRunCommand): void {
    const script = this.#running.get(id);
    if (script === undefined) return;
    switch (command.type) {
      case 'execute.component':
        return this.#turns.enter(script.record.domain, () => this.#executeComponent(script));
      case 'perform.effect':
        return script.performEffect();
      case 'take.indefinite':
        return script.takeIndefinite();
      case 'fail.run':
        return script.fail(
          command.reason === 'request' ? 'it was ended from outside' : 'it takes longer than its domain allows',
        );
      case 'store.position':
        return this.#store(script);
      case 'store.result':
        script.record.endedMs = this.#options.scope.clock.now();
        return this.#write(script.record.id, JSON.stringify(script.record));
      case 'report.result':
        return this.#report(script.record);
    }
  }

  /** Executes the component at the position, after a stop at a breakpoint. */
  #executeComponent(script: RunningScript): void {
    const { breakpoints, scope } = this.#options;
    const { location } = script;
    const stop = location === undefined ? undefined : breakpoints?.reached(location);
    if (stop === undefined) return script.executeComponent();
    stop.then(() => script.executeComponent()).catch(scope.crash);
  }

  /** Stores a run that goes on. One that holds too much fails, and gives its variables up. */
  #store(script: RunningScript): void {
    const { record } = script;
    const value = JSON.stringify(record);
    const problem = this.#memory.claim(record.id, record.domain, value.length);
    if (problem === undefined) return this.#write(record.id, value);
    script.fail(problem);
    record.frames = record.frames.slice(0, 1).map((frame) => ({ ...frame, variables: {} }));
    this.#host.send(record.id, { type: 'end.requested' });
  }

  #write(id: string, value: string): void {
    this.#turns.count({ letters: value.length });
    const number = (this.#writes.get(id) ?? 0) + 1;
    this.#writes.set(id, number);
    const stored = this.#options.store?.put(id, value, this.#globals.takeChanged()) ?? Promise.resolve(true);
    const finish = (isStored: boolean) => {
      if (isStored && this.#writes.get(id) === number) this.#host.send(id, { type: 'position.stored' });
    };
    stored.then(finish, this.#options.scope.crash);
  }

  #report(record: RunRecord): void {
    this.#running.delete(record.id);
    this.#writes.delete(record.id);
    this.#memory.release(record.id);
    this.#ended.keep(record);
    const waiters = this.#waiters.get(record.id) ?? [];
    this.#waiters.delete(record.id);
    for (const resolve of waiters) resolve(done(resultOf(record)));
  }
}

interface Kept {
  readonly record: RunRecord;
  readonly letters: number;
}

/** The last runs that have ended, for the journal and for duplicates of their requests: within a number and a size. */
export class EndedRuns {
  /** By id, the oldest first. */
  readonly #kept = new Map<string, Kept>();
  readonly #onDropped: (id: string) => void;
  #letters = 0;

  constructor(onDropped: (id: string) => void) {
    this.#onDropped = onDropped;
  }

  /** The oldest first. */
  get all(): RunRecord[] {
    return [...this.#kept.values()].map(({ record }) => record);
  }

  get(id: string): RunRecord | undefined {
    return this.#kept.get(id)?.record;
  }

  keep(record: RunRecord): void {
    this.#drop(record.id);
    const letters = JSON.stringify(record).length;
    this.#kept.set(record.id, { record, letters });
    this.#letters += letters;
    for (const id of this.#kept.keys()) {
      const isWithin = this.#kept.size <= limits.scriptRunsKept && this.#letters <= limits.scriptKeptChars;
      if (isWithin || id === record.id) return;
      this.#drop(id);
      this.#onDropped(id);
    }
  }

  #drop(id: string): void {
    this.#letters -= this.#kept.get(id)?.letters ?? 0;
    this.#kept.delete(id);
  }
}
