/** Calls, conferences and registrations that live: the whole default cluster, with the phones that it has outside. */
import type { ExecutionContext } from 'ava';
import { limits } from '../../../src/model/limits.ts';
import { acmeAdmin, acmeUser, FrontCluster, good, refused } from '../../kit/front.ts';
import { scopedTest } from '../../kit/scoped.ts';

const test = scopedTest();

const calls = '/rest/v1/uc/calls';
const conferences = '/rest/v1/uc/conferences';

interface Dialog {
  readonly dialogid: string;
  readonly inviteid: string;
  readonly acallid: string;
  readonly callids: string[];
  readonly status: string;
  readonly localuri: string;
  readonly remoteuri: string;
  readonly uris: string[];
  readonly legs: { callid: string; side: string; expirets: number | string }[];
}

let cluster: FrontCluster;
let token: string;

test.before(async () => {
  cluster = await FrontCluster.start();
  // The phones register.
  await cluster.world.wait(10_000);
  token = await cluster.token(acmeAdmin, 'north');
  await cluster.world.wait(1_000);
});

test.afterEach(async (t) => {
  const listed = await ask('GET', calls);
  for (const { dialogid } of (listed.body ?? []) as Dialog[]) await ask('DELETE', `${calls}/${dialogid}`);
  await cluster.world.wait(10_000);
  t.deepEqual((await ask('GET', calls)).body, []);
});

function ask(method: string, path: string, json?: unknown, as = token) {
  return cluster.ask(`${method} ${path}`, { at: 'north', token: as, ...(json !== undefined && { json }) });
}

async function list(t: ExecutionContext, query = ''): Promise<Dialog[]> {
  return good<Dialog[]>(t, await ask('GET', `${calls}${query}`));
}

/** Calls `from` and `to`, and gives the call of the two once it is answered. */
async function connect(t: ExecutionContext, from: string, to: string): Promise<Dialog> {
  const started = good<{ dialogid: string }>(t, await ask('POST', calls, { from, to, response_mode: 3 }));
  // The answer of b2b may arrive before its event at callstore.
  await cluster.world.wait(100);
  return good<Dialog>(t, await ask('GET', `${calls}/${started.dialogid}`));
}

/** The parties of all calls, as `a-b`. */
async function pairs(t: ExecutionContext): Promise<string[]> {
  const user = (uri: string) => /^<sip:([^@]+)@/.exec(uri)?.[1];
  return (await list(t)).map(({ localuri, remoteuri }) => `${user(localuri)}-${user(remoteuri)}`).sort();
}

test('the phones of the domain are online', async (t) => {
  const states = good<{ id: string; username: string; status: string }[]>(
    t,
    await ask('GET', '/rest/v1/uc/sipuser_states'),
  );
  t.is(states.length, 10);
  t.true(
    states.every(({ status }) => status === 'online'),
    JSON.stringify(states),
  );
  const first = states.at(-1);
  t.is((await ask('DELETE', `/rest/v1/uc/sipuser_states/${first?.id}`)).status, 204);
  t.like(good<object>(t, await ask('GET', `/rest/v1/uc/sipuser_states/${first?.id}`)), {
    username: '1010',
    status: 'offline',
  });
});

for (const [mode, fields] of [
  [0, ['ivrcallid', 'result']],
  [1, ['ivrcallid', 'result']],
  [2, ['acallid', 'dialogid', 'ivrcallid', 'last_response', 'result']],
  [3, ['acallid', 'bcallid', 'dialogid', 'ivrcallid', 'last_response', 'result']],
] as const) {
  test(`POST with response_mode ${mode} answers with ${fields.join(', ')}`, async (t) => {
    const answer = await ask('POST', calls, { from: '1002', to: '1003', response_mode: mode });
    const result = good<Record<string, string>>(t, answer);
    t.deepEqual(Object.keys(result).sort(), [...fields]);
    t.is(result['result'], 'ok');
    if (mode === 2) t.regex(result['last_response'] ?? '', /^SIP\/2\.0 180 /);
    if (mode === 3) t.regex(result['last_response'] ?? '', /^SIP\/2\.0 200 /);
    await cluster.world.wait(15_000);
    t.deepEqual(await pairs(t), ['1002-1003']);
  });
}

