/** The component Operation: calls and conferences by any key, domain data, and what it may not do. */
import { operationNames } from '../../../src/model/script/script-operations.ts';
import { admin, FrontCluster, good } from '../../kit/front.ts';
import { scopedTest } from '../../kit/scoped.ts';
import { ScriptAuthor } from '../../kit/scripts.ts';

const test = scopedTest();

let cluster: FrontCluster;
let author: ScriptAuthor;

test.before(async () => {
  cluster = await FrontCluster.start();
  author = await ScriptAuthor.open(cluster);
});

interface Dialog {
  readonly dialogid: string;
  readonly inviteid: string;
  readonly acallid: string;
  readonly localuri: string;
}

async function startCall(from: string, to: string): Promise<Dialog> {
  const { dialogid } = (await author.operation('call.start', { from, to, response_mode: 3 })) as { dialogid: string };
  await cluster.world.wait(500);
  return (await author.operation('call.get', { dialogid })) as Dialog;
}

test('a script starts a call, and controls it by any key of LOOKUP; the first key in the documented order counts', async (t) => {
  const { dialogid, inviteid, acallid, localuri } = await startCall('1001', '1002');
  const keys: Record<string, unknown>[] = [
    { dialogid },
    { inviteid },
    { callid: acallid },
    { uri: localuri },
    { from: '1001' },
    { from: '1001', mode: 'sipuser' },
    { sipuserlogin: '1001' },
    { sipuserphonenumber: '1001' },
    { inviteid, sipuserlogin: '1009' },
  ];
  for (const key of keys) {
    t.deepEqual(await author.operation('call.find', key), [dialogid], JSON.stringify(key));
    t.like(await author.operation('call.get', key), { dialogid }, JSON.stringify(key));
  }
  t.deepEqual(await author.operation('call.find', { dialogid: 'none', inviteid }), []);
  t.like(await author.operation('call.setup_bindings', { inviteid, add: ['vip'] }), {
    result: 'ok',
    bindings: ['vip'],
  });
  t.like(await author.operation('call.send_dtmf', { inviteid, to: 'b', dtmf: '5' }), { result: 'ok' });
  t.like(((await author.operation('call.list', { filter: { inviteid } })) as object[])[0], { dialogid });
  t.like(await author.operation('call.delete', { sipuserlogin: '1001' }), { dialogid, result: 'ok' });
  await cluster.world.wait(8_000);
  t.like(await author.operation('call.get', { inviteid }), {
    code: 'not_found',
    problem: 'Call/Participant not found',
  });
});

test('a script adds and removes participants of a conference by any key; the answer repeats confid', async (t) => {
  cluster.world.outside.call('acme.root.test/1003', '5501');
  await cluster.world.wait(4_000);
  const [conference] = (await author.operation('conference.list')) as { confid: string; confroomnum: string }[];
  const { confid = '', confroomnum = '' } = conference ?? {};
  for (const key of [{ confid }, { confroomnum }, { sipuserlogin: '1003' }]) {
    t.deepEqual(await author.operation('conference.find', key), [confid], JSON.stringify(key));
  }
  const added = (await author.operation('conference.add', { sipuserlogin: '1003', to: '1004' })) as Record<
    string,
    string
  >;
  t.is(added['confid'], confid);
  await cluster.world.wait(4_000);
  t.is(((await author.operation('conference.participants', { confid })) as object[]).length, 2);
  const removed = await author.operation('conference.remove', { confroomnum, participantid: added['participantid'] });
  t.deepEqual(removed, { confid, participantid: added['participantid'] });
  t.deepEqual(await author.operation('conference.delete', { confid }), { confid });
});

