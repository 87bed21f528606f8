/** The oracles of what goes on or ends: bans, sessions of legs, transfers, and what edges keep of providers. */
import { accountsKept } from '../../../sim/oracles/rules/access/accounts-kept.ts';
import { bansLast } from '../../../sim/oracles/rules/access/bans-last.ts';
import { referredLeave } from '../../../sim/oracles/rules/legs/referred-leave.ts';
import { ringingEnds } from '../../../sim/oracles/rules/legs/ringing-ends.ts';
import { sessionsRefreshed } from '../../../sim/oracles/rules/legs/sessions-refreshed.ts';
import { callsCounted } from '../../../sim/oracles/rules/routes/calls-counted.ts';
import { providersOf } from '../../../sim/outside/population.ts';
import type { SipMessage } from '../../../src/model/sip/message.ts';
import { defaultMap } from '../../kit/maps.ts';
import { test } from '../../kit/test.ts';
import { Trial } from './trial.ts';

const [front] = defaultMap.instancesOf('ws');
const { name = '', srvidx = 0, address = '', site = '' } = front ?? {};
const ip = '10.66.4.1';
const sessions = '/rest/v1/iam/sessions';
const list = '/rest/v1/master/logicalroles/ws/bannedaddrs';

/** The answers of the front to logins of an address, a second after each other. */
function logins(statuses: readonly number[], trial = new Trial(bansLast).pass(60_000)): Trial {
  for (const status of statuses) {
    const answer = { site, front: name, method: 'POST', path: sessions, status, tookMs: 5, sender: ip };
    trial.pass(1_000).see('front.answered', answer);
  }
  return trial;
}

function asked(trial: Trial, method: string, body?: unknown): Trial {
  const about = { id: 1, site, method, target: list };
  trial.see('request.received', { ...about, client: 'c', sent: undefined });
  const status = body === undefined ? 204 : 200;
  const answer = { ...about, status, tookMs: 5, body: JSON.stringify(body), ageS: undefined };
  return trial.see('request.answered', answer);
}

const shown = (expires: number) => [{ srvidx, banned: [{ ip, expires }] }];
const guesses = [401, 401, 401, 401, 401] as const;

test('bans-last: an address is banned after five wrong logins', (t) => {
  t.is(logins([...guesses, 429, 429]).verdict, 'pass');
  t.regex(logins([...guesses, 401]).failures.join(), /has failed to log in 5 times, and is not banned/);
  t.deepEqual(logins(guesses, logins(guesses.slice(1)).pass(180_000)).failures, []);
});

test('bans-last: an attempt prolongs a ban', (t) => {
  const prolonged = (seconds: number) => logins([...guesses, 429]).pass(seconds * 1_000);
  t.regex(logins([401], prolonged(170)).failures.join(), /is not banned any more 171000 ms after its last attempt/);
  t.deepEqual(logins([401], prolonged(180)).failures, []);
});

test('bans-last: a list shows the time that is left since the last attempt', (t) => {
  const listed = (expires: number) => asked(logins([...guesses, 429]).pass(20_000), 'GET', shown(expires)).failures;
  t.deepEqual(listed(160), []);
  t.regex(listed(150).join(), /shows 150 seconds for the ban of 10.66.4.1/);
  t.regex(asked(logins([429]).pass(1_000), 'GET', [{ srvidx, banned: [] }]).failures.join(), /shows no seconds/);
});

test('bans-last: a ban that was lifted, and a front that has restarted, are not judged', (t) => {
  t.deepEqual(logins([401], asked(logins([...guesses, 429]), 'DELETE')).failures, []);
  const restarted = logins([...guesses, 429]).see('instance.status', { instance: address, status: 'stopped' });
  t.deepEqual(logins([401], restarted).failures, []);
});

const [gate] = defaultMap.instancesOf('sg');
const edge = gate === undefined ? '' : defaultMap.endpointOf(gate);
const phone = '10.101.5.1:5060';

