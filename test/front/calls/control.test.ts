/** Call control, over roles that the test plays: what is listed, which role gets which message, and what is refused. */
import { done, failed, fault } from '../../../src/model/fault.ts';
import { callOf, ScriptedCalls } from '../../kit/calls/scripted-calls.ts';
import { acmeAdmin, acmeUser, admin, good, refused } from '../../kit/front.ts';
import { scopedTest } from '../../kit/scoped.ts';

const test = scopedTest();

const base = '/rest/v1/uc/calls';
const own = ['/rest/v1/uc/calls_by_participation', '/rest/v1/user/sip/calls'];
let script: ScriptedCalls;
let token: string;
let userToken: string;

test.before(async () => {
  script = await ScriptedCalls.start();
  token = await script.cluster.token(acmeAdmin);
  userToken = await script.cluster.token(acmeUser);
});

test.beforeEach(() => {
  script.calls.clear();
  script.asked.length = 0;
});

function ask(line: string, json?: unknown, as = token) {
  return script.cluster.ask(line, { token: as, ...(json === undefined ? {} : { json }) });
}

test('a list has the calls of the domain from all sites, the oldest first', async (t) => {
  script.calls.set('south', [callOf('1005', '1006', { dialogid: '314-1', site: 'south', startts: 1_500 })]);
  script.calls.set('north', [callOf('1001', '1002', { dialogid: '214-2', startts: 2_000 })]);
  script.calls.set('hq', [callOf('1003', '1004', { dialogid: '114-1', site: 'hq' })]);
  const answer = await ask(`GET ${base}`);
  const dialogs = good<{ dialogid: string }[]>(t, answer);
  t.deepEqual(
    dialogs.map(({ dialogid }) => dialogid),
    ['114-1', '314-1', '214-2'],
  );
  t.is(answer.headers.get('x-missing-sites'), null);
  t.deepEqual(dialogs[2] as unknown, {
    acallid: '214-2-a',
    callids: ['214-2-a', '214-2-b'],
    dialogid: '214-2',
    esgdlg: '',
    inviteid: 'invite-214-2',
    status: 'dialog',
    legs: [
      {
        callid: '214-2-a',
        expirets: 'undefined',
        localuri: '<sip:1002@acme.root.test>',
        remoteuri: '<sip:1001@acme.root.test>',
        side: 'a',
      },
      {
        callid: '214-2-b',
        expirets: 'undefined',
        localuri: '<sip:1001@acme.root.test>',
        remoteuri: '<sip:1002@acme.root.test>',
        side: 'b',
      },
    ],
    localuri: '<sip:1001@acme.root.test>',
    remoteuri: '<sip:1002@acme.root.test>',
    site: 'north',
    startts: 2_000,
    uris: ['<sip:1001@acme.root.test>', '<sip:1002@acme.root.test>'],
    opts: {},
  });
});

test('paging, order, filter, mask and count hold over all sites together', async (t) => {
  for (const [index, site] of ['hq', 'north', 'south'].entries()) {
    const calls = [0, 1, 2].map((n) =>
      callOf('1001', '1002', { dialogid: `${index + 1}14-${n}`, site, startts: n * 10 + index }),
    );
    script.calls.set(site, calls);
  }
  const ids = async (query: string) => {
    const dialogs = good<{ dialogid: string }[]>(t, await ask(`GET ${base}?${query}`));
    return dialogs.map(({ dialogid }) => dialogid);
  };
  t.deepEqual(await ids('offset=2&limit=3'), ['314-0', '114-1', '214-1']);
  t.deepEqual(
    script.take('callstore.list').map(({ body }) => body.params),
    Array(3).fill([['limit', '5']]),
  );
  t.deepEqual(await ids('order=[{"startts":"desc"}]&limit=2'), ['314-2', '214-2']);
  t.deepEqual(await ids(`filter=${encodeURIComponent('{"site":"south"}')}&offset=1`), ['314-1', '314-2']);
  t.deepEqual(await ids('offset=9'), []);
  t.deepEqual(await ids(`offset=${Number.MAX_SAFE_INTEGER}`), []);
  t.deepEqual(good(t, await ask(`GET ${base}?mask=dialogid,conftype&limit=1`)), [{ dialogid: '114-0' }]);
  t.deepEqual(good(t, await ask(`GET ${base}?countonly`)), { count: 9 });
  t.deepEqual(good(t, await ask(`GET ${base}?countonly&limit=1&filter={"site":"hq"}`)), { count: 3 });
});

