/** A message over which an instance ended does not end its successor: the same again is refused for a while. */

import { VirtualClock } from '../../sim/ports/virtual-clock.ts';
import { Quarantine } from '../../src/cluster/messaging/quarantine.ts';
import { done } from '../../src/model/fault.ts';
import { limits } from '../../src/model/limits.ts';
import { ProbedCluster } from '../kit/cluster/probed-cluster.ts';
import { test } from '../kit/test.ts';

const esg = 'south/s2/esg-321';
const hostile = { ip: '10.66.0.1' };
const harmless = { ip: '10.0.0.1' };

/** A cluster whose instances end over one message. */
async function fragile(fail: () => never | Promise<never>) {
  const probed = new ProbedCluster({
    answer: ({ body }) => (JSON.stringify(body) === JSON.stringify(hostile) ? fail() : done({})),
  });
  await probed.start();
  const crashes = () => probed.journal.lines.filter((line) => line.includes('instance.crashed')).length;
  const ask = (from: string, body: { ip: string }, to = esg) =>
    probed.comes(probed.scope(from).ask(to, 'filter.remove', body)).then(({ value }) => value);
  return { probed, crashes, ask };
}

const bug = new RangeError('Maximum call stack size exceeded');
const failures: readonly [what: string, fail: () => never | Promise<never>][] = [
  [
    'throws',
    () => {
      throw bug;
    },
  ],
  ['rejects', () => Promise.reject(bug)],
];

for (const [what, fail] of failures) {
  test(`an ask whose handler ${what} ends one instance, and the same from anywhere no other`, async (t) => {
    const { probed, crashes, ask } = await fragile(fail);
    t.like(await ask('ws-211', hostile), { ok: false, fault: { code: 'broken', definite: false } });
    t.is(crashes(), 1);
    await probed.pass(1_000);
    t.like(await ask('ws-211', hostile), { ok: false, fault: { code: 'broken', definite: true } });
    t.like(await ask('ws-111', hostile), { ok: false, fault: { code: 'broken' } });
    t.deepEqual(await ask('ws-211', harmless), done({}));
    t.is(crashes(), 1);
    t.is(probed.node('s2').counters.get('dead_letter.quarantined'), 1, 'of ws-111: ws-211 did not even send');
    await probed.pass(limits.quarantineMs);
    t.like(await ask('ws-211', hostile), { ok: false, fault: { code: 'broken', definite: false } });
    t.is(crashes(), 2);
  });
}

test('a message without a reply that ended an instance is dropped the next time, counted and logged', async (t) => {
  const probed = new ProbedCluster({
    answer: ({ type }) => {
      if (type === 'directory.changed') throw bug;
      return done({});
    },
  });
  await probed.start();
  const lines = (part: string) => probed.journal.lines.filter((line) => line.includes(part));
  for (const crashes of [1, 1, 1]) {
    probed.scope('sdc-318').tell(esg, 'directory.changed', {});
    await probed.pass(2_000);
    t.is(lines('instance.crashed').length, crashes);
  }
  t.is(probed.received.filter(({ envelope }) => envelope.type === 'directory.changed').length, 1);
  t.is(probed.node('s2').counters.get('dead_letter.quarantined'), 2);
  t.is(lines('log message.quarantined').length, 2, lines('message.quarantined').join('\n'));
});

test('a member of a group that takes over is not asked what ended the one before', async (t) => {
  const authenticate = { domain: 'root.test', login: 'admin', pwd: 'admin' };
  const probed = new ProbedCluster({
    answer: ({ type }) => {
      if (type === 'directory.authenticate') throw bug;
      return done({});
    },
  });
  await probed.start();
  const members = [...probed.map.instances.values()].filter(({ role, site }) => role === 'mdc' && site === 'hq');
  t.true(members.length > 1);
  for (const { address } of members) {
    await probed.comes(probed.scope('ws-111').ask(address, 'directory.authenticate', authenticate));
    await probed.pass(5_000);
  }
  t.is(probed.journal.lines.filter((line) => line.includes('instance.crashed')).length, 1);
});

test('so many messages are kept, the newest, and each for a while', (t) => {
  const clock = new VirtualClock(0);
  const quarantine = new Quarantine(new ProbedCluster().map, clock);
  for (let n = 0; n <= limits.quarantined; n++) quarantine.add(esg, 'filter.remove', n);
  t.false(quarantine.has(esg, 'filter.remove', 0));
  t.true(quarantine.has(esg, 'filter.remove', 1));
  t.false(quarantine.has(esg, 'filter.list', 1));
  t.false(quarantine.has('north/n2/esg-221', 'filter.remove', 1));
  clock.advanceTo(limits.quarantineMs);
  t.false(quarantine.has(esg, 'filter.remove', 1));
});
