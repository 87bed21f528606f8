/** The last events of a site: given after a position, in pages, each once; a gap is said where there is one. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Position, type StreamPosition } from '../../../src/model/position.ts';
import type { ForwardedEvent } from '../../../src/model/protocol/messages/stream.ts';
import { EventLog, type EventsPage } from '../../../src/roles/callstore/event-log.ts';
import { holds, sized } from '../../kit/property.ts';
import { test } from '../../kit/test.ts';

function eventAt([source, epoch, n]: StreamPosition, eventid = `${source}.${epoch}.${n}`): ForwardedEvent {
  const event = { class: 'callevents' as const, name: 'invite', domains: [], objects: [], data: { eventid } };
  return { source, epoch, n, atMs: n, event, sipusers: [] };
}

const silent = { publish: () => {}, noteLoss: () => {} };
const placeOf = ({ source, epoch, n }: ForwardedEvent): StreamPosition => [source, epoch, n];
const idOf = ({ event }: ForwardedEvent) => event.data['eventid'];

test('what was lost before a client began is no gap for it, of a source that its position does not name', (t) => {
  const log = new EventLog(silent, 2);
  for (let n = 1; n <= 5; n += 1) log.receive(['b2b-1', 1, n], eventAt(['b2b-1', 1, n]));
  t.true(log.read([]).gap);
  t.true(log.read([], { unnamedSinceMs: 3 }).gap);
  t.false(log.read([], { unnamedSinceMs: 4 }).gap);
  t.true(log.read([['b2b-1', 1, 2]], { unnamedSinceMs: 4 }).gap);
  log.lose(['b2b-2', 1, 7]);
  t.true(log.read([], { unnamedSinceMs: 4 }).gap);
});

/** All pages after a position. */
function readAll(log: EventLog, after: readonly StreamPosition[]): { ids: unknown[]; replies: EventsPage[] } {
  const position = new Position(after);
  const replies: EventsPage[] = [];
  const items: ForwardedEvent[] = [];
  do {
    replies.push(log.read(position.positions));
    for (const item of replies.at(-1)?.items ?? []) if (position.advance(...placeOf(item))) items.push(item);
  } while (replies.at(-1)?.more);
  return { ids: items.map(idOf), replies };
}

/** What sources publish, in turns: each in its order, now and then after a restart. */
const story = fc.array(
  fc.record({
    source: fc.constantFrom('b2b-1', 'b2b-2'),
    isEvent: fc.boolean(),
    restarts: fc.integer({ min: 0, max: 9 }),
  }),
  { maxLength: 60 },
);

function play(steps: typeof story extends fc.Arbitrary<infer S> ? S : never, limit: number) {
  const pushed: ForwardedEvent[] = [];
  const log = new EventLog({ ...silent, publish: (event) => pushed.push(event) }, limit);
  const at = new Map<string, StreamPosition>();
  for (const { source, isEvent, restarts } of steps) {
    const [, epoch, n] = at.get(source) ?? [source, 1, 0];
    const position: StreamPosition = restarts === 0 ? [source, epoch + 1, 1] : [source, epoch, n + 1];
    at.set(source, position);
    log.receive(position, isEvent ? eventAt(position) : undefined);
  }
  return { log, pushed };
}

test('a client that continues at any position gets each later event once, in the order of its source, or a gap', (t) =>
  holds(
    t,
    fc.property(story, fc.integer({ min: 1, max: 30 }), fc.nat(60), (steps, limit, at) => {
      const { log, pushed } = play(steps, limit);
      const early = play(steps.slice(0, at), limit);
      const { position } = early.log.read([]);
      const { ids, replies } = readAll(log, position);
      const wanted = pushed.slice(early.pushed.length).map(idOf);
      // A source that had not been heard has no position to go on from.
      const isKept = wanted.length <= limit;
      if (isKept) assert.deepEqual(ids, wanted);
      else assert.deepEqual(ids, wanted.slice(-limit));
      const dropped = pushed.slice(0, Math.max(0, pushed.length - limit)).filter((each) => wanted.includes(idOf(each)));
      assert.equal(replies[0]?.gap, dropped.length > 0);
    }),
    { numRuns: sized(75, 300) },
  ));

test('long pasts come in pages', (t) => {
  const log = new EventLog(silent, 5_000);
  for (let n = 1; n <= 1_500; n++) log.receive(['b2b-1', 1, n], eventAt(['b2b-1', 1, n]));
  const { ids, replies } = readAll(log, []);
  t.is(ids.length, 1_500);
  t.deepEqual(
    replies.map(({ items, more }) => [items.length, more]),
    [
      [500, true],
      [500, true],
      [500, false],
    ],
  );
});

