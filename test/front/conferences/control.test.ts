/** Conference control, over roles that the test plays. */
import { done, failed, fault } from '../../../src/model/fault.ts';
import { callOf, conferenceOf, ScriptedCalls, user } from '../../kit/calls/scripted-calls.ts';
import { acmeAdmin, acmeUser, good, refused } from '../../kit/front.ts';
import { scopedTest } from '../../kit/scoped.ts';

const test = scopedTest();

const base = '/rest/v1/uc/conferences';
const own = ['/rest/v1/uc/conferences_by_participation', '/rest/v1/user/sip/conferences'];
const missing = /^Call\/Participant not found$/;
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
  script.conferences.clear();
  script.asked.length = 0;
});

function ask(line: string, json?: unknown, as = token) {
  return script.cluster.ask(line, { token: as, ...(json === undefined ? {} : { json }) });
}

test('a list has the conferences of the domain from all conf instances, with the documented fields', async (t) => {
  script.conferences.set('conf-224', [conferenceOf('224-1', ['1001', '1002'])]);
  script.conferences.set('conf-125', [conferenceOf('125-1', [], { startts: 1, site: 'hq', conf: 'hq/h2/conf-125' })]);
  script.conferences.set('conf-324', [conferenceOf('324-1', [], { domain: 'globex.root.test' })]);
  const listed = good<object[]>(t, await ask(`GET ${base}`));
  t.deepEqual(listed[1], {
    confid: '224-1',
    confroomnum: '01',
    confnumber: '157d',
    uri: '<sip:5501@acme.root.test>',
    confuri: '<sip:5501@acme.root.test>',
    site: 'north',
    startts: 2_000,
    uris: ['<sip:1001@acme.root.test>', '<sip:1002@acme.root.test>'],
  });
  const ids = async (query: string) =>
    good<{ confid: string }[]>(t, await ask(`GET ${base}?${query}`)).map(({ confid }) => confid);
  t.deepEqual(await ids(''), ['125-1', '224-1']);
  t.deepEqual(await ids('order={"startts":"desc"}&limit=1'), ['224-1']);
  t.deepEqual(await ids('filter={"conftype":"conference","site":"hq"}'), ['125-1']);
  t.deepEqual(await ids('filter={"conftype":"videoconference"}'), []);
  t.deepEqual(good(t, await ask(`GET ${base}?mask=confid,conftype&offset=1`)), [{ confid: '224-1' }]);
  t.deepEqual(good(t, await ask(`GET ${base}?countonly=true&limit=1`)), { count: 2 });
});

test('a conference is shown by its id, with its type', async (t) => {
  script.conferences.set('conf-224', [conferenceOf('224-1', ['1001'])]);
  t.like(good<object>(t, await ask(`GET ${base}/224-1`)), {
    confid: '224-1',
    conftype: 'conference',
    confuri: '<sip:5501@acme.root.test>',
  });
  t.deepEqual(good(t, await ask(`GET ${base}/224-1?mask=conftype`)), { conftype: 'conference' });
  for (const confid of ['224-2', '999-1', 'x']) {
    refused(t, await ask(`GET ${base}/${confid}`), 404, missing);
    refused(t, await ask(`DELETE ${base}/${confid}`), 404, missing);
    refused(t, await ask(`GET ${base}/${confid}/participants`), 404, missing);
    refused(t, await ask(`GET ${base}/${confid}/topology`), 404, missing);
  }
});

test('LOOKUP finds a conference by every key, directly or through a call with it', async (t) => {
  script.conferences.set('conf-224', [conferenceOf('224-1', ['1001'])]);
  const conference = {
    side: 'b' as const,
    kind: 'conference' as const,
    domain: 'acme.root.test',
    name: '224-1',
    number: '5501',
  };
  script.calls.set('north', [
    callOf('1001', '5501', { dialogid: '214-1', participations: [user('a', '1001'), conference] }),
    callOf('1001', '1003', { dialogid: '214-2' }),
  ]);
  const { body: session } = await script.cluster.ask('GET /rest/v1/iam/sessions/current', { token: userToken });
  const searches: object[] = [
    { dialogid: '214-1' },
    { inviteid: 'invite-214-1' },
    { callid: '214-1-a' },
    { uri: '<sip:1001@acme.root.test>' },
    { from: '1001' },
    { from: '1001', mode: 'sipuser' },
    { sipuserlogin: '1001' },
    { sipuserphonenumber: '1001' },
    { userid: (session as { user_id: string }).user_id },
    { userid: (session as { user_id: string }).user_id.toUpperCase() },
    { confid: '224-1' },
    { confuri: '<sip:5501@acme.root.test>' },
    { confuri: 'sip:5501@acme.root.test' },
    { confuri: '<sip:5501@ACME.root.test>' },
    { confroomnum: '01' },
    { confnumber: '157d' },
    { confnumber: '157D' },
    { confid: 'unknown', callid: '214-1-a' },
  ];
  for (const search of searches) {
    t.deepEqual(good(t, await ask(`LOOKUP ${base}`, search)), ['224-1'], JSON.stringify(search));
  }
  for (const search of [
    { confid: '224-2' },
    { dialogid: '214-2' },
    { confroomnum: '1' },
    { callid: 'x', confid: '224-1' },
  ]) {
    refused(t, await ask(`LOOKUP ${base}`, search), 404, /^Lookup failed$/);
  }
});

