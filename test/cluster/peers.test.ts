/** How a node watches its peers: pings, pongs, misses, and the digests that travel with them. */

import { VirtualClock } from '../../sim/ports/virtual-clock.ts';
import { Peers } from '../../src/cluster/membership/peers.ts';
import { ClusterView } from '../../src/cluster/membership/view.ts';
import type { Digest } from '../../src/model/protocol/messages/peer.ts';
import { timingsSchema } from '../../src/model/topology/schema.ts';
import { oneSite } from '../kit/maps.ts';
import { silentLog } from '../kit/quiet.ts';
import { test } from '../kit/test.ts';

const map = oneSite(3);
const digest = (incarnation: number): Digest => ({ self: { incarnation, instances: {} }, home: {}, sites: {} });

interface SentMessage {
  readonly to: string;
  readonly type: string;
  readonly body: {
    seq?: number;
    heard?: number;
    known?: string;
    version?: string;
    digest?: Digest | undefined;
    found?: number;
  };
  readonly atMs: number;
}

/** The peers of a node of three. `alive`: peers that answer pings at once. */
function watching(
  timings: Partial<Record<'pingIntervalMs' | 'pingPatienceMs' | 'pingMisses', number>> = {},
  { self = 'a1' } = {},
) {
  const clock = new VirtualClock(0);
  const view = new ClusterView(map, self, 1);
  const sent: SentMessage[] = [];
  const resets: string[] = [];
  const alive = new Set<string>();
  const peers: Peers = new Peers(
    {
      map,
      view,
      clock,
      log: silentLog,
      timings: timingsSchema.parse(timings),
      tell: (peer, type, body) => {
        sent.push({ to: peer.name, type, body: body as SentMessage['body'], atMs: clock.now() });
        if (type !== 'peer.ping' || !alive.has(peer.name)) return;
        const pong = { seq: (body as { seq: number }).seq, version: '1.0', digest: digest(1), found: 1 };
        clock.setTimer(1, () => peers.receive({ type: 'peer.pong', from: peer.name, body: pong }));
      },
      onDoubted: (peer) => resets.push(peer),
    },
    { send: (event) => peers.receive(event) },
  );
  const pings = (to: string) => sent.filter((each) => each.to === to && each.type === 'peer.ping');
  return { clock, view, peers, sent, resets, alive, pings };
}

const pinged = (seq: number, more = {}) => ({ seq, heard: 0, known: '', version: '1.0', found: 1, ...more });

test('every peer is pinged once an interval, each ping with a number of its own', (t) => {
  const { clock, peers, pings } = watching({ pingIntervalMs: 500, pingPatienceMs: 500 });
  peers.start();
  clock.advanceTo(2_000);
  for (const peer of ['a2', 'a3'])
    t.deepEqual(
      pings(peer).map(({ atMs }) => atMs),
      [0, 500, 1_000, 1_500, 2_000],
    );
  const numbers = [...pings('a2'), ...pings('a3')].map(({ body }) => body.seq);
  t.is(new Set(numbers).size, numbers.length);
});

test('a peer that answers is found; silent for three pings it is lost, and its connection is made anew, then and after every three more', (t) => {
  const { clock, peers, view, alive, resets } = watching();
  alive.add('a2');
  peers.start();
  clock.advanceTo(1);
  t.true(view.isReachable('a2'));
  clock.advanceTo(10_500);
  alive.clear();
  clock.advanceTo(13_999);
  t.true(view.isReachable('a2'));
  clock.advanceTo(14_000);
  t.false(view.isReachable('a2'));
  t.deepEqual(resets, ['a3', 'a3', 'a3', 'a3', 'a2'], 'a3 was never there: lost 3 s after the start');
  clock.advanceTo(29_999);
  t.is(resets.filter((peer) => peer === 'a2').length, 6);
  alive.add('a2');
  clock.advanceTo(31_001);
  t.true(view.isReachable('a2'));
});