const request = (method: string, cseq = 2) => ({ ...refresh, kind: 'request', method, cseq }) as SipMessage;
const parties = { from: { uri: 'sip:a', tag: '1' }, to: { uri: 'sip:b', tag: '2' } };
const refresh = { uri: 'sip:b', maxForwards: 70, callid: 'c1', cseq: 2, via: [], ...parties };

/** The refresh of a device is answered so. */
function refreshIn(trial: Trial, status: number, cseq = 2): Trial {
  const response = { ...refresh, kind: 'response', method: 'UPDATE', status, reason: '', cseq } as SipMessage;
  trial.see('outside.sent', { from: phone, to: edge, message: request('UPDATE', cseq) });
  return trial.see('outside.sent', { from: edge, to: phone, message: response });
}

/** The same, and each of `then` follows after so many seconds. */
function refreshed(status: number, seconds: number, ...then: ('UPDATE' | 'BYE' | 'INFO')[]): Trial {
  const trial = refreshIn(new Trial(sessionsRefreshed).pass(60_000), status);
  for (const method of then)
    trial.pass(seconds * 1_000).see('outside.sent', { from: phone, to: edge, message: request(method) });
  return trial.pass(60_000);
}

test('sessions-refreshed: a refresh that is refused is repeated after five seconds, unless the leg ends', (t) => {
  t.is(refreshed(503, 5, 'UPDATE').verdict, 'pass');
  t.regex(refreshed(503, 10, 'UPDATE').failures.join(), /the refresh of 10.101.5.1:5060 c1 was refused/);
  t.deepEqual(refreshed(503, 5, 'BYE').failures, []);
  // Seed 76028: digits that waited for their answers kept the refresh waiting.
  t.deepEqual(refreshed(503, 5, 'INFO', 'UPDATE').failures, []);
  for (const status of [200, 408, 481]) t.is(refreshed(status, 60).verdict, 'unknown');
});

// Seed 79017: the phone came and went, and sent its next refresh while it was away.
test('sessions-refreshed: a phone that is silent is not judged, until it is revived', (t) => {
  const trial = new Trial(sessionsRefreshed).pass(60_000);
  const fault = (verb: string) => trial.see('fault.inflicted', { fault: 1, verb, args: ['acme.root.test/1005'] });
  refreshIn(trial, 503);
  fault('flapOutside').pass(60_000);
  refreshIn(trial, 503, 3).pass(60_000);
  t.deepEqual(trial.failures, []);
  fault('revive');
  t.is(refreshIn(trial, 503, 4).pass(60_000).verdict, 'fail');
});

// Seed 64087: the node of the gate was paused for longer than the phone waits for an answer.
test('sessions-refreshed: a refresh that was answered after its sender gave it up is not judged', (t) => {
  const trial = new Trial(sessionsRefreshed).pass(60_000);
  trial.see('outside.sent', { from: phone, to: edge, message: request('UPDATE') }).pass(40_000);
  t.is(refreshIn(trial, 503).pass(60_000).verdict, 'unknown');
});

test('sessions-refreshed: an end that has ended the leg without a message, or has stopped, sends nothing', (t) => {
  const ended = refreshed(503, 0);
  t.is(ended.verdict, 'fail');
  const inside = (then: (trial: Trial) => void) => {
    const [conf, b2b] = ['north/n1/conf-217', 'north/n1/b2b-214'];
    const body = { kind: 'response', method: 'UPDATE', status: 503, callid: 'c1' };
    const trial = new Trial(sessionsRefreshed).pass(60_000);
    trial.send({ type: 'sip', from: b2b, to: conf, body });
    then(trial);
    return trial.pass(60_000).verdict;
  };
  t.is(
    inside((trial) => trial.entity('north/n1/conf-217', 'leg', 'c1', 'ended')),
    'unknown',
  );
  t.is(
    inside((trial) => trial.see('instance.status', { instance: 'north/n1/conf-217', status: 'stopped' })),
    'unknown',
  );
  t.is(
    inside(() => {}),
    'fail',
  );
});

