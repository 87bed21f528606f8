/** The oracles whose memory or deadlines a long pause of a node, or held traffic, must not wear out. */
import type { OracleMaker } from '../../../../sim/oracles/oracle.ts';
import { endsExplained } from '../../../../sim/oracles/rules/calls/ends-explained.ts';
import { transfersEnd } from '../../../../sim/oracles/rules/calls/transfers-end.ts';
import { dialogsConform } from '../../../../sim/oracles/rules/legs/dialogs-conform.ts';
import { ringingEnds } from '../../../../sim/oracles/rules/legs/ringing-ends.ts';
import { callsRouted } from '../../../../sim/oracles/rules/routes/calls-routed.ts';
import { phonesOf, providersOf } from '../../../../sim/outside/population.ts';
import type { SipMessage } from '../../../../src/model/sip/message.ts';
import { defaultMap } from '../../../kit/maps.ts';
import { test } from '../../../kit/test.ts';
import { Trial } from '../trial.ts';

const acme = 'acme.root.test';
const b2b = 'north/n1/b2b-214';
const [gate] = defaultMap.instancesOf('sg');
const edge = gate === undefined ? '' : defaultMap.endpointOf(gate);
const provider = providersOf(defaultMap)[0]?.endpoint ?? '';
const [first, second, third] = ['1001', '1002', '1003'].map(
  (number) =>
    phonesOf(defaultMap).find(({ domain, user }) => domain === acme && user.phonenumber === number)?.endpoint ?? '',
) as [string, string, string];

const from = { uri: `sip:1001@${acme}`, tag: 'f' };
const to = { uri: `sip:1002@${acme}` };
const tagged = { ...to, tag: 't' };

type Fields = Readonly<Record<string, unknown>>;

/** A SIP message, usually an INVITE of the call `c`; with a status it is an answer. */
function pass(trial: Trial, places: readonly [string, string], more: Fields = {}): Trial {
  const kind = 'status' in more ? 'response' : 'request';
  const common = { kind, method: 'INVITE', callid: 'c', cseq: 1, from, to, via: [], uri: to.uri };
  const message = { ...common, ...more } as unknown as SipMessage;
  return trial.see('outside.sent', { from: places[0], to: places[1], message });
}

/** Four minutes of other calls. */
function busy(trial: Trial, calls = 3_000): Trial {
  for (let call = 0; call < calls; call += 1)
    pass(trial, [edge, provider], { callid: `other ${call}`, inviteid: `other ${call}`, from: { uri: '' } });
  return trial.pass(240_000);
}

const pause = (trial: Trial) => trial.see('fault.inflicted', { fault: 1, verb: 'pauseNode', args: ['n1'] });
const resume = (trial: Trial) => trial.see('fault.inflicted', { fault: 2, verb: 'resumeNode', args: ['n1'] });
const paused = (trial: Trial) => resume(busy(pause(trial)));
const hold = (trial: Trial) => trial.see('fault.inflicted', { fault: 1, verb: 'hold', args: [{}] });
const lift = (trial: Trial) => trial.see('fault.mended', { fault: 1, verb: 'hold', args: [{}], isRefused: false });
const mend = (trial: Trial) => trial.see('fault.mended', { fault: 2, verb: 'mend', args: [], isRefused: false });
const end = (trial: Trial) => trial.see('node.ended', { node: 'n1', isGraceful: false });

const taken = () => pass(new Trial(dialogsConform), [first, edge]);
const talking = () => pass(pass(new Trial(dialogsConform), [edge, first]), [first, edge], { status: 200, to: tagged });

// Seeds 22102 and 22341 of the campaign: a node answers, and offers media, after a pause of four minutes.
for (const [what, begin, release] of [
  ['a node was paused', pause, resume],
  ['frames were held', hold, lift],
  ['all faults of traffic were lifted', hold, mend],
] as const) {
  test(`dialogs-conform: knows the messages before, after ${what}`, (t) => {
    const late = (trial: Trial, more: Fields) => pass(release(busy(begin(trial))), [edge, first], more);
    const refusal = { status: 487, to: tagged };
    t.is(late(taken(), refusal).verdict, 'pass');
    t.is(pass(late(taken(), refusal).pass(32_000), [edge, first], refusal).verdict, 'pass');
    t.is(late(taken(), { ...refusal, cseq: 2 }).verdict, 'fail');
    t.is(late(talking(), { cseq: 2, to: tagged }).verdict, 'pass');
    t.is(late(talking(), { cseq: 2, to: { ...to, tag: 'x' } }).verdict, 'fail');
  });
}