test('each ping and pong says how often its receiver was found; a peer that found this node again has another contact', (t) => {
  const { clock, peers, view, alive, pings } = watching();
  alive.add('a2');
  peers.start();
  clock.advanceTo(2_500);
  alive.clear();
  clock.advanceTo(9_500);
  alive.add('a2');
  clock.advanceTo(12_500);
  const found = pings('a2').map(({ body }) => body.found);
  t.deepEqual([found[0], found[2], found.at(-1)], [0, 1, 2]);
  const first = view.contactOf('a2');
  let changes = 0;
  view.onChange(() => {
    changes += 1;
  });
  peers.receive({ type: 'peer.ping', from: 'a2', body: pinged(1, { found: 0 }) });
  peers.receive({ type: 'peer.ping', from: 'a2', body: pinged(2, { found: 1 }) });
  t.is(view.contactOf('a2'), first, 'it was found for the first time');
  peers.receive({ type: 'peer.ping', from: 'a2', body: pinged(3, { found: 2 }) });
  t.not(view.contactOf('a2'), first);
  t.is(changes, 1);
});

test('a peer that misses two pings and answers the third was never lost', (t) => {
  const { clock, peers, view, alive, resets } = watching();
  alive.add('a2').add('a3');
  peers.start();
  for (let cycle = 0; cycle < 10; cycle += 1) {
    alive.delete('a2');
    clock.advanceTo(clock.now() + 2_000);
    alive.add('a2');
    clock.advanceTo(clock.now() + 1_000);
    t.true(view.isReachable('a2'));
  }
  t.deepEqual(resets, []);
});

test('with a patience shorter than the interval a miss counts when the patience is over', (t) => {
  const { clock, peers, view, alive } = watching({ pingPatienceMs: 200, pingMisses: 1 });
  alive.add('a2');
  peers.start();
  clock.advanceTo(500);
  alive.clear();
  clock.advanceTo(1_199);
  t.true(view.isReachable('a2'));
  clock.advanceTo(1_200);
  t.false(view.isReachable('a2'));
});

test('a pong that is late, duplicate or unrequested changes nothing', (t) => {
  const { clock, peers, view, pings } = watching();
  peers.start();
  const { seq = 0 } = pings('a2')[0]!.body;
  clock.advanceTo(1_500);
  peers.receive({ type: 'peer.pong', from: 'a2', body: { seq, version: '1.0', digest: digest(1), found: 1 } });
  peers.receive({ type: 'peer.pong', from: 'a9', body: { seq: seq + 2, version: '1.0', digest: digest(1), found: 1 } });
  t.false(view.isReachable('a2'));
  const { seq: next = 0 } = pings('a2')[1]!.body;
  peers.receive({ type: 'peer.pong', from: 'a2', body: { seq: next, version: '1.0', digest: digest(1), found: 1 } });
  t.true(view.isReachable('a2'));
  peers.receive({ type: 'peer.pong', from: 'a2', body: { seq: next, version: '9.0', digest: digest(9), found: 1 } });
  t.is(view.versionOf('a2'), '1.0');
});

test('a new connection is greeted with a ping; an unanswered ping is sent again under its number', (t) => {
  const { clock, peers, alive, pings } = watching();
  alive.add('a2');
  peers.start();
  clock.advanceTo(300);
  peers.receive({ type: 'peer.connected', peer: 'a2' });
  peers.receive({ type: 'peer.connected', peer: 'a3' });
  peers.receive({ type: 'peer.connected', peer: 'a9' });
  t.deepEqual([pings('a2').length, pings('a3').length], [2, 2]);
  t.not(pings('a2')[1]!.body.seq, pings('a2')[0]!.body.seq);
  t.is(pings('a3')[1]!.body.seq, pings('a3')[0]!.body.seq);
});

test('a ping that greets a new connection just before a round ends is no miss yet', (t) => {
  const { clock, peers, view, alive, resets } = watching({ pingMisses: 1 });
  alive.add('a2').add('a3');
  peers.start();
  clock.advanceTo(999.5);
  peers.receive({ type: 'peer.connected', peer: 'a2' });
  clock.advanceTo(2_500);
  t.true(view.isReachable('a2'));
  t.deepEqual(resets, []);
  alive.clear();
  peers.receive({ type: 'peer.connected', peer: 'a2' });
  clock.advanceTo(4_000);
  t.deepEqual(resets, ['a2', 'a3'], 'but the next one that is not answered is');
});

