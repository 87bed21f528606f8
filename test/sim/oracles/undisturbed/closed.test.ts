/** The oracles of which items and parties a request may be about. */
import type { OracleMaker } from '../../../../sim/oracles/oracle.ts';
import { transfersReturned } from '../../../../sim/oracles/rules/legs/transfers-returned.ts';
import { partiesNamed } from '../../../../sim/oracles/rules/routes/parties-named.ts';
import { domainsClosed } from '../../../../sim/oracles/rules/shown/domains-closed.ts';
import { test } from '../../../kit/test.ts';
import { Trial } from '../trial.ts';

const sessions = '/rest/v1/iam/sessions';
const campaigns = '/rest/v1/uc/chatcampaigns';
const itemid = '7f319015-036e-4162-8588-057ec740ca01';

interface Request {
  readonly client?: string;
  readonly method: string;
  readonly target: string;
  readonly sent?: object;
  readonly status?: number;
  readonly body?: object;
}

let ids = 0;

function ask(trial: Trial, { client = '', method, target, sent = {}, status = 200, body = {} }: Request): Trial {
  ids += 1;
  const about = { id: ids, site: 'hq', method, target };
  trial.see('request.received', { ...about, client, sent: JSON.stringify(sent) });
  return trial.see('request.answered', { ...about, status, tookMs: 1, body: JSON.stringify(body), ageS: undefined });
}

/** A session of each domain. */
function loggedIn(maker: OracleMaker): Trial {
  const trial = new Trial(maker);
  for (const domain of ['acme.root.test', 'globex.root.test'])
    ask(trial, { method: 'POST', target: sessions, sent: { domain, login: 'x' }, body: { session_token: domain } });
  return trial;
}

test('domains-closed: an item is there for the sessions of its own domain only', (t) => {
  const read = (client: string, status: number) => {
    const trial = loggedIn(domainsClosed);
    ask(trial, { client: 'acme.root.test', method: 'POST', target: campaigns, body: { id: itemid } });
    return ask(trial, { client, method: 'GET', target: `${campaigns}/${itemid}`, status });
  };
  t.is(read('globex.root.test', 404).verdict, 'pass');
  t.regex(read('globex.root.test', 200).failures.join(), /of globex.root.test with 200: the item is of acme.root.test/);
  t.is(read('acme.root.test', 200).verdict, 'unknown');
});

const party = { side: 'a', kind: 'sipuser', domain: 'acme.root.test', name: 'ann', number: '1001' };

for (const [by, verdict, more] of [
  ['<sip:1001@acme.root.test>', 'pass', {}],
  ['sip:ann@acme.root.test', 'pass', {}],
  ['<sip:1001@globex.root.test>', 'fail', {}],
  ['<sip:1001@globex.root.test>', 'pass', { kind: 'account' }],
  ['<sip:1001@10.1.1.1>', 'pass', {}],
  ['a', 'unknown', {}],
] as const) {
  test(`parties-named: a command for ${by} to a call of 1001 of acme, ${JSON.stringify(more)}: ${verdict}`, (t) => {
    const trial = loggedIn(partiesNamed);
    const legs = [{ remoteuri: '<sip:1001@10.1.1.1>' }];
    const uris = { localuri: '<sip:1001@acme.root.test>', remoteuri: '<sip:1002@acme.root.test>' };
    const dialog = { dialogid: 'd', legs, ...uris, participations: [{ ...party, ...more }] };
    const body = { epoch: 1, items: [{ n: 1, dialog }] };
    trial.send({ type: 'stream.published', from: 'north/n1/b2b-214', body: body as never });
    ask(trial, { method: 'REFER', target: '/rest/v1/uc/calls/d', sent: { by, referto: '1002' } });
    t.is(trial.verdict, verdict);
  });
}

const ivr = 'north/n2/ivr-225';

/** A transfer with or without a number to return to has failed; then the call of IVR is in this state. */
function transferred(state: string, returnTo: string | undefined, sipfrag = 'SIP/2.0 486 Busy Here'): Trial {
  const trial = new Trial(transfersReturned);
  const replaces = { callid: 'leg', toTag: 't', fromTag: 'f' };
  const [mware, b2b] = ['north/n1/mware-215', 'north/n1/b2b-214'];
  const body = { request: {}, replaces, ...(returnTo !== undefined && { returnTo }) };
  trial.send({ type: 'ivr.call', kind: 'ask', from: mware, to: ivr, body });
  // Seeds 90046 and 91590 of the campaign: other calls of the instance may begin first.
  trial.send({ type: 'sip', from: ivr, to: b2b, body: { kind: 'request', method: 'INVITE', callid: 'other', to: {} } });
  trial.send({
    type: 'sip',
    from: ivr,
    to: b2b,
    body: { kind: 'request', method: 'INVITE', callid: 'c', to: {}, replaces },
  });
  for (const callid of ['other', 'c']) {
    const notify = { kind: 'request', method: 'NOTIFY', callid, event: 'refer', sipfrag };
    trial.send({ type: 'sip', from: b2b, to: ivr, body: notify });
    const next = callid === 'c' ? state : 'ending';
    trial.see('entity.state', { owner: ivr, machine: 'ivr-call', key: callid, state: next, before: 'following' });
  }
  return trial;
}

test('transfers-returned: a party whose transfer has failed is sent back', (t) => {
  t.is(transferred('returning', '1001').verdict, 'pass');
  t.regex(transferred('ending', '1001').failures.join(), /its transfer has failed, and it is ending, not sent back/);
  t.is(transferred('ending', undefined).verdict, 'unknown');
  t.is(transferred('ending', '1001', 'SIP/2.0 200 OK').verdict, 'unknown');
});
