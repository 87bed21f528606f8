/** The oracles of what is acknowledged: copies have it, asks that were received count as done, sources that begin anew are read. */
import { asksEnd } from '../../../../sim/oracles/rules/cluster/asks-end.ts';
import { sourcesRead } from '../../../../sim/oracles/rules/cluster/sources-read.ts';
import { copiesFirst } from '../../../../sim/oracles/rules/data/copies-first.ts';
import { writesStay } from '../../../../sim/oracles/rules/data/writes-stay.ts';
import { registrationsFresh } from '../../../../sim/oracles/rules/registrations/registrations-fresh.ts';
import { defaultMap } from '../../../kit/maps.ts';
import { test } from '../../../kit/test.ts';
import { Trial } from '../trial.ts';

const acme = 'acme.root.test';
const mdc = 'hq/h3/mdc-133';
const ws = 'north/n1/ws-211';
const [copy] = defaultMap.instancesOf('sdc');
const sdc = copy?.address ?? '';
const item = { id: 'x', name: 'new' };

/** The answer to a change, and how long after the copy has got the change it comes; the copy says that it has it, or not. */
function changed({ isFollowed = false, afterMs = 10, status = 'active' } = {}): Trial {
  const trial = new Trial(copiesFirst);
  for (const each of ['starting', status] as const)
    trial.see('instance.status', { instance: sdc, status: each as 'active' });
  trial.pass(20_000);
  const body = { kind: 'chatcampaign', domain: acme, id: 'x' };
  const re = trial.send({ type: 'data.patch', kind: 'ask', from: ws, to: mdc, body });
  const changes = [{ put: { kind: 'chatcampaign', domain: acme, item } }];
  trial.send({ type: 'data.changed', from: mdc, to: sdc, body: { sequence: 5, changes } });
  trial.nowMs += afterMs;
  if (isFollowed) trial.send({ type: 'data.followed', from: sdc, to: mdc, body: { sequence: 5 } });
  trial.send({ type: 'data.patch', kind: 'reply', re, from: mdc, to: ws, body: { item } });
  return trial;
}

for (const [what, verdict, how] of [
  ['that its copy has followed', 'pass', { isFollowed: true }],
  ['that its copy has not followed', 'fail', {}],
  ['that its copy has not followed for long', 'pass', { afterMs: 300 }],
  ['that a standby has not followed', 'pass', { status: 'standby' }],
] as const) {
  test(`copies-first: the answer to a change ${what}: ${verdict}`, (t) => {
    const trial = changed(how);
    t.is(trial.verdict, verdict, trial.failures.join());
  });
}

/** An ask that its receiver has got, and perhaps answered, ends with this fault. */
function ended(fault: { readonly definite: boolean }, isAnswered = false): Trial {
  const trial = new Trial(asksEnd);
  const ask = { type: 'filter.list', owner: ws, to: 'hq/h1/esg-113' };
  const id = trial.send({ type: ask.type, kind: 'ask', from: ws, to: ask.to, body: {} });
  if (isAnswered) trial.send({ type: ask.type, kind: 'fault', re: id, from: ask.to, to: ws, body: {} });
  return trial.see('ask.ended', {
    node: 'n1',
    ask: { id, ...ask },
    fault: { code: 'unreachable', message: '', ...fault },
  });
}

test('asks-end: an ask that its receiver has got may have been done, unless that says otherwise', (t) => {
  t.is(ended({ definite: false }).verdict, 'pass');
  t.is(ended({ definite: true }, true).verdict, 'pass');
  t.regex(ended({ definite: true }).failures.join(), /takes "filter.list" for not done \(unreachable\), which hq\/h1/);
});

