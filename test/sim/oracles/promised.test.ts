/** The oracles of what an answer has promised: records, registers, sessions, controls of meetings, removals. */

import type { OracleMaker } from '../../../sim/oracles/oracle.ts';
import { sessionsBound } from '../../../sim/oracles/rules/access/sessions-bound.ts';
import { recordingsListed } from '../../../sim/oracles/rules/data/recordings-listed.ts';
import { recordsFollowCalls } from '../../../sim/oracles/rules/data/records-follow-calls.ts';
import { hearsConsistent } from '../../../sim/oracles/rules/interface/hears-consistent.ts';
import { meetingControls } from '../../../sim/oracles/rules/interface/meeting-controls.ts';
import { participantsCalled } from '../../../sim/oracles/rules/interface/participants-called.ts';
import { registersKept } from '../../../sim/oracles/rules/registrations/registers-kept.ts';
import { othersStay } from '../../../sim/oracles/rules/shown/others-stay.ts';
import { nodeOf } from '../../../src/model/cluster/address.ts';
import type { SipMessage } from '../../../src/model/sip/message.ts';
import { test } from '../../kit/test.ts';
import { Trial } from './trial.ts';

const b2b = 'north/n1/b2b-214';
const sr = 'north/n1/sr-217';
const otherSr = 'hq/h2/sr-129';
const phone = '10.0.0.1:5060';
const edge = 'north/n1/sg-212';
const sessions = '/rest/v1/iam/sessions';

interface Asked {
  readonly status?: number;
  readonly sent?: object;
  readonly body?: unknown;
  readonly site?: string;
}

let id = 0;

function ask(trial: Trial, method: string, target: string, { status = 200, sent, body, site = 'hq' }: Asked = {}) {
  id += 1;
  const about = { id, site, method, target };
  trial.see('request.received', { ...about, client: 'token', sent: sent && JSON.stringify(sent) });
  const text = body === undefined ? '' : JSON.stringify(body);
  return trial.see('request.answered', { ...about, status, tookMs: 1, body: text, ageS: undefined });
}

function loggedIn(maker: OracleMaker): Trial {
  const login = { sent: { domain: 'root.test', login: 'admin' }, body: { session_token: 'token' } };
  return ask(new Trial(maker).pass(60_000), 'POST', sessions, login).pass(60_000);
}

const publish = (trial: Trial, item: object) =>
  trial.see('envelope.sent', {
    node: 'n1',
    envelope: { id: 'e', kind: 'tell', type: 'stream.published', from: b2b, to: '', body: { items: [item] } } as never,
  });
const dialog = { dialogid: 'd', inviteid: 'i' };
const journal = '/rest/v1/journal/calls';

test('records-follow-calls: fails for a record of a call that goes on', (t) => {
  const talking = () => publish(loggedIn(recordsFollowCalls), { dialog }).pass(3_000);
  t.is(ask(talking(), 'GET', journal, { body: [{ inviteid: 'i' }] }).verdict, 'fail');
  t.is(ask(talking(), 'GET', `${journal}/i`, { body: { inviteid: 'i' } }).verdict, 'fail');
  t.is(ask(talking(), 'GET', `${journal}/i`, { status: 404 }).verdict, 'pass');
});

test('records-follow-calls: does not judge calls that have ended, or whose b2b may have', (t) => {
  const talking = () => publish(loggedIn(recordsFollowCalls), { dialog }).pass(3_000);
  const read = (trial: Trial) => ask(trial, 'GET', journal, { body: [{ inviteid: 'i' }] }).verdict;
  t.is(read(publish(talking(), { gone: 'd' })), 'unknown');
  t.is(read(talking().see('instance.status', { instance: b2b, status: 'starting' })), 'unknown');
  t.is(read(talking().see('fault.inflicted', { fault: 1, verb: 'cut', args: [] })), 'unknown');
});

function register(kind: 'request' | 'response', more: object): SipMessage {
  const to = { uri: 'sip:1001@acme.root.test' };
  return { kind, method: 'REGISTER', callid: 'c', cseq: 1, from: to, to, via: [], device: 'x', ...more } as never;
}

const key = 'acme.root.test/1001/x';
const asks = (trial: Trial, expires: number) =>
  trial.see('outside.sent', { from: phone, to: edge, message: register('request', { expires }) });
const told = (trial: Trial, status = 200) =>
  trial.see('outside.sent', { from: edge, to: phone, message: register('response', { status }) });

test('registers-kept: fails for a removal that no sr instance has made, whatever is broken', (t) => {
  const registered = () => new Trial(registersKept).pass(1_000).entity(sr, 'binding', key, 'registered').pass(1_000);
  const cut = registered().see('fault.inflicted', { fault: 1, verb: 'cut', args: [] });
  t.is(told(asks(cut, 0)).verdict, 'fail');
  t.is(told(asks(registered(), 0), 503).verdict, 'unknown');
  t.is(told(asks(registered(), 0).entity(sr, 'binding', key, 'removed')).verdict, 'pass');
  const elsewhere = registered().entity(otherSr, 'binding', key, 'removed');
  t.is(told(asks(elsewhere, 0)).verdict, 'pass');
});