test('a script reads and changes the domain data; a user only with allow_script_crud', async (t) => {
  const made = (await author.operation('entity.create', {
    kind: 'contactgroup',
    values: { code: 'night', members: ['1001'] },
  })) as { id: string };
  t.like(await author.operation('entity.get', { kind: 'contactgroup', id: made.id }), { code: 'night' });
  t.deepEqual(await author.operation('entity.lookup', { kind: 'contactgroup', key: 'night' }), [made.id]);
  t.like(await author.operation('entity.patch', { kind: 'contactgroup', id: made.id, values: { members: [] } }), {
    members: [],
  });
  t.is(((await author.operation('entity.list', { kind: 'contactgroup' })) as object[]).length, 1);
  t.deepEqual(await author.operation('entity.delete', { kind: 'contactgroup', id: made.id }), { id: made.id });
  const users = '/rest/v1/domain/domains/acme.root.test/users';
  const json = { name: 'Ann', login: 'ann', pwd: 'secret' };
  const { id } = good<{ id: string }>(t, await author.ask(`POST ${users}`, { json }));
  const patch = { kind: 'user', id, values: { name: 'Anna' } };
  t.like(await author.operation('entity.patch', patch), { code: 'forbidden' });
  t.like(await author.operation('entity.delete', { kind: 'user', id }), { code: 'forbidden' });
  good(t, await author.ask(`PATCH ${users}/${id}`, { json: { opts: { allow_script_crud: true } } }));
  t.like(await author.operation('entity.patch', patch), { name: 'Anna', pwd: '*' });
  t.deepEqual(await author.operation('entity.delete', { kind: 'user', id }), { id });
});

test('a script gets all items of a list that does not go into one message between nodes', async (t) => {
  const members = Array.from({ length: 19 }, (_, n) => `${n}-${'\u4e00'.repeat(120)}`);
  for (let n = 0; n < 75; n += 1) {
    const json = { code: `crowd-${n}`, members };
    good(t, await author.ask('POST /rest/v1/domain/contactgroups', { json }));
  }
  const list = { type: 'operation', operation: 'entity.list', params: { kind: '"contactgroup"' } };
  const count = { type: 'code', code: 'answer = result.length; result = null', next: 'answer' };
  t.is(await author.run({ list: { ...list, next: 'count' }, count }), 75);
});

test('a script of the master domain makes border rules of sites that there are', async (t) => {
  const master = await ScriptAuthor.open(cluster, 'hq', admin);
  const create = (site: string) =>
    master.operation('entity.create', { kind: 'borderrule', values: { action: 'deny', enabled: 0, site } });
  t.like(await create('north'), { site: 'north' });
  t.like(await create('nowhere'), {
    code: 'invalid',
    problem: 'site: expected empty, "*" or a site (hq, north, south), got "nowhere"',
  });
});

const refusals: readonly [operation: string, params: Record<string, unknown>, problem: RegExp][] = [
  ['call.get', {}, /^call\.get: target: expected one of dialogid, inviteid/],
  ['call.get', { dialogid: 5 }, /^call\.get: dialogid: expected a text$/],
  ['call.get', { confid: 'x' }, /^call\.get: confid: no such parameter$/],
  ['call.start', { from: '1001' }, /^call\.start: to: expected a number/],
  ['call.refer', { dialogid: 'x', by: 'a' }, /^call\.refer: referto: /],
  ['entity.create', { kind: 'nothing', values: {} }, /^kind: expected one of user, /],
  ['entity.create', { kind: 'borderrule', values: {} }, /^kind: expected one of user, /],
  ['entity.create', { kind: 'contactgroup', values: { nosuch: 1 } }, /^values\./],
  ['entity.create', { kind: 'participant', values: {} }, /^parent: /],
  ['session.create', { domain: 'acme.root.test', login: 'user' }, /for scripts of external authentication$/],
  ['webban.add', { address: '10.0.0.1' }, /for scripts of external authentication$/],
];

for (const [operation, params, problem] of refusals) {
  test(`${operation} with ${JSON.stringify(params)} fails with the parameter and what was expected`, async (t) => {
    const answer = (await author.operation(operation, params)) as { problem: string; code: string };
    t.regex(answer.problem, problem);
    t.is(answer.code, problem.source.includes('external authentication') ? 'forbidden' : 'invalid');
  });
}

test('an operation that fails without a branch fails the run, with its reason', async (t) => {
  const go = { type: 'operation', operation: 'call.get', params: { dialogid: '"none"' }, next: 'answer' };
  await t.throwsAsync(() => author.run({ go }), { message: /500 .*component \\"go\\": Call\/Participant not found/ });
});

test('a script with an unknown operation is refused when it is created', async (t) => {
  await t.throwsAsync(() => author.operation('call.dance'), { message: /operation: expected one of .* in component/ });
  t.true(operationNames.length > 20);
});

