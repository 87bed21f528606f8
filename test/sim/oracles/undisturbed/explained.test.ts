/** The oracles that ask why a party is lost, why a participant stays, and why a call is not found. */

import { participantsRemoved } from '../../../../sim/oracles/rules/interface/participants-removed.ts';
import { lossesExplained } from '../../../../sim/oracles/rules/legs/losses-explained.ts';
import { callsNotDenied } from '../../../../sim/oracles/rules/shown/calls-not-denied.ts';
import { defaultMap } from '../../../kit/maps.ts';
import { test } from '../../../kit/test.ts';
import { Trial } from '../trial.ts';

const b2b = 'north/n1/b2b-214';
const conf = 'hq/h2/conf-125';
const stores = defaultMap
  .instancesOf('callstore')
  .filter(({ site }) => site === 'north')
  .map(({ address }) => address);

interface Asked {
  readonly method: string;
  readonly target: string;
  readonly status?: number;
  readonly sent?: object;
  readonly body?: object;
}

let ids = 0;

function ask(trial: Trial, { method, target, status = 200, sent = {}, body = {} }: Asked): Trial {
  ids += 1;
  const about = { id: ids, site: 'hq', method, target };
  trial.see('request.received', { ...about, client: 'token', sent: JSON.stringify(sent) });
  const text = JSON.stringify(body);
  return trial.see('request.answered', { ...about, status, tookMs: 1, body: text, ageS: undefined });
}

function publish(trial: Trial, from: string, item: object, to = ''): Trial {
  trial.send({ type: 'stream.published', from, to, body: { epoch: 1, items: [{ n: 1, ...item }] } });
  return trial;
}

const event = (name: string, data: object) => ({ event: { class: 'callevents', name, data } });

function ended(end: object, trial = new Trial(lossesExplained).pass(60_000)): Trial {
  publish(trial, b2b, event('dlg_start', { inviteid: 'i' })).pass(5_000);
  return publish(trial, b2b, event('dlg_end', { inviteid: 'i', ...end }));
}

function left(end: object, trial = new Trial(lossesExplained).pass(60_000)): Trial {
  const since = new Date(trial.nowMs - 5_000).toISOString();
  return publish(trial, conf, event('part_stop', { participantid: '125-1-1', since, ...end }));
}

test('losses-explained: passes for a party that hangs up, a refusal, and a participant that leaves', (t) => {
  t.is(ended({ type: 'bye', by: 'a' }).verdict, 'pass');
  t.is(ended({ type: 'error' }).verdict, 'pass');
  t.is(left({ type: 'bye', reason: 'left', by: '<sip:1@acme.root.test>' }).verdict, 'pass');
});

test('losses-explained: fails for a party and a participant that are lost while nothing is broken', (t) => {
  t.regex(ended({ type: 'error', by: 'b' }).failures.join(), /side b of call i was lost after 5000 ms/);
  t.regex(left({ type: 'error', reason: 'lost', by: 'platform' }).failures.join(), /participant 125-1-1 was lost/);
});

test('losses-explained: a fault explains the losses of all calls that it meets', (t) => {
  const broken = new Trial(lossesExplained).pass(60_000).see('fault.inflicted', { fault: 1, verb: 'cut', args: [] });
  broken.see('fault.mended', { fault: 1, verb: 'cut', args: [], isRefused: false }).pass(2_000);
  t.is(ended({ type: 'error', by: 'b' }, broken).verdict, 'unknown');
});

// Seed 34324 of the campaign: the participant had come at a time that was still to be.
test('losses-explained: does not judge participants once the clock of a node was wrong', (t) => {
  const skewed = new Trial(lossesExplained).see('fault.inflicted', { fault: 1, verb: 'skew', args: ['s2', 60_000] });
  skewed.see('fault.mended', { fault: 1, verb: 'skew', args: [], isRefused: false }).pass(60_000);
  t.is(left({ type: 'error', reason: 'lost', by: 'platform' }, skewed).verdict, 'unknown');
});

const member = '/rest/v1/uc/selectors/m/participants';

/** A participant of a meeting is removed; so long after it is in the conference in a state, or is not. */
function removed(state: string | undefined, afterMs: number, trial = new Trial(participantsRemoved).pass(60_000)) {
  ask(trial, { method: 'DELETE', target: `${member}/p` }).pass(afterMs);
  return listed(trial, state);
}

function listed(trial: Trial, state: string | undefined, id = 'p'): Trial {
  const participants = state === undefined ? [] : [{ member: id, state }];
  const conference = { confid: '125-1', conf, meeting: { id: 'm', ct: '', isEnding: false, called: {} }, participants };
  trial.send({ type: 'conference.list', kind: 'reply', from: conf, body: { conferences: [conference] } });
  return trial;
}

