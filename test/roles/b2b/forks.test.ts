/** Callees with several devices: which fork wins, which ones are cancelled, and what the caller gets when no device answers. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { reasonOf } from '../../../src/model/sip/message.ts';
import type { LegOperation } from '../../../src/sip/user-agent.ts';
import { acme, CallWorld } from '../../kit/calls/call-world.ts';
import type { TestParty } from '../../kit/calls/party.ts';
import { holds, runs } from '../../kit/property.ts';
import { test } from '../../kit/test.ts';

const ring = { type: 'ring' } as const;
const answer = { type: 'answer' } as const;
const reject = (status: number): LegOperation => ({ type: 'reject', status });

/** Anna calls Ben, who has some devices. */
async function callOf(devices: number): Promise<{ world: CallWorld; anna: TestParty; ben: TestParty[] }> {
  const world = await CallWorld.start();
  const anna = world.phone('1001');
  const ben = Array.from({ length: devices }, (_, index) => world.phone('1002', { device: `ben-${index}` }));
  return { world, anna, ben };
}

function failedWith(anna: TestParty): (number | string)[] {
  return anna.all('leg.failed').flatMap(({ status, reason }) => [status, reason]);
}

test('every device rings; the first to answer has the call, the others are taken back', async (t) => {
  const { world, anna, ben } = await callOf(3);
  const [desk, soft, mobile] = ben as [TestParty, TestParty, TestParty];
  for (const device of ben) device.always(ring);
  anna.call('1002');
  await world.pass();
  t.deepEqual(
    world.call.legs.map(({ side }) => side),
    ['a', 'b', 'b', 'b'],
  );
  t.deepEqual(anna.heard(), ['rang 180']);
  soft.tell(answer);
  await world.pass();
  t.deepEqual(anna.heard(), ['rang 180', 'answered']);
  t.deepEqual(desk.heard(), ['invited', 'cancelled']);
  t.deepEqual(mobile.heard(), ['invited', 'cancelled']);
  t.deepEqual(
    world.call.legs.map(({ callid }) => callid),
    [anna.leg, soft.leg],
  );
  const stops = world.events().filter(({ name }) => name === 'fork_stop');
  t.deepEqual(
    stops.map(({ data }) => [data['forkcallid'], data['sipcode']]),
    [
      [desk.leg, 487],
      [mobile.leg, 487],
    ],
  );
});

test('of two devices that answer at once one is hung up', async (t) => {
  const { world, anna, ben } = await callOf(2);
  for (const device of ben) device.always(answer);
  anna.call('1002');
  await world.pass();
  t.deepEqual(ben.map((device) => device.heard().at(-1)).toSorted(), ['answered', 'ended remote']);
  t.deepEqual(anna.heard(), ['answered']);
  t.is(world.call.legs.length, 2);
});

test('a caller who hears the ringing of a device hears an announcement that comes later', async (t) => {
  const world = await CallWorld.start();
  const [anna, ben] = [world.phone('1001'), world.phone('1002').always({ type: 'ring' })];
  anna.call('1002');
  await world.pass();
  ben.tell({ type: 'ring', status: 183, plays: 'moved.wav' });
  await world.pass();
  t.like(anna.all('leg.rang'), [{ status: 180 }, { status: 183, plays: 'moved.wav' }]);
});

test('a device that declines with 603 ends all forks', async (t) => {
  const { world, anna, ben } = await callOf(2);
  ben[0]?.always(ring);
  ben[1]?.always(ring, reject(603));
  anna.call('1002');
  await world.pass();
  t.deepEqual(failedWith(anna), [603, 'Decline']);
  t.deepEqual(ben[0]?.heard(), ['invited', 'cancelled']);
});

const rounds: [answers: number[], status: number][] = [
  [[486, 480], 486],
  [[480, 486], 486],
  [[503, 486], 486],
  [[486, 500], 486],
  [[500, 503], 500],
  [[407, 500], 403],
  [[401], 403],
  [[481, 404], 404],
];
for (const [answers, status] of rounds) {
  test(`of ${answers.join(' and ')} the caller gets ${status}`, async (t) => {
    const { world, anna, ben } = await callOf(answers.length);
    for (const [index, status] of answers.entries()) ben[index]?.always(reject(status));
    anna.call('1002');
    await world.pass();
    t.deepEqual(failedWith(anna), [status, reasonOf(status)]);
    t.is(world.events().filter(({ name }) => name === 'fork_stop').length, answers.length);
  });
}

