/** Undeliverable envelopes: counted as dead letters, refused if an asker waits, and never a crash. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type Envelope, encode } from '../../../src/model/cluster/envelope.ts';
import { limits } from '../../../src/model/limits.ts';
import { catalogue } from '../../../src/model/protocol/catalogue.ts';
import { ProbedCluster } from '../../kit/cluster/probed-cluster.ts';
import { holds, runs } from '../../kit/property.ts';
import { test } from '../../kit/test.ts';

const sg = 'north/n1/sg-213';
const ask: Envelope = {
  id: 'h1.1.1',
  kind: 'ask',
  type: 'filter.remove',
  from: 'hq/h1/ws-111',
  to: sg,
  hops: 0,
  body: { ip: '10.0.0.1' },
};

/** All nodes but h1, and a link that sends in its name. */
async function withIntruder() {
  const probed = new ProbedCluster();
  await probed.start([...probed.map.nodes.keys()].filter((name) => name !== 'h1'));
  const intruder = await probed.impersonate('h1');
  const deadLetters = (node: string) =>
    Object.fromEntries([...probed.node(node).counters.all()].filter(([name]) => name.startsWith('dead_letter.')));
  const answers = () => intruder.got.filter(({ kind }) => kind === 'reply' || kind === 'fault');
  return { probed, intruder, deadLetters, answers };
}

test('an envelope from a peer is taken, and answered by the way back', async (t) => {
  const { probed, intruder, answers, deadLetters } = await withIntruder();
  intruder.send('n1', ask);
  await probed.pass(50);
  t.is(probed.received.length, 1);
  t.like(answers(), [{ kind: 'reply', re: ask.id, from: sg, to: ask.from }]);
  t.deepEqual(deadLetters('n1'), {});
});

test('an ask that a link delivers twice is executed and answered once', async (t) => {
  const { probed, intruder, answers } = await withIntruder();
  intruder.send('n1', ask);
  intruder.send('n1', { ...ask, id: 'h1.1.2' });
  intruder.send('n1', ask);
  await probed.pass(50);
  intruder.send('n1', ask);
  await probed.pass(50);
  t.is(probed.received.length, 2);
  t.deepEqual(
    answers().map(({ re }) => re),
    [ask.id, 'h1.1.2'],
  );
});

test('an envelope may cross six links and not one more', async (t) => {
  const { probed, intruder, deadLetters, answers } = await withIntruder();
  intruder.send('n1', { ...ask, hops: limits.envelopeHops - 1 });
  intruder.send('n1', { ...ask, hops: limits.envelopeHops });
  intruder.send('n1', { ...ask, hops: limits.envelopeHops - 1, to: 'north/n2/esg-221' });
  await probed.pass(50);
  t.is(probed.received.length, 1);
  t.deepEqual(deadLetters('n1'), { 'dead_letter.too_many_hops': 1 });
  t.deepEqual(deadLetters('n2'), { 'dead_letter.too_many_hops': 1 });
  t.is(answers().length, 1, 'who sends in circles is not answered in circles');
});

test('a frame that is no envelope is a dead letter', async (t) => {
  const { probed, intruder, deadLetters, answers } = await withIntruder();
  const { id: _, ...nameless } = ask;
  const frames = [
    '',
    'null',
    '[]',
    '{}',
    '{"id":',
    encode(nameless as Envelope),
    encode({ ...ask, kind: 'shout' as 'ask' }),
    encode({ ...ask, hops: 'many' as unknown as number }),
    encode({ ...ask, body: '' }).replace('""', '['.repeat(6_000) + ']'.repeat(6_000)),
    encode({ ...ask, body: '' }).replace('""', `${'{"a":'.repeat(100)}1${'}'.repeat(100)}`),
  ];
  for (const frame of frames) intruder.send('n1', frame);
  await probed.pass(50);
  t.deepEqual(deadLetters('n1'), { 'dead_letter.malformed': frames.length });
  t.deepEqual([probed.received, answers()], [[], []]);
});

test('hops that are not a count from 0 up are no way around the check of the body', async (t) => {
  const { probed, intruder, answers } = await withIntruder();
  for (const hops of [-1, -100, 0.5]) intruder.send('n1', { ...ask, hops, body: { ip: 7 } });
  await probed.pass(50);
  t.deepEqual(probed.received, []);
  t.false(answers().some(({ kind }) => kind === 'reply'));
});

test('an invalid body is a dead letter, and the asker gets a fault', async (t) => {
  const { probed, intruder, deadLetters, answers } = await withIntruder();
  const bodies = [undefined, null, 7, 'text', [], {}, { ip: null }, { ip: 1 }, { ...(ask.body as object), x: 1 }];
  for (const body of bodies) intruder.send('n1', { ...ask, body });
  for (const body of bodies) intruder.send('n1', { ...ask, kind: 'tell', body });
  for (const body of bodies) intruder.send('n1', { ...ask, type: 'quorum.claim', to: 'north/n1', body });
  await probed.pass(50);
  t.deepEqual(deadLetters('n1'), { 'dead_letter.bad_body': 3 * bodies.length });
  t.deepEqual(probed.received, []);
  t.is(answers().length, 2 * bodies.length);
  for (const answer of answers()) t.like(answer, { kind: 'fault', body: { code: 'invalid', definite: true } });
});

