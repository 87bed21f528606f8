/** The oracles of requests, roles and what is held, each on runs that keep its rule, break it, or do not touch it. */

import { boundsOf } from '../../../sim/oracles/bounds.ts';
import { bansEnd } from '../../../sim/oracles/rules/access/bans-end.ts';
import { bansShown } from '../../../sim/oracles/rules/access/bans-shown.ts';
import { sessionsEnd } from '../../../sim/oracles/rules/access/sessions-end.ts';
import { asksEnd } from '../../../sim/oracles/rules/cluster/asks-end.ts';
import { fanOutOnce } from '../../../sim/oracles/rules/cluster/fan-out-once.ts';
import { noBugs } from '../../../sim/oracles/rules/cluster/no-bugs.ts';
import { nothingGrows } from '../../../sim/oracles/rules/cluster/nothing-grows.ts';
import { nothingLeft } from '../../../sim/oracles/rules/cluster/nothing-left.ts';
import { oneActive } from '../../../sim/oracles/rules/cluster/one-active.ts';
import { requestsAnswered } from '../../../sim/oracles/rules/cluster/requests-answered.ts';
import { figuresTrue } from '../../../sim/oracles/rules/data/figures-true.ts';
import { participantDelaysMs } from '../../../src/machines/conference/participant.ts';
import { legDelaysMs } from '../../../src/machines/sip/leg.ts';
import type { ClusterMap } from '../../../src/model/cluster/cluster-map.ts';
import { defaultMap } from '../../kit/maps.ts';
import { test } from '../../kit/test.ts';
import { Trial } from './trial.ts';

const target = '/rest/v1/master/nodes';
const request = { id: 1, site: 'north', method: 'GET', target };

test('requests-answered: in time passes, late fails, never fails, none is unknown', (t) => {
  const asked = () => new Trial(requestsAnswered).see('request.received', { ...request, client: '', sent: undefined });
  const answered = (tookMs: number) => ({ ...request, status: 200, tookMs, body: undefined, ageS: undefined });
  t.is(asked().pass(1_000).see('request.answered', answered(1_000)).pass(20_000).verdict, 'pass');
  t.is(asked().see('request.answered', answered(20_000)).verdict, 'fail');
  t.is(asked().pass(20_000).verdict, 'fail');
  t.is(new Trial(requestsAnswered).pass(20_000).verdict, 'unknown');
});

test('requests-answered: external authentication waits for a script before its other work', (t) => {
  const external = { ...request, method: 'POST', target: '/rest/v1/iam/external' };
  const answeredAfter = (tookMs: number) => {
    const trial = new Trial(requestsAnswered).see('request.received', { ...external, client: '', sent: undefined });
    trial.pass(tookMs).see('request.answered', { ...external, status: 200, tookMs, body: undefined, ageS: undefined });
    return trial.verdict;
  };
  t.is(answeredAfter(12_000), 'pass');
  t.is(answeredAfter(17_000), 'fail');
});

test('requests-answered: a front that crashes or pauses owes no answer', (t) => {
  const dead = new Trial(requestsAnswered).see('request.received', { ...request, client: '', sent: undefined });
  t.is(dead.see('node.ended', { node: 'n1', isGraceful: false }).pass(20_000).verdict, 'unknown');
  const paused = new Trial(requestsAnswered).see('request.received', { ...request, client: '', sent: undefined });
  t.is(paused.see('fault.inflicted', { fault: 1, verb: 'pauseNode', args: ['n1'] }).pass(20_000).verdict, 'unknown');
});

test('asks-end: an ask that ends passes, one that does not fails, a node that is gone owes nothing', (t) => {
  const open = () => {
    const trial = new Trial(asksEnd);
    trial.send({ type: 'filter.list', kind: 'ask', from: 'north/n1/ws-211', to: 'hq/h1/esg-113', body: {} });
    return trial;
  };
  const ask = { id: 'e1', owner: 'north/n1/ws-211', to: 'hq/h1/esg-113', type: 'filter.list' };
  t.is(open().see('ask.ended', { node: 'n1', ask, fault: undefined }).pass(60_000).verdict, 'pass');
  t.is(open().pass(60_000).verdict, 'fail');
  t.is(open().see('node.ended', { node: 'n1', isGraceful: false }).pass(60_000).verdict, 'unknown');
});

