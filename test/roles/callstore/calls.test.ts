/** Live calls: whatever is asked of them is what a plain search of all of them would find. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { parseCollectionQuery } from '../../../src/model/collection/query.ts';
import type { DialogRecord } from '../../../src/model/protocol/messages/dialog.ts';
import { dialogOf, dialogShape } from '../../../src/model/shapes/call-shapes.ts';
import { listCalls } from '../../../src/roles/callstore/call-queries.ts';
import { LiveCalls, type LookupKey } from '../../../src/roles/callstore/live-calls.ts';
import { applyAtOnce, atOnce } from '../../kit/at-once.ts';
import { acme, callRecord, globex, userIdOf } from '../../kit/calls/played-calls.ts';
import { holds, runs } from '../../kit/property.ts';
import { test } from '../../kit/test.ts';

const logins = ['1001', '1002', '1003', '1004'];
const domains = [acme, globex];

type Step =
  | {
      readonly do: 'set';
      readonly call: DialogRecord;
      readonly source: string;
      readonly epoch: number;
      readonly n: number;
    }
  | { readonly do: 'delete'; readonly dialogid: string };

const call = fc
  .record({
    dialogid: fc.integer({ min: 1, max: 12 }).map(String),
    inviteid: fc.constantFrom('i1', 'i2', 'i3'),
    domain: fc.constantFrom(...domains),
    from: fc.constantFrom(...logins),
    to: fc.constantFrom(...logins),
    startts: fc.integer({ min: 0, max: 20 }),
    status: fc.constantFrom('init' as const, 'forking' as const, 'dialog' as const),
    domains: fc.subarray(domains, { minLength: 1 }),
  })
  .map(({ dialogid, ...more }) => callRecord(dialogid, more))
  // Now and then a version without its second leg, or its second party.
  .chain((record) =>
    fc.constantFrom(
      record,
      record,
      { ...record, legs: record.legs.slice(0, 1) },
      { ...record, participations: record.participations.slice(0, 1) },
    ),
  );

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('set' as const),
      call,
      source: fc.constantFrom('b2b-1', 'b2b-2'),
      epoch: fc.integer({ min: 1, max: 2 }),
      n: fc.integer({ min: 1, max: 5 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('delete' as const), dialogid: fc.integer({ min: 1, max: 12 }).map(String) }),
  },
);

/** All calls in a plain map, as the store has to have them. */
function play(steps: readonly Step[]) {
  const calls = new LiveCalls();
  const all = new Map<string, Extract<Step, { do: 'set' }>>();
  for (const each of steps) {
    if (each.do === 'delete') {
      all.delete(each.dialogid);
      calls.delete(each.dialogid);
      continue;
    }
    const known = all.get(each.call.dialogid);
    const isOld =
      known?.source === each.source && (known.epoch > each.epoch || (known.epoch === each.epoch && known.n > each.n));
    if (!isOld) all.set(each.call.dialogid, each);
    calls.set(each.call, each);
  }
  const inOrder = (wanted: (record: DialogRecord) => boolean) =>
    [...all.values()]
      .map((each) => each.call)
      .filter(wanted)
      .sort((a, b) => a.startts - b.startts || (a.dialogid < b.dialogid ? -1 : 1));
  return { calls, all, inOrder };
}

const naive: { readonly [K in LookupKey]: (record: DialogRecord, domain: string, value: string) => boolean } = {
  dialogid: ({ dialogid }, _domain, value) => dialogid === value,
  inviteid: ({ inviteid }, _domain, value) => inviteid === value,
  callid: ({ acallid, legs }, _domain, value) => acallid === value || legs.some(({ callid }) => callid === value),
  uri: ({ localuri, remoteuri }, _domain, value) => localuri === value || remoteuri === value,
  number: ({ participations }, _domain, value) => participations.some(({ number }) => number === value),
  login: ({ participations }, domain, value) =>
    participations.some((each) => each.kind === 'sipuser' && each.domain === domain && each.name === value),
  sipuserid: ({ participations }, domain, value) =>
    participations.some((each) => each.domain === domain && each.id === value),
  confid: () => false,
};

const values: Readonly<Record<LookupKey, readonly string[]>> = {
  dialogid: ['1', '2', '13'],
  inviteid: ['i1', 'i2', 'i9'],
  callid: ['a-1', 'b-2', 'c-3'],
  uri: [`<sip:1001@${acme}>`, `<sip:1002@${globex}>`, 'none'],
  number: [...logins, '9'],
  login: [...logins, '9'],
  sipuserid: [...logins, '9'].map((login) => userIdOf(acme, login)),
  confid: ['1'],
};

