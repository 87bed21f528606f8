/**
 * Meters a WebAssembly module: a function that is entered, each turn of a loop, and 32 bytes that one instruction copies or
 * fills take one unit of fuel each, and code that has none left traps. So everything that the module does ends after a number
 * of steps that does not depend on the machine. Calls may nest to a depth, so that the stack of the host is not what ends them.
 *
 * Known are the instructions of the format's first version, sign extension, saturating conversions, and copying and filling
 * memory. A module that uses others is refused: an instruction of unknown length cannot be skipped.
 */

/** The name of the exported global, an `i32`, that holds the fuel. Full at first: a module may start itself. */
export const fuelExport = 'metered_fuel';
/** The same for how deep the calls are nested at present. */
export const depthExport = 'metered_depth';
/** The names of the module's own globals, which are exported too, followed by their index. */
export const globalExports = 'metered_global_';

const section = { type: 1, import: 2, function: 3, global: 6, export: 7, code: 10 };
const empty = 0x40;
const i32 = 0x7f;
/** 2,147,483,647 in LEB128. */
const maxI32 = [0xff, 0xff, 0xff, 0xff, 0x07];
const mutable = 1;
const op = {
  unreachable: 0x00,
  block: 0x02,
  loop: 0x03,
  if: 0x04,
  end: 0x0b,
  br: 0x0c,
  brTable: 0x0e,
  return: 0x0f,
  globalGet: 0x23,
  globalSet: 0x24,
  i32Const: 0x41,
  f32Const: 0x43,
  f64Const: 0x44,
  i32LtU: 0x49,
  i32GtU: 0x4b,
  i32Add: 0x6a,
  i32Sub: 0x6b,
  i32ShrU: 0x76,
  extended: 0xfc,
};

/** Bytes that are read from the beginning to the end. */
class Reader {
  readonly bytes: Uint8Array;
  at: number;

  constructor(bytes: Uint8Array, at = 0) {
    this.bytes = bytes;
    this.at = at;
  }

  get isAtEnd(): boolean {
    return this.at >= this.bytes.length;
  }

  byte(): number {
    const byte = this.bytes[this.at];
    if (byte === undefined) throw new Error('the WebAssembly module ends too early');
    this.at += 1;
    return byte;
  }

  /** An unsigned number in LEB128. */
  number(): number {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.byte();
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
  }

  /** A length, and as many bytes. */
  vector(): Uint8Array {
    const length = this.number();
    if (this.at + length > this.bytes.length) throw new Error('the WebAssembly module ends too early');
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }

  /** What has not been read. */
  rest(): Uint8Array {
    return this.bytes.subarray(this.at);
  }

  /** A count, and as many numbers. */
  numbers(): number[] {
    return Array.from({ length: this.number() }, () => this.number());
  }

  skipNumbers(count: number): void {
    for (let i = 0; i < count; i += 1) while (this.byte() >= 0x80);
  }
}

function leb(value: number): number[] {
  const low = value & 0x7f;
  const rest = Math.floor(value / 0x80);
  return rest === 0 ? [low] : [low | 0x80, ...leb(rest)];
}

/** A number from 0, as a constant of code, where the highest bit is a sign. */
function signedLeb(value: number): number[] {
  if (value < 0x40) return [value];
  return [(value & 0x7f) | 0x80, ...signedLeb(Math.floor(value / 0x80))];
}

function withLength(bytes: readonly Uint8Array[]): Uint8Array[] {
  return [Uint8Array.from(leb(bytes.reduce((sum, each) => sum + each.length, 0))), ...bytes];
}