const bans = '/rest/v1/master/logicalroles/esg/bannedaddrs';

for (const [what, query, change, verdict] of [
  ['every instance', '', (rows: object[]) => rows, 'pass'],
  ['those of a site', '?site=north', (rows: object[]) => rows, 'pass'],
  ['one less', '', (rows: object[]) => rows.slice(1), 'fail'],
  ['one twice', '', (rows: object[]) => [...rows, rows[0]], 'fail'],
  ['one less, under a mask', '?mask=site,banned', (rows: object[]) => rows.slice(1), 'fail'],
  ['a page', '?limit=1', (rows: object[]) => rows.slice(0, 1), 'unknown'],
] as const) {
  test(`fan-out-once: an answer with ${what}: ${verdict}`, (t) => {
    const isMasked = query.includes('mask');
    const wanted = defaultMap.rowsOf('esg').filter(({ site }) => !query.includes('site=') || site === 'north');
    const rows = wanted.map(({ site, node, srvidx }) => (isMasked ? { site } : { site, node, srvidx }));
    const trial = new Trial(fanOutOnce).see('request.answered', {
      ...{ ...request, target: bans + query, status: 200, tookMs: 1 },
      body: JSON.stringify(change(rows)),
      ageS: undefined,
    });
    t.is(trial.verdict, verdict, trial.failures.join());
  });
}

test('fan-out-once: fails for an instance that has not banned an address', (t) => {
  const banned = (result: boolean, trial = new Trial(fanOutOnce)) => {
    const rows = defaultMap.rowsOf('esg').map(({ site, node, srvidx }) => ({ site, node, srvidx, result }));
    const answer = { ...request, method: 'POST', target: bans, status: 200, tookMs: 1, body: JSON.stringify(rows) };
    return trial.see('request.answered', { ...answer, ageS: undefined }).verdict;
  };
  t.is(banned(true), 'pass');
  t.is(banned(false), 'fail');
  const full = () => new Trial(fanOutOnce).see('fault.inflicted', { fault: 1, verb: 'fillStore', args: ['hq'] });
  const mended = () => full().see('fault.mended', { fault: 1, verb: 'fillStore', args: ['hq'], isRefused: false });
  t.is(banned(false, full()), 'pass');
  t.is(banned(false, mended().pass(5_000)), 'pass');
  t.is(banned(false, mended().pass(20_000)), 'fail');
});

test('no-bugs: passes where answers come, fails for what only a bug brings about, is unknown without a request', (t) => {
  const answered = (status: number) => ({ ...request, status, tookMs: 1, body: '', ageS: undefined });
  const good = () => new Trial(noBugs).see('request.answered', answered(504));
  t.is(good().verdict, 'pass');
  t.is(good().see('instance.crashed', { instance: 'a', reason: 'crash requested', cause: 'injected' }).verdict, 'pass');
  t.is(
    good().see('instance.crashed', { instance: 'a', reason: 'crash requested by a bug', cause: 'bug' }).verdict,
    'fail',
  );
  t.is(good().see('request.answered', answered(500)).verdict, 'fail');
  t.is(good().see('counted', { by: 'a', name: 'dead_letter.bad_body' }).verdict, 'fail');
  t.is(good().see('counted', { by: 'a', name: 'dead_letter.too_late' }).verdict, 'pass');
  t.is(good().see('counted', { by: 'a', name: 'event.unexpected.leg.offer' }).verdict, 'fail');
  t.is(good().see('logged', { level: 'error', event: 'bug', fields: {} }).verdict, 'fail');
  const givenUp = (crashes: number) => {
    const trial = good();
    for (let n = 0; n < crashes; n += 1)
      trial.see('instance.crashed', { instance: 'north/n1/a', reason: 'crash requested', cause: 'injected' });
    return trial.see('logged', { level: 'error', event: 'instance.given_up', fields: { instance: 'a' } }).verdict;
  };
  t.is(givenUp(5), 'fail');
  t.is(givenUp(6), 'pass');
  t.is(new Trial(noBugs).pass(10_000).verdict, 'unknown');
});

const [first, second] = defaultMap.groupOf(defaultMap.instance('north/n1/callstore-216')).map((each) => each.address);
const passives = [...defaultMap.instances.values()].filter((each) => each.group !== undefined && each.order === 1);

function served(): Trial {
  const trial = new Trial(oneActive);
  for (const { address: instance } of passives) trial.see('instance.status', { instance, status: 'active' });
  return trial;
}

