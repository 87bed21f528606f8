/** Recording by b2b: when it begins, what it keeps, and which rules decide. */

import { limits } from '../../../src/model/limits.ts';
import type { CallRecording, RuleRecord } from '../../../src/model/recording/recording.ts';
import { acme, CallWorld } from '../../kit/calls/call-world.ts';
import { test } from '../../kit/test.ts';

const globex = 'globex.root.test';
const answer = { type: 'answer' } as const;

function rule(more: Partial<RuleRecord> = {}): RuleRecord {
  const any = { dir: '', fromnumber: '', tonumber: '', crossdomain: '*' } as const;
  return { priority: 0, ...any, rec: 1, schedule: 'all', periods: [], ...more };
}

async function start(...rules: [domain: string, rule: RuleRecord][]): Promise<CallWorld> {
  const world = await CallWorld.start();
  if (world.directory === undefined) throw new Error('no directory');
  world.directory.recordrules = rules.map(([domain, each]) => ({ domain, offsetHours: 0, rules: [each] }));
  return world;
}

function recordingsOf(world: CallWorld): readonly CallRecording[] {
  return world.call.recordings ?? [];
}

async function command(world: CallWorld, action: 'start' | 'stop'): Promise<string> {
  const { dialogid, b2b } = world.call;
  const order = { verb: 'record', action };
  const reply = world.ask(b2b.slice(b2b.lastIndexOf('/') + 1), 'dialog.command', { dialogid, command: order });
  await world.pass();
  const outcome = await reply;
  return outcome.ok ? 'done' : outcome.fault.code;
}

test('a call that a rule covers is recorded from the moment at which it connects', async (t) => {
  const world = await start([acme, rule({ tonumber: '1002' })]);
  const [anna, ben] = [world.phone('1001'), world.phone('1002').always({ type: 'ring' })];
  anna.call('1002');
  await world.pass(1_000);
  t.deepEqual(recordingsOf(world), []);
  ben.tell(answer);
  await world.pass(1_000);
  const { dialogid, answerts } = world.call;
  t.deepEqual(recordingsOf(world), [{ dialogid, n: 1, startts: answerts!, heard: [[0, true, true]] }]);
  t.deepEqual(world.call.opts, { recording: true });
});

test('what no rule covers is not recorded', async (t) => {
  const world = await start([acme, rule({ tonumber: '1003' })], [globex, rule()]);
  world.phone('1002').always(answer);
  world.phone('1001').call('1002');
  await world.pass();
  t.is(world.call.status, 'dialog');
  t.is(world.call.recordings, undefined);
  t.deepEqual(world.call.opts, {});
});

for (const [domain, dir, isRecorded] of [
  [acme, 'outgoing', true],
  [acme, 'incoming', false],
  [globex, 'incoming', true],
  [globex, 'outgoing', false],
  [globex, 'inner', false],
] as const) {
  test(`a call from acme to globex is ${isRecorded ? '' : 'not '}${dir} for ${domain}`, async (t) => {
    const world = await start([domain, rule({ dir })]);
    world.phone('1002', { domain: globex }).always(answer);
    world.phone('1001').call(`sip:1002@${globex}`);
    await world.pass();
    t.is(world.call.status, 'dialog');
    t.is(recordingsOf(world).length, isRecorded ? 1 : 0);
  });
}

test('working hours are those of the time zone that comes with the rules', async (t) => {
  const now = new Date((await start()).edges.probed.clock.now());
  const time = (hours: number) => `${String((now.getUTCHours() + hours + 24) % 24).padStart(2, '0')}:00`;
  const periods = [{ days: [1, 2, 3, 4, 5, 6, 7], from: time(5), to: time(6) }];
  for (const [offsetHours, count] of [
    [5, 1],
    [0, 0],
    [-5, 0],
  ] as const) {
    const world = await start([acme, rule({ schedule: 'work', periods })]);
    if (world.directory !== undefined) {
      world.directory.recordrules = world.directory.recordrules.map((each) => ({ ...each, offsetHours }));
    }
    world.phone('1002').always(answer);
    world.phone('1001').call('1002');
    await world.pass();
    t.is(recordingsOf(world).length, count, `${offsetHours}`);
  }
});

