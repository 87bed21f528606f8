/** The oracles of the interface, each on answers that keep its rule, break it, or do not touch it. */

import type { OracleMaker } from '../../../sim/oracles/oracle.ts';
import { answersDeclared } from '../../../sim/oracles/rules/interface/answers-declared.ts';
import { callResults } from '../../../sim/oracles/rules/interface/call-results.ts';
import { listsSelected } from '../../../sim/oracles/rules/shown/lists-selected.ts';
import { test } from '../../kit/test.ts';
import { Trial } from './trial.ts';

const bans = '/rest/v1/master/logicalroles/sg/bannedaddrs';
const calls = '/rest/v1/uc/calls';
const users = '/rest/v1/uc/sipusers';

interface Exchange {
  readonly method?: string;
  readonly target: string;
  readonly status?: number;
  readonly sent?: object;
  readonly body?: unknown;
  readonly tookMs?: number;
  readonly missing?: string;
}

function trialOf(maker: OracleMaker, exchanges: readonly Exchange[], before: (trial: Trial) => void = () => {}): Trial {
  const trial = new Trial(maker).pass(60_000);
  before(trial);
  exchanges.forEach(({ method = 'GET', target, status = 200, sent, body, tookMs = 1, missing }, id) => {
    const about = { id, site: 'hq', method, target };
    trial.see('request.received', { ...about, client: 'one', sent: sent && JSON.stringify(sent) }).pass(tookMs);
    const text = body === undefined ? '' : JSON.stringify(body);
    trial.see('request.answered', { ...about, status, tookMs, body: text, ageS: undefined, missing });
  });
  return trial;
}

const error = (code: number) => ({ error_code: code, error_message: 'no' });
const lifted = { method: 'DELETE', target: `${bans}/10.1.1.1` };

for (const [what, verdict, exchange] of [
  ['a declared status and form', 'pass', { target: '/rest/v1/domain/domains', body: [] }],
  ['another form', 'fail', { target: '/rest/v1/domain/domains', body: {} }],
  ['a status that is not declared', 'fail', { target: bans, status: 409, body: error(1_409) }],
  ['an error of another code', 'fail', { ...lifted, status: 400, body: error(1_404) }],
  ['an error', 'pass', { ...lifted, status: 400, body: error(1_400) }],
  ['a body where there is none', 'fail', { method: 'DELETE', target: `${users}/x`, status: 204, body: {} }],
  ['a path that is not declared', 'unknown', { target: '/nowhere', status: 404, body: error(1_404) }],
] as readonly (readonly [string, string, Exchange])[]) {
  test(`answers-declared: ${what}: ${verdict}`, (t) => {
    const trial = trialOf(answersDeclared, [exchange]);
    t.is(trial.verdict, verdict as never, trial.failures.join());
  });
}

const items = [
  { id: 'a', n: 1 },
  { id: 'b', n: 2 },
  { id: 'c', n: 2 },
];
const [a, b, c] = items;
const whole = { target: users, body: items };
const filtered = (filter: unknown) => `${users}?filter=${encodeURIComponent(JSON.stringify(filter))}`;

for (const [query, right, wrong] of [
  [filtered({ n: 2 }), [b, c], [b]],
  [filtered(['==', ['property', 'n'], 2]), [b, c], [a, b, c]],
  [filtered(['!=', ['property', 'n'], 2]), [a], []],
  [filtered(['<', ['property', 'n'], 2]), [a], [a, b]],
  [filtered(['>=', ['property', 'n'], 2]), [b, c], [c]],
  [filtered(['in', ['property', 'id'], ['a', 'c']]), [a, c], [a]],
  [filtered(['like', ['property', 'id'], 'b%']), [b], []],
  [filtered(['!', ['==', ['property', 'n'], 1]]), [b, c], [a]],
  [filtered(['&&', ['==', ['property', 'n'], 2], ['!=', ['property', 'id'], 'b']]), [c], [b, c]],
  [filtered(['||', ['==', ['property', 'n'], 1], ['==', ['property', 'id'], 'c']]), [a, c], [a]],
  [`${users}?limit=2`, [a, b], [a, b, c]],
  [`${users}?offset=1`, [b, c], [a, b]],
  [`${users}?offset=1&limit=1`, [b], [c]],
  [`${users}?order=${encodeURIComponent('[{"id":"desc"}]')}`, [c, b, a], [a, b, c]],
  [`${users}?countonly=true`, { count: 3 }, { count: 2 }],
] as const) {
  test(`lists-selected: ${decodeURIComponent(query)}`, (t) => {
    const verdictOf = (body: unknown) => trialOf(listsSelected, [whole, { target: query, body }, whole]).verdict;
    t.is(verdictOf(right), 'pass');
    t.is(verdictOf(wrong), 'fail');
  });
}

