/** Transfers: which party is asked to go where, over roles that the test plays. */
import { done, failed, fault } from '../../../src/model/fault.ts';
import type { DialogCommandBody, DialogRecord } from '../../../src/model/protocol/messages/dialog.ts';
import { callOf, conferenceOf, ScriptedCalls, user } from '../../kit/calls/scripted-calls.ts';
import { acmeAdmin, acmeUser, good, refused } from '../../kit/front.ts';
import { scopedTest } from '../../kit/scoped.ts';

const test = scopedTest();

const base = '/rest/v1/uc/calls';
const own = '/rest/v1/uc/calls_by_participation';
let script: ScriptedCalls;
let token: string;

test.before(async () => {
  script = await ScriptedCalls.start();
  token = await script.cluster.token(acmeAdmin);
});

test.beforeEach(() => {
  script.calls.clear();
  script.conferences.clear();
  script.on('dialog.command', ({ dialogid, command }) =>
    done(command.verb === 'identify' ? { identity: identityOf(dialogid, command.side) } : {}),
  );
  script.on('ivr.call', () => done({ result: 'ok', ivrcallid: 'i', acallid: 'n', dialogid: '214-9' }));
  script.asked.length = 0;
});

function identityOf(dialogid: string, side: string) {
  const replaces = { callid: `${dialogid}-${side}`, toTag: 't', fromTag: 'f' };
  return { number: `${dialogid}/${side}`, uri: `sip:${side}@${dialogid}`, replaces };
}

function ask(line: string, json: unknown, as = token) {
  return script.cluster.ask(line, { token: as, json });
}

function live(...calls: DialogRecord[]): void {
  script.calls.set('north', calls);
}

/** The commands that the b2b instances received, except the queries of an identity. */
function takeCommands(): { dialogid: string; command: DialogCommandBody }[] {
  return script.take('dialog.command').flatMap(({ body }) => (body.command.verb === 'identify' ? [] : [body]));
}

for (const by of ['a', '<sip:1001@acme.root.test>', 'sip:1001@acme.root.test']) {
  test(`REFER by ${by} has IVR call the opponent in the place of its leg, and refer it`, async (t) => {
    live(callOf('1001', '1002', { dialogid: '214-1' }));
    const answer = good(t, await ask(`REFER ${base}/214-1`, { by, referto: '1003', label: 'x', response_mode: 2 }));
    t.deepEqual(answer, { dialogid: '214-1', result: 'ok', ivrcallid: 'i', acallid: 'n', referdialogid: '214-9' });
    t.deepEqual(script.take('dialog.command') as unknown, [
      { at: 'b2b-214', body: { dialogid: '214-1', command: { verb: 'identify', side: 'b' } } },
    ]);
    const { number, replaces } = identityOf('214-1', 'b');
    t.deepEqual(script.take('ivr.call').map(({ body }) => body) as unknown, [
      {
        request: {
          domain: 'acme.root.test',
          from: number,
          to: '1003',
          mode: 'number',
          timeoutMs: 30_000,
          responseMode: 2,
          label: 'x',
        },
        replaces,
        referredBy: 'sip:1001@acme.root.test',
        returnTo: '1001',
      },
    ]);
  });
}

test('REFER by the callee transfers the caller, also while callees ring', async (t) => {
  for (const status of ['dialog', 'forking'] as const) {
    live(callOf('1001', '1002', { dialogid: '214-1', status }));
    for (const by of ['b', '<sip:1002@acme.root.test>']) {
      good(t, await ask(`REFER ${base}/214-1`, { by, referto: '1003' }));
      t.like(script.take('ivr.call')[0]?.body, { replaces: { callid: '214-1-a' }, returnTo: '1002' });
    }
  }
});

