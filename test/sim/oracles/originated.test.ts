/** What is said of calls that the platform begins, and the records of calls that are connected. */

import { recordsWhole } from '../../../sim/oracles/rules/data/records-whole.ts';
import { originatedReported } from '../../../sim/oracles/rules/interface/originated-reported.ts';
import { test } from '../../kit/test.ts';
import { Trial } from './trial.ts';

const [mware, b2b] = ['north/n1/mware-215', 'north/n1/b2b-214'];

interface Begun {
  readonly mode: number;
  /** Milliseconds from the answer of X to that of the request; absent: it is not answered. */
  readonly afterMs?: number;
  readonly result?: string;
  readonly isTaken?: boolean;
  readonly hasCrashed?: boolean;
}

/** A request begins a call, and X answers. */
function begun({ mode, afterMs, result = 'ok', isTaken = true, hasCrashed = false }: Begun): Trial {
  const trial = new Trial(originatedReported).pass(60_000);
  const about = { type: 'dialog.originate', from: mware, to: b2b } as const;
  const re = trial.send({ ...about, kind: 'ask', body: { request: { responseMode: mode } } as never });
  const is = (before: string | undefined, state: string) =>
    trial.see('entity.state', { owner: b2b, machine: 'dialog', key: 'd1', before, state });
  is(undefined, 'finding');
  is('finding', 'reaching');
  trial.pass(4_000);
  if (isTaken) is('reaching', 'routing');
  if (hasCrashed) trial.see('instance.crashed', { instance: b2b, reason: 'crash requested', cause: 'injected' });
  if (afterMs === undefined) return trial.pass(10_000);
  trial.pass(afterMs);
  trial.send({ type: 'dialog.originate', kind: 'reply', from: b2b, to: mware, re, body: { result } as never });
  return trial.pass(10_000);
}

for (const [what, verdict, is] of [
  ['with mode 1, answered at once', 'pass', { mode: 1, afterMs: 0 }],
  ['with mode 1, answered late', 'fail', { mode: 1, afterMs: 5_000 }],
  ['with mode 1, not answered', 'fail', { mode: 1 }],
  ['with mode 1, answered with failed', 'fail', { mode: 1, afterMs: 0, result: 'failed' }],
  ['with mode 3, answered when Y has', 'pass', { mode: 3, afterMs: 20_000 }],
  ['with mode 3, answered with unknown', 'pass', { mode: 3, afterMs: 20_000, result: 'unknown' }],
  ['with mode 2, answered with timeout', 'fail', { mode: 2, afterMs: 20_000, result: 'timeout' }],
  ['with mode 0, answered before', 'unknown', { mode: 0, afterMs: 0, result: 'failed' }],
  ['whose X has not answered', 'unknown', { mode: 1, afterMs: 20_000, result: 'no_answer', isTaken: false }],
  ['whose b2b has crashed', 'unknown', { mode: 1, hasCrashed: true }],
] as const) {
  test(`originated-reported: a request ${what}: ${verdict}`, (t) => {
    t.is(begun(is).verdict, verdict);
  });
}

/** A b2b publishes the record of a call. */
function published(more: object): Trial {
  const legs = [
    { callid: 'a', side: 'a' },
    { callid: 'b', side: 'b' },
  ];
  const dialog = { dialogid: 'd1', status: 'dialog', acallid: 'a', answerts: 1, legs, ...more };
  const trial = new Trial(recordsWhole);
  const body = { epoch: 1, items: [{ n: 1, dialog }] };
  trial.send({ type: 'stream.published', from: b2b, body: body as never });
  return trial;
}

test('records-whole: a connected call has both legs, the acallid of the first one, and the time of its answer', (t) => {
  t.is(published({}).verdict, 'pass');
  t.is(published({ status: 'forking', legs: [] }).verdict, 'unknown');
  t.regex(published({ legs: [{ callid: 'b', side: 'b' }] }).failures.join(), /has 0 legs of side a and 1 of side b/);
  t.regex(published({ acallid: 'x' }).failures.join(), /has the acallid x, and the leg of side a is a/);
  t.regex(published({ answerts: undefined }).failures.join(), /has no answerts/);
});