// Seed 79 of the campaign: the removal was sent again after the phone had registered anew.
test('registers-kept: does not judge a repetition of a REGISTER that was overtaken', (t) => {
  const trial = asks(new Trial(registersKept).pass(1_000), 0);
  const sent = (kind: 'request' | 'response', more: object) =>
    kind === 'request'
      ? trial.see('outside.sent', { from: phone, to: edge, message: register(kind, more) })
      : trial.see('outside.sent', { from: edge, to: phone, message: register(kind, more) });
  sent('request', { cseq: 2, expires: 60 }).entity(sr, 'binding', key, 'registered');
  sent('response', { cseq: 2, status: 200 });
  t.deepEqual(told(asks(trial.pass(500), 0)).failures, []);
});

test('registers-kept: fails for a registration that no sr instance has made', (t) => {
  t.is(told(asks(new Trial(registersKept).pass(1_000), 60)).verdict, 'fail');
  const bound = asks(new Trial(registersKept).pass(1_000), 60).entity(sr, 'binding', key, 'registered');
  t.is(told(bound).verdict, 'pass');
});

const current = `${sessions}/current`;
const shows = (trial: Trial, domain: string) =>
  ask(trial, 'GET', current, { body: { domain, login: 'admin' }, site: 'north' });

test('sessions-bound: fails for a front that shows an earlier domain, or another user', (t) => {
  const bound = () =>
    ask(loggedIn(sessionsBound), 'PATCH', current, { status: 204, sent: { domain: 'acme.root.test' } });
  t.is(shows(bound().pass(3_000), 'root.test').verdict, 'fail');
  t.is(shows(bound().pass(3_000), 'acme.root.test').verdict, 'pass');
  t.is(shows(bound().pass(500), 'root.test').verdict, 'unknown');
  t.is(shows(loggedIn(sessionsBound), 'acme.root.test').verdict, 'fail');
  const other = { domain: 'root.test', login: 'other' };
  t.is(ask(loggedIn(sessionsBound), 'GET', current, { body: other }).verdict, 'fail');
});

test('sessions-bound: a session that was withheld is known after 25 seconds; one without a definite answer is not judged', (t) => {
  const trial = loggedIn(sessionsBound);
  id += 1;
  const change = { id, site: 'hq', method: 'PATCH', target: current };
  const sent = JSON.stringify({ domain: 'acme.root.test' });
  trial.see('request.received', { ...change, client: 'token', sent });
  trial.fired = { 'session.untold': 1 };
  trial.see('request.answered', { ...change, status: 204, tookMs: 1, body: '', ageS: undefined });
  t.is(shows(trial.pass(3_000), 'root.test').verdict, 'unknown');
  t.is(shows(trial.pass(30_000), 'root.test').verdict, 'fail');
  const lost = ask(loggedIn(sessionsBound), 'PATCH', current, { status: 504, sent: { domain: 'acme.root.test' } });
  t.is(shows(lost.pass(60_000), 'root.test').verdict, 'unknown');
});

const mware = 'north/n1/mware-215';
const conf = 'north/n2/conf-224';
const participants = '/rest/v1/uc/selectors/m/participants';

/** Participants p and q of a meeting, of which p was set to `control`. */
function meeting(control: object): Trial {
  const trial = loggedIn(meetingControls);
  for (const member of ['p', 'q'])
    ask(trial, 'POST', participants, { sent: {}, body: { id: member, mic: true, spk: true } });
  ask(trial, 'PATCH', `${participants}/p`, { sent: control, body: { id: 'p', mic: true, spk: true, ...control } });
  const seats = ['p', 'q'].map((member) => ({ participantid: `1-${member}`, member }));
  const body = { conferences: [{ confid: '1', participants: seats, meeting: { id: 'm' } }] };
  trial.send({ type: 'conference.list', kind: 'reply', from: conf, to: mware, body });
  return arrange(trial, { '1-p': [], '1-q': [] }).pass(4_000);
}

function arrange(trial: Trial, hears: object): Trial {
  const re = trial.send({ type: 'conference.hears', kind: 'ask', to: conf, body: { confid: '1', hears, file: '' } });
  trial.send({ type: 'conference.hears', kind: 'reply', re, from: conf, body: { hears } });
  return trial;
}

