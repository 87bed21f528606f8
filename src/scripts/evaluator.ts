/** Evaluates the code of components with the variables of the innermost script. */
import { limits } from '../model/limits.ts';
import { type Component, isVariableName } from '../model/script/component.ts';
import { kindOf } from '../model/script/script.ts';
import type { Evaluation, Sandbox } from '../ports/sandbox.ts';
import { frameOf, type RunRecord } from './run-record.ts';
import type { Work } from './run-turns.ts';

/** The error of an author: it fails the run. */
export class ScriptError extends Error {}

export interface EvaluatorOptions {
  readonly sandbox: Sandbox;
  readonly record: RunRecord;
  readonly functions: Evaluation['functions'];
  readonly onWork: (work: Work) => void;
}

export class Evaluator {
  readonly #sandbox: Sandbox;
  readonly #record: RunRecord;
  readonly #functions: Evaluation['functions'];
  readonly #onWork: (work: Work) => void;

  constructor({ sandbox, record, functions, onWork }: EvaluatorOptions) {
    this.#sandbox = sandbox;
    this.#record = record;
    this.#functions = functions;
    this.#onWork = onWork;
  }

  expression(code: string, field: string): unknown {
    return this.#evaluate(code, field, 'expression').value ?? null;
  }

  /** Runs statements, and keeps the variables that they leave behind. */
  statements(code: string, field: string): void {
    this.setAll(this.#evaluate(code, field, 'statements').variables);
  }

  set(name: string, value: unknown): void {
    this.setAll({ ...frameOf(this.#record).variables, [name]: value });
  }

  setAll(variables: Readonly<Record<string, unknown>>): void {
    const own = Object.entries(variables).filter(([name, value]) => value !== undefined && isVariableName(name));
    const kept = Object.fromEntries(own);
    const outer = this.#record.frames.slice(0, -1).map((frame) => frame.variables);
    const letters = JSON.stringify([...outer, kept]).length;
    this.#onWork({ letters });
    if (letters > limits.scriptVariableChars) {
      throw new ScriptError(`the variables exceed ${limits.scriptVariableChars} characters of JSON`);
    }
    frameOf(this.#record).variables = kept;
  }

  /** The fields of a component; expressions are evaluated. */
  fields(component: Component): Record<string, unknown> {
    const fields = Object.entries(kindOf(component).fields).map(([name, { evaluated }]) => {
      const given = component[name];
      if (evaluated === 'expression') return [name, this.expression(String(given), name)] as const;
      if (evaluated !== 'expressions') return [name, given] as const;
      const inner = Object.entries(given as Record<string, string>);
      return [
        name,
        Object.fromEntries(inner.map(([key, code]) => [key, this.expression(code, `${name}.${key}`)])),
      ] as const;
    });
    return Object.fromEntries(fields);
  }

  #evaluate(code: string, field: string, form: Evaluation['form']) {
    const { variables } = frameOf(this.#record);
    const functions = this.#functions === undefined ? {} : { functions: this.#functions };
    const result = this.#sandbox.evaluate({ code, form, variables, params: this.#record.params, ...functions });
    this.#onWork({ steps: result.steps });
    if (result.ok) return result;
    throw new ScriptError(`${field}: ${result.problem}`);
  }
}
