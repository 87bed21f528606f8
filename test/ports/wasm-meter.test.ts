/** Metered WebAssembly: hand-made modules, because no compiler of the project makes any. */

import { depthExport, fuelExport, meterWasm as metering } from '../../src/adapters/wasm-meter.ts';
import { test } from '../kit/test.ts';

interface Instance {
  readonly exports: {
    readonly f: (n: number) => number;
    readonly [fuelExport]: { value: number };
    readonly [depthExport]: { value: number };
  };
}

declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array);
  }
  class Instance {
    constructor(module: Module);
    readonly exports: unknown;
  }
  class RuntimeError extends Error {}
}

const section = (id: number, ...content: number[]) => [id, content.length, ...content];

/** A module with one page of memory that exports `f(n)` with this body. */
function moduleOf(...body: number[]): Uint8Array {
  const code = [0, ...body, 0x0b];
  return Uint8Array.of(
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, 1, 0x60, 1, 0x7f, 1, 0x7f),
    ...section(3, 1, 0),
    ...section(5, 1, 0, 1),
    ...section(6, 1, 0x7f, 1, 0x41, 7, 0x0b),
    ...section(7, 1, 1, 0x66, 0, 0),
    ...section(10, 1, code.length, ...code),
  );
}

function meterWasm(module: Uint8Array, maxDepth: number): Uint8Array<ArrayBuffer> {
  const work = metering(module, maxDepth);
  for (let step = work.next(); ; step = work.next()) if (step.done === true) return step.value;
}

function start(module: Uint8Array): Instance {
  return new WebAssembly.Instance(new WebAssembly.Module(meterWasm(module, 100))) as Instance;
}

/** `do n -= 1 while (n != 0)`, then `n`. */
const countDown = moduleOf(...[0x03, 0x40, 0x20, 0, 0x41, 1, 0x6b, 0x22, 0, 0x0d, 0, 0x0b, 0x20, 0]);
/** `n == 0 ? 0 : f(n - 1)`, with a `return` in a nested block. */
const recurse = moduleOf(...[0x02, 0x40, 0x20, 0, 0x0d, 0, 0x41, 0, 0x0f, 0x0b], ...[0x20, 0, 0x41, 1, 0x6b, 0x10, 0]);
/** Clears the first `n` bytes of memory, then `n`. */
const clear = moduleOf(...[0x41, 0, 0x41, 0, 0x20, 0, 0xfc, 0x0b, 0, 0x20, 0]);
/** Copies `n` bytes of memory, then `n`. */
const copy = moduleOf(...[0x41, 0, 0x41, 8, 0x20, 0, 0xfc, 0x0a, 0, 0, 0x20, 0]);

test('a function takes a unit, and each turn of a loop one', (t) => {
  const { f, [fuelExport]: fuel } = start(countDown).exports;
  fuel.value = 1000;
  t.is(f(5), 0);
  t.is(fuel.value, 1000 - 1 - 5);
});

for (const [name, module] of Object.entries({ clear, copy })) {
  test(`to ${name} memory takes a unit for 32 bytes`, (t) => {
    const { f, [fuelExport]: fuel } = start(module).exports;
    fuel.value = 1000;
    t.is(f(3200), 3200);
    t.is(fuel.value, 1000 - 1 - 100);
  });
}

test('code without fuel traps, and leaves none', (t) => {
  for (const [module, n] of [[countDown, 0] as const, [clear, 60_000] as const, [copy, 60_000] as const]) {
    const { f, [fuelExport]: fuel } = start(module).exports;
    fuel.value = 1000;
    t.throws(() => f(n), { instanceOf: WebAssembly.RuntimeError });
    t.is(fuel.value, 0);
  }
});

test('calls nest to a depth, and the depth is back at 0 after each way out of a function', (t) => {
  const { f, [depthExport]: depth, [fuelExport]: fuel } = start(recurse).exports;
  for (let n = 0; n < 3; n += 1) {
    t.is(f(99), 0);
    t.is(depth.value, 0);
  }
  t.throws(() => f(100), { instanceOf: WebAssembly.RuntimeError });
  t.is(depth.value, 101);
  t.throws(() => f(0), { instanceOf: WebAssembly.RuntimeError }, 'a trap is not forgotten');
  t.true(fuel.value > 0);
});

test('fuel is full at first, and a module’s own globals are exported', (t) => {
  const exports = start(countDown).exports as unknown as Record<string, { value: number }>;
  t.is(exports[fuelExport]?.value, 2 ** 31 - 1);
  t.is(exports['metered_global_0']?.value, 7);
});

test('an instruction of unknown length is refused with its opcode', (t) => {
  t.throws(() => meterWasm(moduleOf(0xfd, 0x0c), 100), { message: /opcode 0xfd, which cannot be metered/ });
  t.throws(() => meterWasm(moduleOf(0xfc, 0x0c), 100), { message: /opcode 0xfc 12, which cannot be metered/ });
  t.throws(() => meterWasm(countDown.subarray(0, -3), 100), { message: /ends too early/ });
});
