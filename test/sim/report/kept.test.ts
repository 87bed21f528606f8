/** What a page keeps of a long run. */

import { nearest } from '../../../sim/report/html/compared.ts';
import { Kept, Moments } from '../../../sim/report/html/kept.ts';
import { test } from '../../kit/test.ts';

const many = 120_000;

function say(kept: Kept, atMs: number, callid = -1): void {
  const texts = [kept.names.of(`what ${atMs % 10}`), kept.names.of(`${atMs}`), callid] as const;
  kept.say([atMs, 0, 1, ...texts]);
}

function tell(kept: Kept, atMs: number, { key, state }: { key: string; state: string | undefined }): void {
  const { names } = kept;
  const stateId = state === undefined ? -1 : names.of(state);
  kept.change([atMs, 0, names.of('dialog'), names.of(key), stateId]);
}

test('of a long run in which nothing happens the last messages are kept, with their texts and no others', (t) => {
  const kept = new Kept();
  for (let atMs = 0; atMs < many; atMs += 1) say(kept, atMs);
  const { messages, names, gaps } = kept.finish();
  t.is(messages.length, 60_000);
  t.is(messages[0]?.[0], 60_000);
  t.is(names.all.length, 60_010);
  const [, , , what = 0, more = 0, callid] = messages.at(-1) ?? [];
  t.deepEqual([names.all[what], names.all[more], callid], ['what 9', '119999', -1]);
  t.deepEqual([kept.said, kept.firstMs, gaps], [many, 0, [[0, 60_000]]]);
  t.regex(kept.leftOut[0] ?? '', /^60,000 of 120,000 messages are kept: /);
});

test('around faults and steps messages are kept, more of them around faults, and it is known how many are missing between', (t) => {
  const kept = new Kept();
  for (let atMs = 0; atMs < many; atMs += 1) {
    if (atMs === 30_000) kept.moments.fault(atMs);
    if (atMs === 90_000) kept.moments.step(atMs);
    say(kept, atMs);
  }
  const { messages, gaps } = kept.finish();
  const moments = new Set(messages.map(([atMs]) => atMs));
  const isKept = (from: number, until: number) => {
    for (let atMs = from; atMs <= until; atMs += 1) if (!moments.has(atMs)) return false;
    return true;
  };
  t.true(isKept(24_000, 48_000), 'around the fault');
  t.true(isKept(89_900, 91_000), 'around the step');
  t.true(isKept(100_000, 119_999), 'the end');
  t.is(messages.length, 60_000);
  t.is(gaps.length, 3);
  for (const [index, count] of gaps) {
    const [from, until] = [messages[index - 1]?.[0] ?? -1, messages[index]?.[0] ?? many];
    t.is(until - from - 1, count);
  }
});

test('messages of calls are kept before what nodes ask each other', (t) => {
  const kept = new Kept();
  for (let atMs = 0; atMs < many; atMs += 1) {
    if (atMs === 10) kept.moments.fault(atMs);
    say(kept, atMs, atMs % 50 === 0 ? kept.names.of('a call') : -1);
  }
  const { messages } = kept.finish();
  t.is(messages.filter(([, , , , , callid]) => callid >= 0).length, many / 50);
});

test('no more is kept while the run goes on than some more than goes into the page', (t) => {
  const kept = new Kept();
  for (let atMs = 0; atMs < many; atMs += 1) {
    say(kept, atMs);
    if (atMs % 10_000 === 9_999 && kept.names.all.length > 80_010)
      return t.fail(`at ${atMs}: ${kept.names.all.length}`);
  }
  t.pass();
});

test('rows nearest to what matters stay, and a third of them are the last; of those equally far the later', (t) => {
  const rows = Array.from({ length: 20 }, (_, i) => i);
  const kept = (distance: (row: number) => number) => {
    const stays = nearest(rows, { most: 9, distance });
    return rows.filter((row) => stays[row]);
  };
  t.deepEqual(
    kept((row) => Math.abs(row - 5.1)),
    [3, 4, 5, 6, 7, 8, 17, 18, 19],
  );
  t.deepEqual(
    kept(() => Number.POSITIVE_INFINITY),
    [11, 12, 13, 14, 15, 16, 17, 18, 19],
  );
});

test('what comes after a moment is nearer than what comes before it, and faults are nearer than steps', (t) => {
  const moments = new Moments();
  t.is(moments.distance(5), Number.POSITIVE_INFINITY);
  moments.step(100);
  moments.fault(1_000);
  t.deepEqual(
    [90, 100, 110, 1_020, 990].map((atMs) => moments.distance(atMs)),
    [30, 0, 10, 2, 3],
  );
});

test('of changes that are dropped the last of each machine stays, unless it is gone, and it is known where some are missing', (t) => {
  const kept = new Kept();
  tell(kept, 0, { key: 'old', state: 'ringing' });
  tell(kept, 1, { key: 'gone', state: 'talking' });
  tell(kept, 2, { key: 'old', state: 'talking' });
  tell(kept, 3, { key: 'gone', state: undefined });
  for (let atMs = 4; atMs < many; atMs += 1) tell(kept, atMs, { key: `busy ${atMs % 2}`, state: `state ${atMs}` });
  const { states, names, stateGaps } = kept.finish();
  const texts = names.all;
  const worded = states.map(([atMs, , , key, state]) => `${atMs} ${texts[key]} ${texts[state]}`);
  t.is(worded[0], '2 old talking');
  t.false(worded.some((text) => text.includes('gone')));
  t.true(states.length <= 60_003);
  const moments = states.map(([atMs]) => atMs);
  t.deepEqual(
    moments,
    moments.toSorted((a, b) => a - b),
  );
  t.deepEqual(stateGaps[0], [0, 1]);
  t.is(
    stateGaps.reduce((sum, [, count]) => sum + count, states.length),
    many - 2,
    'all but the two of the one that is gone',
  );
});

test('a short run is kept whole', (t) => {
  const kept = new Kept();
  say(kept, 5);
  tell(kept, 6, { key: 'x', state: 'open' });
  const { messages, states, gaps, stateGaps } = kept.finish();
  t.deepEqual([messages.length, states.length, gaps, stateGaps, kept.leftOut], [1, 1, [], [], []]);
});