test('one-active: one a group passes, none fails at rest, two fail after a while', (t) => {
  t.is(served().pass(30_000).verdict, 'pass', served().pass(30_000).failures.join());
  t.is(
    served()
      .see('instance.status', { instance: first ?? '', status: 'standby' })
      .pass(30_000).verdict,
    'fail',
  );
  const two = served().see('instance.status', { instance: second ?? '', status: 'active' });
  t.is(two.pass(30_000).verdict, 'fail');
});

test('one-active: a change after a long time without one is judged', (t) => {
  const long = served().pass(600_000);
  t.is(long.verdict, 'pass', long.failures.join());
  t.is(long.see('instance.status', { instance: second ?? '', status: 'active' }).pass(30_000).verdict, 'fail');
});

test('one-active: two serve while their site is torn, and not while another one is', (t) => {
  const torn = served();
  torn.isStable = false;
  torn.see('fault.inflicted', { fault: 1, verb: 'cut', args: [{ from: 'n1', to: 'n2' }] });
  torn.see('instance.status', { instance: second ?? '', status: 'active' });
  t.is(torn.pass(30_000).verdict, 'unknown');
  const elsewhere = served();
  elsewhere.isStable = false;
  elsewhere.see('fault.inflicted', { fault: 1, verb: 'cut', args: [{ from: 'south' }] });
  elsewhere.see('instance.status', { instance: second ?? '', status: 'active' });
  t.is(elsewhere.pass(30_000).verdict, 'fail');
});

/** A site of two nodes that do not see each other; on both serves a callstore, after so many words of arbiters. */
function halves(words: readonly (readonly [node: string, arbiter: string])[]): Trial {
  const trial = served().meet('north').meet('hq').part('n1', 'n2');
  trial.isStable = false;
  trial.see('fault.inflicted', { fault: 1, verb: 'cut', args: [{ from: 'n1', to: 'n2' }] });
  // What else serves at n1 had the word once, and is of no matter here.
  for (const { address: instance, site } of passives) {
    if (site === 'north' && instance !== first) trial.see('instance.status', { instance, status: 'standby' });
  }
  trial.see('instance.status', { instance: second ?? '', status: 'active' }).pass(8_000);
  for (const [to, by] of words) {
    const [claimant, arbiter] = [trial.map.node(to).address, trial.map.node(by).address];
    trial.send({
      type: 'quorum.claim',
      kind: 'reply',
      from: arbiter,
      to: claimant,
      body: { granted: true, untilMs: 0 },
    });
  }
  return trial.pass(8_000);
}

for (const [what, words, verdict] of [
  ['no word of an arbiter', [], 'fail'],
  ['the word for one of them', [['n1', 'h1']], 'fail'],
  [
    'the word of the same arbiter',
    [
      ['n1', 'h1'],
      ['n2', 'h1'],
    ],
    'fail',
  ],
  [
    'the words of two arbiters that see each other',
    [
      ['n1', 'h1'],
      ['n2', 'h2'],
    ],
    'fail',
  ],
  [
    'the words of arbiters at two sites',
    [
      ['n1', 'h1'],
      ['n2', 's1'],
    ],
    'pass',
  ],
] as const) {
  test(`one-active: two serve on the halves of a torn site with ${what}: ${verdict}`, (t) => {
    const trial = halves(words);
    t.is(trial.verdict, verdict, trial.failures.join());
  });
}

test('one-active: where one line is cut two serve though a third node sees both, and others still look', (t) => {
  const torn = (status: 'active' | 'standby') => {
    const trial = served().meet('hq').part('h1', 'h2');
    trial.isStable = false;
    trial.see('fault.inflicted', { fault: 1, verb: 'cut', args: [{ from: 'h1', to: 'h2' }] });
    return trial.see('instance.status', { instance: 'hq/h2/callstore-127', status });
  };
  t.is(torn('active').pass(10_000).failures.length, 0);
  t.is(torn('active').pass(20_000).verdict, 'fail');
  t.is(torn('standby').pass(20_000).verdict, 'pass');
  const looking = torn('active');
  for (let n = 0; n < 5; n += 1) looking.pass(5_000).part('h1', 'h3').peer('h1', 'h3', 'up').peer('h3', 'h1', 'up');
  t.is(looking.failures.length, 0, looking.failures.join());
});

