/** The verbs that name roles, messages and time: what they affect, for how long, and what follows when they are lifted. */

import type { NodeTraffic } from '../../../sim/faults/faults.ts';
import { encode } from '../../../src/model/cluster/envelope.ts';
import { defaultMap } from '../../kit/maps.ts';
import { test } from '../../kit/test.ts';
import { meshOf } from '../../ports/link/mesh.ts';
import { SimulatedNodes } from './nodes.ts';

/** A message of one address for another, as it is sent from the node of the first to that of the second. */
interface Message {
  readonly from?: string;
  readonly to?: string;
  readonly type?: string;
  readonly kind?: 'tell' | 'ask' | 'reply' | 'fault';
  readonly hops?: number;
  readonly body?: unknown;
}

function frameOf({ from = 'north/n1/b2b-214', to = 'north/n2/esg-221', ...more }: Message): string {
  return encode({ id: 'x', kind: 'tell', type: 'peer.ping', hops: 0, body: {}, from, to, ...more });
}

/** Whether it arrives while a cut stands. */
function passes(between: NodeTraffic, message: Message): boolean {
  const nodes = new SimulatedNodes(defaultMap);
  nodes.faults.cut(between);
  const frame = frameOf(message);
  nodes.send('n1', 'n2', frame);
  nodes.pass();
  return nodes.node('n2').from('n1').includes(frame);
}

const invite = { kind: 'request', method: 'INVITE' };
const ok = { kind: 'response', status: 200, method: 'BYE' };
const concerned: readonly [what: string, between: NodeTraffic, message: Message, isCut: boolean][] = [
  ['a role instance that sends', { from: 'b2b-214' }, {}, true],
  ['a role instance that gets', { from: 'esg-221' }, {}, true],
  ['another role instance', { from: 'b2b-223' }, {}, false],
  ['one way only, its own', { from: 'b2b-214', oneWay: true }, {}, true],
  ['one way only, the other', { from: 'esg-221', oneWay: true }, {}, false],
  ['a role', { from: 'b2b', to: 'esg' }, {}, true],
  ['two roles that do not talk', { from: 'b2b', to: 'conf' }, {}, false],
  ['a role and a node', { from: 'b2b', to: 'n2' }, {}, true],
  ['a role and the message of a node', { from: 'b2b', to: 'n2' }, { from: 'north/n1' }, false],
  ['a list', { from: ['h1', 'esg-221'] }, {}, true],
  ['a role instance, on a later link', { from: 'b2b-214' }, { hops: 1 }, false],
  [
    'a node, whichever instance the message is for',
    { from: 'n1', to: 'n2' },
    { from: 'south/s1/b2b-314', hops: 1 },
    true,
  ],
  ['a type', { from: '*', messages: ['peer.ping'] }, {}, true],
  ['a star', { from: '*', messages: ['conf.*', 'peer.*'] }, {}, true],
  ['another type', { from: '*', messages: ['peer.pong'] }, {}, false],
  ['a type that begins alike', { from: '*', messages: ['peer'] }, {}, false],
  ['a SIP request', { from: '*', messages: ['sip INVITE'] }, { type: 'sip', body: invite }, true],
  ['another SIP request', { from: '*', messages: ['sip BYE'] }, { type: 'sip', body: invite }, false],
  ['all SIP', { from: '*', messages: ['sip'] }, { type: 'sip', body: ok }, true],
  ['a SIP answer', { from: '*', messages: ['sip 200'] }, { type: 'sip', body: ok }, true],
  ['a SIP answer to a method', { from: '*', messages: ['sip 2* BYE'] }, { type: 'sip', body: ok }, true],
  ['a SIP answer to another method', { from: '*', messages: ['sip 200 INVITE'] }, { type: 'sip', body: ok }, false],
  ['a kind', { from: '*', kinds: ['reply', 'fault'] }, { kind: 'reply' }, true],
  ['another kind', { from: '*', kinds: ['reply'] }, { kind: 'ask' }, false],
];
for (const [what, between, message, isCut] of concerned) {
  test(`a cut by ${what} ${isCut ? 'takes' : 'leaves'} the message`, (t) => {
    t.is(passes(between, message), !isCut);
  });
}

const map = meshOf(['a', 'b', 'c', 'd']);

