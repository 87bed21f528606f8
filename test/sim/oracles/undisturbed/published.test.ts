/** The oracles that judge what instances publish and answer while nothing is broken. */
import { accountsAnswered } from '../../../../sim/oracles/rules/access/accounts-answered.ts';
import { callsProgress } from '../../../../sim/oracles/rules/calls/calls-progress.ts';
import { callsServed } from '../../../../sim/oracles/rules/calls/calls-served.ts';
import { asksAnswered } from '../../../../sim/oracles/rules/cluster/asks-answered.ts';
import { registrationsPublished } from '../../../../sim/oracles/rules/registrations/registrations-published.ts';
import { domainsShown } from '../../../../sim/oracles/rules/shown/domains-shown.ts';
import { phonesOf } from '../../../../sim/outside/population.ts';
import { type Fault, fault } from '../../../../src/model/fault.ts';
import type { SipMessage } from '../../../../src/model/sip/message.ts';
import { defaultMap } from '../../../kit/maps.ts';
import { test } from '../../../kit/test.ts';
import { Trial } from '../trial.ts';

const [sr = '', other = ''] = defaultMap.instancesOf('sr').map(({ address }) => address);
const user = { domain: 'acme.root.test', login: '1001' };
const deviceOf = (device: string) => `${user.domain}/${user.login}/${device}`;

function askedFor(
  waitMs: number,
  reason?: Fault,
  { type = 'data.create', trial = new Trial(asksAnswered) }: { type?: string; trial?: Trial } = {},
): Trial {
  trial.pass(60_000);
  const id = trial.send({ kind: 'ask', type, from: 'hq/n1', to: 'hq/n2', body: {} });
  trial.pass(waitMs);
  const ask = { id, owner: 'hq/n1', to: 'hq/n2', type };
  return trial.see('ask.ended', { node: 'n1', ask, fault: reason });
}

test('asks-answered: an answer, and a refusal, are answers', (t) => {
  t.is(askedFor(100).verdict, 'pass');
  t.is(askedFor(100, fault('not_found', 'none')).verdict, 'pass');
});

test('asks-answered: fails for an ask that times out in a cluster without faults, not in a disturbed one', (t) => {
  t.regex(askedFor(5_000, fault('timeout', 'late')).failures.join(), /"data.create": timeout after 5000 ms/);
  const trial = new Trial(asksAnswered).pass(60_000);
  const id = trial.send({ kind: 'ask', type: 'data.create', from: 'hq/n1', to: 'hq/n2', body: {} });
  trial.see('fault.inflicted', { fault: 1, verb: 'slowStore', args: [] }).pass(1_000);
  trial.see('fault.mended', { fault: 1, verb: 'slowStore', args: [], isRefused: false }).pass(4_000);
  const ask = { id, owner: 'hq/n1', to: 'hq/n2', type: 'data.create' };
  trial.see('ask.ended', { node: 'n1', ask, fault: fault('timeout', 'late') });
  t.is(trial.verdict, 'unknown');
});

// Seed 12008 of the campaign: a node crashes, and its asks end.
test('asks-answered: an ask whose sender has ended proves nothing', (t) => {
  const own = { ...fault('crashed', 'hq/n1 has stopped'), origin: 'hq/n1' };
  t.is(askedFor(100, own).verdict, 'unknown');
  t.is(askedFor(100, { ...own, origin: 'hq/n2' }).verdict, 'fail');
});

// Seed 14337 of the campaign: a front drains for as long as one of its clients needs.
test('asks-answered: an instance that drains refuses, and does not leave an ask without an answer', (t) => {
  const draining = () => new Trial(asksAnswered).see('instance.status', { instance: 'hq/n2', status: 'draining' });
  t.is(askedFor(100, fault('standby', 'hq/n2 is draining'), { trial: draining() }).verdict, 'unknown');
  t.is(askedFor(5_000, fault('timeout', 'late'), { trial: draining() }).verdict, 'fail');
  t.is(askedFor(100, fault('standby', 'hq/n2 stands by')).verdict, 'fail');
  // Seed 95755 of the campaign: the receiver asks another instance, which drains for long.
  const further = new Trial(asksAnswered).see('instance.status', { instance: 'hq/n3', status: 'draining' });
  t.is(askedFor(100, fault('standby', 'hq/n3 is draining', 'hq/n3'), { trial: further }).verdict, 'unknown');
});