test('a list that is longer than one message may be comes whole', async (t) => {
  const long = 'x'.repeat(2_000);
  const calls = Array.from({ length: 900 }, (_, n) =>
    callOf('1001', '1002', { dialogid: `114-${n}`, site: 'hq', startts: n, opts: { long } }),
  );
  script.calls.set('hq', calls);
  const dialogs = good<{ dialogid: string }[]>(t, await ask(`GET ${base}`));
  t.deepEqual(
    dialogs.map(({ dialogid }) => dialogid),
    calls.map(({ dialogid }) => dialogid),
  );
});

test('one call is shown by its id, and masked', async (t) => {
  script.calls.set('south', [callOf('1001', '1002', { dialogid: '314-7', site: 'south' })]);
  t.like(good<object>(t, await ask(`GET ${base}/314-7`)), { dialogid: '314-7', site: 'south', status: 'dialog' });
  t.deepEqual(good(t, await ask(`GET ${base}/314-7?mask=site`)), { site: 'south' });
  for (const id of ['314-8', '999-1', 'x', '%2F']) {
    refused(t, await ask(`GET ${base}/${id}`), 404, /^Call\/Participant not found$/);
  }
});

test('calls of another domain are not there', async (t) => {
  script.calls.set('north', [callOf('1001', '1002', { dialogid: '214-1', domains: ['globex.root.test'] })]);
  t.deepEqual(good(t, await ask(`GET ${base}`)), []);
  refused(t, await ask(`GET ${base}/214-1`), 404);
  refused(t, await ask(`DELETE ${base}/214-1`), 404);
  refused(t, await ask(`LOOKUP ${base}`, { dialogid: '214-1' }), 404, /^Lookup failed$/);
});

test('LOOKUP finds a call by every key, the first in the documented order', async (t) => {
  const { cluster } = script;
  script.calls.set('north', [callOf('1001', '1002', { dialogid: '214-1' })]);
  const { body: states } = await cluster.ask('GET /rest/v1/iam/sessions/current', { token: userToken });
  const { user_id } = states as { user_id: string };
  const users = await script.cluster.world.cluster
    .node('n1')
    ?.ask('north/n1/sdc-218', 'directory.sipusers', { domain: 'acme.root.test', logins: ['1002'] });
  const sipuserid = users?.ok ? users.value.users[0]?.id : '';
  const searches: object[] = [
    { dialogid: '214-1' },
    { inviteid: 'invite-214-1' },
    { inviteid: 'INVITE-214-1' },
    { callid: '214-1-b' },
    { uri: '<sip:1002@acme.root.test>' },
    { uri: 'sip:1002@acme.root.test' },
    { from: '1001' },
    { from: '1001', mode: 'number' },
    { from: '1002', mode: 'sipuser' },
    { sipuserid },
    { sipuserlogin: '1001' },
    { sipuserphonenumber: '1002' },
    { userid: user_id },
    { userid: 'unknown', callid: '214-1-a' },
    { mode: 'sipuser', dialogid: '214-1', from: 'unknown' },
  ];
  for (const search of searches) {
    t.deepEqual(good(t, await ask(`LOOKUP ${base}`, search)), ['214-1'], JSON.stringify(search));
  }
  for (const search of [
    { dialogid: '214-2' },
    { dialogid: 'x', callid: '214-1-a' },
    { userid: '00000000-0000-0000-0000-000000000001' },
    { userid: '00000000-0000-0000-0000-000000000000' },
    { sipuserphonenumber: '1234' },
    { from: '1003' },
  ]) {
    refused(t, await ask(`LOOKUP ${base}`, search), 404, /^Lookup failed$/);
  }
});

