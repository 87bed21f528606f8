/** The messages about invalid files: every field of every schema, in the words of the file. */

import { z } from 'zod';
import { faultText, readValue } from '../../sim/input/read-value.ts';
import { readYaml } from '../../sim/input/yaml.ts';
import { YamlError } from '../../sim/input/yaml-error.ts';
import { scenarioSchema } from '../../sim/scenario/language/scenario.ts';
import { domainDocumentSchema } from '../../src/model/entities/document.ts';
import { innerOf } from '../../src/model/shapes/schema-fields.ts';
import { topologySchema } from '../../src/model/topology/schema.ts';
import { test } from '../kit/test.ts';

type Schema = z.core.$ZodType;
type Path = readonly (string | number)[];

interface Field {
  readonly path: Path;
  readonly schema: Schema;
}

/** Every place in what a schema describes; what is in itself only once. */
function fieldsOf(schema: Schema, path: Path = [], around: readonly Schema[] = []): Field[] {
  const inner = innerOf(schema);
  if (inner !== undefined) return [{ path, schema }, ...fieldsOf(inner, path, around).slice(1)];
  const { def } = (schema as z.core.$ZodTypes)._zod;
  const deeper = (part: string | number, of: Schema) => fieldsOf(of, [...path, part], [...around, schema]);
  const here = { path, schema };
  if (around.includes(schema)) return [here];
  if (def.type === 'union') return [here, ...def.options.flatMap((each) => fieldsOf(each, path, around).slice(1))];
  if (def.type === 'array') return [here, ...deeper(0, def.element)];
  if (def.type === 'record') return [here, ...deeper(keyOf(def.keyType), def.valueType)];
  if (def.type === 'object') return [here, ...Object.entries(def.shape).flatMap(([key, of]) => deeper(key, of))];
  return [here];
}

function keyOf(keyType: Schema): string {
  const { def } = (keyType as z.core.$ZodTypes)._zod;
  if (def.type === 'enum') return String(Object.values(def.entries)[0]);
  return (keyType as z.ZodType).safeParse('/path').success ? '/path' : 'name';
}

/** Data with a value at a place, and nothing else. */
function dataWith([part, ...rest]: Path, value: unknown): unknown {
  if (part === undefined) return value;
  const inner = dataWith(rest, value);
  return typeof part === 'number' ? [inner] : { [part]: inner };
}

const values = [7.5, -1, 'two words!', true, null, [], ['x'], { surprise: 1 }];
const said = /^(\S+: )?(no such field here, expected one of |expected )/;
const parser =
  /expected (an? )?(string|number|int|integer|boolean|array|record|object|map|input|option|null|undefined|never|nonoptional)\b(?! from| to)|Invalid|received|Unrecognized|[<>]=|undefined|NaN|\[object/;

for (const [name, schema] of Object.entries({ scenarioSchema, topologySchema, domainDocumentSchema })) {
  test(`of no field of ${name} the parser's own words are said`, (t) => {
    const fields = fieldsOf(schema);
    t.true(fields.length > 10, String(fields.length));
    let tried = 0;
    for (const { path, schema: own } of fields) {
      for (const value of values) {
        if ((own as z.ZodType).safeParse(value).success) continue;
        tried += 1;
        const read = readValue(schema, dataWith(path, value));
        const lines = read.isValid ? [] : read.faults.map((fault) => faultText(fault));
        const where = `${path.join('.')} = ${JSON.stringify(value)}: ${lines.join(' | ')}`;
        const isThere = (at: Path) => at.every((part, i) => i >= path.length || part === path[i]);
        t.true(!read.isValid && read.faults.some((fault) => isThere(fault.path)), where);
        for (const line of lines) {
          t.regex(line, said, where);
          t.notRegex(line.replaceAll(/\([^)]*\)/g, ''), parser, where);
        }
      }
    }
    t.true(tried > 50, String(tried));
  });
}