test('asks-answered: a start of a script may take longer', (t) => {
  t.is(askedFor(5_000, fault('timeout', 'late'), { type: 'script.run' }).verdict, 'unknown');
});

test('asks-answered: a wrong clock excuses until it is measured, and while one that is ahead is corrected', (t) => {
  const late = fault('timeout', 'late');
  const skewed = (byMs: number) =>
    new Trial(asksAnswered).see('fault.inflicted', { fault: 1, verb: 'skew', args: ['h1', byMs] });
  t.is(askedFor(5_000, late, { trial: skewed(60_000) }).verdict, 'fail');
  const corrected = (byMs: number) =>
    skewed(byMs).see('fault.mended', { fault: 1, verb: 'skew', args: [], isRefused: false });
  t.is(askedFor(5_000, late, { trial: corrected(60_000) }).verdict, 'unknown');
  t.is(askedFor(5_000, late, { trial: corrected(-60_000) }).verdict, 'fail');
});

test('asks-answered: an instance answers an ask once, since it has started', (t) => {
  const twice = (between: (trial: Trial) => unknown) => {
    const trial = new Trial(asksAnswered).pass(60_000);
    const re = trial.send({ kind: 'ask', type: 'data.create', from: 'hq/n1', to: sr, body: {} });
    const reply = { kind: 'reply', type: 'data.create', re, from: sr, to: 'hq/n1', body: {} } as const;
    trial.send(reply);
    between(trial);
    trial.send(reply);
    return trial;
  };
  t.regex(twice(() => {}).failures.join(), /has answered the ask e1 "data.create" twice/);
  const restart = (trial: Trial) => trial.see('instance.status', { instance: sr, status: 'starting' });
  t.deepEqual(twice(restart).failures, []);
});

interface Told {
  readonly from?: string;
  readonly name: string;
  readonly device?: string;
  readonly status?: string;
}

let published = 0;

function tell(trial: Trial, { from = sr, name, device = 'd1', status }: Told): Trial {
  const event = (of: string, named: string, data: object) => ({
    n: ++published,
    event: { class: of, name: named, domains: [], objects: [], data },
  });
  const items = [
    event('registrarevents', name, { ...user, device }),
    ...(status === undefined
      ? []
      : [event('modelevents', 'data_changed', { collection: 'sipuser_states', username: user.login, status })]),
  ];
  trial.send({ type: 'stream.published', from, to: 'hq/n1/callstore-1', body: { epoch: 1, items } });
  return trial;
}

/** A device registers at an instance, which other instances learn. */
function bound(device = 'd1', trial = new Trial(registrationsPublished).pass(60_000)): Trial {
  trial.send({ kind: 'ask', type: 'registrar.bind', to: sr, body: { binding: { ...user, device } } });
  return trial
    .entity(sr, 'binding', deviceOf(device), 'registered')
    .entity(other, 'binding', deviceOf(device), 'registered');
}

const [caller, callee] = phonesOf(defaultMap).filter(({ domain }) => domain === user.domain);
const [gate] = defaultMap.instancesOf('sg');
const edge = gate === undefined ? '' : defaultMap.endpointOf(gate);

/** The callee registers, which all registrars learn, and the caller calls it. */
function called(
  registrars: readonly (typeof sr)[] = defaultMap.instancesOf('sr').map(({ address }) => address),
): Trial {
  const trial = new Trial(callsServed).pass(60_000);
  const key = `${user.domain}/${callee?.user.login}/d1`;
  for (const registrar of registrars) trial.entity(registrar, 'binding', key, 'registered');
  trial.pass(10_000);
  return say(trial, 'c1', { from: caller?.endpoint, to: edge });
}

interface Said {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly status?: number;
  readonly reason?: string;
}

function say(
  trial: Trial,
  callid: string,
  { from = edge, to = caller?.endpoint ?? '', status, reason = '' }: Said,
): Trial {
  const party = { uri: `sip:${callee?.user.phonenumber}@${user.domain}` };
  const common = { method: 'INVITE', callid, from: party, to: party, cseq: 1, via: [] };
  const message =
    status === undefined
      ? { kind: 'request', uri: party.uri, ...common }
      : { kind: 'response', status, reason, ...common };
  return trial.see('outside.sent', { from, to, message: message as unknown as SipMessage });
}

