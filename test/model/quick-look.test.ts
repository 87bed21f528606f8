import fc from 'fast-check';
import { z } from 'zod';
import { catalogue } from '../../src/model/protocol/catalogue.ts';
import { quickCheckOf, readerOf } from '../../src/model/protocol/quick-look.ts';
import { sipMessageSchema } from '../../src/model/sip/message.ts';
import { sized } from '../kit/property.ts';
import { test } from '../kit/test.ts';

const schemas: readonly z.ZodType[] = [
  z.strictObject({ a: z.string(), b: z.int().min(1).max(3).optional(), c: z.array(z.number()).nullable() }),
  z.discriminatedUnion('a', [
    z.strictObject({ a: z.literal('x'), b: z.boolean() }),
    z.object({ a: z.literal('y'), c: z.record(z.string(), z.unknown()) }),
  ]),
  z.looseObject({ a: z.tuple([z.string(), z.int()]).optional(), b: z.enum(['x', 'y']).default('x') }),
  z.object({ a: z.union([z.object({ b: z.int() }), z.strictObject({ b: z.int(), c: z.int() })]) }),
  z.object({ a: z.string().trim(), b: z.number().refine((value) => value > 1) }).partial(),
  z.record(z.string().min(1), z.string()),
  z.object({ a: z.uuid(), b: z.iso.datetime().optional(), c: z.email().optional() }),
];

const texts = [
  'x',
  'y',
  '',
  '0b7e9f7e-5d2c-4a3b-8a5e-1f2d3c4b5a69',
  '2026-01-01T00:00:00.000Z',
  '2026-01-01',
  'a@b.test',
];
const leaves = fc.constantFrom<unknown>(...texts, 0, 1, 2, 4, 1.5, -1, true, null);
const values = fc.letrec<{ any: unknown }>((tie) => ({
  any: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaves,
    fc.array(tie('any'), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd', '__proto__'), tie('any'), { maxKeys: 3 }),
  ),
})).any;

test('what a quick look is sure of, the schema takes unchanged', (t) => {
  let sure = 0;
  fc.assert(
    fc.property(fc.constantFrom(...schemas), values, (schema, drawn) => {
      const value: unknown = JSON.parse(JSON.stringify(drawn));
      if (!quickCheckOf(schema)(value)) return true;
      sure += 1;
      return t.deepEqual(schema.parse(value), value);
    }),
    { numRuns: sized(5_000, 500_000), seed: 1 },
  );
  t.true(sure > 100, `${sure}`);
});

test('a reader gives what the schema gives', (t) => {
  fc.assert(
    fc.property(fc.constantFrom(...schemas), values, (schema, drawn) => {
      const value: unknown = JSON.parse(JSON.stringify(drawn));
      const { success, data } = schema.safeParse(value);
      const read = readerOf(schema)(value);
      t.is(read.success, success);
      t.deepEqual(read.data, data);
    }),
    { numRuns: sized(2_000, 200_000), seed: 2 },
  );
});

test('what calls are made of passes the quick look', (t) => {
  const party = { uri: 'sip:1001@acme.test', tag: 'a' };
  const common = { callid: 'c', from: party, to: party, cseq: 1, method: 'INVITE', via: ['10.0.0.1:5060'] };
  t.true(quickCheckOf(sipMessageSchema)({ kind: 'request', uri: 'sip:1', maxForwards: 70, ...common }));
  t.true(quickCheckOf(sipMessageSchema)({ kind: 'response', status: 200, reason: 'OK', ...common }));
  t.false(quickCheckOf(sipMessageSchema)({ kind: 'response', status: 99, reason: 'OK', ...common }));
  t.false(quickCheckOf(sipMessageSchema)({ kind: 'response', status: 200, reason: 'OK', ...common, more: 1 }));
  const event = { class: 'callevents', name: 'invite', domains: ['acme.test'], objects: [], data: {} };
  t.true(quickCheckOf(catalogue['stream.published'].body)({ epoch: 1, items: [{ n: 1, event, atMs: 1.5 }] }));
  t.false(quickCheckOf(catalogue['stream.published'].body)({ epoch: 1, items: [{ event, atMs: 1.5 }] }));
  const look = quickCheckOf(z.object({ id: z.uuid(), at: z.iso.datetime() }));
  t.true(look({ id: '0b7e9f7e-5d2c-4a3b-8a5e-1f2d3c4b5a69', at: '2026-01-01T00:00:00.000Z' }));
  t.false(look({ id: '0b7e9f7e-5d2c-4a3b-8a5e-1f2d3c4b5a6', at: '2026-01-01T00:00:00.000Z' }));
  t.false(look({ id: '0b7e9f7e-5d2c-4a3b-8a5e-1f2d3c4b5a69', at: '2026-01-01' }));
});
