/** The oracles of where calls go, how they end, and which devices the border rules let in. */

import { endsExplained } from '../../../sim/oracles/rules/calls/ends-explained.ts';
import { DialPlan } from '../../../sim/oracles/rules/kit/dial-plan.ts';
import { borderObeyed } from '../../../sim/oracles/rules/routes/border-obeyed.ts';
import { callsRouted } from '../../../sim/oracles/rules/routes/calls-routed.ts';
import { targetsOnce } from '../../../sim/oracles/rules/routes/targets-once.ts';
import { phonesOf, providersOf } from '../../../sim/outside/population.ts';
import { ClusterMap } from '../../../src/model/cluster/cluster-map.ts';
import type { SipMessage } from '../../../src/model/sip/message.ts';
import { defaultMap } from '../../kit/maps.ts';
import { test } from '../../kit/test.ts';
import { Trial } from './trial.ts';

const acme = 'acme.root.test';
const [gate] = defaultMap.instancesOf('sg');
const edge = gate === undefined ? '' : defaultMap.endpointOf(gate);
const provider = providersOf(defaultMap)[0]?.endpoint ?? '';

/** The endpoint of the phone of a number. */
function phone(number: string, domain = acme): string {
  return (
    phonesOf(defaultMap).find((each) => each.domain === domain && each.user.phonenumber === number)?.endpoint ?? ''
  );
}

function invite(trial: Trial, from: string, to: string, message: object): Trial {
  const common = { kind: 'request', method: 'INVITE', maxForwards: 70, cseq: 1, via: [], to: { uri: '' } };
  return trial.see('outside.sent', { from, to, message: { ...common, ...message } as unknown as SipMessage });
}

function answer(trial: Trial, from: string, to: string, message: object): Trial {
  const common = { kind: 'response', method: 'INVITE', reason: '', cseq: 1, via: [], to: { uri: '' } };
  return trial.see('outside.sent', { from, to, message: { ...common, ...message } as unknown as SipMessage });
}

/** 1001 of acme dials a number. */
function dial(number: string, { domain = acme, map = defaultMap }: { domain?: string; map?: ClusterMap } = {}): Trial {
  const trial = new Trial(callsRouted, { map }).pass(120_000);
  const from = { uri: `sip:1001@${acme}`, tag: 'a' };
  return invite(trial, phone('1001'), edge, { callid: 'x', uri: `sip:${number}@${domain}`, from });
}

interface Reached {
  readonly at: string;
  readonly uri?: string;
  readonly as?: string;
  readonly called?: string;
}

/** The platform calls an endpoint for it, and the caller hears of the call. */
function reach(trial: Trial, { at, uri = 'sip:any@any', as = '1001', called = '1002' }: Reached): Trial {
  const request = {
    callid: `y ${at}`,
    inviteid: 'i',
    uri,
    from: { uri: `sip:${as}@${acme}` },
    to: { uri: `sip:${called}@${acme}` },
  };
  invite(trial, edge, at, request);
  return answer(trial, edge, phone('1001'), { callid: 'x', inviteid: 'i', status: 180 });
}

function ends(trial: Trial, status: number): string {
  return answer(trial, edge, phone('1001'), { callid: 'x', inviteid: 'i', status }).verdict;
}

test('calls-routed: fails for a call that comes to another device, or shows another caller or callee', (t) => {
  t.is(reach(dial('1002'), { at: phone('1002') }).verdict, 'pass');
  t.regex(reach(dial('1002'), { at: phone('1003') }).failures.join(), /leads to the SIP user 1002/);
  t.is(reach(dial('1002'), { at: phone('1002', 'globex.root.test') }).verdict, 'fail');
  t.regex(reach(dial('1002'), { at: phone('1002'), as: '1004' }).failures.join(), /sees 1004 as the caller/);
  t.regex(reach(dial('1002'), { at: phone('1002'), called: '1004' }).failures.join(), /sees sip:1004/);
  t.is(reach(dial('5507'), { at: phone('1002') }).verdict, 'fail');
});