test('a call shows its parties, is found by every key, ends on DELETE and leaves a record', async (t) => {
  const dialog = await connect(t, '1002', '1003');
  t.like(dialog, { status: 'dialog', localuri: '<sip:1002@acme.root.test>', remoteuri: '<sip:1003@acme.root.test>' });
  t.deepEqual(
    dialog.legs.map(({ side }) => side),
    ['a', 'b'],
  );
  const states = good<{ id: string; username: string }[]>(t, await ask('GET', '/rest/v1/uc/sipuser_states'));
  const sipuserid = states.find(({ username }) => username === '1003')?.id;
  for (const search of [
    { dialogid: dialog.dialogid },
    { inviteid: dialog.inviteid },
    ...dialog.callids.map((callid) => ({ callid })),
    { uri: '<sip:1002@acme.root.test>' },
    { uri: '<sip:1003@acme.root.test>' },
    // Hosts are compared without case (RFC 3261, 19.1.4).
    { uri: 'SIP:1003@Acme.ROOT.test' },
    { uri: '<sip:%31003@acme.root.test>' },
    { from: '1002' },
    { from: '1003', mode: 'sipuser' },
    { sipuserid },
    { sipuserid: sipuserid?.toUpperCase() },
    { sipuserlogin: '1002' },
    { sipuserphonenumber: '1003' },
  ]) {
    t.deepEqual(good(t, await ask('LOOKUP', calls, search)), [dialog.dialogid], JSON.stringify(search));
  }
  refused(t, await ask('LOOKUP', calls, { from: '1004' }), 404, /^Lookup failed$/);
  const record = `/rest/v1/journal/calls/${dialog.inviteid}`;
  refused(t, await ask('GET', record), 404, /^Call record not found$/);
  await cluster.world.wait(5_000);
  const ended = good(t, await ask('DELETE', `${calls}/${dialog.dialogid}`));
  t.deepEqual(ended, { dialogid: dialog.dialogid, result: 'ok' });
  await cluster.world.wait(5_000);
  refused(t, await ask('GET', `${calls}/${dialog.dialogid}`), 404, /^Call\/Participant not found$/);
  refused(t, await ask('DELETE', `${calls}/${dialog.dialogid}`), 404, /^Call\/Participant not found$/);
  const found = good<{ from: string; to: string; talkms: number; type: string }>(t, await ask('GET', record));
  t.like(found, { from: '<sip:1002@acme.root.test>', to: '<sip:1003@acme.root.test>', type: 'call_terminate' });
  t.like(found, { status: null, reason: '' });
  t.true(found.talkms >= 4_000 && found.talkms < 10_000, `${found.talkms}`);
});

test('the time left of an answered call counts down from the limit that its SIP user had then, else of the platform', async (t) => {
  const left = async (dialogid: string) => {
    const { legs } = good<Dialog>(t, await ask('GET', `${calls}/${dialogid}`));
    return legs.map(({ expirets }) => expirets);
  };
  const limited = good<{ id: string }[]>(t, await ask('GET', '/rest/v1/uc/sipusers?filter={"login":"1004"}'))[0]?.id;
  const limitTo = async (dlgtimesec: number) =>
    void good(t, await ask('PATCH', `/rest/v1/uc/sipusers/${limited}`, { opts: { dlgtimesec } }));
  for (const [to, limitMs] of [
    ['1003', limits.talkMs],
    ['1004', 600_000],
  ] as const) {
    await limitTo(600);
    const { dialogid } = await connect(t, '1002', to);
    const before = await left(dialogid);
    await limitTo(4);
    await cluster.world.wait(5_000);
    const after = await left(dialogid);
    t.deepEqual([before[0], after[0]], ['undefined', 'undefined']);
    const [first, second] = [Number(before[1]), Number(after[1])];
    t.true(first > limitMs - 5_000 && first <= limitMs, `${to}: ${before[1]} of ${limitMs}`);
    t.true(first - second >= 5_000 && first - second < 6_000, `${to}: ${before[1]}, then ${after[1]}`);
    good(t, await ask('DELETE', `${calls}/${dialogid}`));
  }
  await limitTo(0);
});