/** The module, metered. Yields the bytes of each function when it is done. @throws Error for a module that uses what is not known here. */
export function* meterWasm(module: Uint8Array, maxDepth: number): Generator<number, Uint8Array<ArrayBuffer>> {
  const reader = new Reader(module, 8);
  const parts: Uint8Array[] = [module.subarray(0, 8)];
  const types: number[] = [];
  let functions: number[] = [];
  let globals = 0;
  while (!reader.isAtEnd) {
    const id = reader.byte();
    const content = reader.vector();
    const inner = new Reader(content);
    if (id === section.type) types.push(...resultTypes(inner));
    if (id === section.import) globals += importedGlobals(inner);
    if (id === section.function) functions = inner.numbers();
    if (id === section.global) globals += inner.number();
    let metered = [content];
    if (id === section.global) metered = withOwnGlobals(content);
    if (id === section.export) metered = withGlobalExports(content, globals);
    if (id === section.code) {
      const results = functions.map((type) => types[type] ?? empty);
      metered = yield* meteredBodies(content, results, new Metering(globals, maxDepth));
    }
    parts.push(Uint8Array.of(id), ...withLength(metered));
  }
  return new Uint8Array(Buffer.concat(parts));
}

/** What the function types return, as block types. */
function resultTypes(reader: Reader): number[] {
  return Array.from({ length: reader.number() }, () => {
    reader.byte();
    reader.vector();
    const results = reader.vector();
    if (results.length > 1)
      throw new Error('the WebAssembly module has functions with several results, which cannot be metered');
    return results[0] ?? empty;
  });
}

/** The fuel, the depth, and the length of what is copied or filled. */
function withOwnGlobals(content: Uint8Array): Uint8Array[] {
  const reader = new Reader(content);
  const global = (value: readonly number[]) => [i32, mutable, op.i32Const, ...value, op.end];
  const own = Uint8Array.of(...global(maxI32), ...global([0]), ...global([0]));
  return [Uint8Array.from(leb(reader.number() + 3)), reader.rest(), own];
}

/** With fuel, depth and all globals before them, so that a host can set them back. */
function withGlobalExports(content: Uint8Array, fuel: number): Uint8Array[] {
  const reader = new Reader(content);
  const own = Array.from({ length: fuel }, (_, index) => globalExports + index);
  const entries = [...own, fuelExport, depthExport].map((name, index) => {
    const bytes = new TextEncoder().encode(name);
    return Uint8Array.of(...leb(bytes.length), ...bytes, 3, ...leb(index));
  });
  return [Uint8Array.from(leb(reader.number() + entries.length)), reader.rest(), ...entries];
}

function importedGlobals(reader: Reader): number {
  let globals = 0;
  for (let left = reader.number(); left > 0; left -= 1) {
    reader.vector();
    reader.vector();
    const kind = reader.byte();
    if (kind === 0) reader.skipNumbers(1);
    else if (kind === 3) {
      globals += 1;
      reader.at += 2;
    } else {
      if (kind === 1) reader.byte();
      reader.skipNumbers((reader.byte() & 1) + 1);
    }
  }
  return globals;
}

/** What is inserted. The length of what an instruction copies or fills is on the stack before it. */
class Metering {
  readonly step: Uint8Array;
  readonly length: Uint8Array;
  readonly enter: Uint8Array;
  readonly leave: Uint8Array;

  constructor(fuel: number, maxDepth: number) {
    const [depth, length] = [fuel + 1, fuel + 2];
    const get = (global: number) => [op.globalGet, ...leb(global)];
    const set = (global: number) => [op.globalSet, ...leb(global)];
    const trapIf = (condition: readonly number[], ...first: number[]) => [
      ...condition,
      ...[op.if, empty, ...first, op.unreachable, op.end],
    ];
    const take = (units: readonly number[]) => [
      ...trapIf([...get(fuel), ...units, op.i32LtU], op.i32Const, 0, ...set(fuel)),
      ...[...get(fuel), ...units, op.i32Sub, ...set(fuel)],
    ];
    const bytesPerUnit = 5;
    this.step = Uint8Array.from(take([op.i32Const, 1]));
    this.length = Uint8Array.from([
      ...set(length),
      ...take([...get(length), op.i32Const, bytesPerUnit, op.i32ShrU]),
      ...get(length),
    ]);
    this.enter = Uint8Array.from([
      ...this.step,
      ...[...get(depth), op.i32Const, 1, op.i32Add, ...set(depth)],
      ...trapIf([...get(depth), op.i32Const, ...signedLeb(maxDepth), op.i32GtU]),
    ]);
    this.leave = Uint8Array.from([...get(depth), op.i32Const, 1, op.i32Sub, ...set(depth)]);
  }
}

