/** The recordings of a call: every event in every state. */

import { type Heard, type RecordingEvent, recordingMachine } from '../../../src/machines/call/recording.ts';
import { limits } from '../../../src/model/limits.ts';
import type { CallRecording } from '../../../src/model/recording/recording.ts';
import { machineTable } from '../../kit/machine-table.ts';
import { test } from '../../kit/test.ts';

const dialogid = '214-1-1';
const heard = (a: boolean, b: boolean): Heard => [a, b];
const matched = { type: 'rule.matched', atMs: 1_000, heard: heard(true, true) } as const;
const start: RecordingEvent = { type: 'start.requested', atMs: 1_000, heard: heard(true, false) };
const stop: RecordingEvent = { type: 'stop.requested', atMs: 9_000 };
const changed = (a: boolean, b: boolean): RecordingEvent => ({
  type: 'heard.changed',
  atMs: 5_000,
  heard: heard(a, b),
});
const gone: RecordingEvent = { type: 'call.gone' };
const publish = { type: 'publish.recordings' } as const;

const recording = (more: Partial<CallRecording> = {}): CallRecording => ({
  ...{ dialogid, n: 1, startts: 1_000, heard: [[0, true, true]] },
  ...more,
});
const going = { recordings: [recording()] };
const full = {
  recordings: Array.from({ length: limits.recordings }, (_, index) => recording({ n: index + 1, endts: 2_000 })),
};
const manyChanges = {
  recordings: [
    recording({ heard: Array.from({ length: limits.recordedChanges }, (_, index) => [index, index % 2 === 0, true]) }),
  ],
};
const second = recording({ n: 2, heard: [[0, true, false]] });
const over = recording({ endts: 9_000 });
const held = recording({ heard: [...recording().heard, [4_000, false, true]] });

machineTable(test, 'the recordings of a call', {
  machine: recordingMachine,
  events: {
    'rule.matched': true,
    'start.requested': true,
    'stop.requested': true,
    'heard.changed': true,
    'call.gone': true,
  },
  context: { dialogid, recordings: [] },
  rows: [
    ['off', matched, 'on', [], { after: going }],
    ['off', { ...matched, keepMs: 5_000 }, 'on', [], { after: { recordings: [recording({ keepMs: 5_000 })] } }],
    ['off', matched, 'off', [], { before: full, after: full }],
    ['off', start, 'on', [publish], { before: { recordings: [over] }, after: { recordings: [over, second] } }],
    ['off', start, 'off', [], { before: full, after: full }],
    ['off', stop, 'off', []],
    ['off', changed(false, true), 'off', []],
    ['off', gone, 'over', []],

    ['on', matched, 'on', [], { before: going, after: going }],
    ['on', start, 'on', [], { before: going, after: going }],
    ['on', stop, 'off', [publish], { before: going, after: { recordings: [over] } }],
    ['on', changed(false, true), 'on', [publish], { before: going, after: { recordings: [held] } }],
    ['on', changed(true, true), 'on', [], { before: going, after: going }],
    ['on', changed(true, false), 'on', [], { before: manyChanges, after: manyChanges }],
    ['on', gone, 'over', [], { before: going, after: going }],
  ],
});
