/** SIP users whose logins and phone numbers differ, or that have no phone number. */
import type { ExecutionContext } from 'ava';
import { acmeAdmin, acmeUser, FrontCluster, good, refused } from '../../kit/front.ts';
import { scopedTest } from '../../kit/scoped.ts';

const test = scopedTest();

const calls = '/rest/v1/uc/calls';
const own = `${calls}_by_participation`;
const conferences = '/rest/v1/uc/conferences';
const sipusers = '/rest/v1/uc/sipusers';

let cluster: FrontCluster;
let token: string;
let user: string;

test.beforeEach(async () => {
  cluster = await FrontCluster.start();
  await cluster.world.wait(10_000);
  token = await cluster.token(acmeAdmin, 'north');
  user = await cluster.token(acmeUser, 'north');
});
test.afterEach(() => cluster.world.stop());

function ask(method: string, path: string, json?: unknown, as = token) {
  return cluster.ask(`${method} ${path}`, { at: 'north', token: as, ...(json !== undefined && { json }) });
}

async function renumber(t: ExecutionContext, login: string, phonenumber: string): Promise<void> {
  const filter = encodeURIComponent(JSON.stringify({ login }));
  const [item] = good<{ id: string }[]>(t, await ask('GET', `${sipusers}?filter=${filter}`));
  good(t, await ask('PATCH', `${sipusers}/${item?.id}`, { phonenumber }));
}

test('a user starts no call of another whose number is the login of an own SIP user', async (t) => {
  const invite = (body: object) => ask('INVITE', own, { to: '1002', ...body }, user);
  good(t, await invite({ from: '1001' }));
  await renumber(t, '1001', '2001');
  good(t, await invite({ from: '1001' }));
  await renumber(t, '1003', '1001');
  refused(t, await invite({ from: '1001' }), 403, /^from, to: neither/);
  refused(t, await ask('POST', own, { from: '1002', to: '1001' }, user), 403, /^from, to: neither/);
  good(t, await invite({ from: '2001' }));
  good(t, await invite({ from: '1001', mode: 'sipuser' }));
});

test('a user sees no conference of another whose number is the login of an own SIP user', async (t) => {
  await renumber(t, '1001', '2001');
  await renumber(t, '1003', '1001');
  const list = async () =>
    good<{ confid: string }[]>(t, await ask('GET', `${conferences}_by_participation`, undefined, user));
  good(t, await ask('INVITE', calls, { from: '1001', to: '5501', response_mode: 3 }));
  const [conference] = good<{ confid: string }[]>(t, await ask('GET', conferences));
  t.deepEqual(await list(), []);
  refused(t, await ask('GET', `${conferences}_by_participation/${conference?.confid}`, undefined, user), 404);
  good(t, await ask('POST', `${conferences}/${conference?.confid}/participants`, { to: '2001' }));
  await cluster.world.wait(3_000);
  t.is((await list()).length, 1);
});

test('SIP users without a phone number are shown by their logins, and their calls are found and transferred', async (t) => {
  await renumber(t, '1001', '');
  await renumber(t, '1003', '');
  const started = await ask('INVITE', calls, { from: '1003', to: '1002', response_mode: 3 });
  const { dialogid } = good<{ dialogid: string }>(t, started);
  await cluster.world.wait(100);
  const call = good<Record<string, string>>(t, await ask('GET', `${calls}/${dialogid}`));
  t.is(call['localuri'], '<sip:1003@acme.root.test>');
  t.deepEqual(good(t, await ask('LOOKUP', calls, { from: '1003' })), [dialogid]);
  const referred = await ask('REFER', `${calls}/${dialogid}`, { by: 'b', referto: '1001', response_mode: 3 });
  t.like(good<object>(t, referred), { result: 'ok', last_response: 'SIP/2.0 200 OK' });
  await cluster.world.wait(3_000);
  const shown = good<Record<string, string>[]>(t, await ask('GET', `${calls}?mask=localuri,remoteuri`));
  t.deepEqual(shown, [{ localuri: '<sip:1003@acme.root.test>', remoteuri: '<sip:1001@acme.root.test>' }]);
});

test('a user whose SIP user has no phone number sees no conference of another without one', async (t) => {
  await renumber(t, '1001', '');
  await renumber(t, '1003', '');
  good(t, await ask('INVITE', calls, { from: '1003', to: '5501', response_mode: 3 }));
  t.deepEqual(good(t, await ask('GET', `${conferences}_by_participation`, undefined, user)), []);
});

/** The states of the calls of a phone. */
function states(login: string): string[] {
  return cluster.world.outside
    .phones(`acme.root.test/${login}`)
    .flatMap((phone) => phone.calls.map(({ state }) => state));
}

async function called(t: ExecutionContext, from: string, to: string): Promise<string> {
  const answer = await ask('INVITE', calls, { from, to, response_mode: 3 });
  return good<{ dialogid: string }>(t, answer).dialogid;
}

test('REFER reaches a SIP user whose number has changed since its call began, and not the next one with that number', async (t) => {
  const dialogid = await called(t, '1002', '1001');
  await renumber(t, '1001', '2001');
  await renumber(t, '1004', '1001');
  const answer = await ask('REFER', `${calls}/${dialogid}`, { by: 'a', referto: '1003', response_mode: 3 });
  t.like(good(t, answer), { result: 'ok', last_response: 'SIP/2.0 200 OK' });
  await cluster.world.wait(2_000);
  t.deepEqual(['1001', '1002', '1003', '1004'].map(states), [['talking'], [], ['talking'], []]);
});

test('a call whose transfer fails returns to its initiator, whose number has changed since the call began', async (t) => {
  cluster.world.outside.behave('acme.root.test', '1003', { answerMs: 0, reject: 486 });
  const dialogid = await called(t, '1002', '1001');
  await renumber(t, '1002', '2002');
  await renumber(t, '1004', '1002');
  good(t, await ask('REFER', `${calls}/${dialogid}`, { by: 'a', referto: '1003', response_mode: 3 }));
  await cluster.world.wait(5_000);
  t.deepEqual(['1001', '1002', '1003', '1004'].map(states), [['talking'], ['talking'], [], []]);
});

test('REFERREPLACES connects parties whose numbers have changed since their calls began', async (t) => {
  const first = await called(t, '1002', '1001');
  const second = await called(t, '1002', '1003');
  await renumber(t, '1003', '2003');
  await renumber(t, '1004', '1003');
  good(t, await ask('REFERREPLACES', `${calls}/${first}`, { by: 'a', dialogid: second }));
  await cluster.world.wait(3_000);
  t.deepEqual(['1001', '1002', '1003', '1004'].map(states), [['talking'], [], ['talking'], []]);
});

test('a phone transfers its party to one whose number has changed since their call began', async (t) => {
  const { outside } = cluster.world;
  await called(t, '1002', '1001');
  await called(t, '1002', '1003');
  const [phone] = outside.phones('acme.root.test/1002');
  const [first, second] = phone?.calls ?? [];
  await renumber(t, '1003', '2003');
  await renumber(t, '1004', '1003');
  const referring = { endpoint: phone?.name ?? '', callid: first?.callid ?? '' };
  t.true(outside.transfer(referring, 'sip:1003@acme.root.test', second?.callid));
  await cluster.world.wait(3_000);
  t.deepEqual(['1001', '1002', '1003', '1004'].map(states), [['talking'], [], ['talking'], []]);
});