test('calls-routed: a redirection leads on', (t) => {
  const redirected = (contact: string) => {
    const trial = reach(dial('1002'), { at: phone('1002') });
    answer(trial, phone('1002'), edge, { callid: `y ${phone('1002')}`, status: 302, contacts: [contact] });
    return reach(trial, { at: phone('1003'), called: '1003' }).verdict;
  };
  t.is(redirected(`sip:1003@${acme}`), 'pass');
  t.is(redirected(`sip:1004@${acme}`), 'fail');
});

test('calls-routed: a number that is not assigned goes to the provider account of the domain, as it was dialled', (t) => {
  t.is(reach(dial('4930'), { at: provider, uri: 'sip:4930@sip.telecom.test', as: 'acme' }).verdict, 'pass');
  t.is(reach(dial('4930'), { at: provider, uri: 'sip:4931@sip.telecom.test', as: 'acme' }).verdict, 'fail');
  t.is(reach(dial('4930'), { at: provider, uri: 'sip:4930@sip.telecom.test', as: 'globex' }).verdict, 'fail');
});

test('calls-routed: what leads to nothing is answered with 404, a room with 200', (t) => {
  t.is(ends(dial('7042', { domain: 'globex.root.test' }), 404), 'pass');
  t.is(ends(dial('7042', { domain: 'globex.root.test' }), 503), 'fail');
  const domains = defaultMap.topology.domains.map((each) => ({ ...each, unknownNumbers: 'refuse' as const }));
  const strict = new ClusterMap({ ...defaultMap.topology, domains });
  t.is(ends(dial('7042', { map: strict }), 404), 'pass');
  t.is(ends(dial('7042', { map: strict }), 200), 'fail');
  t.is(ends(dial('5507'), 200), 'pass');
  t.is(ends(dial('5507'), 404), 'fail');
});

test('calls-routed: the only device that was called decides the answer, and who is not called is away', (t) => {
  const refused = (status: number) => {
    const trial = reach(dial('1002'), { at: phone('1002') });
    return answer(trial, phone('1002'), edge, { callid: `y ${phone('1002')}`, status });
  };
  t.is(ends(refused(603), 603), 'pass');
  t.is(ends(refused(603), 480), 'fail');
  // Seed 30081 of the campaign: a redirection that names no contact is a refusal.
  t.is(ends(refused(302), 480), 'pass');
  t.is(ends(refused(302), 302), 'fail');
  const ended = { id: 1, site: 'hq', method: 'DELETE', target: '/rest/v1/uc/calls/d', client: '', sent: undefined };
  t.is(ends(refused(603).see('request.received', ended), 480), 'pass');
  t.is(ends(dial('1002'), 480), 'pass');
  t.is(ends(dial('1002'), 404), 'fail');
});

test('calls-routed: no answer is judged amid faults, or once the caller has taken the call back', (t) => {
  t.is(ends(dial('5507').see('fault.inflicted', { fault: 1, verb: 'cut', args: [] }), 503), 'unknown');
  const taken = dial('5507');
  taken.see('outside.sent', {
    from: phone('1001'),
    to: edge,
    message: { kind: 'request', method: 'CANCEL', callid: 'x' } as SipMessage,
  });
  t.is(ends(taken, 487), 'unknown');
});

test('dial plan: numbers that clients use lead nowhere that is known', (t) => {
  const plan = new DialPlan(defaultMap);
  const ask = (method: string, target: string, sent: object) =>
    plan.listeners['request.received']?.({
      kind: 'request.received',
      atMs: 0,
      id: 1,
      site: 'hq',
      client: '',
      method,
      target,
      sent: JSON.stringify(sent),
    });
  t.is(plan.leadOf(acme, '8812')?.kind, 'outside');
  ask('POST', '/rest/v1/uc/sipusers', { phonenumber: '8812' });
  t.is(plan.leadOf(acme, '8812'), undefined);
  t.is(plan.leadOf(acme, '1002')?.kind, 'user');
  ask('DELETE', '/rest/v1/uc/sipusers/one-of-the-topology', {});
  t.is(plan.leadOf(acme, '1002'), undefined);
});

