/** Guided sweeps: which runs are kept, and what varies them. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { loadCampaign } from '../../../sim/campaign/draw.ts';
import { campaignParts, type PartSeeds } from '../../../sim/campaign/parts.ts';
import type { Reached } from '../../../sim/ledger/coverage.ts';
import { CoverageLedger } from '../../../sim/ledger/coverage-ledger.ts';
import { coverageKinds } from '../../../sim/ledger/universe.ts';
import { CampaignGuide } from '../../../sim/sweep/guide.ts';
import { test } from '../../kit/test.ts';

const reaching = (...transitions: string[]): Reached => {
  const none = Object.fromEntries(Object.keys(coverageKinds).map((kind) => [kind, []]));
  return { ...(none as unknown as Reached), transitions };
};

function guides(t: ExecutionContext) {
  const folder = mkdtempSync(join(tmpdir(), 'guide-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'corpus.jsonl');
  return (build = 'a', ledger = new CoverageLedger(undefined, build)) => new CampaignGuide(ledger, { file, build });
}

const seeds = Array.from({ length: 400 }, (_, index) => 1_000 + index);
/** By seed of a kept run: how many of `seeds` have parts of it. */
function modelsOf(guide: CampaignGuide): Map<number, number> {
  const counts = new Map<number, number>();
  for (const seed of seeds) {
    const { times: _times, ...parts } = guide.partsOf(seed);
    for (const model of new Set(Object.values(parts))) counts.set(model, (counts.get(model) ?? 0) + 1);
  }
  return counts;
}

test('before anything is kept, all runs are drawn afresh', (t) => {
  const guide = guides(t)();
  for (const seed of seeds) t.deepEqual(guide.partsOf(seed), {});
});

test('half of the runs vary one that reached something new, with one to three parts of their own', (t) => {
  const guide = guides(t)();
  guide.add({ seed: 1 }, reaching('leg: a > b'));
  guide.add({ seed: 2 }, reaching('leg: a > b'));
  const varied = seeds.map((seed) => [seed, guide.partsOf(seed)] as const).filter(([, parts]) => 'topology' in parts);
  const models = modelsOf(guide);
  t.deepEqual([...models.keys()], [1]);
  const count = models.get(1) ?? 0;
  t.true(count > seeds.length / 3 && count < (seeds.length * 2) / 3, `${count}`);
  for (const [seed, { times, ...parts }] of varied) {
    t.true(times === undefined || times === seed);
    t.true(Object.keys(parts).length >= campaignParts.length - 4);
  }
});

test('a run that reached what few have reached is varied more often', (t) => {
  const guide = guides(t)();
  guide.add({ seed: 1 }, reaching('leg: a > b'));
  guide.add({ seed: 2 }, reaching('leg: a > b', 'leg: b > c'));
  for (let seed = 3; seed < 12; seed += 1) guide.add({ seed }, reaching('leg: a > b'));
  const models = modelsOf(guide);
  t.true((models.get(2) ?? 0) > 5 * (models.get(1) ?? 0), JSON.stringify([...models]));
});

test('the variation of a varied run has the parts that both left as they were', (t) => {
  const guide = guides(t)();
  const parts: PartSeeds = { topology: 1, faults: 1, times: 7, scripts: 1 };
  guide.add({ seed: 7, parts }, reaching('leg: a > b'));
  const all = seeds.map((seed) => guide.partsOf(seed));
  t.true(all.some(({ topology, clients, times }) => topology === 1 && clients === 7 && times === 7));
});

test('a guide goes on with what was kept, unless another build kept it', (t) => {
  const make = guides(t);
  const ledger = new CoverageLedger(undefined, 'a');
  const first = make('a', ledger);
  first.add({ seed: 1 }, reaching('leg: a > b'));
  const next = make('a', ledger);
  for (const seed of seeds) t.deepEqual(next.partsOf(seed), first.partsOf(seed));
  t.is(modelsOf(make('b')).size, 0);
});

test('a run with parts of another has exactly these', (t) => {
  const [own, other] = [loadCampaign(3), loadCampaign(5)];
  const mixed = loadCampaign(3, { topology: 5, faults: 5, takeovers: 5, logouts: 5, scripts: 5 });
  t.is(mixed.topologySource.text, other.topologySource.text);
  t.deepEqual(mixed.scenario.workload?.phones, loadCampaign(3, { topology: 5 }).scenario.workload?.phones);
  t.is(mixed.scenario.seed, 3);
  t.notDeepEqual(mixed.scenario, other.scenario);
  const timed = loadCampaign(5, { times: 3 });
  const withoutTimes = (text: string) => text.replace(/\d+ms/g, '#').split('\n').toSorted();
  t.notDeepEqual(timed.source.text, other.source.text);
  t.deepEqual(withoutTimes(timed.source.text), withoutTimes(other.source.text));
  t.notDeepEqual(own.topologySource.text, other.topologySource.text);
});
