/** The records of calls in their store: one for each call, by the end of calls, the oldest given up past the limit. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { SeededRandom } from '../../../sim/ports/random.ts';
import { SimulatedStores } from '../../../sim/ports/store.ts';
import { VirtualClock } from '../../../sim/ports/virtual-clock.ts';
import type { RoleScope } from '../../../src/cluster/role.ts';
import type { Cdr } from '../../../src/model/protocol/messages/callstore.ts';
import { recordOf } from '../../../src/model/recording/call-record.ts';
import { shownRecord } from '../../../src/model/shapes/call-shapes.ts';
import { Pace } from '../../../src/ports/pace.ts';
import { listRecords } from '../../../src/roles/callstore/call-queries.ts';
import { CallRecords } from '../../../src/roles/callstore/call-records.ts';
import { acme, globex } from '../../kit/calls/played-calls.ts';
import { holds, sized } from '../../kit/property.ts';
import { idle, silentLog } from '../../kit/quiet.ts';
import { test } from '../../kit/test.ts';

class Disk {
  readonly clock = new VirtualClock(0);
  readonly crashes: unknown[] = [];
  readonly #random: SeededRandom;
  readonly #stores: SimulatedStores;

  constructor(seed = 1) {
    this.#random = new SeededRandom(seed);
    this.#stores = new SimulatedStores({ clock: this.clock, random: this.#random.stream('faults') });
  }

  open(limit?: number): CallRecords {
    const scope = {
      clock: this.clock,
      random: this.#random,
      log: silentLog,
      crash: (error: unknown) => this.crashes.push(error),
    };
    return new CallRecords(scope as unknown as RoleScope, () => this.#stores.open('callstore-216'), limit);
  }

  pace(): Pace {
    return new Pace(this.clock);
  }

  /** Lets time pass until a promise has settled. */
  async settles<T>(promise: Promise<T>): Promise<T> {
    let isSettled = false;
    const settle = () => {
      isSettled = true;
    };
    promise.then(settle, settle);
    for (await idle(); !isSettled; await idle()) this.clock.advanceTo(this.clock.now() + 1);
    return promise;
  }

  crash(): void {
    this.#stores.crash('callstore-216');
  }
}

function record(inviteid: string, endts: number, more: Partial<Cdr> = {}): Cdr {
  return recordOf({
    inviteid,
    dialogid: `d-${inviteid}`,
    acallid: `a-${inviteid}`,
    site: 'north',
    from: '<sip:1001@acme.root.test>',
    to: '<sip:1002@acme.root.test>',
    startts: 0,
    answerts: null,
    endts,
    type: 'bye',
    status: 200,
    reason: 'OK',
    participations: [{ side: 'a', kind: 'sipuser', domain: acme, name: '1001', number: '1001' }],
    domains: [acme],
    ...more,
  });
}

const ids = (records: readonly Pick<Cdr, 'inviteid'>[]) => records.map(({ inviteid }) => inviteid);

test('a call has one record, in whichever order and however often its records arrive', async (t) => {
  const disk = new Disk();
  const records = disk.open();
  const one = record('x', 100);
  const other = record('x', 200, { type: 'dead' });
  await disk.settles(Promise.all([records.put(other), records.put(one), records.put(other), records.put(one)]));
  t.deepEqual(await records.get('x'), one);
  t.is(await records.count(acme), 1);
  t.deepEqual(await records.select(() => true), [one]);
  t.deepEqual(disk.crashes, []);
});

test('records are there after a restart, with their count', async (t) => {
  const disk = new Disk();
  const first = disk.open();
  await disk.settles(
    Promise.all([1, 2, 3].map((n) => first.put(record(`i${n}`, 10 - n, n === 3 ? { domains: [globex] } : {})))),
  );
  const identity = await first.identity();
  first.stop();
  const second = disk.open();
  await disk.settles(second.identity());
  t.is(await second.identity(), identity);
  t.deepEqual(ids(await second.first(acme, 10)), ['i2', 'i1']);
  t.deepEqual([await second.count(acme), await second.count(globex)], [2, 1]);
  await disk.settles(second.put(record('i4', 1)));
  t.deepEqual(ids(await second.first(acme, 10)), ['i4', 'i2', 'i1']);
});

test('what was written before a crash is found again: whole records, the first ones', async (t) => {
  const disk = new Disk();
  const first = disk.open();
  await disk.settles(first.identity());
  const written = Array.from({ length: 20 }, (_, n) => record(`i${n}`, n));
  for (const each of written) void first.put(each);
  await idle();
  await idle();
  disk.crash();
  const second = disk.open();
  const kept = (await disk.settles(second.select(() => true))) ?? [];
  t.deepEqual(kept, written.slice(0, kept.length));
  t.is(await second.count(acme), kept.length);
});