test('meeting-controls: fails for a muted participant that is heard, for a deaf one that hears, and for one that is to hear itself', (t) => {
  t.is(arrange(meeting({ mic: false }), { '1-p': ['1-q'], '1-q': ['1-p'] }).verdict, 'fail');
  t.is(arrange(meeting({ mic: false }), { '1-p': ['1-q'], '1-q': [] }).verdict, 'pass');
  t.is(arrange(meeting({ spk: false }), { '1-p': ['1-q'], '1-q': ['1-p'] }).verdict, 'fail');
  t.is(arrange(meeting({ spk: false }), { '1-p': [], '1-q': ['1-p'] }).verdict, 'pass');
  t.is(arrange(meeting({ mic: true }), { '1-p': ['1-p', '1-q'], '1-q': ['1-p'] }).verdict, 'fail');
});

test('meeting-controls: does not judge one that has joined just now', (t) => {
  t.deepEqual(arrange(meeting({ mic: false }), { '1-p': [], '1-q': [], '1-3': ['1-p'] }).failures, []);
});

test('hears-consistent: fails for a participant that hears itself or an unknown participant, and for a change that was not made', (t) => {
  const place = '/rest/v1/uc/conferences/1/topology';
  const shown = (hears: object) => ask(loggedIn(hearsConsistent), 'GET', place, { body: { hears } }).verdict;
  t.is(shown({ a: ['b'], b: [] }), 'pass');
  t.is(shown({ a: ['a', 'b'], b: [] }), 'fail');
  t.is(shown({ a: ['c'], b: [] }), 'fail');
  const change = (body: object) =>
    ask(loggedIn(hearsConsistent), 'POST', place, { sent: { hears: { a: [] } }, body: { hears: body } }).verdict;
  t.is(change({ a: [], b: ['a'] }), 'pass');
  t.is(change({ a: ['b'], b: ['a'] }), 'fail');
});

/** A meeting whose conference has been there for six seconds and has called `called`; participant p was added to it. */
function running(called: object): Trial {
  const trial = ask(loggedIn(participantsCalled), 'POST', participants, {
    sent: {},
    body: { id: 'p', number: '1002', ext: { ct: '2026' } },
  });
  const body = {
    conferences: [{ confid: '1', conf, participants: [], meeting: { id: 'm', isEnding: false, called } }],
  };
  trial.send({ type: 'conference.list', kind: 'reply', from: conf, to: mware, body });
  return trial.pass(6_000);
}

test('participants-called: fails for a running meeting that does not call a participant', (t) => {
  const list = (trial: Trial, called: object) => {
    const meetings = [{ confid: '1', conf, participants: [], meeting: { id: 'm', isEnding: false, called } }];
    trial.send({ type: 'conference.list', kind: 'reply', from: conf, to: mware, body: { conferences: meetings } });
    return trial.verdict;
  };
  t.is(list(running({}), {}), 'fail');
  t.is(list(running({}), { 'p/2026/1002': 1 }), 'pass');
  t.is(list(ask(running({}), 'DELETE', `${participants}/p`, { status: 204 }), {}), 'unknown');
});

test('participants-called: fails for a running meeting that does not call a number of a group', (t) => {
  const groups = '/rest/v1/domain/contactgroups';
  const listed = (called: object, isChanged = false) => {
    const trial = loggedIn(participantsCalled);
    ask(trial, 'POST', groups, { body: { id: 'g', code: 's', members: ['1002', '1003', '1002'] } });
    ask(trial, 'POST', participants, { sent: {}, body: { id: 'p', number: 'group#s', ext: { ct: '2026' } } });
    // Seed 17393 of the campaign.
    if (isChanged) ask(trial, 'PATCH', `${groups}/g`, { sent: {}, body: { id: 'g', code: 's', members: ['1002'] } });
    const meetings = [{ confid: '1', conf, participants: [], meeting: { id: 'm', isEnding: false, called } }];
    const list = {
      type: 'conference.list',
      kind: 'reply',
      from: conf,
      to: mware,
      body: { conferences: meetings },
    } as const;
    trial.send(list);
    trial.pass(6_000).send(list);
    return trial;
  };
  t.is(listed({ 'p/2026/1002': 1, 'p/2026/1003': 1 }).verdict, 'pass');
  t.regex(listed({ 'p/2026/1002': 1 }).failures.join(), /participant p\/2026\/1003/);
  t.is(listed({ 'p/2026/1002': 1 }, true).verdict, 'unknown');
});

