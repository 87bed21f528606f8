/** Recordings: the sound that is made of them, and how the lists of two stores are merged. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  type CallRecording,
  deletedOf,
  filesOf,
  mergeRecordings,
  recordingsMark,
  withEnds,
} from '../../../src/model/recording/recording.ts';
import { wavBytesOf, wavSizeOf } from '../../../src/model/recording/sound.ts';
import { pitchOf, readWav } from '../../kit/data/wav.ts';
import { holds, sized } from '../../kit/property.ts';
import { test } from '../../kit/test.ts';

const at = 1_700_000_000_000;

function recording(ms: number, heard: CallRecording['heard'] = [[0, true, true]]): CallRecording {
  return { dialogid: '214-x-1', n: 1, startts: at, endts: at + ms, heard };
}

function bytesOf(made: CallRecording, from = 0, to = wavSizeOf(made)): Buffer {
  return Buffer.concat([...wavBytesOf(made, from, to)]);
}

test('the sound is as long as the recording, with a tone for each side that is heard', (t) => {
  const heard: CallRecording['heard'] = [
    [0, true, true],
    [1_000, false, true],
    [2_000, false, false],
    [2_000, true, false],
    [3_005, true, true],
  ];
  const wav = readWav(bytesOf(recording(4_005, heard)));
  t.deepEqual([wav.rate, wav.channels, wav.ms], [8_000, 2, 4_005]);
  const sides = [0, 1_000, 2_000, 3_005].map((from) =>
    [0, 1].map((channel) => pitchOf(wav, channel, [from, from + 1_000])),
  );
  t.deepEqual(sides, [
    [400, 500],
    [0, 500],
    [400, 0],
    [400, 500],
  ]);
});

test('a recording of no time is a file without sound', (t) => {
  t.is(wavSizeOf(recording(0)), 44);
  t.is(readWav(bytesOf(recording(0))).ms, 0);
});

test('a recording of a day has a size that its header can state, and its last bytes are made without the rest', (t) => {
  const long = recording(86_400_000);
  const size = wavSizeOf(long);
  t.is(size, 44 + 86_400_000 * 32);
  const [first] = [...wavBytesOf(long, 0, 44)];
  t.is(Buffer.from(first!).readUInt32LE(4), size - 8);
  t.is(bytesOf(long, size - 1_000).length, 1_000);
  t.true(wavSizeOf(recording(1e12)) <= 0xffff_ffff);
});

const anyHeard = fc
  .array(fc.tuple(fc.integer({ min: 0, max: 300 }), fc.boolean(), fc.boolean()), { maxLength: 6 })
  .map((all): CallRecording['heard'] => [[0, true, true], ...all.sort(([a], [b]) => a - b)]);

test('any part of a file is what the whole file has there', (t) =>
  holds(
    t,
    fc.property(fc.nat(300), anyHeard, fc.nat(9_700), fc.nat(9_700), (ms, heard, one, other) => {
      const made = recording(ms, heard);
      const whole = bytesOf(made);
      assert.equal(whole.length, wavSizeOf(made));
      const [from, to] = [Math.min(one, other), Math.max(one, other)];
      assert.ok(bytesOf(made, from, to).equals(whole.subarray(from, to)));
    }),
  ));

test('a recording without a known end ends with its call', (t) => {
  const { endts: _end, ...open } = recording(0);
  const other = { ...open, dialogid: '214-x-2' };
  const ended = withEnds([recording(5), open, other], '214-x-1', at + 70);
  t.deepEqual(
    ended.map(({ endts }) => endts),
    [at + 5, at + 70, undefined],
  );
  t.is(withEnds(ended, '214-x-3', at), ended);
  t.deepEqual(filesOf(ended, 0), ended.slice(0, 2));
});

test('a recording with a storage rule has a file until its time is over', (t) => {
  const { startts } = recording(5);
  const kept = [{ ...recording(5), endts: startts + 5, keepMs: 100 }];
  t.is(filesOf(kept, startts + 104).length, 1);
  t.deepEqual(filesOf(kept, startts + 105), []);
});

const versions = fc.record({
  n: fc.integer({ min: 1, max: 3 }),
  endMs: fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined }),
  changes: fc.nat(2),
  isDeleted: fc.boolean(),
});

function versionOf({
  n,
  endMs,
  changes,
  isDeleted,
}: {
  n: number;
  endMs: number | undefined;
  changes: number;
  isDeleted: boolean;
}) {
  const heard = Array.from({ length: changes + 1 }, (_, i): [number, boolean, boolean] => [i, i % 2 === 0, true]);
  const made: CallRecording = {
    dialogid: 'd',
    n,
    startts: at + n,
    heard,
    ...(endMs !== undefined && { endts: at + n + endMs }),
  };
  return isDeleted ? deletedOf(made) : made;
}

/** What a store may know: one version of each. */
const known = fc.uniqueArray(versions, { selector: ({ n }) => n }).map((all) => all.map(versionOf));
const sorted = (all: readonly CallRecording[]) =>
  mergeRecordings(
    [...all].sort((a, b) => a.n - b.n),
    [],
  );

test('recordings of several stores merge to the same list in any order, and a deleted one does not come back', (t) =>
  holds(
    t,
    fc.property(known, known, known, (a, b, c) => {
      const [one, two, three] = [a, b, c].map(sorted) as [CallRecording[], CallRecording[], CallRecording[]];
      const both = mergeRecordings(one, two);
      assert.deepEqual(both, mergeRecordings(two, one));
      assert.deepEqual(mergeRecordings(both, two), both);
      assert.deepEqual(mergeRecordings(both, three), mergeRecordings(one, mergeRecordings(two, three)));
      for (const { n, isDeleted } of [...one, ...two]) {
        if (isDeleted) assert.ok(both.find((each) => each.n === n)?.isDeleted);
      }
      if (recordingsMark(one) === recordingsMark(both)) assert.equal(filesOf(one, 0).length, filesOf(both, 0).length);
    }),
    { numRuns: sized(125, 500) },
  ));