for (const [query, right, wrong] of [
  ['countonly', { count: 2 }, { count: 1 }],
  [`countonly&filter=${encodeURIComponent('{"status":"talking"}')}`, { count: 1 }, { count: 0 }],
  ['limit=1&offset=1', [{ dialogid: 'b' }], []],
] as const) {
  test(`lists-selected: of a live list, items that are there before and after are counted: ${decodeURIComponent(query)}`, (t) => {
    const target = '/rest/v1/uc/calls';
    const at = (seconds: number, ...others: unknown[]) => [
      { dialogid: 'a', status: 'talking', seconds },
      { dialogid: 'b', status: 'calling', seconds },
      ...others,
    ];
    const verdictOf = (body: unknown) => {
      const before = { target, body: at(1, { dialogid: 'c', status: 'talking' }) };
      return trialOf(listsSelected, [before, { target: `${target}?${query}`, body }, { target, body: at(2) }]).verdict;
    };
    t.is(verdictOf(right), 'pass');
    t.is(verdictOf(wrong), 'fail');
  });
}

test('lists-selected: the list of one site is another list', (t) => {
  t.is(trialOf(listsSelected, [whole, { target: `${users}?site=north`, body: [a] }, whole]).verdict, 'pass');
});

test('lists-selected: a list without the sites that did not answer may lack items', (t) => {
  const selected = { target: filtered({ n: 2 }), body: [b] };
  t.is(trialOf(listsSelected, [whole, selected, whole]).verdict, 'fail');
  t.is(trialOf(listsSelected, [whole, { ...selected, missing: 'north' }, whole]).failures.length, 0);
});

test('lists-selected: of a list that changes meanwhile only what an answer shows by itself counts', (t) => {
  const other = { target: users, body: [a] };
  t.is(trialOf(listsSelected, [whole, { target: filtered({ n: 2 }), body: [] }, other]).verdict, 'pass');
  t.is(trialOf(listsSelected, [whole, { target: filtered({ n: 2 }), body: [a] }, other]).verdict, 'fail');
  t.is(trialOf(listsSelected, [{ target: '/openapi.json', body: {} }]).verdict, 'unknown');
  // Seed 51328 of the campaign: an item was there only between the two lists.
  const came = { method: 'POST', target: users, body: { id: 'd' } };
  const went = { method: 'DELETE', target: `${users}/d`, status: 204 };
  const selected = { target: filtered({ n: 3 }), body: [{ id: 'd', n: 3 }] };
  t.deepEqual(trialOf(listsSelected, [whole, came, selected, went, whole]).failures, []);
  t.is(trialOf(listsSelected, [whole, selected, whole]).verdict, 'fail');
});

test('lists-selected: an instance may be away for a moment between two equal lists', (t) => {
  const target = '/rest/v1/master/logicalroles/sg/bannedaddrs';
  const exchanges = [
    { target, body: [a] },
    { target: `${target}?limit=1`, body: [b] },
    { target, body: [a] },
  ];
  t.is(trialOf(listsSelected, exchanges).verdict, 'fail');
  const disturb = (trial: Trial) => void trial.see('instance.status', { instance: 'hq/h1/sg-113', status: 'stopped' });
  t.is(trialOf(listsSelected, exchanges, disturb).failures.length, 0);
});

test('lists-selected: of requests that overlap, such as at a paused front, any may be older', (t) => {
  const trial = new Trial(listsSelected);
  const ask = (id: number, target: string) =>
    trial.see('request.received', { id, site: 'hq', method: 'GET', target, client: 'one', sent: undefined }).pass(1);
  const answer = (id: number, target: string, items: readonly unknown[]) => {
    const answered = { id, site: 'hq', method: 'GET', target, status: 200, tookMs: 1, ageS: undefined };
    trial.see('request.answered', { ...answered, body: JSON.stringify(items) }).pass(1);
  };
  const selection = filtered({ n: 2 });
  ask(1, users);
  ask(2, selection);
  answer(1, users, [a, b]);
  ask(3, users);
  answer(2, selection, []);
  answer(3, users, [a, b]);
  t.is(trial.failures.length, 0);
  ask(4, selection);
  answer(4, selection, []);
  ask(5, users);
  answer(5, users, [a, b]);
  t.is(trial.failures.length, 1);
});

const started = (mode: number, body: object, more: Partial<Exchange> = {}): Exchange => {
  return { method: 'POST', target: calls, sent: { from: '1', to: '2', response_mode: mode }, body, ...more };
};

/** A call from a login, with mode 0, that has failed at once. */
const startedBy = (from: string): Exchange => {
  const sent = { from, to: '2', mode: 'sipuser', response_mode: 0 };
  return { method: 'POST', target: calls, sent, body: { result: 'failed', ivrcallid: 'x' } };
};