test('a type that is unknown, or not for this receiver, is a dead letter', async (t) => {
  const { probed, intruder, deadLetters } = await withIntruder();
  for (const type of ['', 'filter.eat', '__proto__', 'constructor', 'toString']) {
    intruder.send('n1', { ...ask, type });
    intruder.send('n1', { ...ask, type, to: 'north/n1' });
  }
  intruder.send('n1', { ...ask, to: 'north/n1' });
  await probed.pass(50);
  t.deepEqual(deadLetters('n1'), { 'dead_letter.unknown_type': 11 });
});

test('an envelope for an instance or a node that is not there is refused', async (t) => {
  const { probed, intruder, deadLetters, answers } = await withIntruder();
  const places = ['north/n1/sg-999', 'north/n1/', 'north/n9/sg-1', 'nowhere', '', '//', 'north/n1/sg-213/more'];
  for (const to of places) intruder.send('n1', { ...ask, to });
  await probed.pass(50);
  t.deepEqual(deadLetters('n1'), { 'dead_letter.no_such_instance': 3, 'dead_letter.no_route': 4 });
  t.is(answers().length, places.length);
  for (const answer of answers()) t.like(answer, { kind: 'fault', body: { code: 'unreachable', definite: true } });
});

test('an answer without an open ask is a dead letter', async (t) => {
  const { probed, intruder, deadLetters } = await withIntruder();
  intruder.send('n1', { ...ask, kind: 'reply', re: 'n1.1.1' });
  intruder.send('n1', { ...ask, kind: 'fault', re: 'n1.1.2', body: null });
  intruder.send('n1', { ...ask, kind: 'reply' });
  await probed.pass(50);
  t.deepEqual(deadLetters('n1'), { 'dead_letter.answer_too_late': 3 });
});

test('a malformed fault ends its ask with a fault', async (t) => {
  for (const body of [
    null,
    7,
    {},
    { code: 'made_up', message: 'x', definite: true },
    { code: 'conflict', message: 1 },
  ]) {
    const { probed, intruder } = await withIntruder();
    const outcome = probed.scope('sg-213').ask('hq/h1/ws-111', 'filter.list', {});
    await probed.pass(50);
    const { id } = intruder.got.find(({ type }) => type === 'filter.list')!;
    intruder.send('n1', { ...ask, kind: 'fault', type: 'filter.list', to: sg, re: id, body });
    const { value } = await probed.comes(outcome);
    t.like(value, { ok: false, fault: { code: 'crashed', definite: false } });
  }
});

test('no frame of an intruder ends a node or an instance, and every frame is counted or handled', async (t) => {
  const { probed, intruder } = await withIntruder();
  const places = [sg, 'north/n1', 'north/n2/esg-221', 'north/n1/mware-215', 'north/n9', 'hq/h1/ws-111', '', '/'];
  const types = [...Object.keys(catalogue), 'nonsense', 'hasOwnProperty'];
  const envelope = fc.record(
    {
      id: fc.oneof(fc.string(), fc.constant('n1.1.1')),
      kind: fc.constantFrom('tell', 'ask', 'reply', 'fault'),
      type: fc.constantFrom(...types),
      from: fc.oneof(fc.constantFrom(...places), fc.string()),
      to: fc.oneof(fc.constantFrom(...places), fc.string()),
      re: fc.oneof(fc.constantFrom('n1.1.1', 'n1.1.2', ''), fc.string()),
      deadlineMs: fc.oneof(fc.constant(1e15), fc.double({ noNaN: true, noDefaultInfinity: true })),
      hops: fc.oneof(fc.integer({ min: -2, max: 7 }), fc.double({ noNaN: true, noDefaultInfinity: true })),
      body: fc.oneof(
        fc.jsonValue(),
        fc.record(
          { seq: fc.nat(), known: fc.string(), version: fc.string(), digest: fc.jsonValue() },
          { requiredKeys: [] },
        ),
        fc.constant(ask.body),
      ),
    },
    { requiredKeys: ['id', 'kind', 'type', 'from', 'to', 'hops'] },
  );
  const frame = fc.oneof(
    fc.string(),
    fc.json(),
    envelope.map((each) => JSON.stringify(each)),
  );
  // Terminating is no accident.
  const isHarmless = (text: string) => !text.includes('.terminate');
  await holds(
    t,
    fc.asyncProperty(fc.array(frame.filter(isHarmless), { maxLength: 30 }), async (frames) => {
      for (const each of frames) intruder.send('n1', each);
      await probed.pass(50);
      for (const name of ['n1', 'n2']) {
        const node = probed.node(name);
        assert.equal(node.status, 'serving');
        for (const entry of node.entry.instances) assert.notEqual(node.instance(entry.name), undefined, entry.name);
      }
    }),
    // A frame that the gateway passes back to its sender.
    {
      numRuns: runs(4),
      examples: [
        [
          [
            JSON.stringify({
              ...ask,
              id: 'n1.1.1',
              kind: 'tell',
              type: 'peer.ping',
              to: 'hq/h1/ws-111',
              body: undefined,
            }),
          ],
        ],
      ],
    },
  );
  t.is(probed.journal.lines.filter((line) => line.includes('instance.crashed')).length, 0);
});
