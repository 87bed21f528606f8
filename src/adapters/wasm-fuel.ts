/**
 * Meters a WebAssembly module: a function that is entered, each turn of a loop, and 32 bytes that one instruction copies or
 * fills take one unit of fuel each, and code that has none left traps. So everything that the module does ends after a number
 * of steps that does not depend on the machine.
 *
 * Known are the instructions of the format's first version, sign extension, saturating conversions, and copying and filling
 * memory. A module that uses others is refused: an instruction of unknown length cannot be skipped.
 */

/** The name of the exported global, an `i32`, that holds the fuel. Full at first: a module may start itself. */
export const fuelExport = 'metered_fuel';
/** The names of the module's own globals, which are exported too, followed by their index. */
export const globalExports = 'metered_global_';

const section = { import: 2, global: 6, export: 7, code: 10 };
const empty = 0x40;
const i32 = 0x7f;
/** 2,147,483,647 in LEB128. */
const maxI32 = [0xff, 0xff, 0xff, 0xff, 0x07];
const mutable = 1;
const op = {
  unreachable: 0x00,
  loop: 0x03,
  if: 0x04,
  end: 0x0b,
  brTable: 0x0e,
  globalGet: 0x23,
  globalSet: 0x24,
  i32Const: 0x41,
  f32Const: 0x43,
  f64Const: 0x44,
  i32LtU: 0x49,
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

  skipNumbers(count: number): void {
    for (let i = 0; i < count; i += 1) while (this.byte() >= 0x80);
  }
}

function leb(value: number): number[] {
  const low = value & 0x7f;
  const rest = Math.floor(value / 0x80);
  return rest === 0 ? [low] : [low | 0x80, ...leb(rest)];
}

function withLength(bytes: readonly Uint8Array[]): Uint8Array[] {
  return [Uint8Array.from(leb(bytes.reduce((sum, each) => sum + each.length, 0))), ...bytes];
}

/** The module with fuel. @throws Error for a module that uses what is not known here. */
export function meterWasm(module: Uint8Array): Uint8Array<ArrayBuffer> {
  const reader = new Reader(module, 8);
  const parts: Uint8Array[] = [module.subarray(0, 8)];
  let globals = 0;
  while (!reader.isAtEnd) {
    const id = reader.byte();
    const content = reader.vector();
    const inner = new Reader(content);
    if (id === section.import) globals += importedGlobals(inner);
    if (id === section.global) globals += inner.number();
    parts.push(
      Uint8Array.of(id),
      ...withLength(id === section.global ? withTwoGlobals(content) : metered(id, content, globals)),
    );
  }
  return new Uint8Array(Buffer.concat(parts));
}

function metered(id: number, content: Uint8Array, fuel: number): Uint8Array[] {
  if (id === section.export) return withGlobalExports(content, fuel);
  if (id === section.code) return meteredBodies(content, new Metering(fuel));
  return [content];
}

/** The fuel, and the length of what is copied or filled. */
function withTwoGlobals(content: Uint8Array): Uint8Array[] {
  const reader = new Reader(content);
  const global = (value: readonly number[]) => [i32, mutable, op.i32Const, ...value, op.end];
  return [Uint8Array.from(leb(reader.number() + 2)), reader.rest(), Uint8Array.of(...global(maxI32), ...global([0]))];
}

/** With the fuel and all globals before it, so that a host can set them back. */
function withGlobalExports(content: Uint8Array, fuel: number): Uint8Array[] {
  const reader = new Reader(content);
  const own = Array.from({ length: fuel }, (_, index) => globalExports + index);
  const entries = [...own, fuelExport].map((name, index) => {
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

/** What is inserted: at functions and loops, and before an instruction that copies or fills, whose length is on the stack. */
class Metering {
  readonly step: Uint8Array;
  readonly length: Uint8Array;

  constructor(fuel: number) {
    const getFuel = [op.globalGet, ...leb(fuel)];
    const setFuel = [op.globalSet, ...leb(fuel)];
    const getLength = [op.globalGet, ...leb(fuel + 1)];
    const take = (units: readonly number[]) => [
      ...[...getFuel, ...units, op.i32LtU, op.if, empty, op.i32Const, 0, ...setFuel, op.unreachable, op.end],
      ...[...getFuel, ...units, op.i32Sub, ...setFuel],
    ];
    const bytesPerUnit = 5;
    this.step = Uint8Array.from(take([op.i32Const, 1]));
    this.length = Uint8Array.from([
      ...[op.globalSet, ...leb(fuel + 1)],
      ...take([...getLength, op.i32Const, bytesPerUnit, op.i32ShrU]),
      ...getLength,
    ]);
  }
}

function meteredBodies(content: Uint8Array, metering: Metering): Uint8Array[] {
  const reader = new Reader(content);
  const count = reader.number();
  const bodies: Uint8Array[] = [Uint8Array.from(leb(count))];
  for (let i = 0; i < count; i += 1) bodies.push(...withLength(meteredBody(new Reader(reader.vector()), metering)));
  return bodies;
}

function meteredBody(reader: Reader, metering: Metering): Uint8Array[] {
  for (let groups = reader.number(); groups > 0; groups -= 1) reader.skipNumbers(2);
  const parts: Uint8Array[] = [];
  let copied = 0;
  const insert = (at: number, code: Uint8Array) => {
    parts.push(reader.bytes.subarray(copied, at), code);
    copied = at;
  };
  insert(reader.at, metering.step);
  while (!reader.isAtEnd) {
    const start = reader.at;
    const opcode = reader.byte();
    if (opcode === op.extended) {
      if (skipExtended(reader)) insert(start, metering.length);
    } else {
      skipImmediates(reader, opcode);
      if (opcode === op.loop) insert(reader.at, metering.step);
    }
  }
  return [...parts, reader.bytes.subarray(copied)];
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
