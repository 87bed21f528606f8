/** The audio matcher of an mware instance. */

import { type MatcherEvent, matcherMachine } from '../../src/machines/matcher.ts';
import { machineTable, unexpected } from '../kit/machine-table.ts';
import { walk } from '../kit/machine-walk.ts';
import { test } from '../kit/test.ts';

const reload: MatcherEvent = { type: 'reload.requested' };
const sample = { name: 'busy', bytes: 1, changedMs: 0 };
const read: MatcherEvent = { type: 'samples.read', samples: [sample] };
const unreadable: MatcherEvent = { type: 'samples.unreadable' };
const reads = { type: 'read.samples' } as const;
const loaded = { type: 'samples.loaded' } as const;
const failed = { type: 'samples.failed' } as const;
const again = { after: { isAgainWanted: true } };
const noted = { after: { read: [sample] } };
const unknown = { after: { read: 'failed' } } as const;
const surprise = (event: MatcherEvent) => [unexpected(event.type)];

machineTable(test, 'a matcher', {
  machine: matcherMachine,
  events: { 'reload.requested': true, 'samples.read': true, 'samples.unreadable': true },
  context: { loadMs: 1_000, fails: 0, isAgainWanted: false, read: 'pending', samples: [] },
  rows: [
    ['off', reload, 'loading', [reads]],
    ['off', read, 'off', surprise(read)],
    ['off', unreadable, 'off', surprise(unreadable)],
    ['loading', reload, 'loading', [], again],
    ['loading', read, 'loading', [], noted],
    ['loading', unreadable, 'loading', [], unknown],
    ['reading', reload, 'reading', [], again],
    ['reading', read, 'loaded', [loaded], { after: { samples: [sample] } }],
    [
      'reading',
      read,
      'loading',
      [reads],
      { before: { isAgainWanted: true }, after: { samples: [], isAgainWanted: false } },
    ],
    ['reading', unreadable, 'failed', [failed], { before: { samples: [sample] }, after: { samples: [sample] } }],
    ['loaded', reload, 'loading', [reads]],
    ['loaded', read, 'loaded', surprise(read)],
    ['loaded', unreadable, 'loaded', surprise(unreadable)],
    ['failed', reload, 'loading', [reads]],
    ['failed', read, 'failed', surprise(read)],
    ['failed', unreadable, 'failed', surprise(unreadable)],
  ],
  input: { loadMs: 1_000, fails: 1 },
  deadlines: [
    [[reload, read], 'loading', 1_000, 'failed', [failed]],
    [[reload], 'loading', 1_000, 'reading', []],
    [[reload, read, 1_000, reload, read], 'loading', 1_000, 'loaded', [loaded]],
    [[reload, read, 1_000, reload, unreadable], 'loading', 1_000, 'failed', [failed]],
    [[reload, read, 400, reload], 'loading', 600, 'loading', [reads]],
    [[reload, read, 400, reload, 600, read], 'loading', 1_000, 'loaded', [loaded]],
  ],
});

test('a matcher that gets several reloads during a load loads once more', (t) => {
  const matcher = walk(matcherMachine, { input: { loadMs: 1_000, fails: 0 } });
  for (let times = 0; times < 5; times += 1) matcher.send(reload);
  matcher.send(read);
  matcher.pass(1_000);
  t.deepEqual(matcher.commands, [reads, reads]);
  matcher.send(read);
  matcher.pass(1_000);
  t.deepEqual(matcher.commands, [reads, reads, loaded]);
  matcher.pass(10_000);
  t.deepEqual(matcher.commands, [reads, reads, loaded]);
});
