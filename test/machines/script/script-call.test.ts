/** The call of an IVR script. */

import { type ScriptCallEvent, scriptCallMachine } from '../../../src/machines/script/script-call.ts';
import { machineTable, type Row, unexpected } from '../../kit/machine-table.ts';
import { walk } from '../../kit/machine-walk.ts';
import { test } from '../../kit/test.ts';

type Machine = typeof scriptCallMachine;

const answer: ScriptCallEvent = { type: 'answer.requested' };
const play: ScriptCallEvent = { type: 'play.requested', ms: 3_000, isInterruptible: true };
const collect: ScriptCallEvent = { type: 'digits.requested', count: 2, end: '#', ms: 5_000 };
const record: ScriptCallEvent = { type: 'record.requested', ms: 9_000, end: '#' };
const call: ScriptCallEvent = { type: 'call.requested', ms: 30_000 };
const targetAnswered: ScriptCallEvent = { type: 'target.answered' };
const targetBusy: ScriptCallEvent = { type: 'target.failed', status: 486 };
const refer: ScriptCallEvent = { type: 'refer.requested' };
const hangUp: ScriptCallEvent = { type: 'hangup.requested' };
const scriptEnded: ScriptCallEvent = { type: 'script.ended' };
const answered: ScriptCallEvent = { type: 'leg.answered' };
const gone: ScriptCallEvent = { type: 'leg.gone' };
const digit: ScriptCallEvent = { type: 'digit.pressed', digit: '7' };
const busy: ScriptCallEvent = { type: 'refer.ended', status: 486 };
const end: ScriptCallEvent = { type: 'end.requested' };
const requests = [answer, play, collect, record, call, refer, hangUp];
const events = [...requests, scriptEnded, answered, gone, digit, busy, targetAnswered, targetBusy, end];

const endLeg = { type: 'end.leg' } as const;
const endScript = { type: 'end.script' } as const;
const stopPlaying = { type: 'stop.playing' } as const;
const next = { type: 'report.component', branch: 'next' } as const;
const refused = { type: 'report.component', branch: 'failed', status: 0 } as const;
const digits = (text: string) => ({ ...next, digits: text });

/** What each state decides; every other event is unexpected there. */
const alive: readonly [ScriptCallEvent, string, readonly object[]][] = [
  [gone, 'over', [endScript]],
  [end, 'ending', [endLeg, endScript]],
  [scriptEnded, 'ending', [endLeg]],
];
/** Reports of a call to another number that is not waited for. */
const lateTarget = (state: string) =>
  [
    [targetAnswered, state, []],
    [targetBusy, state, []],
  ] as const;
