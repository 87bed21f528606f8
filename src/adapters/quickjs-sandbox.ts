/**
 * The sandbox: QuickJS compiled to WebAssembly. Each evaluation has an engine state of its own, which nothing survives but
 * the variables. Why QuickJS: docs/adr/0032-scripts-in-quickjs.md.
 */
import variant from '@jitl/quickjs-wasmfile-release-sync';
import {
  newQuickJSWASMModuleFromVariant,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSRuntime,
  type QuickJSSyncVariant,
  type QuickJSWASMModule,
  Scope,
} from 'quickjs-emscripten-core';
import { limits } from '../model/limits.ts';
import type { Evaluation, EvaluationResult, Sandbox } from '../ports/sandbox.ts';

let loading: Promise<void> | undefined;
let loaded: Sandbox | undefined;

/** Loads the sandbox of this process, once. Compiling it takes turns of the event loop: a world does so before its time starts. */
export function loadSandbox(): Promise<void> {
  loading ??= newQuickJSWASMModuleFromVariant(variant as unknown as QuickJSSyncVariant).then((module) => {
    loaded = new QuickJsSandbox(module);
  });
  return loading;
}

export function loadedSandbox(): Sandbox {
  if (loaded === undefined) throw new Error('a world loads the sandbox before its nodes start');
  return loaded;
}

/** No `Date`, which is a clock. Jobs of promises are never run: a script is synchronous. */
const intrinsics = {
  BaseObjects: true,
  Eval: true,
  StringNormalize: true,
  RegExp: true,
  RegExpCompiler: true,
  JSON: true,
  MapSet: true,
  // Without it, an `import()` leaves objects behind that abort the engine.
  Promise: true,
  TypedArrays: true,
  BigInt: true,
};

/**
 * Prepares the globals, and returns what reads them afterwards. It keeps its own references, because the code may replace
 * every global. JSON values of the platform have their text as `toString`, so that `JSON.parse(startparam(4))` works too.
 */
const prelude = `((given) => {
  delete Math.random;
  const { stringify, parse } = JSON;
  const { keys, defineProperty } = Object;
  const { variables, params } = parse(given);
  const withText = (value) => {
    if (typeof value !== 'object' || value === null) return value;
    return defineProperty(value, 'toString', { value: () => stringify(value), configurable: true });
  };
  for (const name of keys(variables)) globalThis[name] = variables[name];
  defineProperty(globalThis, 'startparam', { value: (n) => withText(params[n - 1]) });
  return {
    parse,
    value: (result) => stringify(result),
    variables: () => {
      const read = {};
      for (const name of keys(globalThis)) read[name] = globalThis[name];
      return stringify(read);
    },
  };
})`;

class QuickJsSandbox implements Sandbox {
  readonly #module: QuickJSWASMModule;

  constructor(module: QuickJSWASMModule) {
    this.#module = module;
  }

  evaluate(request: Evaluation): EvaluationResult {
    return Scope.withScope((scope) => {
      const runtime = scope.manage(this.#module.newRuntime());
      const budget = limitRuntime(runtime);
      const context = scope.manage(runtime.newContext({ intrinsics }));
      return new OneEvaluation(scope, context, budget).run(request);
    });
  }
}

interface Budget {
  isExceeded: boolean;
}

/** Interrupts are counted, not timed: QuickJS raises one after a number of calls and jumps back. */
function limitRuntime(runtime: QuickJSRuntime): Budget {
  const budget = { isExceeded: false };
  let interrupts = 0;
  runtime.setMemoryLimit(limits.sandboxBytes);
  runtime.setMaxStackSize(limits.sandboxStackBytes);
  runtime.setInterruptHandler(() => {
    interrupts += 1;
    budget.isExceeded = interrupts > limits.sandboxInterrupts;
    return budget.isExceeded;
  });
  return budget;
}

/** The code has asked for more than it may have. */
class Refusal extends Error {}

class OneEvaluation {
  readonly #scope: Scope;
  readonly #context: QuickJSContext;
  readonly #budget: Budget;

  constructor(scope: Scope, context: QuickJSContext, budget: Budget) {
    this.#scope = scope;
    this.#context = context;
    this.#budget = budget;
  }

  run({ code, form, variables, params, functions = {} }: Evaluation): EvaluationResult {
    const given = this.#context.newString(JSON.stringify({ variables, params }));
    try {
      const prepare = this.#manage(this.#context.evalCode(prelude));
      const reader = this.#call(prepare, this.#scope.manage(given));
      const parse = this.#manage({ value: this.#context.getProp(reader, 'parse') });
      for (const [name, call] of Object.entries(functions)) this.#define(name, call, parse);
      const isExpression = form === 'expression';
      const source = isExpression ? `(${code}\n)` : code;
      const result = this.#manage(this.#context.evalCode(source, 'script', { type: 'global' }));
      const value = isExpression ? this.#read(reader, 'value', result) : undefined;
      return { ok: true, value, variables: this.#read(reader, 'variables') as Record<string, unknown> };
    } catch (error) {
      if (error instanceof Refusal) return { ok: false, problem: error.message };
      throw error;
    }
  }

  /** Adds a function of the platform. */
  #define(name: string, call: (...args: unknown[]) => unknown, parse: QuickJSHandle): void {
    const context = this.#context;
    const handle = context.newFunction(name, (...args) => {
      const result = call(...args.map((arg) => context.dump(arg) as unknown));
      const text = this.#scope.manage(context.newString(JSON.stringify(result) ?? 'null'));
      return context.callFunction(parse, context.undefined, text);
    });
    this.#scope.manage(handle);
    context.defineProp(context.global, name, { value: handle, enumerable: false });
  }

  #read(reader: QuickJSHandle, name: 'value' | 'variables', ...args: QuickJSHandle[]): unknown {
    const read = this.#scope.manage(this.#context.getProp(reader, name));
    const result = this.#call(read, ...args);
    if (this.#context.typeof(result) !== 'string') return undefined;
    const text = this.#context.getString(result);
    if (text.length > limits.scriptVariableLetters) {
      throw new Refusal(`expected at most ${limits.scriptVariableLetters} characters of JSON, got ${text.length}`);
    }
    return JSON.parse(text);
  }

  #call(called: QuickJSHandle, ...args: QuickJSHandle[]): QuickJSHandle {
    return this.#manage(this.#context.callFunction(called, this.#context.undefined, ...args));
  }

  #manage(result: { readonly value: QuickJSHandle } | { readonly error: QuickJSHandle }): QuickJSHandle {
    if ('value' in result) return this.#scope.manage(result.value);
    throw new Refusal(this.#problemOf(this.#scope.manage(result.error)));
  }

  #problemOf(error: QuickJSHandle): string {
    if (this.#budget.isExceeded) return `it runs too long: a script ends after ${limits.sandboxInterrupts} interrupts`;
    const read = (name: string) => {
      const handle = this.#scope.manage(this.#context.getProp(error, name));
      return this.#context.typeof(handle) === 'string' ? this.#context.getString(handle) : '';
    };
    const isError = this.#context.typeof(error) === 'object';
    const [name, message] = isError ? [read('name'), read('message')] : ['', ''];
    if (name === '') return 'it throws a value that is not an error';
    return `${name}: ${message}`.slice(0, limits.scriptNoteLetters);
  }
}