test('a user sees and ends the calls of its own phone, and no others', async (t) => {
  const own = '/rest/v1/uc/calls_by_participation';
  const as = await cluster.token(acmeUser, 'north');
  const mine = await connect(t, '1001', '1002');
  const theirs = await connect(t, '1003', '1004');
  const ids = good<Dialog[]>(t, await ask('GET', own, undefined, as)).map(({ dialogid }) => dialogid);
  t.deepEqual(ids, [mine.dialogid]);
  const { user_id } = good<{ user_id: string }>(t, await ask('GET', '/rest/v1/iam/sessions/current', undefined, as));
  t.deepEqual(good(t, await ask('LOOKUP', calls, { userid: user_id })), [mine.dialogid]);
  refused(t, await ask('DELETE', `${own}/${theirs.dialogid}`, undefined, as), 404);
  good(t, await ask('DELETE', `${own}/${mine.dialogid}`, undefined, as));
  await cluster.world.wait(5_000);
  t.deepEqual(await pairs(t), ['1003-1004']);
  const records = good<{ inviteid: string }[]>(
    t,
    await ask('GET', '/rest/v1/journal/calls_by_participation', undefined, as),
  );
  t.true(records.some(({ inviteid }) => inviteid === mine.inviteid));
  t.false(records.some(({ inviteid }) => inviteid === theirs.inviteid));
});

test('INVITE calls both as two legs of one call', async (t) => {
  const result = good<Record<string, string>>(
    t,
    await ask('INVITE', calls, { from: '1002', to: '1003', response_mode: 3 }),
  );
  t.deepEqual(Object.keys(result).sort(), ['acallid', 'bcallid', 'dialogid', 'last_response', 'result']);
  t.is(result['result'], 'ok');
  t.deepEqual(await pairs(t), ['1002-1003']);
});

test('a call that fails is answered with the reason', async (t) => {
  const busy = good<object>(t, await ask('POST', calls, { from: '1009', to: '1002', response_mode: 3 }));
  t.like(busy, { result: 'failed' });
  const silent = good<object>(t, await ask('POST', calls, { from: '1008', to: '1002', timeout: 5 }));
  t.like(silent, { result: 'no_answer' });
  const refusedByY = good<object>(t, await ask('POST', calls, { from: '1002', to: '1009', response_mode: 3 }));
  t.like(refusedByY, { last_response: 'SIP/2.0 486 Busy Here' });
});

test('an X without a limit of its own rings for as long as the request says', async (t) => {
  const answer = await ask('POST', calls, { from: '700013', to: '1002', timeout: 200 });
  t.like(good<object>(t, answer), { result: 'timeout' });
  t.true(answer.tookMs >= 200_000 && answer.tookMs < 201_000, `${answer.tookMs} ms`);
});

for (const [by, expected] of [
  ['a', '1003-1004'],
  ['<sip:1003@acme.root.test>', '1002-1004'],
] as const) {
  test(`REFER by ${by} connects the opponent with another`, async (t) => {
    const dialog = await connect(t, '1002', '1003');
    const answer = await ask('REFER', `${calls}/${dialog.dialogid}`, { by, referto: '1004', response_mode: 3 });
    const result = good<Record<string, string>>(t, answer);
    t.like(result, { dialogid: dialog.dialogid, result: 'ok', last_response: 'SIP/2.0 200 OK' });
    await cluster.world.wait(3_000);
    t.deepEqual(await pairs(t), [expected]);
    const [left] = await list(t);
    t.is(left?.dialogid, result['referdialogid']);
  });
}

test('REFERREPLACES connects the opponents of two calls', async (t) => {
  const first = await connect(t, '1002', '1003');
  const second = await connect(t, '1002', '1004');
  const answer = await ask('REFERREPLACES', `${calls}/${first.dialogid}`, { by: 'a', dialogid: second.dialogid });
  t.deepEqual(good(t, answer), { dialogid: first.dialogid, result: 'ok' });
  await cluster.world.wait(10_000);
  t.deepEqual(await pairs(t), ['1003-1004']);
});

