/** SIP users with phones that register, seen through the interface while they are changed: the default cluster, with 1002 on two phones. */
import type { ExecutionContext } from 'ava';
import { acmeAdmin, FrontCluster, good } from '../../kit/front.ts';
import { defaultMap } from '../../kit/maps.ts';
import { scopedTest } from '../../kit/scoped.ts';

const test = scopedTest();

const acme = 'acme.root.test';
const users = '/rest/v1/uc/sipusers';
const calls = '/rest/v1/uc/calls';

interface Device {
  readonly device: string;
  readonly contact: string;
  readonly useragent: string;
  readonly expires: number;
  readonly site: string;
}

type Item = Readonly<Record<string, unknown>>;

interface User {
  readonly id: string;
  readonly devices?: Device[];
}

const { domains } = defaultMap.topology;
const topology = {
  ...defaultMap.topology,
  domains: domains.map((domain) => ({
    ...domain,
    sipusers: domain.sipusers.map((user) => (user.login === '1002' ? { ...user, phones: 2 } : user)),
  })),
};

let cluster: FrontCluster;
let token: string;

test.beforeEach(async () => {
  cluster = await FrontCluster.start({ topology });
  await cluster.world.wait(10_000);
  token = await cluster.token(acmeAdmin, 'north');
});

function ask(method: string, path: string, json?: unknown) {
  return cluster.ask(`${method} ${path}`, { at: 'north', token, ...(json !== undefined && { json }) });
}

async function userOf(t: ExecutionContext, login: string): Promise<User> {
  const [found] = good<User[]>(t, await ask('GET', `${users}?filter={"login":"${login}"}`));
  return good<User>(t, await ask('GET', `${users}/${found?.id}`));
}

async function change(t: ExecutionContext, login: string, patch: object): Promise<User> {
  const { id } = await userOf(t, login);
  return good<User>(t, await ask('PATCH', `${users}/${id}`, patch));
}

function phone(name: string) {
  const [view] = cluster.world.outside.phones(`${acme}/${name}`);
  if (view === undefined) throw new Error(`no phone ${name}`);
  return view;
}

/** Device names in the order of the alphabet: they register in any order. */
async function devicesOf(t: ExecutionContext, login: string): Promise<string[] | undefined> {
  return (await userOf(t, login)).devices?.map(({ device }) => device).sort();
}

test('a SIP user shows the devices that are registered as it, and what is left of each', async (t) => {
  const { devices = [] } = await userOf(t, '1002');
  const [first, second] = devices;
  t.like(first, {
    device: '1002-1',
    contact: `sip:1002@${phone('1002').endpoint}`,
    useragent: 'strowger phone',
    site: 'north',
  });
  t.like(second, { device: '1002-2', contact: `sip:1002@${phone('1002/2').endpoint}` });
  await cluster.world.wait(60_000);
  const later = (await userOf(t, '1002')).devices ?? [];
  for (const [index, { expires }] of devices.entries()) {
    t.true(expires > 3_500 && expires <= 3_600, `${expires}`);
    t.true(Math.abs(expires - (later[index]?.expires ?? 0) - 60) <= 1, `${expires}, then ${later[index]?.expires}`);
  }
  cluster.world.outside.unregister(`${acme}/1002/2`);
  await cluster.world.wait(2_000);
  t.deepEqual(await devicesOf(t, '1002'), ['1002-1']);
});

test('what a client sends as devices is not shown as registered', async (t) => {
  const made = { login: '2001', pwd: 'sip', devices: ['desk'] };
  const { id, devices } = good<User>(t, await ask('POST', users, made));
  t.deepEqual(devices, []);
  t.deepEqual(good<User>(t, await ask('PATCH', `${users}/${id}`, { devices: [1] })).devices, []);
  t.deepEqual(good<User>(t, await ask('GET', `${users}/${id}`)).devices, []);
});

test('without sr in reach a SIP user is shown without devices, and the sites are named', async (t) => {
  const { id } = await userOf(t, '1002');
  for (const { name, role } of cluster.world.map.instances.values()) {
    if (role === 'sr') cluster.world.faults.crashInstance(name);
  }
  await cluster.world.wait(100);
  const answer = await ask('GET', `${users}/${id}`);
  const user = good<User>(t, answer);
  t.false('devices' in user);
  t.is(answer.headers.get('x-missing-sites'), 'hq,north,south');
});

test('a SIP user that may not register any more loses its devices; they try again and are refused', async (t) => {
  t.deepEqual((await change(t, '1002', { reg: 0 })).devices, []);
  await cluster.world.wait(3_000);
  t.deepEqual(await devicesOf(t, '1002'), []);
  t.deepEqual([phone('1002').isRegistered, phone('1002').state], [false, 'resting']);
  await change(t, '1002', { reg: 1 });
  await cluster.world.wait(61_000);
  t.deepEqual(await devicesOf(t, '1002'), ['1002-1', '1002-2']);
});

test('another password ends the registrations that were made with the one before', async (t) => {
  await change(t, '1002', { pwd: 'other' });
  await cluster.world.wait(3_000);
  t.deepEqual(await devicesOf(t, '1002'), []);
  const { endpoint, callid } = cluster.world.outside.call(`${acme}/1002`, '1003');
  await cluster.world.wait(1_000);
  t.false(cluster.world.outside.phones(endpoint)[0]?.calls.some((call) => call.callid === callid));
  t.deepEqual(phone('1003').calls, []);
});

test('fewer licensed devices end the registrations that are too many', async (t) => {
  await change(t, '1002', { lic: { devices: 1 } });
  await cluster.world.wait(3_000);
  t.is((await devicesOf(t, '1002'))?.length, 1);
  await change(t, '1002', { lic: { devices: 0 } });
  t.deepEqual(await devicesOf(t, '1002'), []);
  await cluster.world.wait(3_000);
  t.deepEqual(await devicesOf(t, '1002'), []);
});

