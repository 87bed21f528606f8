/**
 * The sandbox: QuickJS compiled to WebAssembly. Each evaluation begins with the same engine state, and nothing survives it but
 * the variables. Why QuickJS: docs/adr/0032-scripts-in-quickjs.md.
 */
import type { QuickJSContext, QuickJSHandle, QuickJSWASMModule } from 'quickjs-emscripten-core';
import { limits } from '../model/limits.ts';
import type { Evaluation, EvaluationOutcome, EvaluationResult, Sandbox } from '../ports/sandbox.ts';
import { EngineTrap, QuickJsEngine, type TrapReason } from './quickjs-engine.ts';

let loading: Promise<void> | undefined;
let loaded: QuickJsSandbox | undefined;

/** Loads the sandbox of this process, once. It takes turns of the event loop, in which the time of a virtual world must not pass. */
export function loadSandbox(): Promise<void> {
  loading ??= QuickJsEngine.load((module) => new PreparedContext(module)).then((engine) => {
    loaded = new QuickJsSandbox(engine);
  });
  return loading;
}

/** The sandbox of this process. */
export const quickJs: Sandbox = {
  ready: loadSandbox,
  evaluate(request) {
    if (loaded === undefined) throw new Error('the sandbox evaluates when it is ready');
    return loaded.evaluate(request);
  },
};

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
const prelude = `((host) => {
  delete Math.random;
  const { stringify, parse } = JSON;
  const { keys, defineProperty } = Object;
  const withText = (value) => {
    if (typeof value !== 'object' || value === null) return value;
    return defineProperty(value, 'toString', { value: () => stringify(value), configurable: true });
  };
  const define = (name, value) => defineProperty(globalThis, name, { value });
  return {
    begin: (given) => {
      const { variables, params, functions } = parse(given);
      for (const name of keys(variables)) globalThis[name] = variables[name];
      define('startparam', (n) => withText(params[n - 1]));
      for (const name of functions) define(name, (...args) => parse(host(name, stringify(args))));
    },
    value: (result) => stringify(result),
    variables: () => {
      const read = {};
      for (const name of keys(globalThis)) read[name] = globalThis[name];
      return stringify(read);
    },
  };
})`;

type Functions = NonNullable<Evaluation['functions']>;

/** An engine state that has run nothing of an author yet. */
class PreparedContext {
  readonly context: QuickJSContext;
  readonly begin: QuickJSHandle;
  readonly value: QuickJSHandle;
  readonly variables: QuickJSHandle;
  /** Of the evaluation that runs. */
  functions: Functions = {};

  constructor(module: QuickJSWASMModule) {
    const runtime = module.newRuntime();
    runtime.setMemoryLimit(limits.sandboxBytes);
    runtime.setMaxStackSize(limits.sandboxStackBytes);
    const context = runtime.newContext({ intrinsics });
    const host = context.newFunction('host', (name, args) => {
      const call = this.functions[context.getString(name)];
      const result = call?.(...(JSON.parse(context.getString(args)) as unknown[]));
      return context.newString(JSON.stringify(result) ?? 'null');
    });
    const prepare = context.unwrapResult(context.evalCode(prelude));
    const reader = context.unwrapResult(context.callFunction(prepare, context.undefined, host));
    this.context = context;
    this.begin = context.getProp(reader, 'begin');
    this.value = context.getProp(reader, 'value');
    this.variables = context.getProp(reader, 'variables');
  }
}

class QuickJsSandbox {
  readonly #engine: QuickJsEngine<PreparedContext>;

  constructor(engine: QuickJsEngine<PreparedContext>) {
    this.#engine = engine;
  }

  evaluate(request: Evaluation): EvaluationResult {
    const outcome = this.#outcomeOf(request);
    return { ...outcome, steps: this.#engine.used };
  }

  #outcomeOf(request: Evaluation): EvaluationOutcome {
    try {
      return this.#engine.run(limits.sandboxFuel, (prepared) => evaluate(prepared, request));
    } catch (error) {
      if (error instanceof Refusal) return { ok: false, problem: error.message };
      if (!(error instanceof EngineTrap)) throw error;
      return { ok: false, problem: problems[error.reason] };
    }
  }
}

const problems: Readonly<Record<TrapReason, string>> = {
  fuel: `it runs too long: a script ends after ${limits.sandboxFuel} steps of the engine`,
  depth: `it nests too deeply: calls in the engine may nest ${limits.sandboxDepth} deep`,
  failure: 'the JavaScript engine has failed on it',
};

/** The code has thrown, or asked for more than it may have. */
class Refusal extends Error {}

function evaluate(
  prepared: PreparedContext,
  { code, form, variables, params, functions = {} }: Evaluation,
): EvaluationOutcome {
  const { context } = prepared;
  prepared.functions = functions;
  const given = context.newString(JSON.stringify({ variables, params, functions: Object.keys(functions) }));
  unwrap(context, context.callFunction(prepared.begin, context.undefined, given));
  const source = form === 'expression' ? `(${code}\n)` : code;
  const result = unwrap(context, context.evalCode(source, 'script', { type: 'global' }));
  const value = form === 'expression' ? read(context, prepared.value, result) : undefined;
  return { ok: true, value, variables: read(context, prepared.variables) as Record<string, unknown> };
}

/** What a function of the prelude returns as JSON. */
function read(context: QuickJSContext, reader: QuickJSHandle, ...args: QuickJSHandle[]): unknown {
  const result = unwrap(context, context.callFunction(reader, context.undefined, ...args));
  if (context.typeof(result) !== 'string') return undefined;
  const text = context.getString(result);
  if (text.length > limits.scriptVariableChars) {
    throw new Refusal(`expected at most ${limits.scriptVariableChars} characters of JSON, got ${text.length}`);
  }
  return JSON.parse(text);
}

type Result = { readonly value: QuickJSHandle } | { readonly error: QuickJSHandle };

function unwrap(context: QuickJSContext, result: Result): QuickJSHandle {
  if ('value' in result) return result.value;
  throw new Refusal(problemOf(context, result.error));
}

function problemOf(context: QuickJSContext, error: QuickJSHandle): string {
  if (context.typeof(error) !== 'object') return notAnError;
  const text = (name: string) => {
    const handle = context.getProp(error, name);
    return context.typeof(handle) === 'string' ? context.getString(handle) : '';
  };
  const name = text('name');
  return name === '' ? notAnError : `${name}: ${text('message')}`.slice(0, limits.scriptNoteChars);
}

const notAnError = 'it throws a value that is not an error';
