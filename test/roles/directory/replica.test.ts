/** A copy of domain data takes the answers of a master that is under the control of the test. */
import { SeededRandom } from '../../../sim/ports/random.ts';
import { SimulatedStores } from '../../../sim/ports/store.ts';
import { entityOf } from '../../../src/model/entities/entities.ts';
import { createdItem } from '../../../src/model/entities/item.ts';
import { done, type Outcome } from '../../../src/model/fault.ts';
import { limits } from '../../../src/model/limits.ts';
import type { DataRowChange } from '../../../src/model/protocol/messages/data.ts';
import { namedUuid } from '../../../src/model/uuid.ts';
import { createSdc } from '../../../src/roles/directory/sdc.ts';
import { ProbedCluster } from '../../kit/cluster/probed-cluster.ts';
import { mapWithoutFiles } from '../../kit/maps.ts';
import { test } from '../../kit/test.ts';
import { acme, DirectoryCluster } from './kit.ts';

const database = namedUuid('database');
const master = 'mdc-133';
const copy = 'sdc-218';

function madeUser(login: string): DataRowChange {
  const item = createdItem(entityOf('sipuser'), namedUuid(login), {
    given: { login, pwd: 'x', phonenumber: login },
    atMs: 0,
  });
  return { put: { kind: 'sipuser', domain: acme, item } };
}

test('an answer with all rows that is older than what a copy shows does not take anything back', async (t) => {
  const all = (sequence: number, logins: readonly string[]) =>
    done({ database, sequence, isWhole: true, atMs: probed.clock.now(), changes: logins.map(madeUser) });
  const held: ((answer: Outcome<unknown>) => void)[] = [];
  let holds = false;
  const probed: ProbedCluster = new ProbedCluster({
    map: mapWithoutFiles,
    roles: { sdc: (scope) => createSdc(scope, stores.of(scope.instance.node)) },
    answer: ({ type, from }) => {
      if (type !== 'data.changes') return done({});
      if (!holds || from !== probed.address(copy)) return all(1, ['2001']);
      return new Promise((resolve) => held.push(resolve));
    },
  });
  const stores = new SimulatedStores({ clock: probed.clock, random: new SeededRandom(1).stream('faults') });
  await probed.start();
  const callee = async (number: string) => {
    const body = { domain: acme, number, mode: 'number' } as const;
    const { value } = await probed.comes(probed.scope('b2b-114').ask(probed.address(copy), 'directory.route', body));
    return value.ok ? value.value.callee.kind : value.fault.code;
  };
  t.is(await callee('2001'), 'sipuser');

  holds = true;
  for (let ms = 0; ms < 2 * limits.dataPullMs && held.length === 0; ms += 100) await probed.pass(100);
  t.true(held.length > 0, 'the copy asks whether something was lost');
  const changed = { database, sequence: 2, atMs: probed.clock.now(), changes: [madeUser('2002')] };
  probed.scope(master).tell(probed.address(copy), 'data.changed', changed);
  await probed.pass(100);
  const followed = probed.received
    .filter(({ envelope }) => envelope.type === 'data.followed')
    .map(({ envelope }) => envelope);
  const ofCopy = followed.filter(({ from }) => from === probed.address(copy)).map(({ body }) => body);
  t.deepEqual(ofCopy.at(-1), { database, sequence: 2 }, 'it has acknowledged the change');
  t.is(await callee('2002'), 'sipuser');

  holds = false;
  for (const answer of held) answer(all(1, ['2001']));
  await probed.pass(100);
  t.is(await callee('2002'), 'sipuser', 'it still shows what it has acknowledged');
  t.is(await callee('2001'), 'sipuser');
});