test('writes-stay: an item whose creation was refused is not there', (t) => {
  const refused = (code: string, definite = true) => {
    const trial = new Trial(writesStay);
    const body = { kind: 'chatcampaign', domain: acme, id: 'x' };
    const re = trial.send({ type: 'data.create', kind: 'ask', from: ws, to: mdc, body });
    trial.send({ type: 'data.create', kind: 'fault', re, from: mdc, to: ws, body: { code, definite } });
    const read = trial.pass(1_000).send({ type: 'data.get', kind: 'ask', from: ws, to: mdc, body });
    trial.send({ type: 'data.get', kind: 'reply', re: read, from: mdc, to: ws, body: { item } });
    return trial;
  };
  t.regex(refused('unavailable').failures.join(), /returns x, whose creation was refused/);
  t.deepEqual(refused('conflict').failures, []);
  // Seed 90229 of the campaign: the mdc crashes before it answers.
  t.deepEqual(refused('crashed', false).failures, []);
});

const b2b = 'north/n1/b2b-214';
const callstore = 'north/n1/callstore-216';

/** A b2b begins anew; after so long the callstore reads its stream. */
function begun(afterMs: number | undefined): Trial {
  const trial = new Trial(sourcesRead).meet('north');
  for (const { address } of defaultMap.instancesOf('callstore'))
    for (const status of ['starting', 'standby'] as const) trial.see('instance.status', { instance: address, status });
  trial.see('instance.status', { instance: callstore, status: 'active' }).pass(60_000);
  for (const status of ['starting', 'active'] as const) trial.see('instance.status', { instance: b2b, status });
  const consumers = defaultMap.instancesOf('callstore').filter(({ site }) => site === 'north');
  trial.pass(afterMs ?? 0);
  for (const { address } of afterMs === undefined ? [] : consumers)
    trial.send({ type: 'stream.read', kind: 'ask', from: address, to: b2b, body: {} });
  return trial.pass(20_000);
}

test('sources-read: a source that has begun anew is read by each callstore of its site', (t) => {
  t.is(begun(1_000).verdict, 'pass');
  t.regex(begun(undefined).failures.join(), /has not read the stream of north\/n1\/b2b-214, which has begun anew/);
});

/** A device registers at a gate as a contact; a lookup gives these later. */
function lookedUp(given: object, afterMs = 5_000, see: (trial: Trial) => Trial = (trial) => trial): Trial {
  const trial = new Trial(registrationsFresh).pass(60_000);
  const binding = { domain: acme, login: '1001', device: 'd', path: 'north/n1/sg-212', contact: 'sip:1001@10.1.1.1' };
  const [sr, asker] = ['north/n1/sr-217', 'north/n1/b2b-214'];
  const re = trial.send({ type: 'registrar.bind', kind: 'ask', from: asker, to: sr, body: { binding } });
  trial.send({
    type: 'registrar.bind',
    kind: 'reply',
    re,
    from: sr,
    to: asker,
    body: { result: 'bound', bindings: [] },
  });
  see(trial.pass(afterMs));
  const bindings = [{ ...binding, leftMs: 30_000, ...given }];
  trial.send({ type: 'registrar.lookup', kind: 'reply', re: 'r', from: sr, to: asker, body: { bindings } });
  return trial;
}

test('registrations-fresh: a device is given as it has registered last, and for as long as that lasts', (t) => {
  t.is(lookedUp({}).verdict, 'pass');
  t.regex(lookedUp({ path: 'north/n2/sg-222' }).failures.join(), /as sip:1001@10.1.1.1 at north\/n2\/sg-222: it is/);
  t.is(lookedUp({ path: 'north/n2/sg-222' }, 1_000).verdict, 'pass');
  t.regex(lookedUp({ leftMs: -3_000 }).failures.join(), /whose registration is over for 3000 ms/);
  // Seed 90001 of the campaign: a node that was paused for minutes answers before it looks at its timers.
  const resumed = (trial: Trial) => trial.see('fault.inflicted', { fault: 1, verb: 'resumeNode', args: ['n1'] });
  t.is(lookedUp({ leftMs: -3_000 }, 5_000, resumed).verdict, 'pass');
});