test('a call is started by an ivr of the local site, and answered with the result of that ivr', async (t) => {
  const result = {
    result: 'ok' as const,
    ivrcallid: 'i1',
    acallid: 'a1',
    last_response: 'SIP/2.0 200 OK',
    dialogid: '1',
  };
  script.on('ivr.call', () => done(result));
  t.deepEqual(good(t, await ask(`POST ${base}`, { from: '1001', to: '1002' })), result);
  const order = {
    domain: 'acme.root.test',
    from: '1001',
    to: '1002',
    mode: 'number',
    timeoutMs: 30_000,
    responseMode: 1,
  };
  t.deepEqual(script.take('ivr.call') as unknown, [{ at: 'ivr-131', body: { request: order } }]);
  const all = { mode: 'sipuser', callerid: '77', callername: 'Desk', timeout: 5, label: 'x', response_mode: 3 };
  await script.cluster.ask(`POST ${base}`, {
    at: 'south',
    token,
    json: { from: 'anna', to: '1002@globex.root.test', ...all },
  });
  const { timeout: _, response_mode: __, ...rest } = all;
  t.deepEqual(script.take('ivr.call') as unknown, [
    {
      at: 'ivr-325',
      body: {
        request: {
          ...rest,
          domain: 'acme.root.test',
          from: 'anna',
          to: '1002@globex.root.test',
          timeoutMs: 5_000,
          responseMode: 3,
        },
      },
    },
  ]);
});

test('INVITE has a b2b call both, and answers without ivrcallid', async (t) => {
  script.on('dialog.originate', () => done({ result: 'no_answer', ivrcallid: 'x', dialogid: '114-1' }));
  t.deepEqual(good(t, await ask(`INVITE ${base}`, { from: '1001', to: '1002', response_mode: 0 })), {
    result: 'no_answer',
    dialogid: '114-1',
  });
  t.like(script.take('dialog.originate')[0], { at: 'b2b-114' });
});

test('an answer that comes late is waited for as long as X and Y may ring', async (t) => {
  const { world } = script.cluster;
  script.on('ivr.call', ({ request }, { clock }) => {
    return new Promise((resolve) => {
      clock.setTimer(request.timeoutMs + 20_000, () => resolve(done({ result: 'timeout' as const, ivrcallid: 'i' })));
    });
  });
  const answer = await ask(`POST ${base}`, { from: '1001', to: '1002', timeout: 30, response_mode: 3 });
  t.is(good<{ result: string }>(t, answer).result, 'timeout');
  t.true(answer.tookMs >= 50_000 && answer.tookMs < 51_000);
  const late = await ask(`POST ${base}`, { from: '1001', to: '1002', timeout: 10, response_mode: 1 });
  refused(t, late, 504, /it may have happened/);
  t.true(late.tookMs >= 15_000 && late.tookMs < 16_000, `${late.tookMs}`);
  await world.wait(60_000);
});

test('a refusal of ivr comes through; where no ivr has room or is there, it is named', async (t) => {
  script.on('ivr.call', () => failed(fault('overloaded', 'no room for another call')));
  refused(t, await ask(`POST ${base}`, { from: '1001', to: '1002' }), 503, /^no room for another call$/);
  t.deepEqual(
    script.take('ivr.call').map(({ at }) => at),
    ['ivr-131', 'ivr-225', 'ivr-325'],
  );
  script.on('ivr.call', () => failed(fault('crashed', 'ivr died of it')));
  refused(t, await ask(`POST ${base}`, { from: '1001', to: '1002' }), 504);
  t.is(script.take('ivr.call').length, 1);
});