// Seed 16787 of the campaign: a node was paused for minutes, and what had been sent to it came then.
test('a change that comes late does not make a copy younger than the change', async (t) => {
  let isSilent = false;
  const probed: ProbedCluster = new ProbedCluster({
    map: mapWithoutFiles,
    roles: { sdc: (scope) => createSdc(scope, stores.of(scope.instance.node)) },
    answer: ({ type, from }) => {
      if (type !== 'data.changes') return done({});
      if (isSilent && from === probed.address(copy)) return new Promise(() => {});
      const atMs = probed.clock.now() + clockMs;
      return done({ database, sequence: 1, isWhole: true, atMs, changes: [madeUser('2001')] });
    },
  });
  /** How far the clock of the master is ahead. */
  const clockMs = 7_000;
  const stores = new SimulatedStores({ clock: probed.clock, random: new SeededRandom(1).stream('faults') });
  await probed.start();
  await probed.pass(1_000);
  isSilent = true;
  await probed.pass(40_000);
  const ageAfter = async (sequence: number, agoMs: number) => {
    const atMs = probed.clock.now() + clockMs - agoMs;
    const changes = [madeUser(`300${sequence}`)];
    probed.scope(master).tell(probed.address(copy), 'data.changed', { database, sequence, atMs, changes });
    await probed.pass(100);
    const body = { kind: 'sipuser', domain: acme, id: namedUuid(`300${sequence}`), isAdmin: true } as const;
    const { value } = await probed.comes(probed.scope('ws-111').ask(probed.address(copy), 'data.get', body));
    return value.ok ? Math.round((value.value.ageMs ?? 0) / 1_000) : value.fault.code;
  };
  t.is(await ageAfter(2, 20_000), 20);
  t.is(await ageAfter(3, 25_000), 20, 'it was younger before');
  t.is(await ageAfter(4, 0), 0);
});

test('a copy that gets the removal of a user late says to fronts how long ago that was', async (t) => {
  let sequence = 1;
  const probed: ProbedCluster = new ProbedCluster({
    map: mapWithoutFiles,
    roles: { sdc: (scope) => createSdc(scope, stores.of(scope.instance.node)) },
    answer: ({ type }) =>
      type !== 'data.changes'
        ? done({})
        : done({ database, sequence, isWhole: true, atMs: probed.clock.now(), changes: [madeUser('2001')] }),
  });
  const stores = new SimulatedStores({ clock: probed.clock, random: new SeededRandom(1).stream('faults') });
  await probed.start();
  await probed.pass(1_000);
  const id = namedUuid('ann');
  const publish = async (changes: DataRowChange[], agoMs: number) => {
    sequence += 1;
    const atMs = probed.clock.now() - agoMs;
    probed.scope(master).tell(probed.address(copy), 'data.changed', { database, sequence, atMs, changes });
    await probed.pass(100);
  };
  const given = { login: 'ann', pwd: 'x', name: 'Ann', opts: { roles: ['user'] } };
  const item = createdItem(entityOf('user'), id, { given, atMs: 0 });
  await publish([{ put: { kind: 'user', domain: acme, item, secret: 'salted' } }], 0);
  await probed.pass(1_000);
  await publish([{ gone: { kind: 'user', domain: acme, id } }], 500);
  const sent = probed.received.flatMap(({ by, envelope: { type, body, from } }) =>
    type === 'session.user_gone' && by === 'ws-211' && from === probed.address(copy)
      ? [body as { agoMs?: number }]
      : [],
  );
  t.is(sent.length, 1);
  t.true((sent[0]?.agoMs ?? 0) >= 400 && (sent[0]?.agoMs ?? 0) <= 600, JSON.stringify(sent[0]));
});

/** The default cluster, whose copies are current and have received a change a moment ago: they ask for nothing by themselves soon. */
async function currentCopies(): Promise<DirectoryCluster> {
  const cluster = await DirectoryCluster.start();
  await cluster.probed.pass(limits.dataPullMs);
  await cluster.create('3001');
  await cluster.probed.pass(1_000);
  return cluster;
}

// Its master, mdc-133, is behind the gateways that had lost it.
test('a copy whose node did nothing has the changes of that time with the first pings', async (t) => {
  const cluster = await currentCopies();
  const { faults } = cluster.probed;
  faults.pauseNode('n1');
  await cluster.probed.pass(6_000);
  await cluster.create('3002');
  await cluster.probed.pass(1_000);
  faults.resumeNode('n1');
  await cluster.probed.pass(2_000);
  t.is(await cluster.callee(copy, '3002'), `3002@${acme}`);
});

test('a copy has the changes that were lost with a gateway on the way as soon as there is another way', async (t) => {
  const cluster = await currentCopies();
  cluster.probed.faults.crashNode('h1');
  const given = { login: '3002', pwd: 'x', phonenumber: '3002' };
  const body = { kind: 'sipuser', domain: acme, id: namedUuid('3002'), given };
  await cluster.probed.pass(1_000);
  await cluster.probed.comes(cluster.probed.scope('conf-132').ask(cluster.probed.address(master), 'data.create', body));
  await cluster.probed.pass(5_000);
  const route = { domain: acme, number: '3002', mode: 'number' } as const;
  const { value } = await cluster.probed.comes(
    cluster.probed.scope('b2b-124').ask(cluster.probed.address(copy), 'directory.route', route),
  );
  t.is(value.ok && value.value.callee.kind, 'sipuser');
});
