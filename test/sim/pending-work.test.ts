/** Virtual time does not pass while a body is read, and no run depends on how long the runtime takes for that. */

import fc from 'fast-check';
import { VirtualClock } from '../../sim/ports/virtual-clock.ts';
import { PendingWork } from '../../sim/world/virtual/pending-work.ts';
import { TimeDriver } from '../../sim/world/virtual/time-driver.ts';
import { acmeAdmin, admin, FrontCluster, oneNode, sessions } from '../kit/front.ts';
import { FileClient, formOf, parking } from '../kit/http/files.ts';
import { sized } from '../kit/property.ts';
import { idle } from '../kit/quiet.ts';
import { test } from '../kit/test.ts';

/** A body of these pieces, each of which comes after so many turns of the event loop. */
function bodyAfter(turns: () => number, pieces: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  let next = 0;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      for (let left = turns(); left > 0; left -= 1) await idle();
      const piece = pieces[next++];
      if (piece === undefined) controller.close();
      else controller.enqueue(piece);
    },
  });
}

const login = new TextEncoder().encode(JSON.stringify({ ...admin, session_type: 'token' }));
const json = { 'content-type': 'application/json' };

test('a body that takes 500 turns of the event loop takes no virtual time', async (t) => {
  const tookMs = async (turns: number) => {
    const { world } = await FrontCluster.start({ topology: oneNode });
    const body = bodyAfter(() => turns, [login.slice(0, 10), login.slice(10)]);
    const sentMs = world.now();
    const request = new Request(`http://hq${sessions}`, { method: 'POST', headers: json, body, duplex: 'half' });
    t.is((await world.request('hq', request)).status, 200);
    return world.now() - sentMs;
  };
  // A login writes the session, which takes a millisecond.
  t.is(await tookMs(0), 1);
  t.is(await tookMs(500), 1);
});

test('an upload and a form of slow pieces take as long in virtual time as ones that are there at once', async (t) => {
  const cluster = await FrontCluster.start();
  const client = await FileClient.open(cluster, acmeAdmin);
  const whole = new Request('http://x/', { method: 'POST', body: formOf(['a.wav', 'a'], ['b.wav', 'b']) });
  const headers = { 'content-type': whole.headers.get('content-type') ?? '' };
  const form = new Uint8Array(await whole.arrayBuffer());
  for (const [line, bytes, fields] of [
    ['PUT ./a.wav', new Uint8Array(1_000), {}],
    [`POST ${parking}`, form, headers],
  ] as const) {
    const startedMs = cluster.world.now();
    const body = bodyAfter(() => 100, [bytes.slice(0, 50), bytes.slice(50)]);
    const { status, text } = await client.ask(line, { body, headers: fields });
    t.is(status, 200, text);
    // Three round trips within the site, and the writes; another timer of the cluster may be later than that.
    t.true(cluster.world.now() - startedMs < 100, `${line} took ${cluster.world.now() - startedMs} ms`);
  }
});

/** The journal of a short run in which requests of several kinds are under way at once, with bodies that take so long. */
async function journalOf(turns: () => number): Promise<readonly string[]> {
  const cluster = await FrontCluster.start({ topology: oneNode, keepJournal: true });
  const { world } = cluster;
  const client = await FileClient.open(cluster, admin);
  const post = (body: ReadableStream<Uint8Array>) =>
    world.request('hq', new Request(`http://hq${sessions}`, { method: 'POST', headers: json, body, duplex: 'half' }));
  const bytes = new Uint8Array(300_000);
  await Promise.all([
    post(bodyAfter(turns, [login])),
    client.ask('PUT ./a.wav', { body: bodyAfter(turns, [bytes, bytes]) }),
    client.ask('GET /healthz'),
    post(bodyAfter(turns, [login.slice(0, 3), login.slice(3)])),
    client.ask('GET .'),
    client.ask('PUT ./b.wav', { body: bodyAfter(turns, [bytes.slice(0, 10)]) }),
    client.ask('POST .', { body: formOf(['c.wav', bytes], ['d.wav', 'd']) }),
    post(bodyAfter(turns, [new Uint8Array([0x7b])])),
  ]);
  return world.journal.lines;
}