test('participants are listed in the order in which they came, and shown one by one', async (t) => {
  script.conferences.set('conf-224', [conferenceOf('224-1', ['1001', '1002', '1003'])]);
  for (const path of [`${base}/224-1/participants`, `${base}/224-1/paticipants`]) {
    const listed = good<{ participantid: string }[]>(t, await ask(`GET ${path}`));
    t.deepEqual(
      listed.map(({ participantid }) => participantid),
      ['p3', 'p2', 'p1'],
    );
    t.deepEqual(listed[2] as object, {
      participantid: 'p1',
      state: 'active',
      callid: '224-1-1001',
      luri: '<sip:5501@acme.root.test>',
      ltag: 'l0',
      ruri: '<sip:1001@acme.root.test>',
      rtag: 'r0',
    });
    t.deepEqual(good(t, await ask(`GET ${path}?countonly&filter={"rtag":"r1"}`)), { count: 1 });
    t.deepEqual(good(t, await ask(`GET ${path}?mask=rtag&limit=1`)), [{ rtag: 'r2' }]);
    t.deepEqual(good(t, await ask(`GET ${path}/p2?mask=participantid`)), { participantid: 'p2' });
    refused(t, await ask(`GET ${path}/p4`), 404, missing);
  }
});

test('commands go to the conf instance that has the conference', async (t) => {
  script.conferences.set('conf-224', [conferenceOf('224-1', ['1001'])]);
  script.on('conference.call', () => done({ participantids: ['p9'] }));
  script.on('conference.remove', ({ participantid }) =>
    participantid === 'p1' ? done({}) : failed(fault('not_found', 'no such participant')),
  );
  script.on('conference.end', () => done({}));
  script.on('conference.hears', ({ hears }) => done({ hears: hears ?? { p1: [] } }));
  for (const participants of ['participants', 'paticipants']) {
    const path = `${base}/224-1/${participants}`;
    t.deepEqual(good(t, await ask(`POST ${path}`, { to: '1004' })), { confid: '224-1', participantid: 'p9' });
    t.deepEqual(script.take('conference.call') as unknown, [
      { at: 'conf-224', body: { confid: '224-1', invitations: [['1004', null]] } },
    ]);
    t.deepEqual(good(t, await ask(`DELETE ${path}/p1`)), { confid: '224-1', participantid: 'p1' });
    refused(t, await ask(`DELETE ${path}/p2`), 404, missing);
  }
  t.deepEqual(good(t, await ask(`GET ${base}/224-1/topology`)), { hears: { p1: [] } });
  t.deepEqual(good(t, await ask(`POST ${base}/224-1/topology`, { hears: { p1: ['p2'], p2: [] } })), {
    hears: { p1: ['p2'], p2: [] },
  });
  t.deepEqual(good(t, await ask(`DELETE ${base}/224-1`)), { confid: '224-1' });
  t.deepEqual(script.take('conference.end') as unknown, [{ at: 'conf-224', body: { confid: '224-1' } }]);
});

test('a refusal of conf comes through', async (t) => {
  script.conferences.set('conf-224', [conferenceOf('224-1', ['1001'])]);
  script.on('conference.call', () => failed(fault('overloaded', 'no room for another participant')));
  refused(t, await ask(`POST ${base}/224-1/participants`, { to: '1' }), 503, /^no room for another participant$/);
  script.on('conference.hears', () => failed(fault('invalid', 'hears: no participant "p7"')));
  refused(t, await ask(`POST ${base}/224-1/topology`, { hears: { p7: [] } }), 400, /^hears: no participant "p7"$/);
});

test('a conference of another domain is not there', async (t) => {
  script.conferences.set('conf-224', [conferenceOf('224-1', ['1001'], { domain: 'globex.root.test' })]);
  script.on('conference.end', () => done({}));
  refused(t, await ask(`GET ${base}/224-1`), 404, missing);
  refused(t, await ask(`DELETE ${base}/224-1`), 404, missing);
  refused(t, await ask(`LOOKUP ${base}`, { confid: '224-1' }), 404, /^Lookup failed$/);
  t.deepEqual(script.take('conference.end'), []);
});

test('a user reads all conferences of its domain, and changes those it is in', async (t) => {
  script.conferences.set('conf-224', [
    conferenceOf('224-1', ['1001', '1002']),
    conferenceOf('224-2', ['1003'], { startts: 3_000 }),
  ]);
  script.on('conference.end', () => done({}));
  const ids = (body: unknown) => (body as { confid: string }[]).map(({ confid }) => confid);
  t.deepEqual(ids(good(t, await ask(`GET ${base}`, undefined, userToken))), ['224-1', '224-2']);
  for (const line of [
    `DELETE ${base}/224-1`,
    `POST ${base}/224-1/participants`,
    `POST ${base}/224-1/topology`,
    `DELETE ${base}/224-1/paticipants/p1`,
  ]) {
    refused(t, await ask(line, {}, userToken), 403, /access role admin/);
  }
  for (const path of own) {
    t.deepEqual(ids(good(t, await ask(`GET ${path}`, undefined, userToken))), ['224-1']);
    t.deepEqual(good(t, await ask(`GET ${path}?countonly`, undefined, userToken)), { count: 1 });
    t.deepEqual(good(t, await ask(`LOOKUP ${path}`, { confroomnum: '01' }, userToken)), ['224-1']);
    refused(t, await ask(`LOOKUP ${path}`, { confid: '224-2' }, userToken), 404, /^Lookup failed$/);
    good(t, await ask(`GET ${path}/224-1/paticipants/p2`, undefined, userToken));
    good(t, await ask(`DELETE ${path}/224-1`, undefined, userToken));
    for (const line of [`GET ${path}/224-2`, `DELETE ${path}/224-2`, `GET ${path}/224-2/participants`]) {
      refused(t, await ask(line, undefined, userToken), 404, missing);
    }
    t.deepEqual(good(t, await ask(`GET ${path}`)), []);
  }
});