test('a 302 of a device forks the call to the number in its contact', async (t) => {
  const { world, anna, ben } = await callOf(1);
  const carl = world.phone('1003').always(ring, answer);
  ben[0]?.always({ type: 'reject', status: 302, contacts: [`sip:1003@${acme}`] });
  anna.call('1002');
  await world.pass();
  t.deepEqual(carl.heard(), ['invited', 'answered']);
  t.deepEqual(anna.heard(), ['rang 180', 'answered']);
  const names = world.eventNames();
  t.deepEqual(names.slice(3), ['fork_start', 'fork_redirect', 'fork_start', 'dlg_start']);
  t.deepEqual(world.events()[4]?.data['contacts'], [`<sip:1003@${acme}>`]);
  t.deepEqual(
    world.call.participations.map(({ name }) => name),
    ['1001', '1003'],
  );
});

test('a call that was redirected lasts as long as the user may talk who has answered', async (t) => {
  const { world, anna, ben } = await callOf(1);
  world.directory?.change(acme, '1002', { dlgtimesec: 5 });
  world.directory?.change(acme, '1003', { dlgtimesec: 20 });
  world.phone('1003').always(answer);
  ben[0]?.always({ type: 'reject', status: 302, contacts: [`sip:1003@${acme}`] });
  anna.call('1002');
  await world.pass(19_000);
  t.deepEqual(anna.heard(), ['answered']);
  await world.pass(2_000);
  t.deepEqual(anna.heard(), ['answered', 'ended remote']);
  t.like(world.events().at(-1), { name: 'dlg_end', data: { type: 'timeout', reason: 'time limit' } });
});

test('the user that a device redirects to after a while may ring for its own time', async (t) => {
  const { world, anna, ben } = await callOf(1);
  world.directory?.change(acme, '1002', { calltimesec: 10 });
  world.directory?.change(acme, '1003', { calltimesec: 15 });
  const carl = world.phone('1003').always(ring);
  anna.call('1002');
  await world.pass(9_000);
  ben[0]?.tell({ type: 'reject', status: 302, contacts: [`sip:1003@${acme}`] });
  await world.pass(14_000);
  t.deepEqual(carl.heard(), ['invited']);
  await world.pass(2_000);
  t.deepEqual(carl.heard(), ['invited', 'cancelled']);
  t.deepEqual(failedWith(anna), [408, 'Request Timeout']);
});

test('a redirection that leads nowhere does not make the other devices ring for longer', async (t) => {
  const { world, anna, ben } = await callOf(2);
  world.directory?.change(acme, '1002', { calltimesec: 10 });
  for (const device of ben) device.always(ring);
  anna.call('1002');
  await world.pass(9_000);
  ben[0]?.tell({ type: 'reject', status: 302, contacts: [`sip:1002@${acme}`] });
  await world.pass(2_000);
  t.deepEqual(ben[1]?.heard(), ['invited', 'cancelled']);
  t.deepEqual(failedWith(anna), [408, 'Request Timeout']);
});

test('a device whose user may ring for no longer is cancelled while the user rings to which another device redirects', async (t) => {
  const { world, anna, ben } = await callOf(2);
  world.directory?.change(acme, '1002', { calltimesec: 10 });
  world.directory?.change(acme, '1003', { calltimesec: 15 });
  for (const device of ben) device.always(ring);
  const carl = world.phone('1003').always(ring);
  anna.call('1002');
  await world.pass(9_000);
  ben[0]?.tell({ type: 'reject', status: 302, contacts: [`sip:1003@${acme}`] });
  await world.pass(2_000);
  t.deepEqual(ben[1]?.heard(), ['invited', 'cancelled']);
  t.like(world.events().at(-1), { name: 'fork_stop', data: { sipcode: 408 } });
  await world.pass(12_000);
  t.deepEqual(carl.heard(), ['invited']);
  await world.pass(2_000);
  t.deepEqual(carl.heard(), ['invited', 'cancelled']);
  t.deepEqual(failedWith(anna), [408, 'Request Timeout']);
});

