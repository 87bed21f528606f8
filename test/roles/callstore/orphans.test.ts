/** Calls whose b2b is gone, of which the members of a group hear at different moments. */
import type { Published } from '../../../src/replication/stream-source.ts';
import { CallLedger } from '../../../src/roles/callstore/call-ledger.ts';
import { SiteCalls } from '../../../src/roles/callstore/site-calls.ts';
import { callRecord } from '../../kit/calls/played-calls.ts';
import { test } from '../../kit/test.ts';

const of = { source: 'b2b-1', epoch: 1 };

/** The member that serves, with one call of the b2b. `isForGood`: the b2b has begun another epoch, rather than being out of reach. */
function serving(isForGood: boolean) {
  const items: Published[] = [];
  const calls: SiteCalls = new SiteCalls({
    name: 'callstore-1',
    ledger: new CallLedger('hq', { nowMs: () => 0, onOver: () => {} }),
    isServing: () => true,
    isInReach: () => false,
    isOver: (_source, _epoch, onlyForGood = false) => isForGood || !onlyForGood,
    onDoubt: () => {},
    publish: (item) => {
      items.push(item);
      calls.take({ n: items.length, ...item }, { source: 'callstore-1', epoch: 1 }, 0);
    },
    nowMs: () => 0,
  });
  const record = callRecord('d');
  calls.take({ n: 1, dialog: record }, of, 0);
  return { calls, record, items, ends: () => items.flatMap(({ event }) => event?.name ?? []) };
}

test('a call of a b2b that has begun anew ends once, also when a member that heard of it too early hands it over later', (t) => {
  const { calls, record, items, ends } = serving(true);
  calls.terminateAll(of);
  t.deepEqual(ends(), ['dlg_dead']);
  calls.takeOrphans(of, [record]);
  t.deepEqual(ends(), ['dlg_dead']);
  t.is(items.at(-1)?.gone, 'd', 'the other member hears again that it is gone');
});

test('a call of a b2b that was out of reach may have gone on at another member, and ends again', (t) => {
  const { calls, record, ends } = serving(false);
  calls.terminateAll(of);
  calls.takeOrphans(of, [record]);
  t.deepEqual(ends(), ['dlg_dead', 'dlg_dead']);
});