test('what ends the registrations of a SIP user is heard once, also from the past, though all registrars are asked', async (t) => {
  type Message = [
    string,
    { readonly id: string; readonly cursor: string; readonly event: string; readonly data: Item },
  ];
  const messages: Message[] = [];
  const listener = { message: (text: string) => void messages.push(JSON.parse(text) as Message), end: () => {} };
  const socket = await cluster.world.openSocket('south', { token: await cluster.token(acmeAdmin, 'south') }, listener);
  if (typeof socket === 'number') return t.fail(`refused with ${socket}`);
  const wanted = { objects: ['1002'], events: ['registrarevents.unregister', 'modelevents.data_changed'] };
  const subscribe = async (id: string, cursor?: string) => {
    socket.send(JSON.stringify(['subscribe', { id, cursor, ...wanted }]));
    await cluster.world.wait(1_000);
  };
  const heard = (by: string) =>
    messages
      .filter(([type, { id }]) => type === 'event' && id === by)
      .map(([, { event, data }]) => `${event} ${data['device'] ?? data['status']}`);
  await subscribe('live');
  const [[, { cursor } = { cursor: '' }] = []] = messages;
  await change(t, '1002', { reg: 0 });
  await cluster.world.wait(3_000);
  await subscribe('past', cursor);
  const all = ['unregister 1002-2', 'unregister 1002-1', 'data_changed offline'];
  // Streams of two registrars have no common order: each may have removed one device, and have the copy of the other one.
  const [live, past] = [heard('live'), heard('past')];
  t.deepEqual({ live: live.toSorted(), past: past.toSorted() }, { live: all.toSorted(), past: all.toSorted() });
  t.regex(live[live.indexOf('data_changed offline') - 1] ?? '', /^unregister/);
  socket.close();
});

test('a SIP user that becomes an analog line keeps one device and carries one call at a time', async (t) => {
  await change(t, '1002', { opts: { agat_chassis_id: '7', agat_lm_id: '2' } });
  await cluster.world.wait(3_000);
  t.is((await devicesOf(t, '1002'))?.length, 2, 'without a port it is no line yet');
  await change(t, '1002', { opts: { agat_port_id: '31' } });
  await cluster.world.wait(3_000);
  t.is((await devicesOf(t, '1002'))?.length, 1);
  const { outside } = cluster.world;
  outside.call(`${acme}/1001`, '1002');
  await cluster.world.wait(10_000);
  const { endpoint, callid } = outside.call(`${acme}/1003`, '1002');
  await cluster.world.wait(1_000);
  t.is(good<unknown[]>(t, await ask('GET', calls)).length, 1);
  t.false(
    outside.phones(endpoint)[0]?.calls.some((call) => call.callid === callid),
    'the second caller heard busy',
  );
});

test('changed bounds of the time of a registration hold from the next REGISTER on', async (t) => {
  for (const [minexpires, maxexpires, granted] of [
    [30, 600, 600],
    [7_200, 9_000, 7_200],
  ] as const) {
    const { id } = await change(t, '1002', { opts: { minexpires, maxexpires } });
    await ask('DELETE', `/rest/v1/uc/sipuser_states/${id}`);
    await cluster.world.wait(5_000);
    const { devices = [] } = await userOf(t, '1002');
    t.is(devices.length, 2);
    for (const { expires } of devices) t.true(expires > granted - 6 && expires <= granted, `${expires} of ${granted}`);
  }
});

test('phones that lost their registration register again within seconds', async (t) => {
  const { id } = await userOf(t, '1002');
  await ask('DELETE', `/rest/v1/uc/sipuser_states/${id}`);
  t.deepEqual(await devicesOf(t, '1002'), []);
  await cluster.world.wait(3_000);
  t.deepEqual(await devicesOf(t, '1002'), ['1002-1', '1002-2']);
});

test('a called phone shows the name of the caller, changed by then', async (t) => {
  await change(t, '1001', { name: 'Anna Adams' });
  cluster.world.outside.call(`${acme}/1001`, '1003');
  await cluster.world.wait(1_000);
  t.like(phone('1003').calls[0], { name: 'Anna Adams', with: `sip:1001@${acme}` });
  good(t, await ask('POST', calls, { from: '1005', to: '1006', callername: 'Hotline' }));
  t.is(phone('1005').calls[0]?.name, 'Hotline');
});

test('both phones of a SIP user ring; the one that does not answer is cancelled', async (t) => {
  const { outside } = cluster.world;
  outside.behave(acme, '1002', { ringMs: 0 });
  outside.call(`${acme}/1001`, '1002');
  await cluster.world.wait(1_000);
  const [ringing] = good<{ dialogid: string; status: string; legs: { side: string; callid: string }[] }[]>(
    t,
    await ask('GET', calls),
  );
  t.is(ringing?.status, 'forking');
  t.deepEqual(
    ringing?.legs.map(({ side }) => side),
    ['a', 'b', 'b'],
  );
  t.deepEqual(
    ['1002', '1002/2'].map((name) => phone(name).calls[0]?.state),
    ['ringing', 'ringing'],
  );
  outside.talk(`${acme}/1002/2`);
  await cluster.world.wait(1_000);
  const [answered] = good<{ legs: { callid: string; side: string }[] }[]>(t, await ask('GET', calls));
  t.deepEqual(
    answered?.legs.map(({ side }) => side),
    ['a', 'b'],
  );
  t.deepEqual(phone('1002').calls, []);
  t.is(phone('1002/2').calls[0]?.state, 'talking');
});