/** A device is referred by the platform, and notifies how that went; the other one of its call too. `null`: it does not. */
function referred(first: number | null, second: number | null, isEnded = false, isDisturbed = false): Trial {
  const trial = new Trial(referredLeave).pass(60_000);
  const devices = { c1: phone, c2: '10.101.2.1:5060' } as const;
  const parties = { from: { uri: 'sip:a', tag: '1' }, to: { uri: 'sip:b', tag: '2' } };
  const base = { kind: 'request', uri: 'sip:b', maxForwards: 70, cseq: 2, via: [], ...parties };
  const legs = [{ callid: 'c1' }, { callid: 'c2' }];
  trial.send({ type: 'stream.published', body: { epoch: 1, items: [{ n: 1, dialog: { legs } }] } });
  if (isDisturbed) trial.see('instance.status', { instance: 'north/n1/b2b-214', status: 'starting' });
  trial.pass(4_000);
  const message = (fields: object) => ({ ...base, ...fields }) as unknown as SipMessage;
  for (const [callid, device] of Object.entries(devices))
    trial.see('outside.sent', { from: edge, to: device, message: message({ method: 'REFER', callid }) });
  for (const [callid, status] of [
    ['c1', first],
    ['c2', second],
  ] as const) {
    if (status === null) continue;
    const said = { method: 'NOTIFY', callid, event: 'refer', sipfrag: `SIP/2.0 ${status} x` };
    trial.pass(1_000).see('outside.sent', { from: devices[callid], to: edge, message: message(said) });
  }
  if (isEnded) trial.see('outside.sent', { from: edge, to: phone, message: message({ method: 'BYE', callid: 'c1' }) });
  return trial.pass(5_000);
}

test('referred-leave: a call ends when one party has arrived and no other transfer is open', (t) => {
  t.is(referred(200, 486, true).verdict, 'pass');
  t.regex(referred(200, 486).failures.join(), /the device of leg c1 has left for another call/);
  t.deepEqual(referred(200, null).failures, []);
  t.deepEqual(referred(100, 486).failures, []);
  t.deepEqual(referred(486, 486).failures, []);
  // Seed 80487: a leg of the call began while messages were lost, and was never acknowledged.
  t.deepEqual(referred(200, 486, false, true).failures, []);
});

const [esg] = defaultMap.instancesOf('esg');
const [provider] = providersOf(defaultMap);
const b2b = defaultMap.instancesOf('b2b').find((each) => each.site === esg?.site);
const edgeNode = defaultMap.node(esg?.node ?? '');

/** A call of a provider, answered, and counted so by the dashboard; `before`: what happens meanwhile. */
function counted(callcount: number, before: (trial: Trial) => void = () => {}): Trial {
  const trial = new Trial(callsCounted).pass(60_000).meet(esg?.site ?? '');
  const parties = { from: { uri: 'sip:a', tag: '1' }, to: { uri: 'sip:b' } };
  const base = { uri: 'sip:b', maxForwards: 70, callid: 'c1', cseq: 2, via: [], method: 'INVITE', ...parties };
  const gateway = esg === undefined ? '' : defaultMap.endpointOf(esg);
  const invite = { ...base, kind: 'request' } as SipMessage;
  trial.see('outside.sent', { from: provider?.endpoint ?? '', to: gateway, message: invite });
  trial.send({ type: 'sip', from: esg?.address ?? '', to: b2b?.address ?? '', body: invite });
  const answer = { ...base, kind: 'response', status: 200, reason: 'OK' } as SipMessage;
  trial.see('outside.sent', { from: gateway, to: provider?.endpoint ?? '', message: answer }).pass(5_000);
  before(trial);
  const target = '/rest/v1/master/logicalroles/esg/dashboards/info?regs';
  const about = { id: 1, site, method: 'GET', target };
  trial.see('request.received', { ...about, client: 'c', sent: undefined });
  const body = JSON.stringify({ sites: [{ servers: [{ srvidx: esg?.srvidx, callcount }] }] });
  return trial.see('request.answered', { ...about, status: 200, tookMs: 5, body, ageS: undefined });
}