test('a call to a provider is outgoing, with the number that was dialled', async (t) => {
  for (const [more, count] of [
    [{ dir: 'outgoing', tonumber: '7999*', crossdomain: '' }, 1],
    [{ dir: 'inner' }, 0],
  ] as const) {
    const world = await start([acme, rule(more)]);
    world.provider().always(answer);
    world.phone('1001').call('79991234567');
    await world.pass();
    t.is(world.call.status, 'dialog');
    t.is(recordingsOf(world).length, count, JSON.stringify(more));
  }
});

test('a recording rule applies to the callee of a redirected call that answers, not to the number dialled', async (t) => {
  const world = await start([acme, rule({ tonumber: '1003' })]);
  world.phone('1002').always({ type: 'reject', status: 302, contacts: [`sip:1003@${acme}`] });
  world.phone('1003').always(answer);
  world.phone('1001').call('1002');
  await world.pass();
  t.is(world.call.status, 'dialog');
  t.is(recordingsOf(world).length, 1);
});

test('a side that is on hold is not heard, and holding works both ways', async (t) => {
  const world = await start([acme, rule()]);
  const [anna, ben] = [world.phone('1001'), world.phone('1002').always(answer)];
  const leg = anna.call('1002');
  await world.pass(1_000);
  const offers = [
    [anna, 'sendonly'],
    [ben, 'sendonly'],
    [anna, 'sendrecv'],
    [ben, 'sendrecv'],
    [anna, 'inactive'],
  ] as const;
  for (const [party, media] of offers) {
    party.tell({ type: 'offer', media }, party === anna ? leg : undefined);
    await world.pass(1_000);
  }
  const [recording] = recordingsOf(world);
  t.deepEqual(
    recording?.heard.map(([, ...sides]) => sides),
    [
      [true, true],
      [true, false],
      [false, false],
      [false, true],
      [true, true],
      [false, false],
    ],
  );
});

test('a caller that begins on hold gets no audio until it resumes', async (t) => {
  const world = await start([acme, rule()]);
  const anna = world.phone('1001');
  world.phone('1002').always(answer);
  const leg = anna.call('1002', { media: 'sendonly' });
  await world.pass(1_000);
  anna.tell({ type: 'offer', media: 'sendrecv' }, leg);
  await world.pass(1_000);
  t.deepEqual(
    recordingsOf(world)[0]?.heard.map(([, ...sides]) => sides),
    [
      [true, false],
      [true, true],
    ],
  );
});

test('commands begin and end recordings, as many as a call may have', async (t) => {
  const world = await start();
  world.phone('1002').always(answer);
  world.phone('1001').call('1002');
  await world.pass();
  for (let made = 0; made < limits.recordings; made += 1) {
    for (const action of ['start', 'stop'] as const) t.is(await command(world, action), 'done');
  }
  t.is(await command(world, 'start'), 'conflict');
  t.is(await command(world, 'stop'), 'done');
  t.deepEqual(world.call.opts, { recording: false });
  const all = recordingsOf(world);
  t.deepEqual(
    all.map(({ n }) => n),
    Array.from({ length: limits.recordings }, (_, index) => index + 1),
  );
  t.true(all.every(({ startts, endts }) => endts !== undefined && endts >= startts));
});

test('holding without end makes no record without end', async (t) => {
  const world = await start([acme, rule()]);
  world.phone('1002').always(answer);
  const anna = world.phone('1001');
  const leg = anna.call('1002');
  await world.pass();
  for (let held = 0; held < limits.recordedChanges; held += 1) {
    for (const media of ['sendonly', 'sendrecv'] as const) {
      anna.tell({ type: 'offer', media }, leg);
      await world.pass(50);
    }
  }
  t.is(recordingsOf(world)[0]?.heard.length, limits.recordedChanges);
  t.is(world.call.status, 'dialog');
});

test('a recording by rule is stopped by command, and begun again', async (t) => {
  const world = await start([acme, rule()]);
  world.phone('1002').always(answer);
  world.phone('1001').call('1002');
  await world.pass();
  t.is(await command(world, 'start'), 'done');
  t.is(await command(world, 'stop'), 'done');
  t.is(await command(world, 'start'), 'done');
  t.deepEqual(
    recordingsOf(world).map(({ n, endts }) => [n, endts === undefined]),
    [
      [1, false],
      [2, true],
    ],
  );
});
