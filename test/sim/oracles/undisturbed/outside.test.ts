/** The oracles that judge what edges say to providers and devices. */
import { accountsRegistered } from '../../../../sim/oracles/rules/access/accounts-registered.ts';
import { accountsReleased } from '../../../../sim/oracles/rules/access/accounts-released.ts';
import { callsThroughGates } from '../../../../sim/oracles/rules/calls/calls-through-gates.ts';
import { replacementsKnown } from '../../../../sim/oracles/rules/legs/replacements-known.ts';
import { trunksKept } from '../../../../sim/oracles/rules/routes/trunks-kept.ts';
import { phonesOf, providersOf } from '../../../../sim/outside/population.ts';
import type { SipMessage, SipMethod } from '../../../../src/model/sip/message.ts';
import { defaultMap } from '../../../kit/maps.ts';
import { test } from '../../../kit/test.ts';
import { Trial } from '../trial.ts';

const [provider] = providersOf(defaultMap);
const [account] = provider?.accounts ?? [];
const [owner = '', gate = ''] =
  account === undefined ? [] : [account.gate.address, defaultMap.endpointOf(account.gate)];
const { key = '' } = account ?? {};
const { username = '', domain = '' } = account?.provider ?? {};
const endpoint = provider?.endpoint ?? '';
const phones = phonesOf(defaultMap);
const phone = phones.find(({ name }) => phones.some((each) => each.name === `${name}/2`));
const device = phone?.endpoint ?? '';
const second = phones.find(({ name }) => name === `${phone?.name}/2`)?.endpoint ?? '';
const another = phones.find(({ user }) => user !== phone?.user)?.endpoint ?? '';
const [here = '', there = ''] = defaultMap.instancesOf('sg').map((each) => defaultMap.endpointOf(each));

interface Said {
  readonly from: string;
  readonly to: string;
  readonly method: SipMethod;
  readonly callid: string;
  readonly cseq?: number;
  readonly uri?: string;
  readonly caller?: string;
  readonly contact?: string;
  /** Of a response. */
  readonly status?: number;
  readonly expires?: number;
}

function say(trial: Trial, { from, to, uri = '', caller = '', cseq = 1, status, ...more }: Said): Trial {
  const common = { from: { uri: caller }, to: { uri }, cseq, via: [], ...more };
  const message = status === undefined ? { kind: 'request', uri, ...common } : { kind: 'response', status, ...common };
  return trial.see('outside.sent', { from, to, message: message as unknown as SipMessage });
}

function granted(expires: number, trial = new Trial(accountsRegistered)): Trial {
  const caller = `sip:${username}@${domain}`;
  say(trial, { from: endpoint, to: gate, method: 'REGISTER', callid: 'r', caller, status: 200, expires });
  return trial.entity(owner, 'registration', key, 'registered');
}

test('accounts-registered: passes for an account that is refreshed in time, and one whose refresh is not answered', (t) => {
  const refreshed = granted(60).pass(54_000).entity(owner, 'registration', key, 'wait_result');
  t.is(granted(60, refreshed).pass(50_000).verdict, 'pass', refreshed.failures.join());
  t.is(granted(60).pass(54_000).entity(owner, 'registration', key, 'retry').pass(60_000).verdict, 'pass');
});

test('accounts-registered: fails for an account that counts as registered after its granted time', (t) => {
  t.is(granted(60).pass(64_000).verdict, 'unknown');
  t.regex(granted(60).pass(67_000).failures.join(), /counts as registered, and .* over for \d+ ms/);
});

test('accounts-registered: a node that is paused, or whose clock was wrong, refreshes later', (t) => {
  const { node = '' } = account?.gate ?? {};
  for (const verb of ['pauseNode', 'skew']) {
    const trial = granted(60).see('fault.inflicted', { fault: 1, verb, args: [node] });
    t.is(trial.pass(200_000).verdict, 'unknown', verb);
  }
});

/** The states of an account, each with the time since the one before. */
function went(...states: readonly (readonly [state: string | undefined, afterMs: number])[]): Trial {
  const trial = new Trial(accountsReleased);
  for (const [state, afterMs] of states) trial.pass(afterMs).entity(owner, 'registration', key, state);
  return trial;
}

const failing = [
  ['wait_result', 0],
  ['retry', 1_000],
  ['wait_result', 30_000],
  ['retry', 1_000],
] as const;
const back = [
  ['wait_result', 60_000],
  ['registered', 10],
  ['retry', 9_000],
] as const;

test('accounts-released: attempts come 30 s after a failure, then 60 s, and after a success 30 s', (t) => {
  t.is(went(...failing, ...back, ['wait_result', 30_000]).verdict, 'pass');
  // Seed 90202 of the campaign.
  t.is(went(...failing, ['retry', 28_000], ['wait_result', 32_000]).verdict, 'pass');
  t.regex(went(...failing, ['wait_result', 30_000]).failures.join(), /again after 30000 ms; expected 60000 ms/);
  t.regex(went(...failing, ...back, ['wait_result', 60_000]).failures.join(), /after 60000 ms; expected 30000 ms/);
});