test('calls-counted: a call of a provider that goes on is counted', (t) => {
  t.is(counted(1).verdict, 'pass');
  t.regex(counted(0).failures.join(), /shows 0 calls of .*, of which c1 go on/);
});

test('calls-counted: a call is counted on if its b2b is back in time', (t) => {
  const away = (ms: number) => (trial: Trial) => {
    const other = b2b?.node ?? '';
    trial.entity(edgeNode.address, 'peer', other, 'up.0').entity(edgeNode.address, 'peer', other, 'lost');
    trial.pass(ms).entity(edgeNode.address, 'peer', other, 'up.0').pass(5_000);
  };
  t.is(counted(0, away(1_000)).verdict, 'fail');
  t.is(counted(0, away(2_000)).verdict, 'unknown');
  const stopped = (trial: Trial) =>
    void trial.see('instance.status', { instance: b2b?.address ?? '', status: 'stopped' });
  t.is(counted(0, stopped).verdict, 'unknown');
});

const account = provider?.accounts[0];

/** A provider answers a check of the connection, and later its account is given up. */
function givenUp(afterMs: number, state: string, isLossy = false): Trial {
  const trial = new Trial(accountsKept).pass(60_000);
  const gateway = esg === undefined ? '' : defaultMap.endpointOf(esg);
  const uri = `sip:${account?.provider.username}@${account?.provider.domain}`;
  const base = { from: { uri, tag: '1' }, to: { uri }, callid: 'o1', cseq: 1, via: [], method: 'OPTIONS' };
  if (isLossy) trial.see('fault.inflicted', { fault: 1, verb: 'loseOutside', args: [] });
  const request = { ...base, kind: 'request' } as unknown as SipMessage;
  trial.see('outside.sent', { from: gateway, to: provider?.endpoint ?? '', message: request });
  const response = { ...base, kind: 'response', status: 200 } as unknown as SipMessage;
  trial.see('outside.sent', { from: provider?.endpoint ?? '', to: gateway, message: response }).pass(afterMs);
  const look = { owner: esg?.address ?? '', machine: 'registration', key: account?.key ?? '' };
  return trial.see('entity.state', { ...look, before: 'registered', state });
}

test('accounts-kept: an account is not given up soon after an answer of its provider', (t) => {
  t.is(givenUp(95_000, 'retry').verdict, 'pass');
  t.is(givenUp(10_000, 'wait_result').verdict, 'pass');
  t.regex(givenUp(70_000, 'retry').failures.join(), /gives account .* up 70000 ms after its provider has answered/);
  t.is(givenUp(70_000, 'retry', true).verdict, 'unknown');
});

/** A call is taken back before its device has answered at all; then it rings. */
function takenBack(then: (trial: Trial) => void): Trial {
  const b2b = 'north/n1/b2b-214';
  const trial = new Trial(ringingEnds).pass(60_000).entity(b2b, 'leg', 'c1', 'calling');
  trial.entity(b2b, 'leg', 'c1', 'withdrawn');
  trial.send({ type: 'sip', to: b2b, body: { kind: 'response', method: 'INVITE', callid: 'c1', status: 180 } });
  then(trial);
  return trial.pass(10_000);
}

test('ringing-ends: a leg that was withdrawn is cancelled when it rings', (t) => {
  const cancel = { kind: 'request', method: 'CANCEL', callid: 'c1' };
  t.is(takenBack((trial) => void trial.send({ type: 'sip', from: 'north/n1/b2b-214', body: cancel })).verdict, 'pass');
  t.is(takenBack((trial) => trial.entity('north/n1/b2b-214', 'leg', 'c1', 'clearing')).verdict, 'pass');
  t.regex(takenBack(() => {}).failures.join(), /was withdrawn, and rings on without a CANCEL/);
});
