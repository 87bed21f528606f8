/** Live calls in trouble: transfers that fail, parties that ring, sites that are cut off. */
import type { ExecutionContext } from 'ava';
import { acmeAdmin, FrontCluster, good, refused } from '../../kit/front.ts';
import { scopedTest } from '../../kit/scoped.ts';

const test = scopedTest();

const calls = '/rest/v1/uc/calls';

interface Dialog {
  readonly dialogid: string;
  readonly inviteid: string;
  readonly status: string;
  readonly site: string;
  readonly localuri: string;
  readonly remoteuri: string;
}

let cluster: FrontCluster;
let token: string;

test.beforeEach(async () => {
  cluster = await FrontCluster.start();
  await cluster.world.wait(10_000);
  token = await cluster.token(acmeAdmin, 'north');
  await cluster.world.wait(1_000);
});

function ask(method: string, path: string, json?: unknown, at = 'north') {
  return cluster.ask(`${method} ${path}`, { at, token, ...(json !== undefined && { json }) });
}

async function start(t: ExecutionContext, json: object, at = 'north'): Promise<Record<string, string>> {
  return good<Record<string, string>>(t, await ask('POST', calls, { response_mode: 3, ...json }, at));
}

/** The parties of all calls, with their status. */
async function list(t: ExecutionContext, at = 'north'): Promise<string[]> {
  const user = (uri: string) => /^<sip:([^@]+)@/.exec(uri)?.[1];
  const dialogs = good<Dialog[]>(t, await ask('GET', calls, undefined, at));
  return dialogs.map(({ localuri, remoteuri, status }) => `${user(localuri)}-${user(remoteuri)} ${status}`).sort();
}

test('a ringing callee may have the caller transferred; the caller may not have the ringing callee transferred', async (t) => {
  const { dialogid } = await start(t, { from: '1002', to: '84950000113', response_mode: 2 });
  // IVR stays in the call until the outcome is known.
  t.deepEqual(await list(t), ['1002-1002 dialog', '1002-84950000113 forking']);
  refused(t, await ask('REFER', `${calls}/${dialogid}`, { by: 'a', referto: '1004' }), 409, /side b has not answered/);
  refused(t, await ask('SWITCHCONF', `${calls}/${dialogid}`, {}), 409, /side b has not answered/);
  refused(t, await ask('SEND_DTMF', `${calls}/${dialogid}`, { to: 'b', dtmf: '1' }), 409);
  const answer = await ask('REFER', `${calls}/${dialogid}`, { by: 'b', referto: '1004', response_mode: 3 });
  t.like(good<object>(t, answer), { dialogid, result: 'ok', last_response: 'SIP/2.0 200 OK' });
  await cluster.world.wait(3_000);
  t.deepEqual(await list(t), ['1002-1004 dialog']);
});

test('a call that rings is ended by DELETE', async (t) => {
  const { dialogid } = await start(t, { from: '1002', to: '84950000113', response_mode: 2 });
  const dialog = good<Dialog>(t, await ask('GET', `${calls}/${dialogid}`));
  t.deepEqual(good(t, await ask('DELETE', `${calls}/${dialogid}`)), { dialogid, result: 'ok' });
  await cluster.world.wait(5_000);
  t.deepEqual(await list(t), []);
  const record = good<object>(t, await ask('GET', `/rest/v1/journal/calls/${dialog.inviteid}`));
  t.like(record, { answerts: null, talkms: 0, type: 'call_terminate' });
});

test('a transfer that fails returns the call to the party that referred it', async (t) => {
  const { dialogid } = await start(t, { from: '1002', to: '1003' });
  const answer = await ask('REFER', `${calls}/${dialogid}`, { by: 'a', referto: '1009', response_mode: 3 });
  t.like(good<object>(t, answer), { dialogid, last_response: 'SIP/2.0 486 Busy Here' });
  await cluster.world.wait(10_000);
  t.deepEqual(await list(t), ['1003-1002 dialog']);
});

test('each side of a cut shows its own calls and names the sites that it misses', async (t) => {
  const { world } = cluster;
  const north = await start(t, { from: '1002', to: '1003' });
  const south = await start(t, { from: '1005', to: '1006' }, 'south');
  await world.wait(5_000);
  t.deepEqual(await list(t), ['1002-1003 dialog', '1005-1006 dialog']);
  world.faults.cut({ from: 'south', to: 'north' });
  world.faults.cut({ from: 'south', to: 'hq' });
  await world.wait(10_000);
  for (const [at, pair, missing, away, id] of [
    ['north', '1002-1003 dialog', 'south', 'south', south['dialogid']],
    ['hq', '1002-1003 dialog', 'south', 'south', south['dialogid']],
    ['south', '1005-1006 dialog', 'hq,north', 'north', north['dialogid']],
  ] as const) {
    t.deepEqual(await list(t, at), [pair], at);
    const answer = await ask('GET', calls, undefined, at);
    t.is(answer.headers.get('x-missing-sites'), missing);
    const gone = new RegExp(`^callstore of site ${away} is not reachable from site ${at}$`);
    refused(t, await ask('DELETE', `${calls}/${id}`, undefined, at), 503, gone);
  }
  good(t, await ask('DELETE', `${calls}/${north['dialogid']}`));
  await world.wait(5_000);
  refused(t, await ask('GET', `${calls}/${north['dialogid']}`), 404, /^Call\/Participant not found$/);
  world.faults.mend();
  await world.wait(20_000);
  for (const at of ['hq', 'north', 'south']) t.deepEqual(await list(t, at), ['1005-1006 dialog'], at);
  const records = good<{ site: string }[]>(t, await ask('GET', '/rest/v1/journal/calls', undefined, 'south'));
  t.true(records.some(({ site }) => site === 'north'));
});

test('a call whose b2b has died is gone, and leaves a record', async (t) => {
  const { dialogid } = await start(t, { from: '1002', to: '1003' });
  const dialog = good<Dialog>(t, await ask('GET', `${calls}/${dialogid}`));
  cluster.world.faults.crashInstance(`b2b-${dialogid?.split('-')[0]}`);
  await cluster.world.wait(20_000);
  refused(t, await ask('GET', `${calls}/${dialogid}`), 404, /^Call\/Participant not found$/);
  t.deepEqual(await list(t), []);
  t.like(good<object>(t, await ask('GET', `/rest/v1/journal/calls/${dialog.inviteid}`)), { type: 'dead' });
});
