/** Recordings of a call at several sites, of which some may be away; the callstores are played by the test. */
import { done, failed, fault } from '../../../src/model/fault.ts';
import type { CallRecording } from '../../../src/model/recording/recording.ts';
import type { RecordingEntry } from '../../../src/model/shapes/call-shapes.ts';
import { ScriptedCalls } from '../../kit/calls/scripted-calls.ts';
import { acmeAdmin, emptied, good, refused } from '../../kit/front.ts';
import { scopedTest } from '../../kit/scoped.ts';

const test = scopedTest();

const base = '/rest/v1/journal/calls/call-1/attachments';
let script: ScriptedCalls;
let token: string;
const kept = new Map<string, CallRecording[]>();
let isKnown = true;
let fails: string | undefined;

test.before(async () => {
  script = await ScriptedCalls.start();
  token = await script.cluster.token(acmeAdmin);
  script.on('callstore.recordings', (_body, { instance }) =>
    done({ isKnown, recordings: kept.get(instance.site) ?? [] }),
  );
  script.on('callstore.recordings.delete', ({ names }, { instance: { site, address } }) => {
    if (fails === site) return failed(fault('crashed', `${address} died of it`));
    const all = kept.get(site) ?? [];
    const isMeant = ({ dialogid, n }: CallRecording) => names.includes(`${dialogid}-${n}.wav`);
    kept.set(
      site,
      all.filter((each) => !isMeant(each)),
    );
    return done({ deleted: all.filter(isMeant).map(({ dialogid, n }) => `${dialogid}-${n}.wav`) });
  });
});

test.beforeEach(() => {
  isKnown = true;
  fails = undefined;
  kept.clear();
  kept.set('north', [recording('214-a', 1), recording('214-a', 2)]);
  kept.set('south', [recording('314-b', 1)]);
});

function recording(dialogid: string, n: number): CallRecording {
  return { dialogid, n, startts: 1_000, endts: 2_000, heard: [[0, true, true]] };
}

function ask(line: string) {
  return script.cluster.ask(line, { token });
}

test('each site that has files of a call has an entry', async (t) => {
  const entries = good<RecordingEntry[]>(t, await ask(`GET ${base}`));
  t.deepEqual(
    entries.map(({ site, files }) => [site, ...files.map(({ name, size }) => `${name} ${size}`)]),
    [
      ['north', '214-a-1.wav 32044', '214-a-2.wav 32044'],
      ['south', '314-b-1.wav 32044'],
    ],
  );
  t.is(entries[1]?.files[0]?._links.self.href, `${base}/314-b-1.wav`);
  t.is((await ask(`HEAD ${base}/314-b-1.wav`)).headers.get('content-length'), '32044');
});

test('a call without recordings has no entries; an unknown call is 404', async (t) => {
  kept.clear();
  t.deepEqual(good(t, await ask(`GET ${base}`)), []);
  emptied(t, await ask(`DELETE ${base}`));
  isKnown = false;
  for (const line of [
    `GET ${base}`,
    `GET ${base}/x.wav`,
    `HEAD ${base}/x.wav`,
    `DELETE ${base}`,
    `DELETE ${base}/x.wav`,
  ]) {
    const answer = await ask(line);
    t.is(answer.status, 404);
    if (!line.startsWith('HEAD')) refused(t, answer, 404, /^Call record not found$/);
  }
});

test('DELETE of one file asks only the site that has it', async (t) => {
  script.take('callstore.recordings.delete');
  emptied(t, await ask(`DELETE ${base}/214-a-2.wav`));
  t.deepEqual(
    script.take('callstore.recordings.delete').map(({ body }) => body.names),
    [['214-a-2.wav']],
  );
  t.deepEqual(
    kept.get('north')?.map(({ n }) => n),
    [1],
  );
});

test('a DELETE on which a callstore crashes answers 504, or names the missing site when another site deleted files', async (t) => {
  fails = 'south';
  refused(t, await ask(`DELETE ${base}/314-b-1.wav`), 504);
  const all = await ask(`DELETE ${base}`);
  emptied(t, all);
  t.is(all.headers.get('x-missing-sites'), 'south');
  t.deepEqual(kept.get('north'), []);
  refused(t, await ask(`DELETE ${base}`), 504);
});

test('while a site is away its entry is missing, and its files are neither there nor gone', async (t) => {
  for (const node of ['s1', 's2']) script.cluster.world.faults.crashNode(node);
  await script.cluster.world.wait(10_000);
  const listed = await ask(`GET ${base}`);
  t.deepEqual(
    good<RecordingEntry[]>(t, listed).map(({ site }) => site),
    ['north'],
  );
  t.is(listed.headers.get('x-missing-sites'), 'south');
  for (const method of ['GET', 'DELETE']) {
    const lost = await ask(`${method} ${base}/314-b-1.wav`);
    refused(t, lost, 503, /^callstore of site south is not reachable from site hq$/);
  }
  t.is((await ask(`GET ${base}/314-b-1.wav`)).headers.get('retry-after'), '1');
  emptied(t, await ask(`DELETE ${base}/214-a-1.wav`));
  const all = await ask(`DELETE ${base}`);
  emptied(t, all);
  t.is(all.headers.get('x-missing-sites'), 'south');
  t.deepEqual(kept.get('north'), []);
  isKnown = false;
  t.deepEqual(good(t, await ask(`GET ${base}`)), []);
});