test('dialogs-conform: what is remembered has a limit, which is the usual one again after a pause', (t) => {
  const refusal = { status: 487, to: tagged };
  const forgets = (trial: Trial) => pass(trial, [edge, first], refusal).verdict === 'fail';
  t.true(forgets(busy(taken())));
  t.true(forgets(busy(resume(pause(taken())).pass(60_000))));
  t.true(forgets(busy(end(pause(taken())).pass(60_000))));
  t.true(forgets(busy(pause(taken()), 20_000)));
});

// Seed 44009 of the campaign: a copy of an INVITE, and then the answer to it, were lost behind a slow link.
test('dialogs-conform: a second b2b with a copy of an INVITE may end what the phone does not know', (t) => {
  const answered = (trial: Trial) => pass(trial, [edge, first], { status: 200, to: tagged });
  const repeated = () => pass(taken(), [first, edge]);
  const bye = { method: 'BYE', from: { ...to, tag: 'x' }, to: from };
  t.is(pass(answered(repeated()), [edge, first], bye).verdict, 'pass');
  t.is(pass(answered(taken()), [edge, first], bye).verdict, 'fail');
  t.is(pass(answered(repeated()), [edge, first], { ...bye, method: 'INFO' }).verdict, 'fail');
});

test('calls-routed: a redirection leads on after a long pause', (t) => {
  const called = (number: string) => ({ inviteid: 'i', from: { uri: from.uri }, to: { uri: `sip:${number}@${acme}` } });
  const redirected = (contact: string) => {
    const trial = pass(new Trial(callsRouted).pass(120_000), [first, edge]);
    pass(trial, [edge, second], { callid: 'y', ...called('1002') });
    pass(trial, [edge, first], { status: 180, inviteid: 'i' });
    paused(pass(trial, [second, edge], { callid: 'y', status: 302, contacts: [contact] }));
    pass(trial, [edge, third], { callid: 'z', ...called('1003') });
    return pass(trial, [edge, first], { status: 180, inviteid: 'i' });
  };
  const right = redirected(`sip:1003@${acme}`);
  t.is(right.verdict, 'pass', right.failures.join());
  t.is(redirected(`sip:1004@${acme}`).verdict, 'fail');
});

test('ends-explained: a device that hung up before a long pause, or in it, has hung up', (t) => {
  const participations = [{ side: 'b', kind: 'sipuser', domain: acme, name: '1002', number: '1002' }];
  const data = { dialogid: 'd', inviteid: 'i', participations, type: 'bye', by: 'b' };
  const items = [{ n: 1, event: { class: 'callevents', name: 'dlg_end', data } }];
  const called = () => pass(new Trial(endsExplained), [edge, second], { inviteid: 'i' });
  const bye = (trial: Trial) => pass(trial, [second, edge], { method: 'BYE' });
  const ends = (trial: Trial) => {
    // What the b2b offered before it read the BYE.
    pass(trial, [edge, second], { cseq: 2, inviteid: 'i', to: tagged });
    trial.send({ type: 'stream.published', body: { epoch: 1, items } });
    return trial.verdict;
  };
  t.is(ends(resume(busy(bye(pause(called()))))), 'pass');
  t.is(ends(resume(bye(busy(pause(called()))))), 'pass');
  t.is(ends(resume(busy(pause(called())))), 'fail');
});

for (const [maker, machine, key, before, after, last] of [
  [ringingEnds, 'leg', 'c', 'ringing', 'expiring', 'ended'],
  [transfersEnd, 'transfer', '214-1', 'directing', 'directing', 'over'],
] as readonly (readonly [OracleMaker, string, string, string, string, string])[]) {
  test(`${maker.name}: what has waited for its paused node ends after that`, (t) => {
    const resumed = () =>
      resume(pause(new Trial(maker).entity(b2b, machine, key, before)).pass(900_000)).entity(b2b, machine, key, after);
    t.is(resumed().pass(32_000).entity(b2b, machine, key, last).pass(60_000).verdict, 'pass');
    t.is(resumed().pass(60_000).verdict, 'fail');
  });
}

// Seed 34924 of the campaign: hundreds of phones registered again and again while an INVITE waited for its answer.
test('dialogs-conform: registrations do not replace calls', (t) => {
  const refusal = { status: 487, to: tagged };
  const register = (trial: Trial) => {
    for (let each = 0; each < 3_000; each += 1)
      pass(trial, [second, edge], { callid: `r ${each}`, method: 'REGISTER' });
    return trial;
  };
  t.is(pass(register(taken()), [edge, first], refusal).verdict, 'pass');
  t.is(pass(busy(taken()), [edge, first], refusal).verdict, 'fail');
});