const rules = '/rest/v1/master/borderrules';
let ids = 0;

function change(
  trial: Trial,
  method: string,
  target: string,
  { status = 200, body = {} }: { status?: number; body?: object } = {},
) {
  ids += 1;
  const about = { id: ids, site: 'hq', method, target };
  trial.see('request.received', { ...about, client: 'token', sent: '{}' });
  return trial.see('request.answered', { ...about, status, tookMs: 1, body: JSON.stringify(body), ageS: undefined });
}

const plain = { priority: 0, site: '*', domain: '', username: '', useragent: '', remoteipmask: '', enabled: 1 };

/** A rule is made; five seconds later an unknown device wants to register, and is answered. */
function knocking(rule: object, status: number | undefined, between: (trial: Trial) => void = () => {}): Trial {
  const trial = change(new Trial(borderObeyed).pass(120_000), 'POST', rules, { body: { id: 'r', ...plain, ...rule } });
  between(trial);
  trial.pass(6_000);
  const from = { uri: 'sip:stranger@root.test', tag: 'a' };
  invite(trial, '10.66.2.7:5060', edge, { method: 'REGISTER', callid: 'k', uri: 'sip:root.test', from });
  if (status !== undefined) answer(trial, edge, '10.66.2.7:5060', { method: 'REGISTER', callid: 'k', status });
  return trial.pass(6_000);
}

for (const [what, rule, right] of [
  ['its user', { username: 'stranger', action: 'deny' }, 403],
  ['its user, by an expression', { username: '/^str/', domain: 'root.test', action: 'deny' }, 403],
  ['its address', { remoteipmask: '10.66.2.0/24', action: 'deny' }, 403],
  ['its address, of several', { remoteipmask: '10.66.2.1+9', action: 'drop' }, undefined],
  ['another user', { username: 'other', action: 'deny' }, 401],
  ['another site', { site: 'nowhere', username: 'stranger', action: 'deny' }, 401],
  ['no device, for it is not in force', { username: 'stranger', action: 'deny', enabled: 0 }, 401],
] as const) {
  test(`border-obeyed: a rule that means ${what}: ${right ?? 'no answer'}`, (t) => {
    for (const status of [401, 403, undefined])
      t.is(knocking(rule, status).verdict, status === right ? 'pass' : 'fail', String(status));
  });
}

// Seed 74247 of the campaign: the device of a SIP user that a client has made.
test('border-obeyed: does not judge a device that has credentials', (t) => {
  const trial = change(new Trial(borderObeyed).pass(120_000), 'POST', rules, {
    body: { id: 'r', ...plain, action: 'allow' },
  });
  trial.pass(6_000);
  const [from, own] = [{ uri: 'sip:1201@root.test', tag: 'a' }, '10.99.1.1:5060'];
  const request = { method: 'REGISTER', callid: 'k', uri: 'sip:root.test', from };
  invite(trial, own, edge, request);
  invite(trial, own, edge, { ...request, credentials: { username: '1201' } });
  t.is(answer(trial, edge, own, { method: 'REGISTER', callid: 'k', status: 200 }).pass(6_000).verdict, 'unknown');
});

test('border-obeyed: follows a rule that was removed, and does not judge one that may have been, or amid faults', (t) => {
  const deny = { username: 'stranger', action: 'deny' };
  const removed = (trial: Trial) => void change(trial, 'DELETE', `${rules}/r`, { status: 204 });
  t.is(knocking(deny, 401, removed).verdict, 'pass');
  t.is(knocking(deny, 403, removed).verdict, 'fail');
  t.is(knocking(deny, 401, (trial) => void change(trial, 'DELETE', `${rules}/r`, { status: 504 })).verdict, 'unknown');
  // Seed 16135 of the campaign: the copy of a site pulls a change that it has not heard of.
  const unheard = (trial: Trial) => {
    trial.fired = { 'data.unheard': 1 };
  };
  t.is(knocking(deny, 401, unheard).verdict, 'unknown');
  const broken = (trial: Trial) => void trial.see('fault.inflicted', { fault: 1, verb: 'cut', args: [] });
  t.is(knocking(deny, 401, broken).verdict, 'unknown');
});