test('a ping is answered with the digest exactly when the asker does not know this version of it', (t) => {
  const { peers, view, sent } = watching();
  const { version, digest: own } = view.digestFor(map.node('a2'));
  peers.receive({ type: 'peer.ping', from: 'a2', body: pinged(7) });
  peers.receive({ type: 'peer.ping', from: 'a2', body: pinged(8, { known: version }) });
  peers.receive({ type: 'peer.ping', from: 'a9', body: pinged(9) });
  t.deepEqual(
    sent.map(({ to, body }) => ({ to, body })),
    [
      { to: 'a2', body: { seq: 7, version, digest: own, found: 0 } },
      { to: 'a2', body: { seq: 8, version, found: 0 } },
    ],
  );
});

test('a ping says which version of the peer it knows', (t) => {
  const { clock, peers, alive, pings } = watching();
  alive.add('a2');
  peers.start();
  clock.advanceTo(1_000);
  t.deepEqual(
    pings('a2').map(({ body }) => body.known),
    ['', '1.0'],
  );
});

test('a change of the digest is sent to every peer at once, and each version once', (t) => {
  const { peers, view, sent } = watching();
  peers.start();
  sent.length = 0;
  view.setInstance('mware-11', 'standby');
  view.setInstance('mware-11', 'standby');
  const digests = sent.filter(({ type }) => type === 'peer.digest');
  t.deepEqual(
    digests.map(({ to, body }) => [to, body.version]),
    [
      ['a2', '1.1'],
      ['a3', '1.1'],
    ],
  );
});

test('changes that follow within a moment are sent together', (t) => {
  const { clock, peers, view, sent } = watching();
  peers.start();
  sent.length = 0;
  const digests = () => sent.filter(({ to, type }) => to === 'a2' && type === 'peer.digest');
  for (const status of ['standby', 'active', 'standby'] as const) view.setInstance('mware-11', status);
  t.is(digests().length, 1);
  clock.advanceTo(100);
  t.deepEqual(
    digests().map(({ body }) => [body.version, body.digest?.self.instances['mware-11']]),
    [
      ['1.1', 'standby'],
      ['1.3', 'standby'],
    ],
  );
  view.setInstance('mware-11', 'active');
  t.is(digests().length, 3, 'after the pause, a change is sent at once');
  view.setInstance('mware-11', 'draining');
  view.setInstance('mware-11', 'stopped');
  t.is(digests().length, 3);
  clock.advanceTo(100);
  t.is(digests().length, 4, 'and without a pause those of a moment in which an instance ends');
});

test('while changes go on, the pauses between their digests double up to a limit, until there is none', (t) => {
  const { clock, peers, view, sent } = watching();
  peers.start();
  sent.length = 0;
  const times = () => sent.filter(({ to, type }) => to === 'a2' && type === 'peer.digest').map(({ atMs }) => atMs);
  const changeUntil = (untilMs: number) => {
    for (let atMs = clock.now(); atMs < untilMs; atMs += 1) {
      clock.advanceTo(atMs);
      view.setInstance('mware-11', atMs % 2 === 0 ? 'standby' : 'active');
    }
  };
  changeUntil(50);
  t.deepEqual(times(), [0, 3, 9, 21, 33, 45]);
  clock.advanceTo(200);
  sent.length = 0;
  changeUntil(210);
  t.deepEqual(times(), [200, 203, 209]);
});

test('a digest that comes again, after a newer one, does not undo that', (t) => {
  const { peers, view } = watching();
  const tell = (version: string, incarnation: number) =>
    peers.receive({ type: 'peer.digest', from: 'a2', body: { version, digest: digest(incarnation) } });
  tell('1.9', 1);
  tell('1.10', 1);
  tell('1.9', 1);
  t.is(view.versionOf('a2'), '1.10');
  tell('2.0', 2);
  tell('1.11', 1);
  t.is(view.versionOf('a2'), '2.0', 'a later start of the peer outweighs');
});

test('a peer that counts its starts anew, for it lost its store, is believed when it answers a ping', (t) => {
  const { peers, view, pings } = watching();
  peers.receive({ type: 'peer.digest', from: 'a2', body: { version: '5.7', digest: digest(5) } });
  peers.start();
  const { seq = 0 } = pings('a2')[0]!.body;
  peers.receive({ type: 'peer.pong', from: 'a2', body: { seq, version: '1.0', digest: digest(1), found: 1 } });
  t.is(view.versionOf('a2'), '1.0');
});