test('participants-called: fails for a participant that is called again too soon, or is not to be recalled', (t) => {
  const called = (recall: boolean, times: readonly number[], between: (trial: Trial) => void = () => {}) => {
    const body = { id: 'p', number: '1002', recall };
    const trial = ask(loggedIn(participantsCalled), 'POST', participants, { sent: {}, body });
    for (const p of times) {
      const meeting = { id: 'm', isEnding: false, called: { p } };
      const conferences = [{ confid: '1', conf, participants: [], meeting }];
      trial.send({ type: 'conference.list', kind: 'reply', from: conf, to: mware, body: { conferences } });
      between(trial);
    }
    return trial;
  };
  t.is(called(true, [1_000, 1_000, 6_000]).verdict, 'pass');
  t.regex(called(true, [1_000, 5_000]).failures.join(), /p is called again after 4000 ms/);
  t.regex(called(false, [1_000, 9_000]).failures.join(), /p is called again, which is not to be recalled/);
  const ended = (name: string) => (trial: Trial) => trial.see('node.ended', { node: name } as never);
  const stopped = (instance: string) => (trial: Trial) => trial.see('instance.status', { instance, status: 'stopped' });
  t.is(called(false, [1_000, 9_000], ended(nodeOf(conf))).failures.length, 0, 'another conference of the same id');
  t.is(called(false, [1_000, 9_000], stopped(conf)).failures.length, 0);
  t.is(called(false, [1_000, 9_000], ended(nodeOf(mware))).failures.length, 1);
});

const attachments = `${journal}/i/attachments`;
const listing = (...names: string[]) => ({ body: [{ site: 'hq', files: names.map((name) => ({ name })) }] });

test('others-stay: fails where a removal of one recording removes another', (t) => {
  const removed = (place: string) => {
    const trial = ask(loggedIn(othersStay), 'GET', attachments, listing('a.wav', 'b.wav')).pass(1_000);
    return ask(trial, 'DELETE', place, { status: 204 }).pass(1_000);
  };
  t.is(ask(removed(`${attachments}/a.wav`), 'GET', attachments, listing()).verdict, 'fail');
  t.is(ask(removed(`${attachments}/a.wav`), 'GET', attachments, listing('b.wav')).verdict, 'pass');
  t.is(ask(removed(attachments), 'GET', attachments, listing()).verdict, 'pass');
});

// Seed 74369 of the campaign.
test('others-stay: an item that has an id may get another name', (t) => {
  const campaigns = '/rest/v1/uc/chatcampaigns';
  const read = (trial: Trial, body: object) => ask(trial, 'GET', campaigns, { body: [body] });
  const before = () => read(loggedIn(othersStay), { id: 'x', name: 'one' }).pass(1_000);
  t.is(read(before(), { id: 'x', name: 'two' }).verdict, 'pass');
  t.is(read(before(), { id: 'y', name: 'one' }).verdict, 'fail');
});

test('others-stay: recordings of a record rule with a storage rule expire', (t) => {
  const trial = ask(loggedIn(othersStay), 'GET', attachments, listing('a.wav')).pass(1_000);
  ask(trial, 'POST', '/rest/v1/uc/recordrules', { sent: { storageruleid: 's' }, body: { id: 'r' } }).pass(1_000);
  t.deepEqual(ask(trial, 'GET', attachments, listing()).failures, []);
});

test('others-stay: does not judge while a link is broken', (t) => {
  const trial = ask(loggedIn(othersStay), 'GET', attachments, listing('a.wav')).pass(1_000);
  trial.see('fault.inflicted', { fault: 1, verb: 'cut', args: [] });
  t.is(ask(trial, 'GET', attachments, listing()).verdict, 'unknown');
});

const rootDialog = { ...dialog, domains: ['root.test'], status: 'dialog', legs: [{ callid: 'c' }] };
const recorded = { ...rootDialog, recordings: [{ dialogid: 'd', n: 1, startts: 0, heard: [[0, true, true]] }] };
const ended = { event: { class: 'callevents', name: 'dlg_end', data: { inviteid: 'i' } } };

test('recordings-listed: the recordings of a call that is over are listed, until a client removes one', (t) => {
  const over = () => publish(publish(loggedIn(recordingsListed), { dialog: recorded }).pass(3_000), ended).pass(10_000);
  const listed = (files: readonly object[]) => ({ body: [{ site: 'north', files }] });
  t.is(ask(over(), 'GET', attachments, listed([{ name: 'd-1.wav' }])).verdict, 'pass');
  t.regex(ask(over(), 'GET', attachments, listed([])).failures.join(), /hq does not list recording d-1.wav of call i/);
  t.is(ask(over(), 'GET', attachments, { status: 404 }).verdict, 'fail');
  t.is(ask(ask(over(), 'DELETE', attachments), 'GET', attachments, listed([])).verdict, 'unknown');
  const cut = over().see('fault.inflicted', { fault: 1, verb: 'cut', args: [] });
  t.is(ask(cut, 'GET', attachments, listed([])).verdict, 'unknown');
  // Seed 5 of the campaign: a callstore has not heard of the end.
  const unheard = over();
  unheard.fired = { 'stream.unheard': 1 };
  t.is(ask(unheard.pass(20_000), 'GET', attachments, listed([])).verdict, 'unknown');
  t.is(ask(unheard.pass(20_000), 'GET', attachments, listed([])).verdict, 'fail');
});
