/** The calls as their records will have them, with sources whose clocks differ. */
import type { Cdr } from '../../../src/model/protocol/messages/callstore.ts';
import type { StreamItem } from '../../../src/model/protocol/messages/stream.ts';
import { CallLedger } from '../../../src/roles/callstore/call-ledger.ts';
import { test } from '../../kit/test.ts';

const day = 86_400_000;
const domain = 'acme.root.test';

function item(name: string, cid: string, login: string): StreamItem {
  const participations = [{ side: 'a', kind: 'sipuser', domain, name: login, number: login, id: `id of ${login}` }];
  const event = {
    class: 'callevents',
    name,
    domains: [domain],
    objects: [],
    data: { cid, type: 'bye', participations },
  };
  return { n: 1, event } as unknown as StreamItem;
}

test('a call is kept for a minute after its end, whatever the clocks of other sources say', (t) => {
  let nowMs = day;
  const ledger = new CallLedger('hq', { nowMs: () => nowMs, onOver: () => {} });
  const run = (cid: string, login: string, atMs: number) => {
    for (const name of ['dlg_init', 'dlg_end']) ledger.apply(item(name, cid, login), 'b2b-1 1', atMs);
  };
  run('one', '1001', nowMs);
  run('two', '1002', nowMs + day);
  nowMs += 3_000;
  t.deepEqual(ledger.apply(item('dlg_stop', 'one', '1001'), 'b2b-1 1', nowMs), ['id of 1001']);
  nowMs += 60_000;
  run('three', '1003', nowMs);
  t.is(ledger.size, 1, 'and no longer');
});

test('a call whose b2b had a clock ahead of the instance that saw its end does not end before it began, or was answered', (t) => {
  const records: Cdr[] = [];
  const ledger = new CallLedger('hq', { nowMs: () => day, onOver: (record) => records.push(record) });
  for (const name of ['dlg_init', 'dlg_start']) ledger.apply(item(name, 'talked', '1001'), 'b2b-1 1', day + 60_000);
  ledger.apply(item('dlg_init', 'rang', '1002'), 'b2b-1 1', day + 50_000);
  for (const cid of ['talked', 'rang']) ledger.apply(item('dlg_dead', cid, '1001'), 'callstore-2 1', day);
  t.deepEqual(
    records.map(({ startts, answerts, endts, durationms, talkms }) => [startts, answerts, endts, durationms, talkms]),
    [
      [day + 60_000, day + 60_000, day + 60_000, 0, 0],
      [day + 50_000, null, day + 50_000, 0, 0],
    ],
  );
});