test('SWITCHCONF moves both parties into a conference, REFERCONF brings another', async (t) => {
  const dialog = await connect(t, '1002', '1003');
  const { confid, result } = good<{ confid: string; result: string }>(
    t,
    await ask('SWITCHCONF', `${calls}/${dialog.dialogid}`, {}),
  );
  t.is(result, 'ok');
  await cluster.world.wait(10_000);
  const listed = good<{ confid: string; uri: string; confuri: string }[]>(t, await ask('GET', conferences));
  t.deepEqual(
    listed.map((each) => each.confid),
    [confid],
  );
  t.is(listed[0]?.uri, listed[0]?.confuri);
  const path = `${conferences}/${confid}/participants`;
  const states = async () =>
    good<{ state: string; ruri: string }[]>(t, await ask('GET', path))
      .map(({ state, ruri }) => `${state} ${ruri}`)
      .sort();
  t.deepEqual(await states(), ['active <sip:1002@acme.root.test>', 'active <sip:1003@acme.root.test>']);
  const other = await connect(t, '1004', '1005');
  good(t, await ask('REFERCONF', `${calls}/${other.dialogid}`, { by: 'b', confid }));
  await cluster.world.wait(10_000);
  t.is((await states()).length, 3);
  for (const search of [{ confid }, { from: '1002' }, { sipuserlogin: '1004' }, { confuri: listed[0]?.uri }]) {
    t.deepEqual(good(t, await ask('LOOKUP', conferences, search)), [confid], JSON.stringify(search));
  }
  const added = good<{ participantid: string }>(t, await ask('POST', path, { to: '1006' }));
  t.regex(good<{ state: string }>(t, await ask('GET', `${path}/${added.participantid}`)).state, /calling|ringing/);
  await cluster.world.wait(10_000);
  t.is(good<{ state: string }>(t, await ask('GET', `${path}/${added.participantid}`)).state, 'active');
  good(t, await ask('DELETE', `${path}/${added.participantid}`));
  await cluster.world.wait(10_000);
  t.is((await states()).length, 3);
  const { hears } = good<{ hears: Record<string, string[]> }>(t, await ask('GET', `${conferences}/${confid}/topology`));
  t.is(Object.keys(hears).length, 3);
  t.deepEqual(good(t, await ask('DELETE', `${conferences}/${confid}`)), { confid });
  await cluster.world.wait(10_000);
  t.deepEqual(good(t, await ask('GET', conferences)), []);
  refused(t, await ask('GET', `${conferences}/${confid}`), 404);
});

test('from its answer on, a call to a room leads to its conference, and cannot be moved into another', async (t) => {
  const { dialogid } = good<Dialog>(t, await ask('INVITE', calls, { from: '1002', to: '5501', response_mode: 3 }));
  t.is(good<string[]>(t, await ask('LOOKUP', conferences, { dialogid })).length, 1);
  refused(t, await ask('SWITCHCONF', `${calls}/${dialogid}`, {}), 409, /side b is a conference/);
  await cluster.world.wait(1_000);
  t.deepEqual((await pairs(t)).length, 1);
});

test('SWITCHCONF and REFERCONF move parties of another domain into a conference too', async (t) => {
  const dialog = await connect(t, '1002', '1010@globex.root.test');
  const { confid } = good<{ confid: string }>(t, await ask('SWITCHCONF', `${calls}/${dialog.dialogid}`, {}));
  await cluster.world.wait(5_000);
  const path = `${conferences}/${confid}`;
  const parties = async () =>
    good<{ ruri: string }[]>(t, await ask('GET', `${path}/participants`)).map(({ ruri }) => ruri);
  t.deepEqual((await parties()).sort(), ['<sip:1002@acme.root.test>', '<sip:1010@globex.root.test>']);
  const other = await connect(t, '1003', '1002@globex.root.test');
  good(t, await ask('REFERCONF', `${calls}/${other.dialogid}`, { by: 'a', confid }));
  await cluster.world.wait(5_000);
  t.true((await parties()).includes('<sip:1002@globex.root.test>'));
  const globex = await cluster.token({ ...acmeAdmin, domain: 'globex.root.test' }, 'north');
  const theirs = good<Dialog[]>(t, await ask('GET', calls, undefined, globex));
  t.deepEqual(
    theirs.map(({ remoteuri }) => remoteuri),
    Array(2).fill(`<sip:conf-${confid}@acme.root.test>`),
  );
  for (const { dialogid } of theirs) {
    refused(t, await ask('LOOKUP', conferences, { dialogid }, globex), 404, /^Lookup failed/);
  }
  good(t, await ask('DELETE', path));
});