test('nothing older than a moment is read where one asks for that', (t) => {
  const log = new EventLog(silent);
  for (let n = 1; n <= 5; n++) log.receive(['b2b-1', 1, n], eventAt(['b2b-1', 1, n]));
  t.deepEqual(
    log.read([], { sinceMs: 4 }).items.map(({ n }) => n),
    [4, 5],
  );
});

test('of an event that two sources publish the first counts', (t) => {
  const pushed: ForwardedEvent[] = [];
  const log = new EventLog({ ...silent, publish: (event) => pushed.push(event) });
  log.receiveOnce(['callstore-1', 1, 1], eventAt(['callstore-1', 1, 1], 'dead'));
  log.receiveOnce(['callstore-2', 1, 1], eventAt(['callstore-2', 1, 1], 'dead'));
  t.is(pushed.length, 1);
  t.true(new Position(log.read([]).position).isPast('callstore-2', 1, 1));
});

test('the ids of at most as many events are remembered as events are kept', (t) => {
  const pushed: ForwardedEvent[] = [];
  const log = new EventLog({ ...silent, publish: (event) => pushed.push(event) }, 10);
  log.lose(['b2b-1', 1, 100]);
  const hear = (n: number, id: string) => log.receiveOnce(['b2b-1', 1, n], eventAt(['b2b-1', 1, n], id));
  hear(1, 'first');
  for (let n = 2; n <= 11; n += 1) hear(n, `other ${n}`);
  t.is(pushed.length, 0, 'they are past');
  hear(100, 'first');
  t.is(pushed.length, 1);
});

test('items that a source has lost are a gap for a client whose position is before them', (t) => {
  const log = new EventLog(silent);
  log.receive(['b2b-1', 1, 1]);
  log.lose(['b2b-1', 1, 10]);
  log.receive(['b2b-1', 1, 10], eventAt(['b2b-1', 1, 10]));
  t.true(log.read([['b2b-1', 1, 1]]).gap);
  t.false(log.read([['b2b-1', 1, 9]]).gap);
});

test('a member that starts takes over the events of another, and clients of that one continue without a gap', (t) =>
  holds(
    t,
    fc.property(story, fc.nat(60), fc.nat(60), fc.integer({ min: 5, max: 80 }), (steps, at, startedAt, limit) => {
      const { log: old, pushed } = play(steps, limit);
      // The new one hears the last lives of the sources from their first items on, some of it before the copy comes.
      const fresh = new EventLog(silent, limit);
      const lives = new Map(pushed.map(({ source, epoch }) => [source, epoch]));
      const again = pushed.filter(({ source, epoch }) => lives.get(source) === epoch);
      for (const each of again.slice(0, startedAt)) fresh.receive(placeOf(each), each);
      const items = readAll(old, []);
      const kept = pushed.filter((each) => items.ids.includes(idOf(each)));
      fresh.adopt(kept, old.read([]).floor);
      for (const each of again.slice(startedAt)) fresh.receive(placeOf(each), each);
      const { position } = play(steps.slice(0, at), limit).log.read([]);
      const wanted = readAll(old, position);
      const got = readAll(fresh, position);
      if (pushed.length <= limit) assert.deepEqual(new Set(got.ids), new Set(wanted.ids));
      assert.equal(new Set(got.ids).size, got.ids.length);
      for (const source of lives.keys()) {
        const positions = readAll(fresh, [])
          .ids.map(String)
          .filter((id) => id.startsWith(source));
        const order = positions.map((id) => id.split('.').slice(1).map(Number));
        assert.deepEqual(
          order,
          order.toSorted(([a = 0, i = 0], [b = 0, j = 0]) => a - b || i - j),
        );
      }
    }),
    { numRuns: sized(75, 300) },
  ));

test('a loss of a source that is silent since is reported once: the position of the page is behind it', (t) => {
  const log = new EventLog(silent, 10);
  log.adopt([], [['conf-1', 2, 0]]);
  // Its consumer had been given the floor by another member before.
  log.begin('conf-1', 2, 0);
  log.receive(['b2b-1', 1, 1], eventAt(['b2b-1', 1, 1]));
  const known: StreamPosition[] = [
    ['conf-1', 1, 7],
    ['b2b-1', 1, 1],
  ];
  const first = log.read(known);
  t.true(first.gap);
  const position = new Position(known);
  position.merge(first.position);
  t.false(log.read(position.positions).gap);
});