test('DELETE, NOTIFY, SEND_DTMF, SETUP_RECORD and SETUP_BINDINGS tell the b2b that has the call', async (t) => {
  script.calls.set('north', [callOf('1001', '1002', { dialogid: '214-1' })]);
  script.on('dialog.command', ({ command }) => done(command.verb === 'bind' ? { bindings: ['x', 'y'] } : {}));
  const rows: [line: string, body: object | undefined, command: object, more?: object][] = [
    ['DELETE', undefined, { verb: 'end' }],
    ['NOTIFY', { to: 'a', event: 'hold' }, { verb: 'notify', to: 'a', event: 'hold' }],
    ['NOTIFY', { to: 'b', event: 'talk' }, { verb: 'notify', to: 'b', event: 'talk' }],
    ['SEND_DTMF', { to: 'b', dtmf: '#' }, { verb: 'dtmf', to: 'b', dtmf: '#' }],
    ['SETUP_RECORD', { action: 'start' }, { verb: 'record', action: 'start' }],
    ['SETUP_ASR', { side: 'b', action: 'start' }, { verb: 'transcribe', side: 'b', action: 'start' }],
    ['SETUP_BINDINGS', { add: ['y'] }, { verb: 'bind', add: ['y'], remove: [] }, { bindings: ['x', 'y'] }],
    ['SETUP_BINDINGS', { remove: ['z'] }, { verb: 'bind', add: [], remove: ['z'] }, { bindings: ['x', 'y'] }],
  ];
  for (const [verb, body, command, more = {}] of rows) {
    const answer = good(t, await ask(`${verb} ${base}/214-1`, body));
    t.deepEqual(answer, { dialogid: '214-1', result: 'ok', ...more });
    t.deepEqual(script.take('dialog.command') as unknown, [{ at: 'b2b-214', body: { dialogid: '214-1', command } }]);
  }
  script.on('dialog.command', () => failed(fault('not_found', 'no such dialog')));
  refused(t, await ask(`DELETE ${base}/214-1`), 404, /^Call\/Participant not found$/);
  script.on('dialog.command', () => failed(fault('conflict', 'it is not answered')));
  refused(t, await ask(`SEND_DTMF ${base}/214-1`, { to: 'a', dtmf: '1' }), 409, /^it is not answered$/);
});

test('a user reads the calls of its domain, and changes only its own', async (t) => {
  script.calls.set('north', [
    callOf('1001', '1002', { dialogid: '214-1' }),
    callOf('1003', '1004', { dialogid: '214-2' }),
  ]);
  script.on('dialog.command', () => done({}));
  const ids = (body: unknown) => (body as { dialogid: string }[]).map(({ dialogid }) => dialogid);
  t.deepEqual(ids(good(t, await ask(`GET ${base}`, undefined, userToken))), ['214-1', '214-2']);
  good(t, await ask(`LOOKUP ${base}`, { from: '1003' }, userToken));
  for (const line of [`DELETE ${base}/214-1`, `POST ${base}`, `INVITE ${base}`, `REFER ${base}/214-1`]) {
    refused(t, await ask(line, {}, userToken), 403, /access role admin/);
  }
  for (const path of own) {
    t.deepEqual(ids(good(t, await ask(`GET ${path}`, undefined, userToken))), ['214-1']);
    good(t, await ask(`GET ${path}/214-1`, undefined, userToken));
    refused(t, await ask(`GET ${path}/214-2`, undefined, userToken), 404);
    t.deepEqual(good(t, await ask(`LOOKUP ${path}`, { callid: '214-1-a' }, userToken)), ['214-1']);
    refused(t, await ask(`LOOKUP ${path}`, { callid: '214-2-a' }, userToken), 404, /^Lookup failed$/);
    good(t, await ask(`DELETE ${path}/214-1`, undefined, userToken));
    refused(t, await ask(`DELETE ${path}/214-2`, undefined, userToken), 404);
    // No SIP user is bound to the administrator.
    t.deepEqual(good(t, await ask(`GET ${path}`)), []);
    t.deepEqual(good(t, await ask(`GET ${path}?countonly`, undefined, userToken)), { count: 1 });
  }
});

test('a user starts calls of its own SIP users only', async (t) => {
  script.on('ivr.call', () => done({ result: 'ok', ivrcallid: 'i' }));
  for (const path of own) {
    good(t, await ask(`POST ${path}`, { from: '1001', to: '1003' }, userToken));
    good(t, await ask(`POST ${path}`, { from: '1003', to: '1001' }, userToken));
    refused(t, await ask(`POST ${path}`, { from: '1003', to: '1004' }, userToken), 403, /bound to the user/);
    refused(t, await ask(`POST ${path}`, { from: '1001@globex.root.test', to: '1004' }, userToken), 403);
    refused(t, await ask(`POST ${path}`, { from: '1001', to: '1004' }), 403);
  }
});

test('the master domain has calls of its own', async (t) => {
  const master = await script.cluster.token(admin);
  script.calls.set('hq', [callOf('1', '2', { dialogid: '114-1', site: 'hq', domains: ['root.test'] })]);
  script.calls.set('north', [callOf('1', '2', { dialogid: '214-1' })]);
  const dialogs = good<{ dialogid: string }[]>(t, await ask(`GET ${base}`, undefined, master));
  t.deepEqual(
    dialogs.map(({ dialogid }) => dialogid),
    ['114-1'],
  );
});