function* meteredBodies(
  content: Uint8Array,
  results: readonly number[],
  metering: Metering,
): Generator<number, Uint8Array[]> {
  const reader = new Reader(content);
  const bodies: Uint8Array[] = [Uint8Array.from(leb(reader.number()))];
  for (const result of results) {
    const code = reader.vector();
    bodies.push(...withLength(new MeteredBody(code, metering).metered(result)));
    yield code.length;
  }
  return bodies;
}

/** The code of a function becomes a block in it. What returned now leaves the block, so that there is one end. */
class MeteredBody {
  readonly #reader: Reader;
  readonly #metering: Metering;
  readonly #parts: Uint8Array[] = [];
  #copied = 0;

  constructor(body: Uint8Array, metering: Metering) {
    this.#reader = new Reader(body);
    this.#metering = metering;
  }

  metered(result: number): Uint8Array[] {
    const reader = this.#reader;
    const { enter, leave } = this.#metering;
    for (let groups = reader.number(); groups > 0; groups -= 1) reader.skipNumbers(2);
    this.#replace(reader.at, 0, enter, Uint8Array.of(op.block, result));
    this.#copyBlock();
    if (!reader.isAtEnd) throw new Error('the WebAssembly module has code after the end of a function');
    this.#replace(reader.at, 0, leave, Uint8Array.of(op.end));
    return this.#parts;
  }

  /** Up to the end of the function. */
  #copyBlock(): void {
    const reader = this.#reader;
    const { step, length } = this.#metering;
    for (let nested = 0; nested >= 0; ) {
      const start = reader.at;
      const opcode = reader.byte();
      if (opcode === op.extended) {
        if (skipExtended(reader)) this.#replace(start, 0, length);
        continue;
      }
      skipImmediates(reader, opcode);
      if (opcode === op.block || opcode === op.loop || opcode === op.if) nested += 1;
      if (opcode === op.loop) this.#replace(reader.at, 0, step);
      if (opcode === op.return) this.#replace(start, 1, Uint8Array.of(op.br, ...leb(nested)));
      if (opcode === op.end) nested -= 1;
    }
  }

  /** Puts code in the place of so many bytes. */
  #replace(at: number, bytes: number, ...code: Uint8Array[]): void {
    this.#parts.push(this.#reader.bytes.subarray(this.#copied, at), ...code);
    this.#copied = at + bytes;
  }
}

/** Opcodes by the numbers in LEB128 that follow them: block types, constants, indexes, alignments. */
const immediates: readonly [from: number, to: number, numbers: number][] = [
  [0x00, 0x01, 0],
  [0x02, 0x04, 1],
  [0x05, 0x05, 0],
  [0x0b, 0x0b, 0],
  [0x0c, 0x0d, 1],
  [0x0f, 0x0f, 0],
  [0x10, 0x10, 1],
  [0x11, 0x11, 2],
  [0x1a, 0x1b, 0],
  [0x20, 0x24, 1],
  [0x28, 0x3e, 2],
  [0x3f, 0x42, 1],
  [0x45, 0xc4, 0],
];

const unknown = 0xff;
const numbersAfter = new Uint8Array(256).fill(unknown);
for (const [from, to, numbers] of immediates) numbersAfter.fill(numbers, from, to + 1);

function skipImmediates(reader: Reader, opcode: number): void {
  const numbers = numbersAfter[opcode] as number;
  if (numbers !== unknown) reader.skipNumbers(numbers);
  else if (opcode === op.brTable) reader.skipNumbers(reader.number() + 1);
  else if (opcode === op.f32Const) reader.at += 4;
  else if (opcode === op.f64Const) reader.at += 8;
  else throw new Error(`the WebAssembly module uses opcode 0x${opcode.toString(16)}, which cannot be metered`);
}

/** Whether the instruction copies or fills memory. */
function skipExtended(reader: Reader): boolean {
  const opcode = reader.number();
  if (opcode > 7 && opcode !== 10 && opcode !== 11) {
    throw new Error(`the WebAssembly module uses opcode 0xfc ${opcode}, which cannot be metered`);
  }
  if (opcode === 10) reader.at += 2;
  if (opcode === 11) reader.at += 1;
  return opcode > 7;
}
