/** Positions in the streams of sources, and the cursors that they are outside. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { cursorOf, Position, readCursor, type StreamPosition } from '../../src/model/position.ts';
import { holds } from '../kit/property.ts';
import { test } from '../kit/test.ts';

const streamPosition: fc.Arbitrary<StreamPosition> = fc.tuple(
  fc.constantFrom('b2b-214', 'b2b-223', 'conf-9', 'callstore-216'),
  fc.integer({ min: 0, max: 1_900_000_000_000 }),
  fc.integer({ min: 0, max: 1_000_000_000 }),
);

test('a cursor that was given is read as the position that it was', (t) =>
  holds(
    t,
    fc.property(fc.array(streamPosition), fc.option(fc.nat(), { nil: undefined }), (all, sinceMs) => {
      const { positions } = new Position(all);
      const cursor = cursorOf({ positions, sinceMs });
      assert.deepEqual(readCursor(cursor), sinceMs === undefined ? { positions } : { positions, sinceMs });
      assert.match(cursor, /^[a-z0-9.~-]+$/);
    }),
  ));

for (const text of [
  '',
  'x',
  '2~b2b-1.1.1',
  '1~b2b-1.1',
  '1~b2b-1.1.1.1',
  '1~b2b.1.1',
  '1~b2b-1.zzzzzzzzzzzzz.1',
  '1~zzzzzzzzzzzzz~b2b-1.1.1',
  '1~~',
  'null',
]) {
  test(`a text that no cursor is, is none: ${JSON.stringify(text)}`, (t) => {
    t.is(readCursor(text), undefined);
  });
}

test('a later life of a source comes after all of an earlier one', (t) => {
  const position = new Position([['b2b-1', 5, 100]]);
  t.true(position.isPast('b2b-1', 5, 100));
  t.true(position.isPast('b2b-1', 4, 999));
  t.false(position.isPast('b2b-1', 5, 101));
  t.false(position.isPast('b2b-1', 6, 1));
  t.false(position.isPast('b2b-2', 1, 1));
  t.true(position.advance('b2b-1', 6, 1));
  t.false(position.advance('b2b-1', 5, 101));
});

test('a position reaches another when nothing of that is ahead of it, and two that are merged reach both', (t) =>
  holds(
    t,
    fc.property(fc.array(streamPosition), fc.array(streamPosition), (one, other) => {
      const both = new Position(one);
      both.merge(other);
      assert.ok(both.reaches(new Position(one)));
      assert.ok(both.reaches(new Position(other)));
      const isEqual = new Position(one).reaches(both);
      assert.equal(isEqual, new Position(one).reaches(new Position(other)));
    }),
  ));