for (const [what, verdict, exchange] of [
  ['mode 0 at once', 'pass', started(0, { result: 'ok', ivrcallid: 'x' })],
  ['mode 0 late', 'fail', started(0, { result: 'ok', ivrcallid: 'x' }, { tookMs: 5_000 })],
  ['mode 0 with a result', 'fail', started(0, { result: 'failed' })],
  ['mode 0 from an unknown login', 'pass', startedBy('nobody')],
  ['mode 1 with the call', 'fail', started(1, { result: 'ok', ivrcallid: 'x', dialogid: 'd' })],
  ['mode 2 with the call', 'pass', started(2, { result: 'ok', dialogid: 'd', last_response: 'SIP/2.0 180 Ringing' })],
  ['mode 3 that only rings', 'fail', started(3, { result: 'ok', dialogid: 'd', last_response: 'SIP/2.0 180 Ringing' })],
  ['mode 3', 'pass', started(3, { result: 'ok', dialogid: 'd', bcallid: 'b', last_response: 'SIP/2.0 200 OK' })],
  ['without IVR', 'fail', { ...started(1, { result: 'ok', ivrcallid: 'x' }), method: 'INVITE' }],
  ['a refusal', 'unknown', started(1, error(1_400), { status: 400 })],
] as readonly (readonly [string, string, Exchange])[]) {
  test(`call-results: ${what}: ${verdict}`, (t) => {
    const trial = trialOf(callResults, [exchange]);
    t.is(trial.verdict, verdict as never, trial.failures.join());
  });
}

test('call-results: a request with parameters in its path is judged as well', (t) => {
  const exchange = started(0, { result: 'failed' });
  t.is(trialOf(callResults, [exchange]).verdict, 'fail');
  t.is(trialOf(callResults, [{ ...exchange, target: `${exchange.target}?mask=result` }]).verdict, 'fail');
});

// Seed 50769 of the campaign: another domain has a user with this login.
test('call-results: with mode 0 a call from a login is taken where the domain of the session has that login', (t) => {
  const login = (domain: string): Exchange => {
    return { method: 'POST', target: '/rest/v1/iam/sessions', sent: { domain }, body: { session_token: 'one' } };
  };
  t.is(trialOf(callResults, [login('acme.root.test'), startedBy('1001')]).verdict, 'fail');
  t.is(trialOf(callResults, [login('root.test'), startedBy('1001')]).verdict, 'pass');
});

test('call-results: fails for an unknown result of a call that was refused', (t) => {
  const ended = (type: string, sipcode?: number) => (trial: Trial) => {
    const data = { dialogid: 'd', type, reason: '', ...(sipcode !== undefined && { sipcode }) };
    const event = { class: 'callevents', name: 'dlg_end', domains: [], objects: [], data };
    trial.send({ type: 'stream.published', body: { epoch: 1, items: [{ n: 1, event }] } });
  };
  const reported = (trial: Trial) => {
    const call = { key: 'k', acallid: 'a', inviteid: 'i', dialogid: 'd' };
    trial.send({ type: 'call.referred', body: { ...call, status: 480, reason: '' } });
  };
  const cut = (trial: Trial) => trial.see('fault.inflicted', { fault: 1, verb: 'cut', args: ['hq'] });
  const exchange = started(3, { result: 'unknown', dialogid: 'd' });
  const late = { ...exchange, tookMs: 3_000 };
  const refusal = ended('call_final', 480);
  const both = (trial: Trial) => {
    refusal(trial);
    reported(trial);
  };
  const of = (before: (trial: Trial) => void, one = exchange) => trialOf(callResults, [one], before);
  t.regex(of(both).failures.join(), /was refused with 480/);
  t.regex(of(refusal, late).failures.join(), /was refused with 480/);
  t.is(of(ended('bye'), late).verdict, 'pass');
  t.is(of(refusal).verdict, 'pass', 'ivr may not be notified yet');
  t.is(of((trial) => [cut, both].map((each) => each(trial)), late).verdict, 'pass', 'ivr may not be notified');
});

for (const [path, key, rows, right, wrong] of [
  ['uc/sipusers', '1001', [{ id: 'a', login: 'x', phonenumber: '1001' }], ['a'], []],
  [
    'uc/sipusers',
    'x',
    [
      { id: 'a', login: 'x' },
      { id: 'b', login: 'y' },
    ],
    ['a'],
    ['a', 'b'],
  ],
  ['uc/recordrules', 'b', [{ id: 'a' }, { id: 'b' }], ['b'], ['c']],
  ['uc/calls', { callid: 'l2' }, [{ dialogid: 'd', callids: ['l1', 'l2'] }], ['d'], []],
  ['uc/calls', { dialogid: 'e' }, [{ dialogid: 'd' }, { dialogid: 'e' }], ['e'], ['e', 'd']],
  ['uc/conferences', { confroomnum: '01' }, [{ confid: 'k', confroomnum: '01' }], ['k'], []],
] as readonly (readonly [string, unknown, object[], string[], string[]])[]) {
  test(`lists-selected: LOOKUP ${path} ${JSON.stringify(key)}`, (t) => {
    const target = `/rest/v1/${path}`;
    const list = { target, body: rows };
    const verdictOf = (body: string[] | undefined) => {
      const answer = body === undefined ? { status: 404, body: error(1_404) } : { body };
      return trialOf(listsSelected, [list, { method: 'LOOKUP', target, sent: key as object, ...answer }, list]).verdict;
    };
    t.is(verdictOf(right), 'pass');
    t.is(verdictOf(wrong), 'fail');
    t.is(verdictOf(undefined), 'fail');
  });
}
