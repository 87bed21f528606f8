/** What a page keeps of a long run. */
import test from 'ava';
import { Kept } from '../../../sim/report/html/kept.ts';

test('of a long run the last messages are kept, with the texts that they name and no others', (t) => {
  const kept = new Kept();
  const say = (atMs: number) =>
    kept.said([atMs, 0, 1, kept.names.of(`what ${atMs % 10}`), kept.names.of(`${atMs}`), -1]);
  for (let atMs = 0; atMs < 200_000; atMs += 1) say(atMs);
  const { messages, names } = kept.finish();
  t.is(messages.length, 60_000);
  t.is(messages[0]?.[0], 140_000);
  t.is(names.all.length, 60_010);
  const [, , , what = 0, more = 0, callid] = messages.at(-1) ?? [];
  t.deepEqual([names.all[what], names.all[more], callid], ['what 9', '199999', -1]);
  t.deepEqual(kept.leftOut, ['The last 60000 messages are shown; 140000 earlier ones are left out.']);
});

test('of the states before those that are kept the last of each machine stays, unless it is gone', (t) => {
  const kept = new Kept();
  const tell = (atMs: number, key: string, state: string | undefined) => {
    const { names } = kept;
    const told = state === undefined ? -1 : names.of(state);
    kept.changed([atMs, 0, names.of('dialog'), names.of(key), told]);
  };
  tell(0, 'old', 'ringing');
  tell(1, 'gone', 'talking');
  tell(2, 'old', 'talking');
  tell(3, 'gone', undefined);
  for (let atMs = 4; atMs < 200_000; atMs += 1) tell(atMs, `busy ${atMs % 2}`, `state ${atMs}`);
  const { states, names } = kept.finish();
  const worded = states.slice(0, 3).map(([atMs, , , key, state]) => `${atMs} ${names.all[key]} ${names.all[state]}`);
  t.is(worded[0], '2 old talking');
  t.true(states.length <= 60_003);
  t.deepEqual(
    states.map(([atMs]) => atMs),
    states.map(([atMs]) => atMs).sort((a, b) => a - b),
  );
});

test('a short run is kept whole', (t) => {
  const kept = new Kept();
  kept.said([5, 0, 1, kept.names.of('INVITE'), kept.names.of(''), -1]);
  kept.changed([6, 0, kept.names.of('leg'), kept.names.of('x'), -1]);
  const { messages, states } = kept.finish();
  t.deepEqual([messages.length, states.length, kept.leftOut], [1, 1, []]);
});