test('a trace is the same however many turns of the event loop each body takes', async (t) => {
  const expected = await journalOf(() => 0);
  const property = fc.asyncProperty(fc.infiniteStream(fc.nat(30)), async (turns) => {
    t.deepEqual(await journalOf(() => turns.next().value), expected);
  });
  await fc.assert(property, { numRuns: sized(2, 8) });
});

test('a body that is sent as paced takes the virtual time that it waits for', async (t) => {
  const { world } = await FrontCluster.start({ topology: oneNode });
  const pieces = [login.slice(0, 10), login.slice(10)];
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      await world.wait(2_000);
      const piece = pieces.shift();
      if (piece === undefined) controller.close();
      else controller.enqueue(piece);
    },
  });
  const sentMs = world.now();
  const request = new Request(`http://hq${sessions}`, { method: 'POST', headers: json, body, duplex: 'half' });
  t.is((await world.request('hq', request, { isPaced: true })).status, 200);
  t.true(world.now() - sentMs >= 6_000);
});

test('pending work that waits for virtual time fails its waiters with words, and time goes on', async (t) => {
  const clock = new VirtualClock(0);
  const pending = new PendingWork({ patienceRealMs: 10 });
  const time = new TimeDriver(clock, pending);
  void pending.do(1, () => new Promise(() => {}));
  await t.throwsAsync(
    time.run(1_000, () => false),
    { message: /send a body that waits for virtual time with \{ isPaced: true \}/ },
  );
  t.is(clock.now(), 0);
  t.false(await time.run(1_000, () => false));
  t.is(clock.now(), 1_000);
});

test('pending work is done by its order, when no timer is due, and fails as its work does', async (t) => {
  const clock = new VirtualClock(0);
  const pending = new PendingWork();
  const time = new TimeDriver(clock, pending);
  const done: string[] = [];
  const work = (order: number, what: string) => pending.do(order, async () => void done.push(what));
  void work(2, 'second');
  void work(1, 'first');
  const refused = t.throwsAsync(
    pending.do(1, () => Promise.reject(new Error('no'))),
    { message: 'no' },
  );
  void work(1, 'then');
  clock.setTimer(0, () => done.push('a timer that is due'));
  clock.setTimer(5, () => done.push('a later timer'));
  await time.run(10, () => false);
  await refused;
  t.deepEqual(done, ['a timer that is due', 'first', 'then', 'second', 'a later timer']);
});

test('two timers of one moment: what the first leads to is over before the second fires', async (t) => {
  const clock = new VirtualClock(0);
  const time = new TimeDriver(clock, new PendingWork());
  const done: string[] = [];
  for (const name of ['a', 'b']) {
    clock.setTimer(1, async () => {
      for (let hops = 0; hops < 50; hops += 1) await undefined;
      done.push(name);
      clock.setTimer(0, () => done.push(`after ${name}`));
    });
  }
  await time.run(1, () => false);
  t.deepEqual(done, ['a', 'b', 'after a', 'after b']);
  t.is(clock.now(), 1);
});

test('a waiter goes on when every timer of its moment has fired, and before those of the next waiter', async (t) => {
  const clock = new VirtualClock(0);
  const time = new TimeDriver(clock, new PendingWork());
  const done: string[] = [];
  for (const name of ['a', 'b']) clock.setTimer(1, () => done.push(name));
  const wait = async (name: string) => {
    await time.run(10, () => done.includes('a'));
    done.push(`${name} goes on`);
    clock.setTimer(0, () => done.push(`after ${name}`));
  };
  await Promise.all([wait('first'), wait('second')]);
  t.deepEqual(done, ['a', 'b', 'first goes on', 'after first', 'second goes on']);
});
