/** One run: executes the component at its position and decides which one is next. Its machine says when. */
import type { RoleScope } from '../cluster/role.ts';
import type { ScriptRunEvent } from '../machines/script/script-run.ts';
import { fault } from '../model/fault.ts';
import { limits } from '../model/limits.ts';
import type { Component } from '../model/script/component.ts';
import type { ComponentFailure } from '../model/script/component-failure.ts';
import { kindOf, withDefaults } from '../model/script/script.ts';
import { scriptLimitsOf } from '../model/script/script-settings.ts';
import type { ScriptLocation } from '../ports/instrumentation/breakpoints.ts';
import { type FaultPoint, InjectedCrash } from '../ports/instrumentation/fault-points.ts';
import { type EffectHandlers, type EffectResult, type FindScript, faultyEffect } from './effects.ts';
import { type Evaluator, ScriptError } from './evaluator.ts';
import { frameOf, noteStep, type RunRecord } from './run-record.ts';

interface RunningScriptOptions {
  readonly record: RunRecord;
  readonly scope: RoleScope;
  readonly evaluator: Evaluator;
  readonly handlers: EffectHandlers;
  readonly findScript: FindScript;
  readonly send: (event: ScriptRunEvent) => void;
  /** Reports a bug and returns its reference. */
  readonly onBug: (error: unknown) => string;
  /** Another instance has begun the run. */
  readonly isResumed: boolean;
}

/** Branches whose absence ends the script; the absence of any other one fails the run. */
const endingBranches = ['next', 'yes', 'no'];

export class RunningScript {
  readonly record: RunRecord;
  readonly #options: RunningScriptOptions;
  /** Whether the open effect is one that another instance may have performed. */
  #isRepeated: boolean;
  #isStopped = false;

  constructor(options: RunningScriptOptions) {
    this.#options = options;
    this.record = options.record;
    this.#isRepeated = options.isResumed && options.record.effect !== undefined;
  }