const decided: Readonly<Record<string, readonly (readonly [ScriptCallEvent, string, readonly object[], object?])[]>> = {
  incoming: [
    ...alive,
    [answer, 'answering', [{ type: 'answer.leg' }]],
    [play, 'incoming', [refused]],
    [collect, 'incoming', [refused]],
    [record, 'incoming', [refused]],
    [call, 'incoming', [refused]],
    [refer, 'incoming', [refused]],
    [hangUp, 'ending', [endLeg, next]],
    [digit, 'incoming', [], { after: { digits: '7' } }],
    [busy, 'incoming', []],
    ...lateTarget('incoming'),
  ],
  answering: [
    ...alive,
    [answered, 'talking', [next]],
    [digit, 'answering', []],
    [busy, 'answering', []],
    ...lateTarget('answering'),
  ],
  talking: [
    ...alive,
    [answer, 'talking', [next]],
    [play, 'playing', []],
    [collect, 'collecting', []],
    [collect, 'talking', [stopPlaying, digits('12')], { before: { digits: '123' }, after: { digits: '3' } }],
    [collect, 'talking', [stopPlaying, digits('1')], { before: { digits: '1#3' }, after: { digits: '3' } }],
    [record, 'recording', []],
    [call, 'consulting', [{ type: 'call.target' }]],
    [refer, 'referring', [{ type: 'refer.party' }]],
    [hangUp, 'ending', [endLeg, next]],
    [digit, 'talking', [], { after: { digits: '7' } }],
    [busy, 'talking', []],
    ...lateTarget('talking'),
  ],
  playing: [
    ...alive,
    [digit, 'playing', [], { after: { digits: '7' } }],
    [digit, 'talking', [stopPlaying, next], { before: { isInterruptible: true }, after: { digits: '7' } }],
    [busy, 'playing', []],
    ...lateTarget('playing'),
  ],
  collecting: [
    ...alive,
    [digit, 'collecting', [], { before: { count: 2 }, after: { digits: '7' } }],
    [digit, 'talking', [stopPlaying, digits('17')], { before: { digits: '1', count: 2 }, after: { digits: '' } }],
    [busy, 'collecting', []],
    ...lateTarget('collecting'),
  ],
  recording: [
    ...alive,
    [digit, 'recording', [], { before: { end: '#' }, after: { digits: '7' } }],
    [{ type: 'digit.pressed', digit: '#' }, 'talking', [digits('#')], { before: { end: '#' } }],
    [busy, 'recording', []],
    ...lateTarget('recording'),
  ],
  consulting: [
    ...alive,
    [digit, 'consulting', [], { after: { digits: '7' } }],
    [busy, 'consulting', []],
    [targetAnswered, 'talking', [next]],
    [targetBusy, 'talking', [{ type: 'report.component', branch: 'failed', status: 486 }]],
  ],
  referring: [
    ...alive,
    ...lateTarget('referring'),
    [digit, 'referring', [], { after: { digits: '7' } }],
    [busy, 'talking', [{ type: 'report.component', branch: 'failed', status: 486 }]],
    [{ type: 'refer.ended', status: 200 }, 'talking', [next]],
  ],
  ending: [
    [answer, 'ending', [refused]],
    [play, 'ending', [refused]],
    [collect, 'ending', [refused]],
    [record, 'ending', [refused]],
    [call, 'ending', [refused]],
    [refer, 'ending', [refused]],
    [hangUp, 'ending', [next]],
    [scriptEnded, 'ending', []],
    [answered, 'ending', []],
    [gone, 'over', []],
    [digit, 'ending', []],
    [busy, 'ending', []],
    ...lateTarget('ending'),
    [end, 'ending', [endScript]],
  ],
};

const rows = Object.entries(decided).flatMap(([state, known]) => {
  const types = new Set(known.map(([{ type }]) => type));
  const others = events
    .filter(({ type }) => !types.has(type))
    .map((event) => [event, state, [unexpected(event.type)]] as const);
  return [...known, ...others].map((row) => [state, ...row] as unknown as Row<Machine>);
});

machineTable(test, 'the call of an IVR script', {
  machine: scriptCallMachine,
  events: {
    'answer.requested': true,
    'play.requested': true,
    'digits.requested': true,
    'record.requested': true,
    'call.requested': true,
    'refer.requested': true,
    'hangup.requested': true,
    'script.ended': true,
    'leg.answered': true,
    'leg.gone': true,
    'digit.pressed': true,
    'refer.ended': true,
    'target.answered': true,
    'target.failed': true,
    'end.requested': true,
  },
  context: { digits: '', count: 0, end: '', waitMs: 0, isInterruptible: false },
  rows,
  deadlines: [
    [[answer], 'answering', 40_000, 'over', [{ type: 'drop.leg' }, endScript]],
    [[answer, answered, play], 'playing', 3_000, 'talking', [stopPlaying, next]],
    [
      [answer, answered, collect, digit],
      'collecting',
      5_000,
      'talking',
      [stopPlaying, { type: 'report.component', branch: 'timeout', digits: '7' }],
    ],
    [[answer, answered, record], 'recording', 9_000, 'talking', [next]],
    [
      [answer, answered, call],
      'consulting',
      30_000,
      'talking',
      [{ type: 'end.target' }, { type: 'report.component', branch: 'timeout' }],
    ],
    [[answer, answered, refer], 'referring', 60_000, 'talking', [{ type: 'report.component', branch: 'timeout' }]],
    [[answer, answered, hangUp], 'ending', 40_000, 'over', [{ type: 'drop.leg' }]],
  ],
});

test('digits that are pressed early are collected in their order, by one component after the other', (t) => {
  const walked = walk(scriptCallMachine, {});
  for (const event of [answer, answered]) walked.send(event);
  for (const pressed of '12#34') walked.send({ type: 'digit.pressed', digit: pressed });
  walked.send({ ...collect, count: 5 });
  walked.send(collect);
  t.deepEqual(walked.commands.slice(-4), [stopPlaying, digits('12'), stopPlaying, digits('34')]);
});