test('one-active: in a torn site the majority needs an active member, and a member elsewhere has no quorum', (t) => {
  const torn = () => {
    const trial = served().meet('hq').part('h1', 'h2').part('h1', 'h3');
    trial.isStable = false;
    return trial.see('instance.status', { instance: 'hq/h2/callstore-127', status: 'standby' });
  };
  const isFor = (trial: Trial, what: RegExp) => trial.pass(20_000).failures.some((failure) => what.test(failure));
  t.true(isFor(torn(), /^no member of callstore group 116 of hq serves, though most/));
  t.true(isFor(torn(), /^callstore-116 serves where it sees 1 of 3 nodes/));
  const taken = torn().see('instance.status', { instance: 'hq/h2/callstore-127', status: 'active' });
  t.false(isFor(taken, /^no member of callstore/));
});

const esg = 'hq/h1/esg-113';

function banned(): Trial {
  const trial = new Trial(bansEnd);
  const re = trial.send({ type: 'filter.add', kind: 'ask', to: esg, body: { ip: '10.6.6.6', expires: 10 } });
  trial.entity(esg, 'ban', '10.6.6.6', 'present');
  trial.send({ type: 'filter.add', kind: 'reply', re, from: esg, body: { result: true } });
  return trial;
}

// Seed 30108 of the campaign: by the clock of the node the second ban was the longer one.
test('bans-end: of two bans of an address one may count, where the clock was set in between', (t) => {
  const bannedAgain = (trial: Trial) => {
    const re = trial.send({ type: 'filter.add', kind: 'ask', to: esg, body: { ip: '10.6.6.6', expires: 6 } });
    trial.send({ type: 'filter.add', kind: 'reply', re, from: esg, body: { result: true } });
    return trial.pass(6_000).entity(esg, 'ban', '10.6.6.6', 'lifted').verdict;
  };
  t.is(bannedAgain(banned().pass(2_000)), 'fail');
  const skew = { fault: 1, verb: 'skew', args: ['h1', -2_000] };
  t.is(bannedAgain(banned().see('fault.inflicted', skew).pass(2_000)), 'pass');
  // Seed 32780: the first one was, and counts for the latest end.
  const trial = banned().see('fault.inflicted', skew).pass(1_000);
  const re = trial.send({ type: 'filter.add', kind: 'ask', to: esg, body: { ip: '10.6.6.6', expires: 1 } });
  trial.send({ type: 'filter.add', kind: 'reply', re, from: esg, body: { result: true } });
  t.deepEqual(trial.pass(9_000).failures, []);
});

test('bans-end: a ban that was promised is there again when its instance has restarted, unless its disk is lost', (t) => {
  const restarted = (again: 'present' | 'lost', verb = 'crashNode', result = true) => {
    const trial = new Trial(bansEnd);
    const re = trial.send({ type: 'filter.add', kind: 'ask', to: esg, body: { ip: '10.6.6.6', expires: 600 } });
    trial.entity(esg, 'ban', '10.6.6.6', 'present');
    trial.send({ type: 'filter.add', kind: 'reply', re, from: esg, body: { result } });
    trial
      .pass(5_000)
      .see('fault.inflicted', { fault: 1, verb, args: ['h1'] })
      .see('node.ended', { node: 'h1', isGraceful: false });
    trial.see('instance.status', { instance: esg, status: 'starting' });
    trial.see('instance.status', { instance: esg, status: 'active' });
    if (again === 'present') trial.entity(esg, 'ban', '10.6.6.6', 'present');
    return trial.pass(60_000);
  };
  t.deepEqual(restarted('present').failures, []);
  t.regex(restarted('lost').failures.join(), /is lost with a restart/);
  t.deepEqual(restarted('lost', 'wipeNode').failures, []);
  t.deepEqual(restarted('lost', 'crashNode', false).failures, []);
  t.is(restarted('present').pass(535_000).entity(esg, 'ban', '10.6.6.6', 'lifted').verdict, 'pass');
});