test('devices that send the caller to each other end the call as a loop', async (t) => {
  const { world, anna, ben } = await callOf(1);
  const carl = world.phone('1003').always({ type: 'reject', status: 302, contacts: [`sip:1002@${acme}`] });
  ben[0]?.always({ type: 'reject', status: 302, contacts: [`sip:1003@${acme}`] });
  anna.call('1002');
  await world.pass();
  t.is(carl.invites.length, 1);
  t.is(ben[0]?.invites.length, 1);
  t.deepEqual(failedWith(anna), [482, 'Loop Detected']);
});

test('a 302 to an unknown number ends the call with 404', async (t) => {
  const { world, anna, ben } = await callOf(1);
  ben[0]?.always({ type: 'reject', status: 302, contacts: ['sip:1009@root.test'] });
  anna.call('1002');
  await world.pass();
  t.deepEqual(failedWith(anna), [404, 'Not Found']);
});

type Habit = { readonly rings: boolean; readonly afterMs: number; readonly does: LegOperation | undefined };
const habit: fc.Arbitrary<Habit> = fc.record({
  rings: fc.boolean(),
  afterMs: fc.constantFrom(0, 20, 500),
  does: fc.constantFrom<LegOperation | undefined>(
    undefined,
    answer,
    reject(486),
    reject(603),
    reject(407),
    { type: 'reject', status: 302, contacts: [`sip:1003@${acme}`] },
    { type: 'reject', status: 302, contacts: [`sip:1002@${acme}`] },
  ),
});

/** Which event may follow which; a fork's events name its leg. */
const stages: Readonly<Record<string, number>> = {
  invite: 0,
  dlg_init: 1,
  dlg_call: 2,
  fork_start: 3,
  fork_redirect: 3,
  fork_stop: 3,
  dlg_start: 3,
  dlg_end: 4,
  dlg_stop: 5,
};

test('whatever devices and caller do, events come in legal order, each fork ends once, and nothing is left', async (t) => {
  const world = await CallWorld.start();
  const anna = world.phone('1001');
  const { clock } = world.edges.probed;
  const devices = [0, 1].map((index) => world.phone('1002', { device: `ben-${index}` }));
  devices.push(world.phone('1003'));
  const leaving = fc.constantFrom(10, 300, 1_000, 31_000);
  await holds(
    t,
    fc.asyncProperty(fc.array(habit, { minLength: 3, maxLength: 3 }), leaving, async (habits, leavesMs) => {
      for (const [index, device] of devices.entries()) live(device, habits[index] as Habit, clock);
      const from = world.streamItems.length;
      const leg = anna.call('1002');
      clock.setTimer(leavesMs, () => void anna.agent.control(leg, { type: 'end' }));
      await world.pass(leavesMs + 4_000);
      const events = world.streamItems.slice(from).flatMap(({ event }) => event ?? []);
      const names = events.map(({ name }) => name);
      const order = names.map((name) => stages[name] ?? -1);
      assert.deepEqual(order, order.toSorted(), names.join());
      for (const name of ['invite', 'dlg_init', 'dlg_call', 'dlg_end', 'dlg_stop']) {
        assert.equal(names.filter((each) => each === name).length, 1, `${name} in ${names.join()}`);
      }
      assert.ok(names.filter((name) => name === 'dlg_start').length <= 1);
      const forks = (some: string[]) =>
        events.filter(({ name }) => some.includes(name)).map(({ data }) => String(data['forkcallid']));
      const ends = forks(['fork_stop', 'fork_redirect', 'dlg_start']).toSorted();
      assert.deepEqual(ends, forks(['fork_start']).toSorted());
      assert.equal(world.live.length, 0);
      for (const party of [anna, ...devices]) assert.equal(party.agent.size, 0, party.uri);
      assert.equal(new Set(events.map(({ data }) => data['eventid'])).size, events.length);
    }),
    { numRuns: runs(3) },
  );
});

/** Has a device do the same with each call. */
function live(device: TestParty, { rings, afterMs, does }: Habit, clock: CallWorld['edges']['probed']['clock']): void {
  device.onReport = (leg, report) => {
    if (report.type !== 'leg.invited') return;
    if (rings) device.agent.control(leg, ring);
    if (does !== undefined) clock.setTimer(afterMs, () => void device.agent.control(leg, does));
  };
}
