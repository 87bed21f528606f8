/** Lists in pieces. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { SeededRandom } from '../../sim/ports/random.ts';
import { VirtualClock } from '../../sim/ports/virtual-clock.ts';
import { limits } from '../../src/model/limits.ts';
import { noFaultPoints } from '../../src/ports/instrumentation/fault-points.ts';
import { type Piece, Pieces } from '../../src/roles/pieces.ts';
import { holds, runs } from '../kit/property.ts';
import { test } from '../kit/test.ts';

function make() {
  const clock = new VirtualClock(0);
  return { clock, pieces: new Pieces<string>({ clock, random: new SeededRandom(1), faultPoints: noFaultPoints }) };
}

function all(pieces: Pieces<string>, items: readonly string[]): Piece<string>[] {
  const got = [pieces.first(items)];
  for (let rest = got[0]?.rest; rest !== undefined; rest = got.at(-1)?.rest) {
    const piece = pieces.next(rest);
    if (piece === undefined) throw new Error('lost');
    got.push(piece);
  }
  return got;
}

const big = 'x'.repeat(limits.listBytes / 3);

test('pieces put together are the list, and each has as many items as fit, one at least', async (t) => {
  const item = fc.constantFrom('', 'a', 'ü'.repeat(40_000), big, big.repeat(4));
  const rule = fc.property(fc.array(item, { maxLength: 12 }), (items) => {
    const { pieces } = make();
    const got = all(pieces, items);
    assert.deepEqual(
      got.flatMap((piece) => piece.items),
      items,
    );
    for (const piece of got) {
      const bytes = piece.items.reduce((sum, each) => sum + Buffer.byteLength(JSON.stringify(each)), 0);
      assert.ok(piece.items.length === 1 || bytes <= limits.listBytes);
      assert.ok(piece.items.length > 0 || items.length === 0);
    }
  });
  await holds(t, rule, { numRuns: runs(7) });
});

test('what is left is kept for a while, and given once', (t) => {
  const { clock, pieces } = make();
  const rest = pieces.first([big, big, big, big]).rest ?? '';
  const late = pieces.first([big, big, big, big]).rest ?? '';
  t.not(rest, late);
  t.is(pieces.next('nothing'), undefined);
  t.is(pieces.next(rest)?.items.length, 2);
  t.is(pieces.next(rest), undefined);
  clock.advanceTo(limits.keptListMs);
  t.is(pieces.next(late), undefined);
});

test('of more lists than are kept the oldest gives way', (t) => {
  const { clock, pieces } = make();
  const list = [big, big, big, big];
  const names = Array.from({ length: limits.keptLists + 1 }, () => pieces.first(list).rest ?? '');
  t.is(clock.pending, 1, 'one timer for all');
  t.is(pieces.next(names[0] ?? ''), undefined);
  t.truthy(pieces.next(names[1] ?? ''));
});