test('accounts-released: an account that is given up while it is registered is ended at its provider, unless its esg crashes', (t) => {
  const given = () => went(['registered', 0], ['detached', 5_000], [undefined, 0]);
  const end = {
    from: gate,
    to: endpoint,
    method: 'REGISTER',
    callid: 'r',
    caller: `sip:${username}@${domain}`,
  } as const;
  t.is(say(given(), { ...end, expires: 0 }).pass(3_000).verdict, 'pass');
  t.regex(
    say(given(), { ...end, expires: 60 })
      .pass(3_000)
      .failures.join(),
    /no REGISTER has ended its registration/,
  );
  // Seed 90241 of the campaign: it is sent before the state is reported.
  const first = say(went(['registered', 0]), { ...end, expires: 0 }).entity(owner, 'registration', key, 'detached');
  t.is(first.pass(3_000).verdict, 'pass');
  const crashed = given().see('instance.crashed', { instance: owner, reason: '', cause: 'injected' });
  t.is(crashed.pass(3_000).verdict, 'unknown');
  t.is(went(['retry', 0], ['detached', 5_000]).pass(3_000).verdict, 'unknown');
});

test('accounts-released: an account has an esg of its own site', (t) => {
  const gates = defaultMap.instancesOf('esg').filter(({ site }) => site !== account?.gate.site);
  const elsewhere = gates[0]?.address ?? '';
  t.not(elsewhere, '');
  const trial = new Trial(accountsReleased).entity(elsewhere, 'registration', key, 'wait_result');
  t.deepEqual(trial.failures, [`${elsewhere} ${key}: the account is of ${account?.gate.site}`]);
});

/** A device registers by a gate, and is accepted. */
function register(by: string, cseq: number, trial: Trial): Trial {
  const contact = `sip:1001@${device}`;
  say(trial, { from: device, to: by, method: 'REGISTER', callid: 'r', cseq, contact });
  say(trial, { from: by, to: device, method: 'REGISTER', callid: 'r', cseq, status: 200, expires: 60 });
  return trial.pass(5_000);
}

function call(by: string, trial: Trial, uri = `sip:1001@${device}`): Trial {
  return say(trial, { from: by, to: device, method: 'INVITE', callid: 'c1', uri });
}

const registered = () => register(there, 2, register(here, 1, new Trial(callsThroughGates).pass(60_000)));

test('calls-through-gates: passes for a call through the gate at which the device has registered last', (t) => {
  t.is(call(there, registered()).verdict, 'pass');
});

test('calls-through-gates: fails for a call through a gate of before, and one to another contact', (t) => {
  t.regex(call(here, registered()).failures.join(), /has registered by .* is called by/);
  t.regex(call(there, registered(), 'sip:1001@10.0.0.9:5060').failures.join(), /with the contact .* is called at/);
});

test('calls-through-gates: judges no call of right after the change, of a device that registers just now, or of a disturbed cluster', (t) => {
  const asked = say(registered(), { from: device, to: here, method: 'REGISTER', callid: 'r', cseq: 3 });
  t.is(call(here, asked.pass(5_000)).verdict, 'unknown');
  const soon = register(here, 1, new Trial(callsThroughGates).pass(60_000));
  say(soon, { from: device, to: there, method: 'REGISTER', callid: 'r', cseq: 2 });
  say(soon, { from: there, to: device, method: 'REGISTER', callid: 'r', cseq: 2, status: 200, expires: 60 });
  t.is(call(here, soon).verdict, 'unknown');
  const disturbed = registered().see('fault.inflicted', { fault: 1, verb: 'cut', args: [] });
  t.is(call(here, disturbed).verdict, 'unknown');
});

const trunks = account?.provider.trunks ?? 0;

/** So many calls of the account go on, by either side. */
function busy(calls = trunks): Trial {
  const trial = new Trial(trunksKept).pass(60_000);
  for (let n = 0; n < calls; n += 1) {
    outward(trial, `busy${n}`);
    say(trial, { from: endpoint, to: gate, method: 'INVITE', callid: `busy${n}`, status: 200 });
  }
  return trial.pass(5_000);
}

function outward(trial: Trial, callid: string): Trial {
  return say(trial, { from: gate, to: endpoint, method: 'INVITE', callid, caller: `sip:${username}@${domain}` });
}

/** The provider calls, and gets an answer. */
function inward(trial: Trial, callid: string, status: number, isPassedOn = status < 300): Trial {
  say(trial, { from: endpoint, to: gate, method: 'INVITE', callid, uri: `sip:${username}@${gate}` });
  const body = { kind: 'request', method: 'INVITE', callid, to: {} };
  if (isPassedOn) trial.send({ type: 'sip', from: owner, body });
  return say(trial.pass(100), { from: gate, to: endpoint, method: 'INVITE', callid, status });
}