test('a call to a room begins a conference, which its user may control', async (t) => {
  const as = await cluster.token(acmeUser, 'north');
  const own = '/rest/v1/user/sip/conferences';
  const dialog = await connect(t, '1001', '5507');
  await connect(t, '1002', '5507');
  await connect(t, '1003', '5508');
  const [room, other] = good<Record<string, string>[]>(t, await ask('GET', `${conferences}?order=confroomnum`));
  t.like(room, { confroomnum: '07', confuri: '<sip:5507@acme.root.test>', uri: '<sip:5507@acme.root.test>' });
  t.is(room?.['confnumber'], (5_507).toString(16));
  const { confid } = room ?? {};
  for (const search of [
    { dialogid: dialog.dialogid },
    { inviteid: dialog.inviteid },
    { callid: dialog.acallid },
    { from: '1001' },
    { confroomnum: '07' },
    { confnumber: room?.['confnumber'] },
  ]) {
    t.deepEqual(good(t, await ask('LOOKUP', conferences, search)), [confid], JSON.stringify(search));
    t.deepEqual(good(t, await ask('LOOKUP', own, search, as)), [confid], JSON.stringify(search));
  }
  t.deepEqual(good(t, await ask('GET', `${own}?mask=confid`, undefined, as)), [{ confid }]);
  refused(t, await ask('DELETE', `${own}/${other?.['confid']}`, undefined, as), 404, /^Call\/Participant not found$/);
  const members = `${own}/${confid}/paticipants`;
  const ids = good<{ participantid: string; ruri: string }[]>(t, await ask('GET', members, undefined, as));
  const [first, second] = ids.map(({ participantid }) => participantid) as [string, string];
  const hears = { [first]: [second], [second]: [] };
  t.deepEqual(good(t, await ask('POST', `${own}/${confid}/topology`, { hears }, as)), { hears });
  t.deepEqual(good(t, await ask('GET', `${own}/${confid}/topology`, undefined, as)), { hears });
  good(t, await ask('DELETE', `${members}/${second}`, undefined, as));
  await cluster.world.wait(5_000);
  t.is(good<object[]>(t, await ask('GET', members, undefined, as)).length, 1);
  good(t, await ask('DELETE', `${own}/${confid}`, undefined, as));
  await cluster.world.wait(5_000);
  t.deepEqual(good(t, await ask('GET', own, undefined, as)), []);
  t.is(good<object[]>(t, await ask('GET', conferences)).length, 1);
});

test('the label of a call that was asked for goes along to the call that comes of it', async (t) => {
  const wanted = { from: '1002', to: '1003', response_mode: 3, label: 'sale|42' };
  const { dialogid } = good<{ dialogid: string }>(t, await ask('POST', calls, wanted));
  const { opts } = good<{ opts: { label?: string } }>(t, await ask('GET', `${calls}/${dialogid}`));
  t.is(opts.label, 'sale|42');
  good(t, await ask('DELETE', `${calls}/${dialogid}`));
});