test('calls-served: passes for a call that a device is offered, and one that is refused because the user is busy', (t) => {
  t.is(say(called(), 'c2', { to: callee?.endpoint }).pass(10_000).verdict, 'pass');
  t.is(say(called(), 'c1', { status: 486 }).pass(10_000).verdict, 'pass');
});

test('calls-served: fails for a call that nothing comes of, a registered user who is away, and right credentials', (t) => {
  t.regex(called().pass(10_000).failures.join(), /no device was called, and nothing refused/);
  t.regex(say(called(), 'c1', { status: 480 }).failures.join(), /is registered, and was refused: 480/);
  t.regex(say(called(), 'c1', { status: 403, reason: 'Wrong Credentials' }).failures.join(), /has wrong credentials/);
});

// Seed 50340 of the campaign: the first copies came while nodes were cut off, and the last one when they were not any more.
test('calls-served: a call that is repeated began with its first copy', (t) => {
  const cut = called().see('fault.inflicted', { fault: 1, verb: 'cut', args: [] });
  const mended = cut.see('fault.mended', { fault: 1, verb: 'cut', args: [], isRefused: false }).pass(25_000);
  t.deepEqual(say(mended, 'c1', { from: caller?.endpoint, to: edge }).pass(6_000).failures, []);
});

// Seed 34378 of the campaign: a fault point lost the copy of the registration on its way to the other site.
test('calls-served: does not judge a refusal while a registrar has not learned of the registration', (t) => {
  t.deepEqual(say(called([sr]), 'c1', { status: 480 }).failures, []);
});

/** A call of two legs, of which the second one is called. */
function ringing(): Trial {
  const trial = new Trial(callsProgress).pass(60_000).entity(b2b, 'dialog', '114-1', 'forking');
  trial.entity(b2b, 'leg', 'a', 'alerting').entity(b2b, 'leg', 'b', 'ringing');
  const dialog = { dialogid: '114-1', legs: [{ callid: 'a' }, { callid: 'b' }] };
  trial.send({ type: 'stream.published', from: b2b, to: '', body: { epoch: 1, items: [{ n: 1, dialog }] } });
  return trial.pass(2_000);
}

const b2b = 'hq/h1/b2b-114';

test('calls-progress: passes for a call that is answered, and one that is over and whose legs end', (t) => {
  const talking = ringing().entity(b2b, 'leg', 'b', 'confirmed').entity(b2b, 'dialog', '114-1', 'talking');
  t.is(talking.pass(20_000).verdict, 'pass');
  const over = ringing().entity(b2b, 'dialog', '114-1', 'over.ending').pass(1_000);
  over.entity(b2b, 'leg', 'a', 'ended').entity(b2b, 'leg', 'b', 'cancelling');
  t.is(over.pass(20_000).verdict, 'pass', over.failures.join());
});

test('calls-progress: fails for a call that calls no device, and for a leg of a call that is over', (t) => {
  t.regex(ringing().entity(b2b, 'leg', 'b', 'ended').pass(7_000).failures.join(), /114-1 calls no device/);
  const over = ringing().entity(b2b, 'leg', 'a', 'ended').entity(b2b, 'dialog', '114-1', 'over.ending');
  t.regex(over.pass(7_000).failures.join(), /is over, and its leg .* b is ringing/);
});

test('calls-served: a call during a fault may fail', (t) => {
  const trial = called().see('fault.inflicted', { fault: 1, verb: 'lose', args: [] });
  t.is(say(trial, 'c1', { status: 480 }).pass(10_000).verdict, 'unknown');
});

test('registrations-published: passes for the events of two devices that come and go', (t) => {
  const trial = tell(bound(), { name: 'register', status: 'online' });
  tell(bound('d2', trial.pass(1_000)), { name: 'register', device: 'd2' });
  trial.pass(1_000).send({ kind: 'ask', type: 'registrar.unbind', to: sr, body: user });
  for (const device of ['d1', 'd2']) trial.entity(sr, 'binding', deviceOf(device), 'removed');
  tell(trial, { name: 'unregister', device: 'd2', status: 'offline' });
  tell(trial, { name: 'unregister' });
  t.is(trial.pass(5_000).verdict, 'pass', trial.failures.join());
});