/** In which of so many steps of time a frame from a to b arrives. */
function heardIn(nodes: SimulatedNodes, steps: number, stepMs: number): boolean[] {
  return Array.from({ length: steps }, (_, step) => {
    nodes.send('a', 'b', `${step}`);
    nodes.pass(stepMs);
    return nodes.node('b').from('a').includes(`${step}`);
  });
}

test('a link that flaps loses what is sent in every other span, until it is mended', (t) => {
  const nodes = new SimulatedNodes(map);
  const mend = nodes.faults.flap({ from: 'a', to: 'b' }, 200);
  t.deepEqual(heardIn(nodes, 6, 100), [false, false, true, true, false, false]);
  mend();
  t.deepEqual(heardIn(nodes, 4, 100).slice(-4), [true, true, true, true]);
});

test('swizzled nodes pause one after the other and resume in another order, and none of their frames is lost', (t) => {
  const nodes = new SimulatedNodes(map, 3);
  nodes.faults.swizzle('*', 1_000);
  let sent = 0;
  let wasLate = false;
  for (let step = 0; step < 40; step += 1) {
    nodes.send('a', 'b', `${sent}`);
    sent += 1;
    nodes.pass(50);
    if (nodes.node('b').from('a').length < sent) wasLate = true;
  }
  nodes.pass(100);
  t.true(wasLate);
  t.deepEqual(
    nodes.node('b').from('a'),
    Array.from({ length: sent }, (_, n) => `${n}`),
  );
});

test('a swizzle that is mended early pauses no node any more, then or later', (t) => {
  const nodes = new SimulatedNodes(map, 3);
  const mend = nodes.faults.swizzle('*', 1_000);
  nodes.pass(900);
  mend();
  t.deepEqual(heardIn(nodes, 20, 100), Array(20).fill(true));
});

test('of a half-open connection one side knows, the other one goes on sending in vain, until it gives up', (t) => {
  const nodes = new SimulatedNodes(map);
  nodes.faults.halfOpen({ from: 'a', to: 'b' });
  const { link: a } = nodes.node('a');
  const { link: b } = nodes.node('b');
  t.is(a.send('b', 'there'), 'not_connected');
  t.is(b.send('a', 'back'), undefined);
  nodes.pass();
  t.deepEqual([nodes.node('a').heard, nodes.node('b').heard], [[], []]);
  a.reset('b');
  nodes.pass();
  t.is(a.send('b', 'there'), 'not_connected');
  b.reset('a');
  nodes.pass();
  t.is(a.send('b', 'there again'), undefined);
  nodes.pass();
  t.deepEqual(nodes.node('b').from('a'), ['there again']);
});

test('a half-open connection that is mended is made anew', (t) => {
  const nodes = new SimulatedNodes(map);
  const mend = nodes.faults.halfOpen({ from: 'a' });
  t.is(nodes.node('a').link.send('c', 'x'), 'not_connected');
  mend();
  nodes.pass();
  for (const peer of ['b', 'c', 'd']) nodes.send('a', peer, 'hello');
  nodes.pass();
  t.deepEqual(
    ['b', 'c', 'd'].map((peer) => nodes.node(peer).from('a')),
    [['hello'], ['hello'], ['hello']],
  );
});

test('skews and slow stores add up, and each is taken back by itself', (t) => {
  const { faults, calls } = new SimulatedNodes(map);
  const mend = faults.skew(['a', 'b'], -500);
  faults.slowStore('a', 30);
  mend();
  faults.mend();
  faults.mend();
  t.deepEqual(calls, ['shift a -500', 'shift b -500', 'slow a 30', 'shift a 500', 'shift b 500', 'slow a -30']);
});

test('a node crashes before its disk is lost, and does not start by itself', async (t) => {
  const { faults, calls } = new SimulatedNodes(map);
  await faults.wipeNode('a');
  t.deepEqual(calls, ['crash a', 'wipe a']);
  t.throws(() => faults.wipeNode('z'), { message: /^no node named "z"/ });
});

test('a disk is full until each fault that fills it is lifted', (t) => {
  const { faults, calls } = new SimulatedNodes(map);
  const mend = faults.fillStore('a');
  faults.fillStore(['a', 'b']);
  mend();
  faults.mend();
  t.deepEqual(calls, ['fill a 1', 'fill a 1', 'fill b 1', 'fill a -1', 'fill a -1', 'fill b -1']);
});