/** A call of 1002, or to it, in which its device has sent something, and which has ended. */
function over(sent: object | undefined, data: { readonly type: string; readonly by: string }, isByIt = false): Trial {
  const trial = new Trial(endsExplained);
  if (isByIt) invite(trial, phone('1002'), edge, { callid: 'y' });
  if (isByIt) answer(trial, edge, phone('1002'), { callid: 'y', inviteid: 'i', status: 180 });
  else invite(trial, edge, phone('1002'), { callid: 'y', inviteid: 'i', uri: '', from: { uri: '' } });
  if (sent !== undefined) invite(trial, phone('1002'), edge, { callid: 'y', ...sent });
  const participations = [{ side: 'b', kind: 'sipuser', domain: acme, name: '1002', number: '1002' }];
  const event = {
    class: 'callevents',
    name: 'dlg_end',
    data: { dialogid: 'd', inviteid: 'i', participations, ...data },
  };
  trial.send({ type: 'stream.published', body: { epoch: 1, items: [{ n: 1, event }] } });
  return trial;
}

test('ends-explained: fails where a party has not hung up, and a failed transfer is not the end', (t) => {
  const bye = { type: 'bye', by: 'b' };
  t.is(over({ method: 'BYE' }, bye).verdict, 'pass');
  t.is(over({ method: 'NOTIFY', event: 'refer', sipfrag: 'SIP/2.0 200 OK' }, bye).verdict, 'pass');
  t.is(over({ method: 'NOTIFY', event: 'refer', sipfrag: 'SIP/2.0 404 Not Found' }, bye).verdict, 'fail');
  t.is(over(undefined, bye).verdict, 'fail');
  t.is(over(undefined, { type: 'bye', by: 'a' }).verdict, 'unknown');
  t.is(over({ method: 'CANCEL' }, { type: 'cancel', by: 'b' }, true).verdict, 'pass');
  t.is(over(undefined, { type: 'cancel', by: 'b' }, true).verdict, 'fail');
  t.is(over(undefined, { type: 'cancel', by: 'b' }).verdict, 'unknown');
});

const redirected = { uri: 'sip:4930@telecom.test', from: { uri: 'sip:acme@telecom.test', tag: '1' }, to: { uri: 'x' } };

/** INVITEs of a call to an account, by Call-Id; `answered`: the first one was, before the others. */
function calledTwice(callids: readonly string[], answered = false): Trial {
  const trial = new Trial(targetsOnce);
  const [esg] = trial.map.instancesOf('esg');
  const edge = esg === undefined ? '' : trial.map.endpointOf(esg);
  const invite = {
    kind: 'request',
    method: 'INVITE',
    cseq: 1,
    via: [],
    maxForwards: 70,
    inviteid: 'i1',
    ...redirected,
  };
  const call = (more: object) =>
    trial.see('outside.sent', { from: edge, to: 'provider', message: { ...invite, ...more } as unknown as SipMessage });
  call({ callid: 'c0', uri: 'sip:other@telecom.test' });
  for (const callid of callids) {
    call({ callid });
    const message = { ...redirected, kind: 'response', method: 'INVITE', callid, status: 200 } as unknown as SipMessage;
    if (answered) trial.see('outside.sent', { from: 'provider', to: edge, message });
  }
  return trial;
}

test('targets-once: a call calls no account twice with a number, until it is answered', (t) => {
  t.is(calledTwice(['c1', 'c1']).verdict, 'pass');
  t.regex(calledTwice(['c1', 'c2']).failures.join(), /calls sip:4930@telecom.test at provider as .* twice/);
  t.deepEqual(calledTwice(['c1', 'c2'], true).failures, []);
});