test('labels, DTMF, hold and recording are taken', async (t) => {
  const { dialogid } = await connect(t, '1002', '1003');
  const item = `${calls}/${dialogid}`;
  t.deepEqual(good(t, await ask('SETUP_BINDINGS', item, { add: ['x', 'y'] })), {
    dialogid,
    result: 'ok',
    bindings: ['x', 'y'],
  });
  t.deepEqual(good(t, await ask('SETUP_BINDINGS', item, { remove: ['x'] })), {
    dialogid,
    result: 'ok',
    bindings: ['y'],
  });
  for (const [verb, body] of [
    ['SEND_DTMF', { to: 'b', dtmf: '5' }],
    ['NOTIFY', { to: 'a', event: 'hold' }],
    ['NOTIFY', { to: 'a', event: 'talk' }],
    ['SETUP_RECORD', { action: 'start' }],
    ['SETUP_RECORD', { action: 'stop' }],
  ] as const) {
    t.deepEqual(good(t, await ask(verb, item, body)), { dialogid, result: 'ok' }, verb);
  }
});

test('a command that changes nothing is answered like any other', async (t) => {
  const { dialogid } = await connect(t, '1002', '1003');
  const item = `${calls}/${dialogid}`;
  refused(t, await ask('SETUP_BINDINGS', item), 400, /^body: expected JSON, got nothing$/);
  refused(t, await ask('SETUP_RECORD', item, {}), 400, /^action: /);
  const labels: readonly [body: object, bindings: readonly string[]][] = [
    [{}, []],
    [{ remove: ['none'] }, []],
    [{ add: ['x'] }, ['x']],
    [{ add: ['x'] }, ['x']],
    [{ add: ['x'], remove: ['x'] }, ['x']],
    [{}, ['x']],
  ];
  for (const [body, bindings] of labels) {
    const answer = await ask('SETUP_BINDINGS', item, body);
    t.deepEqual(good(t, answer), { dialogid, result: 'ok', bindings }, JSON.stringify(body));
  }
  const inTurn: readonly [verb: string, body: object][] = [
    ...['stop', 'start', 'start', 'stop', 'stop'].map((action): [string, object] => ['SETUP_RECORD', { action }]),
    ...['stop', 'start', 'start', 'stop'].map((action): [string, object] => ['SETUP_ASR', { side: 'a', action }]),
    ...['talk', 'hold', 'hold', 'talk'].map((event): [string, object] => ['NOTIFY', { to: 'a', event }]),
  ];
  for (const [verb, body] of inTurn) {
    t.deepEqual(good(t, await ask(verb, item, body)), { dialogid, result: 'ok' }, `${verb} ${JSON.stringify(body)}`);
    await cluster.world.wait(500);
  }
  t.like(good<{ opts: object }>(t, await ask('GET', item)).opts, { bindings: ['x'], recording: false });
});

test('a call through a provider account counts in the dashboards', async (t) => {
  const dialog = await connect(t, '1002', '84950000102');
  const master = await cluster.token(undefined, 'hq');
  const counted = await cluster.ask('GET /rest/v1/master/logicalroles/esg/dashboards/info?regs', {
    at: 'hq',
    token: master,
  });
  const info = good<{
    dlgcount: number;
    sites: { servers: { regs: { code: string; onlinetrunkcount: number }[] }[] }[];
  }>(t, counted);
  t.is(info.dlgcount, 1);
  const regs = info.sites.flatMap(({ servers }) => servers.flatMap(({ regs }) => regs));
  t.is(regs.find(({ code }) => code === 'acme-telecom')?.onlinetrunkcount, 1);
  t.truthy(dialog.dialogid);
});