test('bans-end: in time passes, never fails, too early fails, lifted passes, none is unknown', (t) => {
  t.is(banned().pass(10_000).entity(esg, 'ban', '10.6.6.6', 'lifted').verdict, 'pass');
  t.is(banned().pass(60_000).verdict, 'fail');
  t.is(banned().pass(5_000).entity(esg, 'ban', '10.6.6.6', 'lifted').verdict, 'fail');
  const lifted = banned().pass(5_000);
  lifted.send({ type: 'filter.remove', kind: 'ask', to: esg, body: { ip: '10.6.6.6' } });
  t.is(lifted.entity(esg, 'ban', '10.6.6.6', 'lifted').verdict, 'pass');
  t.is(new Trial(bansEnd).pass(60_000).verdict, 'unknown');
});

/** An administrator bans an address for a minute at each sg, and a list is asked for four seconds later. */
function listedAfterBan(
  list: object,
  {
    during = () => {},
    between = () => {},
    result = true,
  }: { during?: (trial: Trial) => void; between?: (trial: Trial) => void; result?: boolean } = {},
): Trial {
  const trial = new Trial(bansShown).pass(60_000);
  const place = '/rest/v1/master/logicalroles/sg/bannedaddrs';
  const about = (id: number, method: string) => ({ id, site: 'hq', method, target: place, client: '' });
  const answered = (id: number, method: string, more: object) => {
    const rows = trial.map.instancesOf('sg').map(({ srvidx }) => ({ srvidx, online: true, ...more }));
    const answer = { status: 200, tookMs: 1, body: JSON.stringify(rows), ageS: undefined };
    trial.see('request.answered', { ...about(id, method), ...answer });
  };
  trial.see('request.received', { ...about(1, 'POST'), sent: JSON.stringify({ ip: '10.6.6.6', expires: 60 }) });
  during(trial);
  answered(1, 'POST', { result });
  between(trial);
  trial.pass(4_000).see('request.received', { ...about(2, 'GET'), sent: undefined });
  answered(2, 'GET', list);
  return trial;
}

test('bans-shown: fails for an instance that does not ban, does not show a ban, is away or not shown', (t) => {
  const row = (expires: number) => ({ banned: [{ ip: '10.6.6.6', expires }] });
  t.is(listedAfterBan(row(56)).verdict, 'pass');
  t.regex(listedAfterBan(row(56), { result: false }).failures.join(), /has not banned the address/);
  t.regex(listedAfterBan({ banned: [] }).failures.join(), /does not show the ban of 10.6.6.6/);
  t.regex(listedAfterBan(row(20)).failures.join(), /shows 20 s for 10.6.6.6/);
  t.regex(listedAfterBan({ ...row(56), online: false }).failures.join(), /as away/);
  t.regex(listedAfterBan({ ...row(56), srvidx: 1 }).failures.join(), /has rows for 1, 1/);
});

test('bans-shown: does not judge a ban that may have been lifted, or amid faults', (t) => {
  const lift = { id: 3, site: 'hq', method: 'DELETE', target: '/rest/v1/master/logicalroles/sg/bannedaddrs' };
  const lifted = (trial: Trial) => void trial.see('request.received', { ...lift, client: '', sent: undefined });
  t.deepEqual(listedAfterBan({ banned: [] }, { between: lifted }).failures, []);
  // Seed 17330: the bans of one site were lifted.
  const atSite = { ...lift, target: `${lift.target}?site=hq`, client: '', sent: undefined };
  const between = (trial: Trial) => void trial.see('request.received', atSite);
  t.deepEqual(listedAfterBan({ banned: [] }, { between }).failures, []);
  // Seed 51669: the instance had stopped long before its node, which drained.
  const drained = (trial: Trial) => {
    for (const { address } of trial.map.instancesOf('sg'))
      trial.see('instance.status', { instance: address, status: 'stopped' });
    trial.pass(60_000);
  };
  t.deepEqual(listedAfterBan({ banned: [], online: false }, { between: drained }).failures, []);
  const gone = { status: 204, tookMs: 1, body: '', ageS: undefined };
  // Seed 58: some instances lifted all bans before this one, others after it.
  const during = (trial: Trial) => {
    lifted(trial);
    trial.see('request.answered', { ...lift, ...gone });
  };
  t.deepEqual(listedAfterBan({ banned: [] }, { during }).failures, []);
  const cut = (trial: Trial) => void trial.see('fault.inflicted', { fault: 1, verb: 'cut', args: [] });
  t.deepEqual(listedAfterBan({ banned: [] }, { between: cut }).failures, []);
});

