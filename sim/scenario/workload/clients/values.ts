/** Draws values by a JSON Schema: valid ones, ones at the bounds, and wrong ones. */

import { randomUuid } from '../../../../src/model/uuid.ts';
import type { RandomStream } from '../../../../src/ports/random.ts';
import { oneOf } from '../tally.ts';

export type Schema = Readonly<Record<string, unknown>>;

export type Quality = 'valid' | 'boundary' | 'wrong';

/** Draws the value of a named field; `undefined`: by its schema. */
export type FieldDraw = (name: string, schema: Schema) => unknown;

const deepest = 4;
/** Texts of the forms that patterns of the interface ask for. */
const texts = [
  'a',
  '7',
  'text-1',
  '1002',
  'a/b',
  '+1',
  '0',
  '*',
  'a1.wav',
  '2026-01-01T00:00:00Z',
  '10.66.0.7',
  'x'.repeat(100),
];
const odd: readonly unknown[] = [
  null,
  '',
  'x'.repeat(3_000),
  -1,
  1e30,
  [],
  {},
  [[]],
  true,
  '\u0000',
  '../..',
  { $ne: 1 },
];

export class DrawnValues {
  readonly #random: RandomStream;
  readonly #field: FieldDraw;

  constructor(random: RandomStream, field: FieldDraw) {
    this.#random = random;
    this.#field = field;
  }

  draw(schema: Schema, quality: Quality): unknown {
    const value = this.#value(schema, quality === 'boundary', 0);
    return quality === 'wrong' ? this.#spoilt(value) : value;
  }

  #value(schema: Schema, isAtBound: boolean, depth: number): unknown {
    const { type, enum: values, const: only } = schema;
    const forms = (schema['anyOf'] ?? schema['oneOf']) as readonly Schema[] | undefined;
    if (forms !== undefined) return this.#value(this.#one(forms), isAtBound, depth);
    if (only !== undefined) return only;
    if (Array.isArray(values)) return this.#one(values);
    if (Array.isArray(type)) return this.#value({ ...schema, type: this.#one(type) }, isAtBound, depth);
    if (type === 'object') return this.#object(schema, isAtBound, depth);
    if (type === 'array') return this.#array(schema, isAtBound, depth);
    if (type === 'string') return this.#text(schema, isAtBound);
    if (type === 'integer' || type === 'number') return this.#number(schema, isAtBound);
    return type === 'boolean' ? this.#is(1 / 2) : type === 'null' ? null : 'any';
  }

  #object(schema: Schema, isAtBound: boolean, depth: number): unknown {
    const fields = Object.entries((schema['properties'] ?? {}) as Readonly<Record<string, Schema>>);
    const required = new Set(schema['required'] as readonly string[] | undefined);
    const drawn = fields.flatMap(([name, field]) => {
      const isLeftOut = field['not'] !== undefined || (!required.has(name) && !this.#is(depth === 0 ? 1 / 3 : 1 / 2));
      if (isLeftOut || depth > deepest) return [];
      const value = this.#field(name, field) ?? this.#value(field, isAtBound, depth + 1);
      return value === undefined ? [] : [[name, value] as const];
    });
    return Object.fromEntries(drawn);
  }

  #array({ items = {}, maxItems }: Schema, isAtBound: boolean, depth: number): unknown {
    const count = isAtBound ? this.#one([0, Math.min(Number(maxItems ?? 3), 30)]) : this.#random.integer(0, 2);
    return depth > deepest
      ? []
      : Array.from({ length: count }, () => this.#value(items as Schema, isAtBound, depth + 1));
  }

  /** `undefined` if no text that is known here has the form. */
  #text({ pattern, format, minLength = 0, maxLength = 200 }: Schema, isAtBound: boolean): unknown {
    if (format === 'uuid') return randomUuid(this.#random.bytes(16));
    const [least, most] = [Number(minLength), Math.min(Number(maxLength), 2_000)];
    if (isAtBound && pattern === undefined) return 'z'.repeat(this.#one([least, most]));
    const form = typeof pattern === 'string' ? new RegExp(pattern) : /^/;
    const fitting = texts.filter((text) => form.test(text) && text.length >= least && text.length <= most);
    return oneOf(fitting, this.#random);
  }

  #number({ minimum = -1_000, maximum = 1_000 }: Schema, isAtBound: boolean): number {
    const [least, most] = [Math.max(Number(minimum), -(2 ** 31)), Math.min(Number(maximum), 2 ** 31 - 1)];
    if (isAtBound) return this.#one([least, most]);
    return this.#random.integer(Math.max(least, -100), Math.min(most, Math.max(least, -100) + 200));
  }

  /** With a field too many or too few, another type, or something else altogether. */
  #spoilt(value: unknown): unknown {
    const other = this.#one(odd);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return other;
    const name = oneOf(Object.keys(value), this.#random) ?? 'x';
    if (this.#is(1 / 3)) return { ...value, unknown: other };
    return this.#is(1 / 2) ? { ...value, [name]: other } : other;
  }

  #one<T>(items: readonly T[]): T {
    return oneOf(items, this.#random) as T;
  }

  #is(probability: number): boolean {
    return this.#random.float() < probability;
  }
}