  /** The component that is executed next; undefined: it waits, or its script has ended. */
  get location(): ScriptLocation | undefined {
    const { id: run, status, waitUntilMs } = this.record;
    const { code: script, position, variables } = frameOf(this.record);
    if (status !== 'running' || waitUntilMs !== undefined || position === undefined) return undefined;
    return { run, script, component: position, type: this.#component().type, variables };
  }

  executeComponent(): void {
    this.#guard(() => this.#execute());
  }

  performEffect(): void {
    const { record } = this;
    const { effect } = record;
    if (effect === undefined) throw new Error('a run performs the effect that it has stored');
    if (this.#dies('script.dies_before_effect')) return;
    const component = this.#component();
    const { id, kind, domain, requester } = record;
    const handler = this.#options.handlers[component.type];
    if (handler === undefined) throw new Error(`no handler of components "${component.type}"`);
    const run = { id, kind, domain, code: frameOf(record).code };
    const { key, values } = effect;
    const isRepeated = this.#isRepeated;
    this.#isRepeated = false;
    const isWanted = () => !this.#isStopped && record.effect === effect && record.status === 'running';
    const end = (result: EffectResult) => {
      if (!isWanted() || this.#dies('script.dies_after_effect')) return;
      record.effect = undefined;
      this.#guard(() => {
        this.#take(component, result);
        this.#pass('effect.ended');
      });
    };
    const onBug = (error: unknown) => {
      if (record.status === 'running')
        this.fail(`a bug of the simulator; see reference ${this.#options.onBug(error)} in its log`);
      this.#options.send({ type: 'script.ended' });
    };
    handler({ run, requester, component: component.name, values, key, isRepeated }, isWanted).then(end, onBug);
  }

  /** Its instance serves no more: what an effect under way results in is dropped, and no further attempt is made. */
  stop(): void {
    this.#isStopped = true;
  }

  takeIndefinite(): void {
    this.record.effect = undefined;
    this.#isRepeated = false;
    const problem = 'it is unknown whether the effect happened: the instance that performed it was lost';
    this.#guard(() => {
      this.#take(this.#component(), faultyEffect(fault('crashed', problem)));
      this.#pass('effect.ended');
    });
  }

  /** Ends the run with a problem of the component that it executes. */
  fail(problem: string): void {
    const { record } = this;
    if (record.status !== 'running') return;
    const { code, position } = frameOf(record);
    const where = position === undefined ? '' : `, component ${JSON.stringify(position)}`;
    record.status = 'failed';
    record.problem = `script ${JSON.stringify(code)}${where}: ${problem}`;
    record.effect = undefined;
    record.waitUntilMs = undefined;
  }

  #execute(): void {
    const { record } = this;
    const { send, scope } = this.#options;
    if (record.status !== 'running') return send({ type: 'script.ended' });
    if (record.waitUntilMs !== undefined) return this.#wait(record.waitUntilMs);
    if (frameOf(record).position === undefined) return this.#pass();
    const { componentCount } = scriptLimitsOf(scope.map, record.domain);
    record.passed += 1;
    if (componentCount > 0 && record.passed > componentCount) {
      throw new ScriptError(`the run has executed ${componentCount} components, the limit of its domain`);
    }
    const component = this.#component();
    if (kindOf(component).hasEffect === true) return this.#openEffect(component);
    if (component.type === 'script') return void this.#enter(component);
    this.#executePure(component);
  }

  #executePure(component: Component): void {
    const { evaluator, scope } = this.#options;
    let branch = 'next';
    let note: string | undefined;
    if (component.type === 'assign') {
      for (const [name, code] of Object.entries(component['set'] as Record<string, string>)) {
        evaluator.set(name, evaluator.expression(code, `set.${name}`));
      }
    } else if (component.type === 'code') evaluator.statements(String(component['code']), 'code');
    else if (component.type === 'branch') {
      branch = truth(evaluator.expression(String(component['condition']), 'condition')) ? 'yes' : 'no';
    } else if (component.type === 'log') {
      note = lineOf(evaluator.expression(String(component['text']), 'text'));
    } else if (component.type === 'wait') {
      const seconds = evaluator.expression(String(component['seconds']), 'seconds');
      return this.#wait(scope.clock.now() + secondsOf(seconds) * 1_000);
    }
    this.#take(component, { branch }, note);
    this.#pass();
  }

  #wait(untilMs: number): void {
    const { send, scope } = this.#options;
    const leftMs = untilMs - scope.clock.now();
    if (leftMs > 0) {
      this.record.waitUntilMs = untilMs;
      return send({ type: 'wait.found', ms: leftMs });
    }
    this.record.waitUntilMs = undefined;
    this.#take(this.#component(), { branch: 'next' });
    this.#pass();
  }

  #openEffect(component: Component): void {
    const { record } = this;
    if (this.#options.handlers[component.type] === undefined) {
      throw new ScriptError(`components of type "${component.type}" cannot be executed here`);
    }
    const values = this.#options.evaluator.fields(component);
    const isRepeatable = values['unknown'] === 'repeat';
    if (this.#dies('script.dies_before_saving')) return;
    record.effect = { key: `${record.id}/${record.passed}`, values, isRepeatable };
    this.#options.send({ type: 'effect.found', isRepeatable });
  }

  /** Crashes the instance where a simulation says so. */
  #dies(point: FaultPoint): boolean {
    const { faultPoints, crash } = this.#options.scope;
    const fires = faultPoints.fires(point);
    if (fires) crash(new InjectedCrash(`crashed at the fault point ${point}`));
    return fires;
  }

  /** Begins a nested script. */
  async #enter(component: Component): Promise<void> {
    const { record } = this;
    const { findScript } = this.#options;
    try {
      if (record.frames.length >= limits.scriptDepth)
        throw new ScriptError(`at most ${limits.scriptDepth} scripts may be nested`);
      const { code: given, params } = this.#options.evaluator.fields(component);
      const code = String(given);
      const found = await findScript(record.domain, record.kind, code);
      if (record.status !== 'running') return;
      if (!found.ok) {
        record.isIndefinite = true;
        throw new ScriptError(found.fault.message);
      }
      if (found.value === undefined) {
        const problem = `there is no script ${JSON.stringify(code)}`;
        this.#take(component, { branch: 'missing', value: { problem, code: 'not_found' } satisfies ComponentFailure });
      } else {
        // Not by assignment: a code may be a name that every object has.
        if (!Object.hasOwn(record.scripts, code)) record.scripts = { ...record.scripts, [code]: found.value };
        this.#note(component, `→ ${code}`);
        const position = record.scripts[code]?.find(({ type }) => type === 'start')?.name;
        record.frames.push({ code, position, variables: params as Record<string, unknown> });
      }
      this.#pass();
    } catch (error) {
      this.#failBy(error);
    }
  }

  /** A component was executed: leaves each script that has ended, and goes on. */
  #pass(type: 'component.passed' | 'effect.ended' = 'component.passed'): void {
    const { record } = this;
    while (frameOf(record).position === undefined) {
      if (record.frames.length === 1) {
        record.status = 'finished';
        return this.#options.send({ type: 'script.ended' });
      }
      const { variables } = frameOf(record);
      record.frames.pop();
      this.#take(this.#component(), { branch: 'next', value: variables });
    }
    this.#options.send({ type });
  }

  /** Moves on along a branch of the component at the position. */
  #take(component: Component, { branch, value }: EffectResult, note?: string): void {
    const name = component['result'];
    if (typeof name === 'string' && name !== '' && value !== undefined) this.#options.evaluator.set(name, value);
    const target = component[branch] as string | undefined;
    this.#note(component, note ?? branch);
    if (target === undefined && !endingBranches.includes(branch)) {
      const { problem = `it has no branch "${branch}"` } = (value ?? {}) as { problem?: string };
      if (branch === 'indefinite') this.record.isIndefinite = true;
      throw new ScriptError(problem);
    }
    frameOf(this.record).position = target;
  }

  #note({ name, type }: Component, note: string): void {
    noteStep(this.record, {
      at: this.#options.scope.clock.now(),
      script: frameOf(this.record).code,
      component: name,
      type,
      note: note.slice(0, limits.scriptNoteChars),
    });
  }

  #component(): Component {
    const { code, position } = frameOf(this.record);
    const component = this.record.scripts[code]?.find(({ name }) => name === position);
    if (component === undefined) throw new Error(`script "${code}" has no component "${position}"`);
    return withDefaults(component);
  }

  #guard(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#failBy(error);
    }
  }

  #failBy(error: unknown): void {
    const isOwn = error instanceof ScriptError;
    const problem = isOwn
      ? error.message
      : `a bug of the simulator; see reference ${this.#options.onBug(error)} in its log`;
    this.fail(problem);
    this.#options.send({ type: 'script.ended' });
  }
}

function truth(value: unknown): boolean {
  return Boolean(value);
}

function lineOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function secondsOf(value: unknown): number {
  if (typeof value === 'number' && value >= 0 && value <= limits.scriptWaitSeconds) return value;
  throw new ScriptError(
    `seconds: expected a number from 0 to ${limits.scriptWaitSeconds}, got ${JSON.stringify(value)}`,
  );
}