test('a conference is of the SIP users in it, whatever their numbers become, and not of the next ones with these numbers', async (t) => {
  const sipUsers = '/rest/v1/uc/sipusers';
  const own = `${conferences}_by_participation`;
  const [id = ''] = good<string[]>(t, await ask('LOOKUP', sipUsers, '1005'));
  const [former, next] = await Promise.all(
    ['moved', 'heir'].map(async (login) => {
      const body = { name: login, login, pwd: `${login}-1`, opts: { roles: ['user'] } };
      const made = good<{ id: string }>(t, await ask('POST', '/rest/v1/domain/domains/acme.root.test/users', body));
      const token = await cluster.token({ domain: 'acme.root.test', login, pwd: `${login}-1` }, 'north');
      return { id: made.id, token };
    }),
  );
  good(t, await ask('PATCH', `${sipUsers}/${id}`, { iduser: former?.id }));
  await connect(t, '1005', '5544');
  const [room] = good<{ confid: string }[]>(t, await ask('GET', `${conferences}?filter={"confroomnum":"44"}`));
  const seen = async (token: string | undefined) =>
    good<{ confid: string }[]>(t, await ask('GET', own, undefined, token)).map(({ confid }) => confid);
  t.deepEqual([await seen(former?.token), await seen(next?.token)], [[room?.confid], []]);
  good(t, await ask('PATCH', `${sipUsers}/${id}`, { phonenumber: '1955' }));
  const heir = { name: 'heir', login: 'heir', phonenumber: '1005', pwd: 'x', iduser: next?.id };
  const { id: heirId } = good<{ id: string }>(t, await ask('POST', sipUsers, heir));
  await cluster.world.wait(1_000);
  t.deepEqual([await seen(former?.token), await seen(next?.token)], [[room?.confid], []]);
  good(t, await ask('GET', `${own}/${room?.confid}/participants`, undefined, former?.token));
  refused(t, await ask('GET', `${own}/${room?.confid}`, undefined, next?.token), 404);
  t.is((await ask('DELETE', `${sipUsers}/${heirId}`)).status, 204);
  good(
    t,
    await ask('PATCH', `${sipUsers}/${id}`, { phonenumber: '1005', iduser: '00000000-0000-0000-0000-000000000000' }),
  );
  good(t, await ask('DELETE', `${conferences}/${room?.confid}`));
  await cluster.world.wait(5_000);
});

// The phone of the user is without a registration for a while: the last test of this file.
test('calls and records are of the SIP user, whatever its login becomes, and not of the next one with that login', async (t) => {
  const sipUsers = '/rest/v1/uc/sipusers';
  const lookup = async (path: string, body: object) => good<string[]>(t, await ask('LOOKUP', path, body));
  const [id = ''] = good<string[]>(t, await ask('LOOKUP', sipUsers, '1006'));
  const own = ['/rest/v1/uc/calls_by_participation', '/rest/v1/journal/calls_by_participation'] as const;
  const people = await Promise.all(
    ['former', 'next'].map(async (login) => {
      const body = { name: login, login, pwd: `${login}-1`, opts: { roles: ['user'] } };
      const made = await ask('POST', '/rest/v1/domain/domains/acme.root.test/users', body);
      return good<{ id: string }>(t, made).id;
    }),
  );
  good(t, await ask('PATCH', `${sipUsers}/${id}`, { iduser: people[0] }));
  await cluster.world.wait(1_000);
  const call = await connect(t, '1006', '1004');
  good(t, await ask('PATCH', `${sipUsers}/${id}`, { login: '1906' }));
  const next = { name: 'next', login: '1006', phonenumber: '1933', pwd: 'x', iduser: people[1] };
  const { id: nextId } = good<{ id: string }>(t, await ask('POST', sipUsers, next));
  await cluster.world.wait(1_000);
  const [former, other] = await Promise.all(
    ['former', 'next'].map((login) => cluster.token({ domain: 'acme.root.test', login, pwd: `${login}-1` }, 'north')),
  );
  const seen = async (path: string, as: string | undefined) =>
    good<{ inviteid: string }[]>(t, await ask('GET', path, undefined, as)).map(({ inviteid }) => inviteid);
  t.deepEqual(await lookup(calls, { sipuserid: id }), [call.dialogid]);
  t.deepEqual(await lookup(calls, { userid: people[0] }), [call.dialogid]);
  refused(t, await ask('LOOKUP', calls, { sipuserid: nextId }), 404);
  t.deepEqual([await seen(own[0], former), await seen(own[0], other)], [[call.inviteid], []]);
  good(t, await ask('DELETE', `${calls}/${call.dialogid}`));
  await cluster.world.wait(5_000);
  t.true((await seen(own[1], former)).includes(call.inviteid));
  t.deepEqual(await seen(own[1], other), []);
  t.is((await ask('DELETE', `${sipUsers}/${nextId}`)).status, 204);
  good(t, await ask('PATCH', `${sipUsers}/${id}`, { login: '1006', iduser: '00000000-0000-0000-0000-000000000000' }));
  await cluster.world.wait(1_000);
});