test('registrations-published: fails for an event of a copy, one that is missing, and a presence that has not changed', (t) => {
  const copied = tell(tell(bound(), { name: 'register', status: 'online' }), { from: other, name: 'register' });
  t.regex(copied.failures.join(), /was not asked for it/);
  t.regex(bound().pass(5_000).failures.join(), /no register was published/);
  const second = bound('d2', tell(bound(), { name: 'register', status: 'online' }));
  t.regex(
    tell(second, { name: 'register', device: 'd2', status: 'online' }).failures.join(),
    /is online: it is the same/,
  );
  t.regex(tell(bound(), { name: 'register' }).failures.join(), /is the same: it is online/);
});

test('registrations-published: an expiry is published once', (t) => {
  const expired = () => {
    const trial = tell(bound(), { name: 'register', status: 'online' }).pass(60_000);
    for (const each of [sr, other]) trial.entity(each, 'binding', deviceOf('d1'), 'expired');
    return trial;
  };
  const once = tell(expired(), { name: 'expire', status: 'offline' }).pass(5_000);
  t.is(once.verdict, 'pass', once.failures.join());
  t.regex(expired().pass(5_000).failures.join(), /was published 0 times/);
  // Seed 100258 of the campaign: copies that got the registration late expire late.
  const late = tell(expired(), { name: 'expire', status: 'offline' }).pass(4_000);
  for (const each of ['hq/h1/sr-1', 'hq/h2/sr-2']) late.entity(each, 'binding', deviceOf('d1'), 'expired');
  t.deepEqual(late.pass(5_000).failures, []);
  const twice = tell(tell(expired(), { name: 'expire', status: 'offline' }), {
    from: other,
    name: 'expire',
    status: 'offline',
  });
  t.regex(twice.pass(5_000).failures.join(), /was published 2 times/);
});

// Seed 74374 of the campaign: a fault point withheld the removal from an instance, whose copy expired seconds later.
test('registrations-published: a copy that has missed a removal expires without an event', (t) => {
  const trial = tell(bound(), { name: 'register', status: 'online' }).pass(60_000);
  trial.entity(sr, 'binding', deviceOf('d1'), 'removed').entity(other, 'binding', deviceOf('d1'), 'expired');
  t.notRegex(trial.pass(5_000).failures.join(), /was published 0 times/);
});

test('accounts-answered: fails for an account that waits for its provider, not where the provider may be silent', (t) => {
  const asked = () => {
    const trial = new Trial(accountsAnswered).pass(60_000);
    const about = { owner: 'hq/h1/esg-101', machine: 'registration', key: 'acme.root.test/telecom' };
    trial.see('entity.state', { ...about, state: 'wait_result', before: 'registered' }).pass(100);
    return { trial, answer: () => trial.see('entity.state', { ...about, state: 'registered', before: 'wait_result' }) };
  };
  t.is(asked().answer().pass(10_000).verdict, 'pass');
  t.regex(asked().trial.pass(10_000).failures.join(), /has waited for its provider for/);
  const silent = asked().trial.see('fault.inflicted', { fault: 1, verb: 'silence', args: ['telecom'] });
  t.is(silent.pass(10_000).verdict, 'unknown');
});

test('domains-shown: a domain is shown as the topology has it', (t) => {
  const { masterDomain } = defaultMap;
  const shown = (row: object) => {
    const about = { id: 1, site: 'hq', method: 'GET', target: '/rest/v1/domain/domains?limit=5' };
    const body = JSON.stringify([{ id: 'm', name: masterDomain, is_master: true, sites: ['hq'], ...row }]);
    return new Trial(domainsShown).see('request.answered', { ...about, status: 200, tookMs: 1, body, ageS: undefined });
  };
  t.is(shown({}).verdict, 'pass', shown({}).failures.join());
  t.regex(shown({ is_master: false }).failures.join(), /with is_master false: it is true/);
  t.regex(shown({ sites: [] }).failures.join(), /with sites \[\]/);
  t.regex(shown({ name: 'none' }).failures.join(), /is not in the topology/);
});
