/** The oracles of how long calls last, of what their records say, and of how nodes learn of a change. */
import { statusesSpread } from '../../../../sim/oracles/rules/cluster/statuses-spread.ts';
import { recordsTrue } from '../../../../sim/oracles/rules/data/records-true.ts';
import { talksLimited } from '../../../../sim/oracles/rules/routes/talks-limited.ts';
import { ClusterMap } from '../../../../src/model/cluster/cluster-map.ts';
import { defaultMap } from '../../../kit/maps.ts';
import { test } from '../../../kit/test.ts';
import { Trial } from '../trial.ts';

const acme = 'acme.root.test';
const b2b = 'north/n1/b2b-214';

/** Calls of 1001 may last for eight seconds, those of 1002 for five. */
const map = new ClusterMap({
  ...defaultMap.topology,
  domains: defaultMap.topology.domains.map((domain) => ({
    ...domain,
    sipusers: domain.sipusers.map((user) => ({
      ...user,
      dlgtimesec: domain.name !== acme ? 0 : (({ 1001: 8, 1002: 5 } as Record<string, number>)[user.login] ?? 0),
    })),
  })),
});

const partyOf = (side: string, name: string) => ({ side, kind: 'sipuser', domain: acme, name, number: name });

function publish(trial: Trial, item: object): Trial {
  trial.send({ type: 'stream.published', from: b2b, body: { epoch: 1, items: [{ n: 1, ...item }] } });
  return trial;
}

function show(trial: Trial, names: readonly [string, string], more: object = {}): Trial {
  const participations = [partyOf('a', names[0]), partyOf('b', names[1])];
  const call = { dialogid: 'd', inviteid: 'i', startts: 59_000, status: 'dialog', domains: [acme] };
  return publish(trial, { dialog: { ...call, answerts: 60_000, participations, ...more } });
}

function end(trial: Trial, data: object): Trial {
  return publish(trial, {
    event: { class: 'callevents', name: 'dlg_end', domains: [acme], data: { dialogid: 'd', inviteid: 'i', ...data } },
  });
}

const limit = { type: 'timeout', reason: 'time limit' };
const talk = (...names: [string, string]) => show(new Trial(talksLimited, { map }).pass(60_000), names);

for (const [what, verdict, trial] of [
  ['ends with the time of its caller', 'pass', () => end(talk('1001', '1003').pass(8_000), limit)],
  ['ends with the shorter time of its callee', 'pass', () => end(talk('1001', '1002').pass(5_000), limit)],
  ['ends by a limit before that', 'fail', () => end(talk('1001', '1003').pass(5_000), limit)],
  ['ends by a limit that none of its users has', 'fail', () => end(talk('1003', '1004').pass(5_000), limit)],
  ['goes on', 'fail', () => talk('1001', '1002').pass(8_000)],
  ['ends before', 'unknown', () => end(talk('1001', '1002').pass(3_000), { type: 'bye', reason: '' }).pass(20_000)],
  ['has another party now', 'unknown', () => show(talk('1001', '1003'), ['1001', '1004']).pass(20_000)],
  [
    'goes on during a fault',
    'unknown',
    () => talk('1001', '1002').see('fault.inflicted', { fault: 1, verb: 'cut', args: [] }).pass(9_000),
  ],
] as const) {
  test(`talks-limited: a call ${what}: ${verdict}`, (t) => {
    const { verdict: found, failures } = trial();
    t.is(failures.length > 0 ? 'fail' : found, verdict);
  });
}

const row = { inviteid: 'i', participations: [partyOf('a', '1001'), partyOf('b', '1002')], domains: [acme] };
const times = { startts: 59_000, answerts: 60_000, type: 'bye' };

/** A call that was published with two callees, one after the other, is over; the journal shows this record of it. */
function recorded(record: object, waitMs = 5_000): Trial {
  const trial = show(new Trial(recordsTrue).pass(60_000), ['1001', '1002']);
  end(trial, { type: 'bye' }).pass(waitMs);
  const about = { id: 1, site: 'hq', method: 'GET', target: '/rest/v1/journal/calls' };
  trial.see('request.received', { ...about, client: 'token', sent: undefined });
  const body = JSON.stringify([{ ...row, ...times, ...record }]);
  return trial.see('request.answered', { ...about, status: 200, tookMs: 1, body, ageS: undefined });
}

test('records-true: fails for a record that lacks a party or a domain, or has another time or end', (t) => {
  t.is(recorded({}).verdict, 'pass');
  const [caller] = row.participations;
  t.regex(recorded({ participations: [caller] }).failures.join(), /does not name the party b sipuser 1002/);
  t.regex(recorded({ domains: [] }).failures.join(), /does not name the domain acme\.root\.test/);
  t.regex(recorded({ startts: 1 }).failures.join(), /has startts 1, and the call began at 59000/);
  t.regex(recorded({ answerts: null }).failures.join(), /has answerts null/);
  t.regex(recorded({ type: 'dead' }).failures.join(), /says that it ended by dead/);
  t.is(recorded({ type: 'dead' }, 500).verdict, 'unknown');
});

/** A status changes at n1; its node sends its digest to these peers. */
function changed(...peers: readonly string[]): Trial {
  const trial = new Trial(statusesSpread).meet('north').pass(60_000);
  trial.see('instance.status', { instance: b2b, status: 'draining' });
  const from = trial.map.node('n1').address;
  for (const peer of peers) {
    trial.send({ type: 'peer.digest', from, to: trial.map.node(peer).address, body: { version: '1.1', digest: {} } });
  }
  return trial;
}

test('statuses-spread: a node sends its digest to each peer of its site within a second, unless one is lost', (t) => {
  const peers = defaultMap.peersOf('n1').filter(({ site }) => site === 'north');
  t.is(changed(...peers.map(({ name }) => name)).pass(3_000).verdict, 'pass');
  t.regex(changed().pass(3_000).failures.join(), /n1 has not sent n2 the change of a status/);
  t.is(
    changed()
      .see('node.ended', { node: 'n2', isGraceful: false } as never)
      .pass(3_000).verdict,
    'unknown',
  );
});
