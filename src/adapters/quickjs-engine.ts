/**
 * QuickJS as WebAssembly, metered: everything that it does, its native functions included, takes fuel, and traps without. Each
 * run begins with the same memory: nothing of one reaches another, and the same code takes the same fuel whatever ran before.
 */
import { readFile } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import variant from '@jitl/quickjs-wasmfile-release-sync';
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSSyncVariant,
  type QuickJSWASMModule,
} from 'quickjs-emscripten-core';
import { limits } from '../model/limits.ts';
import { depthExport, fuelExport, globalExports, meterWasm } from './wasm-meter.ts';

/** What the engine needs of WebAssembly, which the types of Node do not declare. */
declare namespace WebAssembly {
  type Imports = object;
  type Exports = Readonly<Record<string, unknown>>;
  interface Global<T = unknown> {
    value: T;
  }
  type Module = object;
  function compile(bytes: Uint8Array): Promise<Module>;
  class Instance {
    constructor(module: Module, imports: Imports);
    readonly exports: Exports;
  }
  class Memory {
    constructor(pages: { readonly initial: number; readonly maximum: number });
    readonly buffer: ArrayBuffer;
  }
  class RuntimeError extends Error {}
}

const wasm = '@jitl/quickjs-wasmfile-release-sync/wasm';
const pageBytes = 65_536;
/** As the engine declares it. */
const initialPages = 256;

/** Why a run was ended: it had no fuel left, its calls were nested too deeply, or the engine has failed. */
export type TrapReason = 'fuel' | 'depth' | 'failure';

export class EngineTrap extends Error {
  readonly reason: TrapReason;

  constructor(reason: TrapReason, cause: unknown) {
    super('a run of QuickJS was ended', { cause });
    this.reason = reason;
  }
}

/** `T`: what every run begins with. */
export class QuickJsEngine<T> {
  readonly #prepared: T;
  readonly #state: EngineState;
  #used = 0;

  private constructor(prepared: T, state: EngineState) {
    this.#prepared = prepared;
    this.#state = state;
  }

  /** Loads it, and prepares what every run begins with. */
  static async load<T>(prepare: (module: QuickJSWASMModule) => T): Promise<QuickJsEngine<T>> {
    const module = await readFile(fileURLToPath(import.meta.resolve(wasm)));
    const compiled = await WebAssembly.compile(await inSlices(meterWasm(module, limits.sandboxDepth)));
    const memory = new WebAssembly.Memory({ initial: initialPages, maximum: limits.sandboxEngineBytes / pageBytes });
    let exports: WebAssembly.Exports = {};
    const instantiateWasm = (imports: WebAssembly.Imports, onSuccess: (instance: WebAssembly.Instance) => void) => {
      const instance = new WebAssembly.Instance(compiled, imports);
      exports = instance.exports;
      onSuccess(instance);
      return exports;
    };
    const metered = newVariant(variant as unknown as QuickJSSyncVariant, {
      wasmMemory: memory,
      emscriptenModule: { instantiateWasm },
    });
    const engine = await newQuickJSWASMModuleFromVariant(metered);
    await setImmediate();
    const prepared = prepare(engine);
    await setImmediate();
    return new QuickJsEngine(prepared, new EngineState(memory, exports));
  }

  /** The fuel that the last run has used. */
  get used(): number {
    return this.#used;
  }

  /**
   * Calls the engine with that much fuel. What `body` makes in it is gone afterwards, and is not disposed of: a trap leaves it in
   * any state. @throws EngineTrap; errors of `body` pass through.
   */
  run<R>(fuel: number, body: (prepared: T) => R): R {
    this.#state.fuel = fuel;
    try {
      const result = body(this.#prepared);
      const reason = this.#state.trapReason;
      if (reason !== undefined) throw new EngineTrap(reason, undefined);
      return result;
    } catch (error) {
      throw this.#trapOf(error) ?? error;
    } finally {
      this.#used = fuel - this.#state.fuel;
      this.#state.restore();
    }
  }

  #trapOf(error: unknown): EngineTrap | undefined {
    const isFailure = error instanceof WebAssembly.RuntimeError || error instanceof RangeError;
    const reason = this.#state.trapReason ?? (isFailure ? 'failure' : undefined);
    return reason === undefined ? undefined : new EngineTrap(reason, error);
  }
}

/** Code that is metered in one turn of the event loop: some milliseconds. Not by time: a virtual world has no other clock than its own. */
const sliceBytes = 64 * 1024;

/** The result of the work, during which the event loop goes on. */
async function inSlices<R>(work: Iterator<number, R>): Promise<R> {
  let bytes = 0;
  for (let step = work.next(); ; step = work.next()) {
    if (step.done === true) return step.value;
    bytes += step.value;
    if (bytes < sliceBytes) continue;
    bytes = 0;
    await setImmediate();
  }
}

/** All that the engine changes: its memory and its globals, as they are when this is made. */
class EngineState {
  readonly #memory: WebAssembly.Memory;
  readonly #fuel: WebAssembly.Global<number>;
  readonly #depth: WebAssembly.Global<number>;
  readonly #globals: readonly WebAssembly.Global[];
  readonly #savedGlobals: readonly unknown[];
  /** Up to the last page that is not all 0: what follows is free, and is not read before it is written. */
  readonly #savedMemory: Uint8Array;

  constructor(memory: WebAssembly.Memory, exports: WebAssembly.Exports) {
    this.#memory = memory;
    this.#fuel = exports[fuelExport] as WebAssembly.Global<number>;
    this.#depth = exports[depthExport] as WebAssembly.Global<number>;
    const names = Object.keys(exports).filter((name) => name.startsWith(globalExports));
    this.#globals = names.map((name) => exports[name] as WebAssembly.Global);
    this.#savedGlobals = this.#globals.map((each) => each.value);
    this.#savedMemory = new Uint8Array(memory.buffer.slice(0, usedBytes(memory.buffer)));
  }

  get fuel(): number {
    return this.#fuel.value;
  }

  set fuel(fuel: number) {
    this.#fuel.value = fuel;
  }

  /** Why the module has trapped, which nothing that runs afterwards can hide. */
  get trapReason(): TrapReason | undefined {
    if (this.fuel === 0) return 'fuel';
    return this.#depth.value > limits.sandboxDepth ? 'depth' : undefined;
  }

  restore(): void {
    this.#depth.value = 0;
    for (const [index, each] of this.#globals.entries()) each.value = this.#savedGlobals[index];
    new Uint8Array(this.#memory.buffer).set(this.#savedMemory);
  }
}

/** In whole pages: a native comparison of pages takes a hundredth of the time of a loop over words. */
function usedBytes(memory: ArrayBuffer): number {
  const free = Buffer.alloc(pageBytes);
  let used = memory.byteLength;
  while (used > 0 && free.equals(new Uint8Array(memory, used - pageBytes, pageBytes))) used -= pageBytes;
  return used;
}
