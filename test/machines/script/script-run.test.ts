/** A run of a script: every event in every state. */

import { type ScriptRunEvent, scriptRunMachine } from '../../../src/machines/script/script-run.ts';
import { machineTable, type Row } from '../../kit/machine-table.ts';
import { test } from '../../kit/test.ts';

type RunRow = Row<typeof scriptRunMachine>;

const passed: ScriptRunEvent = { type: 'component.passed' };
const found = (isRepeatable = false): ScriptRunEvent => ({ type: 'effect.found', isRepeatable });
const waits: ScriptRunEvent = { type: 'wait.found', ms: 5_000 };
const ended: ScriptRunEvent = { type: 'script.ended' };
const stored: ScriptRunEvent = { type: 'position.stored' };
const effectEnded: ScriptRunEvent = { type: 'effect.ended' };
const requested: ScriptRunEvent = { type: 'end.requested' };

const store = { type: 'store.position' } as const;
const perform = { type: 'perform.effect' } as const;
const execute = { type: 'execute.component' } as const;
const result = { type: 'store.result' } as const;
const report = { type: 'report.result' } as const;
const byRequest = { type: 'fail.run', reason: 'request' } as const;
const tooLong = { type: 'fail.run', reason: 'duration' } as const;

/** A state that waits for one thing alone: all else is ignored, and a request ends the run. */
function only(state: string, rows: readonly RunRow[]): RunRow[] {
  const decided = new Set(rows.map(([, { type }]) => type));
  const all = [passed, found(), waits, ended, stored, effectEnded];
  const ignored = all.filter(({ type }) => !decided.has(type)).map((event): RunRow => [state, event, state, []]);
  return [...rows, ...ignored, [state, requested, 'ending', [byRequest, result]]];
}

machineTable(test, 'a run of a script', {
  machine: scriptRunMachine,
  events: {
    'component.passed': true,
    'effect.found': true,
    'wait.found': true,
    'script.ended': true,
    'position.stored': true,
    'effect.ended': true,
    'end.requested': true,
  },
  context: { durationMs: 60_000, pauseMs: 100, waitMs: 0, isRepeatable: false },
  input: { durationMs: 60_000, pauseMs: 100 },
  rows: [
    ...only('running.starting', [['running.starting', stored, 'running.executing', [execute]]]),
    ...only('running.pausing', []),
    ...only('running.executing', [
      ['running.executing', passed, 'running.pausing', []],
      ['running.executing', found(true), 'running.saving', [store], { after: { isRepeatable: true } }],
      ['running.executing', waits, 'running.waiting', [store], { after: { waitMs: 5_000 } }],
      ['running.executing', ended, 'ending', [result]],
    ]),
    ...only('running.saving', [['running.saving', stored, 'running.acting', [perform]]]),
    ...only('running.acting', [
      ['running.acting', effectEnded, 'running.recording', [store]],
      ['running.acting', ended, 'ending', [result]],
    ]),
    ...only('running.recording', [['running.recording', stored, 'running.pausing', []]]),
    ...only('running.waiting', []),

    ['ending', stored, 'over', [report]],
    ...[passed, found(), waits, ended, effectEnded, requested].map((event): RunRow => ['ending', event, 'ending', []]),
  ],
  deadlines: [
    [[stored, passed], 'running.pausing', 100, 'running.executing', [execute]],
    [[stored, waits], 'running.waiting', 5_000, 'running.executing', [execute]],
    [[], 'running.starting', 60_000, 'ending', [tooLong, result]],
    [[stored], 'running.executing', 60_000, 'ending', [tooLong, result]],
    [[stored, found()], 'running.saving', 60_000, 'ending', [tooLong, result]],
    [[stored, found(), stored], 'running.acting', 60_000, 'ending', [tooLong, result]],
    [[stored, found(), stored, effectEnded], 'running.recording', 60_000, 'ending', [tooLong, result]],
  ],
});