test('bans-end: once quiescent a short ban is tried', async (t) => {
  const rows = (isBanned: boolean) => () => [{ node: 'h1', banned: isBanned ? [{ ip: '192.0.2.77' }] : [] }];
  t.is((await new Trial(bansEnd, { answer: rows(false) }).quiesce()).verdict, 'pass');
  t.is((await new Trial(bansEnd, { answer: rows(true) }).quiesce()).verdict, 'fail');
});

test('figures-true: none in use passes; below zero, more dialogs than legs, and a trunk that is left fail', async (t) => {
  const reply = (dlgcount: number, callcount: number) => {
    const trial = new Trial(figuresTrue);
    trial.send({ type: 'edge.figures', kind: 'reply', from: esg, body: { dlgcount, callcount, regs: [] } });
    return trial.verdict;
  };
  t.deepEqual([reply(1, 2), reply(-1, 2), reply(3, 2)], ['pass', 'fail', 'fail']);
  const tree = (onlinetrunkcount: number) => () => ({
    sites: [{ servers: [{ node: 'h1', srvidx: 1, online: true, regs: [{ code: 'p', d: 'x', onlinetrunkcount }] }] }],
  });
  t.is((await new Trial(figuresTrue, { answer: tree(0) }).quiesce()).verdict, 'pass');
  t.is((await new Trial(figuresTrue, { answer: tree(1) }).quiesce()).verdict, 'fail');
  t.is(new Trial(figuresTrue).verdict, 'unknown');
});

const ws = ['hq/h1/ws-111', 'north/n1/ws-211'] as const;

test('sessions-end: closed everywhere passes, open somewhere fails, none is unknown', (t) => {
  const open = () =>
    new Trial(sessionsEnd).entity(ws[0], 'session', 'k', 'active').entity(ws[1], 'session', 'k', 'active');
  const closed = open().entity(ws[0], 'session', 'k', 'closed').entity(ws[1], 'session', 'k', 'closed');
  t.is(closed.pass(30_000).verdict, 'pass');
  t.is(open().entity(ws[0], 'session', 'k', 'closed').pass(30_000).verdict, 'fail');
  t.is(open().pass(30_000).verdict, 'unknown');
});

test('sessions-end: once quiescent a session is tried at each front', async (t) => {
  let isOut = false;
  const front = (forgets: boolean) => (asked: { method?: string }) => {
    if (asked.method !== 'DELETE') return isOut ? undefined : {};
    isOut = forgets;
    return {};
  };
  t.is((await new Trial(sessionsEnd, { answer: front(true) }).quiesce()).verdict, 'pass');
  isOut = false;
  t.is((await new Trial(sessionsEnd, { answer: front(false) }).quiesce()).verdict, 'fail');
});

test('nothing-left: a leg that is left fails once quiescent, and is unknown in an unstable cluster', async (t) => {
  t.is((await new Trial(nothingLeft, { holds: { [esg]: { legs: 0 } } }).quiesce()).verdict, 'pass');
  t.is((await new Trial(nothingLeft, { holds: { [esg]: { legs: 1 } } }).quiesce()).verdict, 'fail');
  const torn = new Trial(nothingLeft, { holds: { [esg]: { legs: 1 } } });
  torn.isStable = false;
  t.is((await torn.quiesce()).verdict, 'unknown');
});

test('nothing-left: however short sessions are, a participant whose INVITE is never answered has its time', (t) => {
  const { topology } = defaultMap;
  const map = { ...defaultMap, topology: { ...topology, timings: { ...topology.timings, sessionExpiresMs: 1_000 } } };
  const { orphanedLegMs } = boundsOf(map as ClusterMap);
  t.true(orphanedLegMs > participantDelaysMs.call + legDelaysMs.cancel, `${orphanedLegMs} ms`);
});

test('nothing-grows: timers that are left after a load fail, those of sessions do not', async (t) => {
  const trial = () => new Trial(nothingGrows, { holds: { [esg]: { timers: 5 } } }).pass(10_000);
  t.is((await trial().quiesce()).verdict, 'pass');
  const grown = trial();
  grown.holds = { [esg]: { timers: 50 } };
  t.is((await grown.quiesce()).verdict, 'fail');
  const used = trial();
  used.holds = { [esg]: { timers: 50, 'entities.session': 40 } };
  t.is((await used.quiesce()).verdict, 'pass');
  t.is(new Trial(nothingGrows).pass(10_000).verdict, 'unknown');
});