test('a ping names the last pong that was in time, over the same connection', (t) => {
  const { clock, peers, alive, pings } = watching();
  alive.add('a2');
  peers.start();
  clock.advanceTo(1_500);
  alive.clear();
  clock.advanceTo(3_500);
  alive.add('a2');
  clock.advanceTo(5_500);
  peers.receive({ type: 'peer.connected', peer: 'a2' });
  const sent = pings('a2').map(({ body }) => body);
  const before = (index: number) => sent[index - 1]?.seq;
  t.deepEqual(
    sent.map(({ heard }) => heard),
    [0, before(1), before(2), 0, 0, before(5), 0],
  );
});

/** Node a2, which spares its pings of a1 while those of a1 show both directions. */
function spared() {
  const watched = watching({}, { self: 'a2' });
  const { clock, peers, view, sent, alive } = watched;
  alive.add('a1');
  peers.start();
  clock.advanceTo(10);
  let seq = 0;
  let heard = 0;
  /** Pings of a1 at these times, each of which names the pong of the one before. */
  const pingedAt = (...timesMs: readonly number[]) => {
    for (const atMs of timesMs) {
      clock.advanceTo(atMs);
      seq += 1;
      peers.receive({ type: 'peer.ping', from: 'a1', body: pinged(seq, { heard }) });
      heard = seq;
    }
  };
  /** When a2 pinged a1. */
  const own = () => sent.filter(({ to, type }) => to === 'a1' && type === 'peer.ping').map(({ atMs }) => atMs);
  return { clock, peers, view, sent, alive, pingedAt, own };
}

test('of two nodes that reach each other, the pings of one show it to both', (t) => {
  const { clock, view, pingedAt, own, alive, sent } = spared();
  pingedAt(10, 1_010, 2_010, 3_010, 4_010);
  t.deepEqual(own(), [0, 1_000], 'until the first ping that names a pong');
  t.is(sent.filter(({ to, type }) => to === 'a1' && type === 'peer.pong').length, 5, 'every ping is answered');
  alive.clear();
  clock.advanceTo(7_999);
  t.deepEqual(own(), [0, 1_000, 6_000, 7_000], 'and when there is none');
  t.true(view.isReachable('a1'));
  clock.advanceTo(8_000);
  t.false(
    view.isReachable('a1'),
    'it is lost after three pings: one of its own that did not come, and two without a pong',
  );
  pingedAt(9_500, 9_600);
  t.true(view.isReachable('a1'), 'and found by a ping that names a pong');
});

test('a ping that names no pong, an old one or one of long ago shows nothing', (t) => {
  const { clock, peers, view, pingedAt, own } = spared();
  const ping = (seq: number, heard: number) =>
    peers.receive({ type: 'peer.ping', from: 'a1', body: pinged(seq, { heard }) });
  pingedAt(10, 1_010);
  for (let atMs = 2_010; atMs < 6_000; atMs += 1_000) {
    clock.advanceTo(atMs);
    ping(atMs, 2);
  }
  t.deepEqual(own(), [0, 1_000, 4_000, 5_000]);
  clock.advanceTo(8_500);
  ping(9_000, 5_010);
  clock.advanceTo(9_500);
  t.deepEqual(own().slice(-2), [8_000, 9_000]);
  t.true(view.isReachable('a1'));
});

test('a node that has missed a digest pings for it', (t) => {
  const { clock, peers, pingedAt, own } = spared();
  pingedAt(10, 1_010, 2_010);
  peers.receive({ type: 'peer.ping', from: 'a1', body: pinged(4, { heard: 3, version: '1.1' }) });
  clock.advanceTo(3_005);
  t.deepEqual(own(), [0, 1_000, 3_000]);
});

test('a node pings all whose names come after its own, whatever those show', (t) => {
  const { clock, peers, alive, pings } = watching({}, { self: 'a2' });
  alive.add('a3');
  peers.start();
  for (const seq of [1, 2, 3]) {
    clock.advanceTo(seq * 1_000 - 500);
    peers.receive({ type: 'peer.ping', from: 'a3', body: pinged(seq, { heard: seq - 1 }) });
  }
  clock.advanceTo(3_000);
  t.is(pings('a3').length, 4);
});