test('a script gets a SIP user with its registered devices, as the interface shows it', async (t) => {
  const kind = 'sipuser';
  const [id] = (await author.operation('entity.list', { kind, filter: { login: '1003' } })) as { id: string }[];
  const path = `/rest/v1/uc/sipusers/${id?.id}`;
  const devicesOf = (item: unknown) =>
    (item as { devices: { device: string; contact: string }[] }).devices.map(({ device, contact }) => [
      device,
      contact,
    ]);
  const shown = devicesOf(good(t, await author.ask(`GET ${path}`)));
  t.is(shown.length, 1);
  t.deepEqual(devicesOf(await author.operation('entity.get', { kind, id: id?.id })), shown);
  const values = { opts: { comment: 'by a script' } };
  t.deepEqual(devicesOf(await author.operation('entity.patch', { kind, id: id?.id, values })), shown);
});

test('a script starts a selector meeting at once, and sees its current state and that of its participants', async (t) => {
  const values = { timestartutc: '2020-01-01T00:00:00Z', topology_mode: 'direct', displayname: 'daily' };
  const made = (await author.operation('entity.create', { kind: 'selector', values })) as { id: string };
  const { id } = made;
  t.like(made, { state: 'initing' });
  const participant = { kind: 'participant', parent: id };
  for (const number of ['1001', '1002']) {
    const member = { number, topology_type: 'speaker' };
    const added = (await author.operation('entity.create', { ...participant, values: member })) as object;
    t.false(Object.hasOwn(added, 'state'));
  }
  await cluster.world.wait(6_000);
  t.like(await author.operation('entity.get', { kind: 'selector', id }), { state: 'online' });
  const listed = async (filter: object) =>
    (await author.operation('entity.list', { ...participant, filter })) as { id: string; state: string }[];
  const [one] = await listed({ number: '1001' });
  t.is(one?.state, 'active');
  t.like(await author.operation('entity.get', { ...participant, id: one?.id }), { state: 'active' });
  t.is((await listed({ state: 'active' })).length, 2);
  t.is((await listed({ state: 'waiting' })).length, 0);
  const online = { kind: 'selector', filter: { state: 'online' } };
  t.like(((await author.operation('entity.list', online)) as object[])[0], { id, state: 'online' });
  await author.operation('entity.patch', { kind: 'selector', id, values: { enabled: false } });
  await cluster.world.wait(200);
  t.deepEqual(await listed({ state: 'active' }), []);
  await author.operation('entity.delete', { kind: 'selector', id });
});

test('a script reads the domain data while the master site is out of reach, and changes none', async (t) => {
  const operation = (name: string, params: Record<string, string>) => ({ type: 'operation', operation: name, params });
  const quoted = (fields: Record<string, string>) =>
    Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, JSON.stringify(value)]));
  await author.define('away', {
    list: { ...operation('entity.list', quoted({ kind: 'sipuser' })), result: 'all', next: 'find' },
    find: { ...operation('entity.lookup', quoted({ kind: 'sipuser', key: '1005' })), result: 'ids', next: 'get' },
    get: {
      ...operation('entity.get', { kind: '"sipuser"', id: 'ids[0]' }),
      ...{ result: 'one', next: 'make' },
    },
    make: {
      ...operation('entity.create', { kind: '"contactgroup"', values: '({ code: "late" })' }),
      ...{ result: 'made', next: 'answer', failed: 'answer', indefinite: 'answer' },
    },
    answer: { type: 'code', code: 'response_content = JSON.stringify([all.length, one.login, made.code])' },
  });
  const channel = { code: 'away', token_local: 'the-token-of-away', svcscriptcode: 'away', opts: { recv_timeout: 60 } };
  good(t, await author.ask('POST /rest/v1/domain/integrationchannels', { json: channel }));
  const mend = cluster.world.faults.cut({ from: 'hq' });
  await cluster.world.wait(10_000);
  const answer = await author.ask('POST /exec', { token: 'the-token-of-away', json: {} });
  mend();
  await cluster.world.wait(10_000);
  t.deepEqual(answer.body, [10, '1005', 'unreachable']);
});