const example = z.strictObject({
  text: z.string().optional(),
  title: z.string().min(3).optional().describe('What it is about. It stands in reports'),
  shape: z
    .string()
    .regex(/^[a-c]+$/)
    .optional(),
  rule: z.string().regex(/^x/, 'expected a text that begins with x').optional(),
  whole: z.int().min(1).max(5).default(1),
  part: z.number().min(0).optional(),
  least: z.number().max(9).optional(),
  yes: z.boolean().optional(),
  kind: z.enum(['north', 'south']).optional(),
  one: z.literal('all').optional(),
  empty: z.string().nullable().optional(),
  id: z.uuid().optional(),
  many: z.array(z.int().min(1)).min(1).max(3).optional(),
  either: z.union([z.string(), z.array(z.string())]).optional(),
  named: z.record(z.string().regex(/^[a-z]+$/, 'expected small letters'), z.boolean()).optional(),
  shares: z.partialRecord(z.enum(['in', 'out']), z.number()).optional(),
  inside: z.strictObject({ deep: z.string() }).optional(),
});

const invalid: readonly [what: string, line: string, message: string][] = [
  ['a number for a text', 'text: 1001', '1:1 text: expected a text, got 1001; put it in quotes'],
  ['nothing for a text', 'text:', '1:1 text: expected a text, got nothing'],
  [
    'a text that is too short',
    'title: ab',
    '1:1 title: expected a text of at least 3 characters (What it is about), got "ab"',
  ],
  ['a text of another shape', 'shape: d', '1:1 shape: expected a text like ^[a-c]+$, got "d"'],
  ['a number for a text with a rule', 'rule: 5', '1:1 rule: expected a text that begins with x, got 5'],
  ['a fraction', 'whole: 1.5', '1:1 whole: expected a whole number from 1 to 5, got 1.5'],
  ['a number in quotes', "whole: '3'", '1:1 whole: expected a whole number from 1 to 5, got "3"; take its quotes away'],
  ['too small a number', 'part: -1', '1:1 part: expected a number from 0, got -1'],
  ['too big a number', 'least: 10', '1:1 least: expected a number up to 9, got 10'],
  ['a word for yes or no', 'yes: si', '1:1 yes: expected true or false, got "si"'],
  [
    'a word that is almost one',
    'kind: nort',
    '1:1 kind: expected one of north, south, got "nort"; did you mean "north"?',
  ],
  ['another word than the only one', 'one: some', '1:1 one: expected all, got "some"'],
  ['a list for a text or null', 'empty: [a, b]', '1:1 empty: expected a text, or null, got a list of 2'],
  ['no id', 'id: x', '1:1 id: expected a UUID, got "x"'],
  [
    'an empty list',
    'many: []',
    '1:1 many: expected a list of 1 to 3, each item a whole number from 1, got an empty list',
  ],
  ['an item of another kind', 'many: [1, x]', '1:11 many[1]: expected a whole number from 1, got "x"'],
  [
    'neither of two forms',
    'either: { a: 1 }',
    '1:1 either: expected a text, or a list, each item a text, got an object',
  ],
  ['a malformed name', 'named: { A1: true }', '1:10 named.A1: expected small letters, got "A1"'],
  ['a value of a name', 'named: { a: 1 }', '1:10 named.a: expected true or false, got 1'],
  [
    'names for which there are no shares',
    'shares: { inn: 1 }',
    '1:11 shares.inn: no such field here, expected one of in, out; did you mean "in"?',
  ],
  ['a word for fields', 'inside: x', '1:1 inside: expected { deep }, got "x"'],
  ['a field that is not there', 'inside: {}', '1:1 inside.deep: expected a text, got nothing'],
  ['another document', '[]', '1:1 expected { text, title, shape, rule, whole, part, least, yes … }, got an empty list'],
];
for (const [what, line, message] of invalid) {
  test(`reported with its place: ${what}`, (t) => {
    const error = t.throws(() => readYaml('file', `${line}\n`, { schema: example }), { instanceOf: YamlError });
    t.is(error.message, `file:${message}`);
  });
}
