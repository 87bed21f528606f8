/** The router of a node without a route: an answer goes back the way that the ask came, all else is refused. */

import { VirtualClock } from '../../sim/ports/virtual-clock.ts';
import { Counters } from '../../src/actors/counters.ts';
import type { ClusterView } from '../../src/cluster/membership/view.ts';
import { Router } from '../../src/cluster/messaging/router.ts';
import { decode, type Envelope, encode } from '../../src/model/cluster/envelope.ts';
import { done, failed, fault } from '../../src/model/fault.ts';
import type { Link } from '../../src/ports/link.ts';
import { silentLog } from '../kit/quiet.ts';
import { test } from '../kit/test.ts';

const ask: Envelope = {
  ...{ id: 'b1.1.1', kind: 'ask', type: 'registrar.lookup', from: 'west/b1/b2b-24', to: 'east/a1/sr-11', hops: 0 },
  body: { domain: 'acme.root.test', logins: [] },
};

/** A node a1 that sees no other node, or takes `next` for the way to each, and has no connection with it. */
function alone(next?: string) {
  const sent: [peer: string, envelope: Envelope][] = [];
  const delivered: Envelope[] = [];
  const clock = new VirtualClock(0);
  const link = {
    send: (peer: string, frame: string) => {
      if (peer === next) return 'not_connected';
      const envelope = decode(frame);
      if (!('malformed' in envelope)) sent.push([peer, envelope]);
      return undefined;
    },
  } as unknown as Link;
  const view = {
    self: { name: 'a1', site: 'east' },
    nextHop: () => next,
    incarnationOf: () => 1,
  } as unknown as ClusterView;
  const counters = new Counters();
  const deliver = (envelope: Envelope) => delivered.push(envelope);
  const router = new Router({ view, link, clock, log: silentLog, counters, deliver });
  return { router, sent, delivered, counters };
}

test('an answer to a node that is not seen yet goes back to the peer from which its ask came', (t) => {
  const { router, sent, delivered } = alone();
  router.receive('g1', encode(ask));
  const [arrived] = delivered;
  if (arrived === undefined) return t.fail('it was not delivered');
  router.answer(arrived, done({ bindings: [] }));
  router.answer(arrived, failed(fault('unreachable', 'no copy')));
  t.deepEqual(
    sent.map(([peer, { kind, to, re }]) => [peer, kind, to, re]),
    [
      ['g1', 'reply', ask.from, ask.id],
      ['g1', 'fault', ask.from, ask.id],
    ],
  );
});

test('an answer to a node that has no connection yet goes back the same way, and other messages do not', (t) => {
  const { router, sent, delivered, counters } = alone('b1');
  router.receive('g1', encode(ask));
  const [arrived] = delivered;
  if (arrived === undefined) return t.fail('it was not delivered');
  router.answer(arrived, done({ bindings: [] }));
  router.send({ ...ask, id: 'a1.1.9', kind: 'tell', from: ask.to, to: ask.from });
  t.deepEqual(
    sent.map(([peer, { kind }]) => [peer, kind]),
    [['g1', 'reply']],
  );
  t.is(counters.get('dead_letter.not_connected'), 1);
  router.receive('b1', encode({ ...ask, id: 'b1.1.2' }));
  router.answer(arrived, done({ bindings: [] }));
  t.is(sent.length, 1, 'the way that it came is the one that is lost');
});

test('the last way counts, and it is for answers alone', (t) => {
  const { router, sent, delivered, counters } = alone();
  router.receive('g1', encode(ask));
  router.receive('g2', encode({ ...ask, id: 'b1.1.2' }));
  for (const arrived of delivered) router.answer(arrived, done({ bindings: [] }));
  t.deepEqual(
    sent.map(([peer]) => peer),
    ['g2', 'g2'],
  );
  router.send({ ...ask, id: 'a1.1.9', kind: 'tell', from: ask.to, to: ask.from });
  router.send({ ...ask, id: 'a1.1.10', kind: 'ask', from: ask.to, to: ask.from });
  t.is(sent.length, 2);
  t.is(counters.get('dead_letter.no_route'), 2);
  t.deepEqual(
    delivered.slice(2).map(({ kind, re }) => [kind, re]),
    [['fault', 'a1.1.10']],
  );
});

test('an answer to a node that has not asked is dropped', (t) => {
  const { router, sent } = alone();
  router.answer({ ...ask, from: 'west/b2/b2b-25' }, done({ bindings: [] }));
  t.deepEqual(sent, []);
});