test('every key finds what a search of all calls finds, in the default order', (t) =>
  holds(
    t,
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const { calls, all, inOrder } = play(steps);
      assert.equal(calls.size, all.size);
      for (const domain of domains) {
        const isThere = (record: DialogRecord) => record.domains.includes(domain);
        assert.deepEqual([...calls.ofDomain(domain)], inOrder(isThere));
        for (const key of Object.keys(naive) as LookupKey[]) {
          for (const picked of [values[key].slice(0, 1), values[key]]) {
            const fits = (record: DialogRecord) => picked.some((value) => naive[key](record, domain, value));
            assert.deepEqual(
              calls.find(domain, key, picked),
              inOrder((record) => isThere(record) && fits(record)),
              key,
            );
          }
        }
      }
      for (const source of ['b2b-1', 'b2b-2']) {
        for (const epoch of [1, 2]) {
          const own = [...all.values()].filter((each) => each.source === source && each.epoch === epoch);
          const found = calls.ofEpoch(source, epoch).map(({ record }) => record.dialogid);
          assert.deepEqual(found.sort(), own.map((each) => each.call.dialogid).sort());
        }
      }
    }),
    { numRuns: runs(15) },
  ));

const query = fc.record(
  {
    filter: fc.constantFrom(
      '["==",["property","status"],"dialog"]',
      '{"inviteid":"i1"}',
      '[">",["property","startts"],10]',
      '["like",["property","localuri"],"%1001%"]',
    ),
    order: fc.constantFrom('[{"startts":"desc"}]', '["status","dialogid"]', 'inviteid'),
    limit: fc.integer({ min: 0, max: 12 }).map(String),
    own: fc.subarray(logins, { minLength: 1 }),
  },
  { requiredKeys: [] },
);

test('a list is what the collection engine makes of all calls', (t) =>
  holds(
    t,
    fc.property(fc.array(step, { maxLength: 40 }), query, (steps, { own: limitedTo, ...texts }) => {
      const own = limitedTo?.map((login): [string, string] => [userIdOf(acme, login), login]);
      const { calls, inOrder } = play(steps);
      const params = Object.entries(texts) as [string, string][];
      const work = listCalls(calls, { domain: acme, own, params }, 1_000);
      assert.ok(work.ok);
      const listed = atOnce(work.value);
      const isOwn = (record: DialogRecord) =>
        limitedTo === undefined || limitedTo.some((login) => naive.login(record, acme, login));
      const all = inOrder((record) => record.domains.includes(acme) && isOwn(record));
      const parsed = parseCollectionQuery(params, dialogShape);
      assert.ok(parsed.ok);
      const shown = all.map((record) => dialogOf(record, 1_000));
      assert.deepEqual(listed.items, applyAtOnce(shown, { ...parsed.value, mask: undefined }, dialogShape));
      const counted = applyAtOnce(shown, { ...parsed.value, countonly: true }, dialogShape);
      assert.deepEqual({ count: listed.count }, counted);
    }),
    { numRuns: runs(15) },
  ));

test('a call is shown as the interface has it: what is left of the time of side b, the URIs and Call-Ids once each', (t) => {
  const record = callRecord('1');
  const [a, b] = record.legs;
  const shown = dialogOf({ ...record, legs: [a!, { ...b!, untilMs: 5_000 }] }, 2_000);
  t.deepEqual(
    shown.legs.map(({ side, expirets }) => [side, expirets]),
    [
      ['a', 'undefined'],
      ['b', 3_000],
    ],
  );
  t.deepEqual(shown.uris, [`<sip:1001@${acme}>`, `<sip:1002@${acme}>`]);
  t.deepEqual(shown.callids, ['a-1', 'b-1']);
  t.false('participations' in shown);
  t.is(dialogOf({ ...record, legs: [a!, { ...b!, untilMs: 5_000 }] }, 9_000).legs[1]?.expirets, 0);
});

test('a bad query is refused, and paging counts only by limit, which may be larger than a page', (t) => {
  const calls = new LiveCalls();
  for (let i = 0; i < 30; i++) calls.set(callRecord(String(i), { startts: i }), { source: 'b2b-1', epoch: 1, n: i });
  const list = (params: [string, string][]) => listCalls(calls, { domain: acme, params }, 0);
  t.false(list([['filter', 'nonsense']]).ok);
  t.false(list([['limit', 'ten']]).ok);
  const work = list([
    ['offset', '20'],
    ['limit', '20000'],
  ]);
  assert.ok(work.ok);
  const { items, count } = atOnce(work.value);
  t.deepEqual([items.length, count], [30, 30]);
});

test('a page reads the calls that it shows and no others, however many there are', (t) => {
  const read = new Set<string>();
  const calls = new LiveCalls();
  for (let i = 0; i < 20_000; i++) {
    const record = callRecord(`${i}`, { startts: i });
    calls.set(watched(record, read), { source: 'b2b-1', epoch: 1, n: i });
  }
  read.clear();
  const work = listCalls(calls, { domain: acme, params: [['limit', '100']] }, 0);
  assert.ok(work.ok);
  const { items, count } = atOnce(work.value);
  t.deepEqual([items.length, count], [100, 20_000]);
  t.is(read.size, 100);
});

/** A record that notes when it is read. */
function watched(record: DialogRecord, read: Set<string>): DialogRecord {
  return new Proxy(record, {
    get(target, key, receiver) {
      read.add(target.dialogid);
      return Reflect.get(target, key, receiver);
    },
  });
}
