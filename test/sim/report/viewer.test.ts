/** Rules of the page of a run: its address, and the order of the columns in a diagram of messages. */
import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { test } from '../../kit/test.ts';

type Talk = [one: number, other: number, weight: number];

interface ViewAddress {
  readonly tab: string;
  readonly item: string | undefined;
  readonly atMs: number | undefined;
}

interface Viewer {
  hashOf(sight: ViewAddress): string;
  viewIn(hash: string): ViewAddress | undefined;
  ordered(groups: number[][], talks: Talk[]): number[];
  lengthOf(order: number[], talks: Talk[]): number;
}

/** Scripts of the page that need no page. */
function viewer(): Viewer {
  const scope = {};
  for (const name of ['0-hash.js', '0-order.js']) {
    const file = new URL(`../../../sim/report/html/viewer/${name}`, import.meta.url);
    runInNewContext(readFileSync(file, 'utf8'), scope);
  }
  return scope as Viewer;
}

const { hashOf, viewIn, ordered, lengthOf } = viewer();

test('an address has a tab, what is chosen there, and a moment', (t) => {
  t.is(hashOf({ tab: 'messages', item: '12', atMs: 25_863 }), '#messages/12@25.863');
  t.like(viewIn('#messages@25.863'), { tab: 'messages', item: undefined, atMs: 25_863 });
  t.like(viewIn('#states/6-1498-507@-0.5'), { tab: 'states', item: '6-1498-507', atMs: -500 });
  t.like(viewIn('#calls'), { tab: 'calls', item: undefined, atMs: undefined });
  for (const hash of ['', '#', '#messages@', '#messages@x', '#calls/-1', '#Messages', '#a/1/2'])
    t.is(viewIn(hash), undefined, hash);
});

test('what an address says is what was looked at', (t) => {
  const item = fc.option(fc.nat().map(String), { nil: undefined });
  const atMs = fc.option(fc.integer({ min: -1e7, max: 1e9 }), { nil: undefined });
  const sight = fc.record({ tab: fc.constantFrom('summary', 'messages', 'calls', 'states'), item, atMs });
  fc.assert(fc.property(sight, (each) => t.deepEqual({ ...viewIn(hashOf(each)) }, each)));
  t.pass();
});

test('a chain of interacting parties stands in a row, whatever order it came in', (t) => {
  const chain: Talk[] = [0, 1, 2, 3, 4].map((place) => [place, place + 1, 1]);
  const order = ordered([[3, 0, 5, 2, 4, 1]], chain);
  t.is(lengthOf(order, chain), 5, order.join());
});

test('interacting groups stand side by side, and a party that interacts with another group stands at that side', (t) => {
  const talks: Talk[] = [
    [0, 10, 5],
    [10, 20, 5],
  ];
  const order = ordered(
    [
      [0, 1],
      [20, 21],
      [10, 11],
    ],
    talks,
  );
  const at = (place: number) => order.indexOf(place);
  t.deepEqual([at(0) - at(10), at(20) - at(10)].map(Math.abs).sort(), [1, 2], order.join());
});

test('columns are the places of all groups, each group together, and arrows never longer than before', (t) => {
  const sizes = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 5 });
  const talks = fc.array(fc.tuple(fc.nat(24), fc.nat(24), fc.integer({ min: 1, max: 9 })), { maxLength: 30 });
  fc.assert(
    fc.property(sizes, talks, (many, said) => {
      let next = 0;
      const groups = many.map((size) => Array.from({ length: size }, () => next++));
      const own = said.filter(([one, other]) => one < next && other < next);
      const order = ordered(groups, own);
      t.deepEqual(
        [...order].sort((a, b) => a - b),
        groups.flat(),
      );
      for (const group of groups) {
        const at = group.map((place) => order.indexOf(place));
        t.is(Math.max(...at) - Math.min(...at), group.length - 1);
      }
      t.true(lengthOf(order, own) <= lengthOf(groups.flat(), own));
    }),
  );
});