test('trunks-kept: passes for a last trunk, a refusal without one, and a trunk that is free again', (t) => {
  t.is(outward(busy(trunks - 1), 'c').verdict, 'pass');
  t.is(inward(busy(trunks - 1), 'c', 180).verdict, 'pass');
  t.is(inward(busy(), 'c', 486).verdict, 'pass');
  const freed = say(busy(), { from: endpoint, to: gate, method: 'BYE', callid: 'busy0' });
  t.is(inward(freed, 'c', 200).verdict, 'pass');
});

test('trunks-kept: fails for a call over the trunks, either way, and for a refusal while there are some', (t) => {
  const over = /trunks, and \d+ calls when it takes c/;
  t.regex(outward(busy(), 'c').failures.join(), over);
  t.regex(inward(busy(), 'c', 180).failures.join(), over);
  t.regex(inward(busy(trunks - 1), 'c', 486).failures.join(), /trunks and \d+ calls, and refuses c/);
});

test('trunks-kept: a callee may be busy, and what an esg knows after a fault is not judged', (t) => {
  t.not(inward(busy(trunks - 1), 'c', 486, true).verdict, 'fail');
  const disturbed = busy().see('fault.inflicted', { fault: 1, verb: 'cut', args: [] });
  t.not(outward(disturbed, 'c').verdict, 'fail');
});

/** A call of the device is to be replaced by a new one. */
function replacing(toTag: string, callid = 'old', trial = new Trial(replacementsKnown).pass(60_000)): Trial {
  const invite = { method: 'INVITE', callid: 'old', via: [], cseq: 1 };
  const request = { ...invite, kind: 'request', from: { uri: 'a', tag: 'ours' }, to: { uri: 'b' } };
  const answer = { ...request, kind: 'response', status: 200, to: { uri: 'b', tag: 'theirs' } };
  trial.see('outside.sent', { from: here, to: device, message: request as unknown as SipMessage });
  trial.see('outside.sent', { from: device, to: here, message: answer as unknown as SipMessage }).pass(5_000);
  const message = { ...request, callid: 'new', replaces: { callid, toTag, fromTag: 'ours' } };
  return trial.see('outside.sent', { from: there, to: device, message: message as unknown as SipMessage });
}

test('replacements-known: passes for a leg of the device, fails for one of another party, and for other tags', (t) => {
  t.is(replacing('theirs').verdict, 'pass');
  t.regex(replacing('theirs', 'else').failures.join(), /is to replace the leg else by new, and its user has none/);
  t.regex(replacing('wrong').failures.join(), /has other tags/);
});

// Seed 24328 of the campaign: an INVITE with Replaces goes to all devices of the user.
test('replacements-known: the leg may be one of another device of the user', (t) => {
  const trial = replacing('theirs');
  const tags = { from: { uri: 'a', tag: 'x' }, to: { uri: 'b' }, cseq: 1, via: [] };
  const replaces = { callid: 'old', toTag: 'theirs', fromTag: 'ours' };
  const message = { kind: 'request', method: 'INVITE', callid: 'other', ...tags, replaces } as unknown as SipMessage;
  t.is(trial.see('outside.sent', { from: there, to: second, message }).verdict, 'pass', trial.failures.join());
  const stranger = { ...message, callid: 'third' } as SipMessage;
  t.is(trial.see('outside.sent', { from: there, to: another, message: stranger }).verdict, 'fail');
});

// Seed 32118 of the campaign.
test('replacements-known: a call that a device redirects takes what it is to replace with it', (t) => {
  const common = { method: 'INVITE', via: [], cseq: 1, from: { uri: 'a', tag: 'x' }, to: { uri: 'b' } };
  const replaces = { callid: 'else', toTag: 'theirs', fromTag: 'ours' };
  const moved = { ...common, kind: 'response', status: 302, contacts: ['sip:1003@acme.root.test'], callid: 'r' };
  const invite = { ...common, kind: 'request', callid: 'third', replaces };
  const say = (trial: Trial, from: string, to: string, message: object) =>
    trial.see('outside.sent', { from, to, message: message as unknown as SipMessage });
  t.is(say(say(replacing('theirs'), another, there, moved), there, device, invite).verdict, 'pass');
  t.is(say(replacing('theirs'), there, device, invite).verdict, 'fail');
});

// Seed 5 of the campaign: the REFER was late, and the referring device had ended the other call meanwhile.
test('replacements-known: a call that has ended keeps the name that the referring device gave', (t) => {
  const ended = new Trial(replacementsKnown).pass(60_000);
  const bye = {
    kind: 'request',
    method: 'BYE',
    callid: 'else',
    via: [],
    cseq: 2,
    from: { uri: 'a' },
    to: { uri: 'b' },
  };
  ended.see('outside.sent', { from: another, to: there, message: bye as unknown as SipMessage });
  t.deepEqual(replacing('theirs', 'else', ended).failures, []);
});

test('replacements-known: a call whose b2b was out of reach keeps the name that the referring device gave', (t) => {
  const cut = new Trial(replacementsKnown).pass(60_000).see('fault.inflicted', { fault: 1, verb: 'cut', args: [] });
  t.is(replacing('theirs', 'else', cut).verdict, 'unknown');
});