test('a side that is not in the call can not be referred', async (t) => {
  const rows: [status: DialogRecord['status'], by: string, message: RegExp][] = [
    ['forking', 'a', /^214-1: side b can't be referred now: side b has not answered$/],
    ['init', 'a', /in status init$/],
    ['init', 'b', /in status init$/],
    ['ending', 'a', /in status ending$/],
    ['ending', 'b', /in status ending$/],
  ];
  for (const [status, by, message] of rows) {
    live(callOf('1001', '1002', { dialogid: '214-1', status }));
    refused(t, await ask(`REFER ${base}/214-1`, { by, referto: '1003' }), 409, message);
    t.deepEqual(script.take('ivr.call'), []);
  }
});

test('an initiator that is no party is refused, and the parties are named', async (t) => {
  live(callOf('1001', '1002', { dialogid: '214-1' }));
  const answer = await ask(`REFER ${base}/214-1`, { by: '<sip:1003@acme.root.test>', referto: '1004' });
  refused(
    t,
    answer,
    400,
    /^by: expected a, b or one of <sip:1001@acme.root.test>, <sip:1002@acme.root.test>, got "<sip:1003/,
  );
  for (const by of ['<sip:1001@globex.root.test>', '1001', 'c']) {
    refused(t, await ask(`REFER ${base}/214-1`, { by, referto: '1004' }), 400, /^by: /);
  }
});

test('a party of another domain is called, and called back, in its own', async (t) => {
  const [a, b] = [user('a', '1001'), { ...user('b', '1002'), domain: 'globex.root.test' }];
  for (const [by, from, returnTo] of [
    ['a', '214-1/b@globex.root.test', '1001'],
    ['b', '214-1/a', '1002@globex.root.test'],
  ]) {
    live(callOf('1001', '1002', { dialogid: '214-1', participations: [a, b] }));
    good(t, await ask(`REFER ${base}/214-1`, { by, referto: '1003' }));
    const [{ body } = { body: undefined }] = script.take('ivr.call');
    t.deepEqual([body?.request.from, body?.returnTo], [from, returnTo]);
  }
});

test('a call that ends meanwhile, or can not take it, is 404 or 409', async (t) => {
  live(callOf('1001', '1002', { dialogid: '214-1' }));
  script.on('dialog.command', () => failed(fault('not_found', 'gone')));
  refused(t, await ask(`REFER ${base}/214-1`, { by: 'a', referto: '1' }), 404, /^Call\/Participant not found$/);
  script.on('dialog.command', () => failed(fault('conflict', 'a transfer is under way')));
  refused(t, await ask(`REFER ${base}/214-1`, { by: 'a', referto: '1' }), 409, /^a transfer is under way$/);
  refused(t, await ask(`REFER ${base}/214-2`, { by: 'a', referto: '1' }), 404, /^Call\/Participant not found$/);
});

test('REFERREPLACES connects the opponents of two calls of one party', async (t) => {
  live(callOf('1001', '1002', { dialogid: '214-1' }), callOf('1003', '1001', { dialogid: '214-2' }));
  const answer = good(t, await ask(`REFERREPLACES ${base}/214-1`, { by: 'a', dialogid: '214-2' }));
  t.deepEqual(answer, { dialogid: '214-1', result: 'ok' });
  const { uri, replaces } = identityOf('214-2', 'a');
  const referredBy = { uri: 'sip:1001@acme.root.test' };
  t.deepEqual(takeCommands(), [
    { dialogid: '214-1', command: { verb: 'refer', sides: ['b'], referTo: { uri, replaces }, referredBy } },
  ]);
});

test('REFERREPLACES is refused where the party is not in the other call, or it is the same, or not answered', async (t) => {
  const first = callOf('1001', '1002', { dialogid: '214-1' });
  live(first, callOf('1003', '1004', { dialogid: '214-2' }));
  const verb = `REFERREPLACES ${base}/214-1`;
  refused(
    t,
    await ask(verb, { by: 'a', dialogid: '214-2' }),
    400,
    /^dialogid: <sip:1001@acme.root.test> takes no part in 214-2$/,
  );
  refused(t, await ask(verb, { by: 'a', dialogid: '214-1' }), 400, /^dialogid: expected that of another call$/);
  refused(t, await ask(verb, { by: 'a', dialogid: '214-3' }), 404);
  live(first, callOf('1001', '1004', { dialogid: '214-2', status: 'forking' }));
  refused(t, await ask(verb, { by: 'a', dialogid: '214-2' }), 409, /^214-2: side b /);
  t.deepEqual(takeCommands(), []);
});

test('SWITCHCONF refers both parties to a new conference', async (t) => {
  live(callOf('1001', '1002', { dialogid: '214-1' }));
  script.on('conference.create', () => done({ confid: '125-1', uri: '<sip:conf-125-1@acme.root.test>' }));
  for (const json of [{}, undefined]) {
    const asked = json === undefined ? {} : { json };
    const answer = await script.cluster.ask(`SWITCHCONF ${base}/214-1`, { token, ...asked });
    t.deepEqual(good(t, answer), { dialogid: '214-1', result: 'ok', confid: '125-1' });
    t.deepEqual(script.take('conference.create') as unknown, [{ at: 'conf-125', body: { domain: 'acme.root.test' } }]);
    const referTo = { uri: 'sip:conf-125-1@acme.root.test' };
    t.deepEqual(takeCommands(), [{ dialogid: '214-1', command: { verb: 'refer', sides: ['a', 'b'], referTo } }]);
  }
});

test('a conference to which the parties could not be referred is ended again', async (t) => {
  live(callOf('1001', '1002', { dialogid: '214-1' }));
  script.on('conference.create', () => {
    script.conferences.set('conf-224', [conferenceOf('224-1', [])]);
    return done({ confid: '224-1', uri: 'sip:conf-224-1@acme.root.test' });
  });
  script.on('conference.end', () => done({}));
  script.on('dialog.command', () => failed(fault('conflict', 'a transfer is under way')));
  refused(t, await ask(`SWITCHCONF ${base}/214-1`, {}), 409, /^a transfer is under way$/);
  t.deepEqual(script.take('conference.end') as unknown, [{ at: 'conf-224', body: { confid: '224-1' } }]);
  live(callOf('1001', '1002', { dialogid: '214-1', status: 'forking' }));
  refused(t, await ask(`SWITCHCONF ${base}/214-1`, {}), 409, /side b/);
});

test('REFERCONF refers the opponent to the room of a conference', async (t) => {
  live(callOf('1001', '1002', { dialogid: '214-1' }));
  script.conferences.set('conf-224', [conferenceOf('224-1', ['1005'])]);
  const answer = good(t, await ask(`REFERCONF ${base}/214-1`, { by: 'b', confid: '224-1' }));
  t.deepEqual(answer, { dialogid: '214-1', result: 'ok', confid: '224-1' });
  const referTo = { uri: 'sip:5501@acme.root.test' };
  const referredBy = { uri: 'sip:1002@acme.root.test' };
  t.deepEqual(takeCommands(), [{ dialogid: '214-1', command: { verb: 'refer', sides: ['a'], referTo, referredBy } }]);
  for (const confid of ['224-2', '999-1', 'x']) {
    refused(t, await ask(`REFERCONF ${base}/214-1`, { by: 'b', confid }), 404, /^Call\/Participant not found/);
  }
  t.deepEqual(takeCommands(), []);
});

test('a user transfers only calls of its own, and may bring an opponent into any conference', async (t) => {
  const as = await script.cluster.token(acmeUser);
  live(callOf('1001', '1002', { dialogid: '214-1' }), callOf('1003', '1004', { dialogid: '214-2' }));
  script.conferences.set('conf-224', [conferenceOf('224-1', ['1005'])]);
  good(t, await ask(`REFER ${own}/214-1`, { by: 'a', referto: '1003' }, as));
  good(t, await ask(`REFERCONF ${own}/214-1`, { by: 'a', confid: '224-1' }, as));
  refused(t, await ask(`REFER ${own}/214-2`, { by: 'a', referto: '1003' }, as), 404);
  refused(t, await ask(`REFERREPLACES ${own}/214-1`, { by: 'a', dialogid: '214-2' }, as), 404);
});

test('a conference does not go to another: they would talk to each other for ever', async (t) => {
  const room = { ...user('b', '5501'), kind: 'conference', name: '224-1' } as const;
  const call = (dialogid: string, to: string) =>
    callOf('1001', to, { dialogid, participations: [user('a', '1001'), { ...room, number: to }] });
  live(call('214-1', '5501'), call('214-2', '5502'));
  const wanted = /^214-1: side b is a conference, and can't join another$/;
  refused(t, await ask(`SWITCHCONF ${base}/214-1`, {}), 409, wanted);
  refused(t, await ask(`REFERCONF ${base}/214-1`, { by: 'a', confid: '224-2' }), 409, wanted);
  refused(t, await ask(`REFERREPLACES ${base}/214-1`, { by: 'a', dialogid: '214-2' }), 409, wanted);
  t.deepEqual(script.take('conference.create'), []);
  good(t, await ask(`REFER ${base}/214-1`, { by: 'a', referto: '1003' }));
});

test('a script does not follow a REFER: no command moves it, nor its opponent alone into a new conference', async (t) => {
  const menu = { ...user('b', 'ivr-menu'), kind: 'ivr', name: '225' } as const;
  const call = callOf('1001', 'ivr-menu', { dialogid: '214-1', participations: [user('a', '1001'), menu] });
  live(call, callOf('1001', '1002', { dialogid: '214-2' }));
  script.conferences.set('conf-224', [conferenceOf('224-1', ['1005'])]);
  const wanted = /^214-1: side b is an IVR script, and can't be referred$/;
  refused(t, await ask(`SWITCHCONF ${base}/214-1`, {}), 409, wanted);
  refused(t, await ask(`REFERCONF ${base}/214-1`, { by: 'a', confid: '224-1' }), 409, wanted);
  refused(t, await ask(`REFERREPLACES ${base}/214-1`, { by: 'a', dialogid: '214-2' }), 409, wanted);
  refused(t, await ask(`REFER ${base}/214-1`, { by: 'a', referto: '1003' }), 409, wanted);
  t.deepEqual(script.take('conference.create'), []);
  t.deepEqual(script.take('ivr.call'), []);
  good(t, await ask(`REFERCONF ${base}/214-1`, { by: 'b', confid: '224-1' }));
});
