/** Clusters of test frameworks: they end with the test, and a failed test leaves a recording that `strowger replay` takes. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { clusterFor } from '../../sim/embed/ava.ts';
import type { TestCluster } from '../../sim/embed/test-cluster.ts';
import { clusterFixture } from '../../sim/embed/vitest.ts';
import type { ReportData } from '../../sim/report/html/page-data.ts';
import { digestOf } from '../../sim/scenario/sealed.ts';
import { strowger } from '../cli/in-process.ts';
import { test } from '../kit/test.ts';
import { makeFolder } from '../topology/edits.ts';

/** A test of AVA that the test plays: what it registers at its end, and whether it has passed. */
function played(title: string, passed: boolean) {
  const endings: (() => Promise<void>)[] = [];
  const ava = { title, passed, teardown: (work: () => Promise<void>) => void endings.push(work) };
  const end = async () => {
    for (const ending of endings) await ending();
  };
  return { ava, end };
}

test('a failed test leaves a recording, which is repeated to the last event', async (t) => {
  const artefacts = join(makeFolder(t), 'kept');
  const { ava, end } = played('it fails: 1/2', false);
  const cluster = await clusterFor(ava, { seed: 3, artefacts });
  await cluster.phone('1001').call('1002');
  await cluster.faults.cut({ from: 'north' });
  await cluster.clock.advance('3s');
  await end();
  await t.throwsAsync(cluster.clock.advance('1s'), { message: 'the cluster has been stopped' });
  t.deepEqual(readdirSync(artefacts), ['it-fails-1-2-3.strowger.json']);
  const file = join(artefacts, 'it-fails-1-2-3.strowger.json');
  const { code, out } = await strowger(t, 'replay', file);
  t.is(code, 0, out);
  t.regex(out, /^the test "it fails: 1\/2" failed\nrecorded inputs, seed 3\n/);
  t.regex(
    out,
    /\d\.\d{3} s {2}inject \{"fault":\{"cut":\{"from":"north"\}\}\}\nreproduced: every event is as it was\n$/,
  );
  const page = join(artefacts, 'page.html');
  t.is((await strowger(t, 'replay', file, '--report', page)).code, 0);
  const text = readFileSync(page, 'utf8');
  t.regex(text, /<title>it-fails-1-2-3: fail<\/title>/);
  t.regex(text, /again: <code>npx strowger replay \S*it-fails-1-2-3\.strowger\.json<\/code>/);
  t.regex(text, /the test<pre>the test &quot;it fails: 1\/2&quot; failed<\/pre>/);
  t.regex(text, /inject \{&quot;fault&quot;:\{&quot;cut&quot;/);
  const data = JSON.parse(/id="data">(.*?)<\/script>/s.exec(text)?.[1] ?? '{}') as ReportData;
  t.true(data.messages.length > 0 && data.calls.length > 0 && data.faults.length > 0);
  t.true(data.untilMs >= 3_000);

  const recording = JSON.parse(readFileSync(file, 'utf8'));
  const isFault = ({ input }: { input?: { do: string } }) => input?.do === 'inject';
  recording.snapshot.inputs = recording.snapshot.inputs.filter((each: { input?: { do: string } }) => !isFault(each));
  recording.digest = digestOf(recording);
  writeFileSync(file, JSON.stringify(recording));
  const other = await strowger(t, 'replay', file);
  t.is(other.code, 1);
  t.regex(other.out, /not reproduced: /);
  t.is((await strowger(t, 'replay', file, '--report', page)).code, 1);
  t.regex(readFileSync(page, 'utf8'), /the replay<pre>not reproduced: /);
  writeFileSync(file, JSON.stringify({ ...recording, failure: 'another' }));
  t.regex((await strowger(t, 'replay', file)).err, /its digest does not match its contents/);
});

test('a test that passes leaves nothing', async (t) => {
  const artefacts = join(makeFolder(t), 'kept');
  const { ava, end } = played('it passes', true);
  await clusterFor(ava, { artefacts });
  await end();
  let used: TestCluster | undefined;
  await clusterFixture({ artefacts })({ task: { name: 'a test', result: { state: 'run' } } }, async (cluster) => {
    used = cluster;
  });
  t.throws(() => used?.traceHash, { message: 'the cluster has been stopped' });
  t.false(existsSync(artefacts));
});

test('a fixture of Vitest keeps a recording of a failed test', async (t) => {
  const artefacts = join(makeFolder(t), 'kept');
  const failing = clusterFixture({ artefacts, seed: 5 })(
    { task: { name: 'a test', result: { state: 'fail' } } },
    async () => {},
  );
  await failing;
  t.deepEqual(readdirSync(artefacts), ['a-test-5.strowger.json']);
});