test('the oldest by the end of their calls give way to those over the limit', async (t) => {
  const disk = new Disk();
  const records = disk.open(200);
  for (let n = 0; n < 300; n++) await disk.settles(records.put(record(`i${n}`, (n * 7) % 300)));
  const left = await records.first(acme, 1_000);
  t.true(left.length <= 200 && left.length >= 195, String(left.length));
  t.is(await records.count(acme), left.length);
  t.is((await records.select(() => true))?.length, left.length);
  const newest = Array.from({ length: left.length }, (_, n) => 300 - left.length + n);
  // Some of the newest came only after older ones had to go.
  t.true(left.filter(({ endts }) => newest.includes(endts)).length > left.length - 10);
});

test('a record of the oldest call that comes while that gives way is counted once', async (t) => {
  for (let seed = 0; seed < 200; seed++) {
    const disk = new Disk(seed);
    const records = disk.open(10);
    for (let n = 0; n < 10; n++) await disk.settles(records.put(record(`i${n}`, n, { type: 'dead' })));
    const last = records.put(record('last', 100));
    for (let turns = seed % 20; turns > 0; turns--) {
      await idle();
      disk.clock.advanceTo(disk.clock.now() + 0.25);
    }
    await disk.settles(Promise.all([last, records.put(record('i0', 50, { type: 'bye' }))]));
    const all = await disk.settles(records.select(() => true));
    const counts = [await records.count(acme), (await disk.settles(records.first(acme, 100))).length];
    t.deepEqual(counts, [all?.length, all?.length], `seed ${seed}`);
  }
});

const known = fc.record({
  id: fc.integer({ min: 1, max: 6 }).map(String),
  startts: fc.integer({ min: 0, max: 3 }),
  endts: fc.integer({ min: 3, max: 9 }),
  type: fc.constantFrom('bye', 'dead', 'cancel'),
  domains: fc.subarray([acme, globex], { minLength: 1 }),
});

test('lists are what a search of all records finds, by the end of calls', (t) =>
  holds(
    t,
    fc.asyncProperty(fc.array(known, { maxLength: 20 }), fc.nat(8), async (all, limit) => {
      const disk = new Disk();
      const records = disk.open();
      await disk.settles(Promise.all(all.map(({ id, endts, ...more }) => records.put(record(id, endts, more)))));
      const every = (await disk.settles(records.select(() => true))) ?? [];
      assert.deepEqual(new Set(ids(every)), new Set(all.map(({ id }) => id)));
      for (const domain of [acme, globex]) {
        const inOrder = every
          .filter(({ domains }) => domains.includes(domain))
          .sort((a, b) => a.endts - b.endts || (a.inviteid < b.inviteid ? -1 : 1))
          .map((record) => shownRecord(record, 0));
        const params: [string, string][] = [['limit', String(limit)]];
        const plain = await listRecords(records, { domain, params }, { pace: disk.pace(), nowMs: 0 });
        assert.deepEqual(plain, { ok: true, value: { items: inOrder.slice(0, limit), count: inOrder.length } });
        const dead = await listRecords(
          records,
          { domain, params: [['filter', '{"type":"dead"}'], ...params] },
          { pace: disk.pace(), nowMs: 0 },
        );
        const wanted = inOrder.filter(({ type }) => type === 'dead');
        assert.deepEqual(dead, { ok: true, value: { items: wanted.slice(0, limit), count: wanted.length } });
      }
    }),
    { numRuns: sized(15, 60) },
  ));

test('records are limited to those in which one of some SIP users of the domain took part, by its id where the record has it', async (t) => {
  const disk = new Disk();
  const records = disk.open();
  const party = { side: 'a', kind: 'sipuser', domain: acme, name: '1001', number: '1001' };
  const known = record('i3', 3, { participations: [{ ...party, id: 'former' }] });
  const others = [record('i2', 2, { participations: [] }), known];
  await disk.settles(Promise.all([record('i1', 1), ...others].map((each) => records.put(each))));
  const listOf = async (id: string, login: string) => {
    const listed = await listRecords(records, { domain: acme, own: [[id, login]] }, { pace: disk.pace(), nowMs: 0 });
    return listed.ok ? ids(listed.value.items) : [];
  };
  t.deepEqual(await listOf('present', '1001'), ['i1']);
  t.deepEqual(await listOf('former', '1901'), ['i3']);
  t.deepEqual(await listOf('present', '1009'), []);
});

test('a store that its last holder still closes is opened a moment later', async (t) => {
  const disk = new Disk();
  const first = disk.open();
  await disk.settles(first.put(record('i1', 1)));
  const second = disk.open();
  await idle();
  first.stop();
  t.deepEqual(ids(await disk.settles(second.first(acme, 9))), ['i1']);
  t.deepEqual(disk.crashes, []);
});
