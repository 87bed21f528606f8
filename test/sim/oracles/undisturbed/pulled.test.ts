/** The oracles of what instances ask for when they lack something: entries of streams, a lease; and of published labels. */
import { tiesClaimed } from '../../../../sim/oracles/rules/cluster/ties-claimed.ts';
import { gapsPulled } from '../../../../sim/oracles/rules/data/gaps-pulled.ts';
import { labelsPublished } from '../../../../sim/oracles/rules/data/labels-published.ts';
import { ClusterMap } from '../../../../src/model/cluster/cluster-map.ts';
import { defaultMap } from '../../../kit/maps.ts';
import { test } from '../../../kit/test.ts';
import { Trial } from '../trial.ts';

const b2b = 'north/n1/b2b-214';
const callstore = 'north/n2/callstore-226';

/** The b2b publishes entries with these numbers, one message each. */
function hear(trial: Trial, ...numbers: readonly number[]): Trial {
  for (const n of numbers)
    trial.send({ type: 'stream.published', from: b2b, to: callstore, body: { epoch: 1, items: [{ n }] } });
  return trial;
}

function read(trial: Trial, last?: number): Trial {
  const re = trial.send({ type: 'stream.read', kind: 'ask', from: callstore, to: b2b, body: {} });
  if (last !== undefined) {
    const body = { epoch: 1, last, items: [] };
    trial.send({ type: 'stream.read', kind: 'reply', re, from: b2b, to: callstore, body });
  }
  return trial;
}

const settled = () => new Trial(gapsPulled).meet('north').pass(60_000);

for (const [what, verdict, trial] of [
  ['is asked for', 'pass', () => read(hear(settled(), 1, 2, 4).pass(1_000))],
  ['is not asked for', 'fail', () => hear(settled(), 1, 2, 4)],
  ['arrives later', 'unknown', () => hear(hear(settled(), 1, 2, 4).pass(1_000), 3)],
  ['came with a page', 'unknown', () => hear(read(hear(settled(), 1), 3).pass(10_000), 4)],
  ['may come with a page', 'unknown', () => hear(read(hear(settled(), 1)).pass(1_000), 3)],
  ['is of a source that is lost', 'unknown', () => hear(settled(), 1, 3).part('n1', 'n2')],
  [
    'is of an instance that crashes',
    'unknown',
    () => hear(settled(), 1, 3).see('instance.crashed', { instance: callstore, reason: '', cause: 'injected' }),
  ],
  [
    // Seed 91448 of the campaign.
    'was sent to an instance that had crashed',
    'unknown',
    () =>
      hear(hear(settled(), 1).see('instance.crashed', { instance: callstore, reason: '', cause: 'injected' }), 2, 4),
  ],
] as const) {
  test(`gaps-pulled: an entry that is missing ${what}: ${verdict}`, (t) => {
    const { failures, verdict: found } = trial().pass(10_000);
    t.is(failures.length > 0 ? 'fail' : found, verdict);
  });
}

/** A client changes the labels of a call to `bindings`; the call is published with `shown`. */
function labelled(bindings: readonly string[], shown: readonly string[], isGone = false): Trial {
  const trial = new Trial(labelsPublished);
  const command = { verb: 'bind', add: bindings, remove: [] };
  const body = { dialogid: 'd', command };
  const re = trial.send({ type: 'dialog.command', kind: 'ask', from: 'north/n1/mware-215', to: b2b, body });
  trial.send({ type: 'dialog.command', kind: 'reply', re, from: b2b, body: { bindings } });
  const items = [{ n: 1, dialog: { dialogid: 'd', bindings: shown } }, ...(isGone ? [{ n: 2, gone: 'd' }] : [])];
  trial.send({ type: 'stream.published', from: b2b, body: { epoch: 1, items } as never });
  return trial.pass(5_000);
}

test('labels-published: a call is published with its new labels, unless it is over', (t) => {
  t.is(labelled(['new'], ['new']).verdict, 'pass');
  t.regex(labelled(['new'], []).failures.join(), /d has the labels new, and was published with/);
  t.is(labelled(['new'], [], true).verdict, 'unknown');
});

const [here, there] = ['n1', 'n2'];
const tied = new ClusterMap({
  ...defaultMap.topology,
  sites: defaultMap.topology.sites.map((site) => (site.name === 'north' ? { ...site, arbiters: ['h1', 'h2'] } : site)),
});

/** The nodes of north lose each other; n1 sees the second arbiter, and claims its lease each second for so long; it is granted at first. */
function split({ claimsMs = 0, grantsMs = 0, seesArbiter = true } = {}): Trial {
  const trial = new Trial(tiesClaimed, { map: tied }).meet('hq').meet('north');
  if (seesArbiter) trial.peer(here, 'h2', 'up').peer('h2', here, 'up');
  trial.pass(10_000).part(here, there);
  for (let ms = 0; ms < claimsMs; ms += 1_000) {
    const body = { site: 'north', side: [here] };
    const re = trial.send({ type: 'quorum.claim', kind: 'ask', from: 'north/n1', to: 'hq/h2', body });
    const answer = { granted: ms < grantsMs };
    trial.send({ type: 'quorum.claim', kind: 'reply', from: 'hq/h2', to: 'north/n1', re, body: answer });
    trial.pass(1_000);
  }
  return trial;
}

test('ties-claimed: half of a site claims a lease of the arbiter that it sees', (t) => {
  const claimed = split({ claimsMs: 20_000 });
  t.is(claimed.verdict, 'pass');
  t.regex(split().pass(20_000).failures.join(), /n1 sees half of its site and the arbiter h2, and claims no lease/);
  t.is(split({ seesArbiter: false }).pass(20_000).verdict, 'pass');
});

test('ties-claimed: half of a site serves only as long as an arbiter grants it its lease', (t) => {
  const [instance = ''] = tied
    .node(here)
    .instances.flatMap(({ group, address }) => (group === undefined ? [] : address));
  const serving = (status: 'active' | 'standby', grantsMs: number) => {
    const trial = split({ claimsMs: 10_000, grantsMs });
    trial.see('instance.status', { instance, status });
    return trial;
  };
  t.is(serving('standby', 2_000).pass(3_000).verdict, 'pass');
  t.is(serving('active', 9_000).pass(3_000).verdict, 'pass');
  t.regex(
    serving('active', 2_000).pass(1_000).failures.join(),
    /is active, though its node sees half of its site and was/,
  );
  t.regex(serving('active', 0).pass(1_000).failures.join(), /was granted no lease ever/);
});