test('participants-removed: passes for a participant that is gone or leaves, or is another one', (t) => {
  t.is(removed(undefined, 4_000).verdict, 'pass');
  t.is(removed('leaving', 4_000).verdict, 'pass');
  t.is(listed(removed(undefined, 4_000), 'active', 'q').verdict, 'pass');
});

test('participants-removed: fails for a participant that stays, and one that is called again', (t) => {
  t.regex(removed('active', 4_000).failures.join(), /p was removed from meeting m, and is active in conference 125-1/);
  t.regex(listed(removed(undefined, 4_000), 'calling', 'p/2026/1002').failures.join(), /is calling in conference/);
});

test('participants-removed: judges no participant at once, none that is added again, and no disturbed cluster', (t) => {
  t.is(removed('active', 1_000).verdict, 'unknown');
  const again = ask(removed('active', 1_000), { method: 'POST', target: member, body: { id: 'p' } });
  t.is(listed(again.pass(4_000), 'active').verdict, 'unknown');
  const refused = ask(new Trial(participantsRemoved), { method: 'DELETE', target: `${member}/p`, status: 404 });
  t.is(listed(refused.pass(4_000), 'active').verdict, 'unknown');
  const broken = new Trial(participantsRemoved).pass(60_000);
  broken.see('fault.inflicted', { fault: 1, verb: 'cut', args: [] });
  t.is(removed('active', 4_000, broken).verdict, 'unknown');
});

const dialog = { dialogid: '214-1', inviteid: 'i', site: 'north', domains: ['acme.root.test'] };

/** An administrator is logged in, and a call goes on that these callstores have received. */
function going(known: readonly string[] = stores, login = 'admin'): Trial {
  const trial = new Trial(callsNotDenied);
  for (const { name } of defaultMap.site('north').nodes) trial.see('node.started', { node: name });
  const sent = { domain: 'acme.root.test', login, pwd: 'x' };
  ask(trial, { method: 'POST', target: '/rest/v1/iam/sessions', sent, body: { session_token: 'token' } });
  for (const store of known) publish(trial, b2b, { dialog }, store);
  return trial.pass(1_000);
}

const get = (trial: Trial, status: number) =>
  ask(trial, { method: 'GET', target: `/rest/v1/uc/calls/${dialog.dialogid}`, status });

test('calls-not-denied: passes for a call that is shown, or said to be out of reach', (t) => {
  t.is(get(going(), 200).verdict, 'pass');
  t.is(get(going(), 503).verdict, 'pass');
});

test('calls-not-denied: fails for a 404 while the call goes on, also behind a cut', (t) => {
  const cut = going().see('fault.inflicted', { fault: 1, verb: 'cut', args: [] });
  t.regex(get(cut, 404).failures.join(), /hq says that there is no call 214-1, which goes on at site north/);
});

// Seed 62 of the campaign: a fault point lost the items of the call at a callstore, which read them 20 ms after the question.
test('calls-not-denied: a call that a callstore has lost may be denied until it has read it', (t) => {
  const lost = going();
  lost.fired = { 'stream.unheard': 1 };
  t.is(get(lost, 404).verdict, 'unknown');
  publish(lost, b2b, { dialog }, stores.at(-1));
  t.is(get(lost.pass(1_000), 404).verdict, 'unknown');
  const body = { epoch: 1, last: 1, items: [{ n: 1, dialog }] };
  lost.send({ kind: 'reply', type: 'stream.read', from: b2b, to: stores.at(-1) as typeof b2b, body });
  t.is(get(lost.pass(1_000), 404).verdict, 'fail');
});

// Seed 50191 of the campaign: the node of the b2b was paused.
test('calls-not-denied: a call may be denied that a callstore can have taken for dead', (t) => {
  const paused = going().see('fault.inflicted', { fault: 1, verb: 'pauseNode', args: ['n1'] });
  t.is(get(paused.pass(5_000), 404).verdict, 'unknown');
});

test('calls-not-denied: a call that is over, or that a callstore or the user may not know, may be denied', (t) => {
  t.is(get(publish(going(), b2b, { gone: dialog.dialogid }), 404).verdict, 'unknown');
  // What was published before its end is delivered after it.
  const late = publish(publish(going(), b2b, { gone: dialog.dialogid }), b2b, { dialog }, stores[0]);
  t.is(get(late.pass(1_000), 404).verdict, 'unknown');
  t.is(get(going(stores.slice(1)), 404).verdict, 'unknown');
  t.is(get(going(stores, 'user'), 404).verdict, 'unknown');
  const restarted = going().see('instance.status', { instance: stores[0] ?? '', status: 'starting' });
  t.is(get(restarted, 404).verdict, 'unknown');
});
