/** What version 0.1.0 has written: a data folder, artefacts, a topology and a scenario. Each is read, or refused with a reason. */
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkFolder, takeFolder } from '../../sim/data/check.ts';
import { storesIn } from '../../sim/data/stores.ts';
import { loadTopology } from '../../sim/topology/load-topology.ts';
import { LiveWorld } from '../../sim/world/live.ts';
import { strowger } from '../cli/in-process.ts';
import { silentLog } from '../kit/quiet.ts';
import { test } from '../kit/test.ts';
import { makeFolder, writeFile } from '../topology/edits.ts';

const fixtures = fileURLToPath(new URL('../../../test/compatibility/fixtures/0.1.0', import.meta.url));
const topology = join(fixtures, 'topology.yaml');
const json = { 'content-type': 'application/json' };

test('a data folder of 0.1.0 has no damage, and is served with all that was in it', async (t) => {
  const folder = join(makeFolder(t), 'data');
  cpSync(join(fixtures, 'data'), folder, { recursive: true });
  const { findings } = await checkFolder(folder, { isRepair: false });
  t.deepEqual(
    findings.filter(({ level }) => level === 'damage'),
    [],
  );
  const loaded = loadTopology(topology);
  const locks = await takeFolder({ folder, map: loaded.map, command: 'test' });
  const world = new LiveWorld({
    ...loaded,
    log: silentLog,
    host: '127.0.0.1',
    port: 0,
    stores: storesIn(folder, silentLog),
  });
  const ask = async (path: string, token: string) => {
    const headers = { authorization: `Bearer ${token}` };
    const answer = await world.request('east', new Request(`http://east/rest/v1${path}`, { headers }));
    return answer.text();
  };
  try {
    await world.start();
    const login = { domain: 'acme.root.test', login: 'admin', pwd: 'admin', session_type: 'token' };
    const opened = await world.request(
      'east',
      new Request('http://east/rest/v1/iam/sessions', { method: 'POST', headers: json, body: JSON.stringify(login) }),
    );
    const { session_token: token } = (await opened.json()) as { session_token: string };
    t.regex(await ask('/uc/sipusers?mask=login,phonenumber', token), /"login":"ann","phonenumber":"1999"/);
    t.is(await ask('/uc/recordrules?mask=tonumber', token), '[{"tonumber":"1002"}]');
    t.is(await ask('/fs/targets/parking/hold.wav', token), 'some music');
    const calls = JSON.parse(await ask('/journal/calls?mask=from,to,type', token)) as { type: string }[];
    t.deepEqual(calls.map(({ type }) => type).toSorted(), ['bye', 'call_terminate']);
  } finally {
    await world.stop();
    await locks.release();
  }
});

test('a data folder of a later format is refused, with what to do', async (t) => {
  const folder = join(makeFolder(t), 'data');
  cpSync(join(fixtures, 'data'), folder, { recursive: true });
  writeFileSync(join(folder, 'strowger-data.json'), '{"format":2,"cluster":"small","masterDomain":"root.test"}');
  const { map } = loadTopology(topology);
  await t.throwsAsync(takeFolder({ folder, map, command: 'test' }), {
    message: /has format 2, this version of strowger reads format 1: use the version that wrote it/,
  });
});

test('an artefact of 0.1.0 is refused as one of another build, and runs with --any-build', async (t) => {
  const file = join(fixtures, 'too-soon-7.strowger.json');
  const refused = await strowger(t, 'replay', file);
  t.is(refused.code, 64);
  t.regex(refused.err, /kept by version 0\.1\.0 \(build [0-9a-f]{16}\), this is .*; see --any-build/);
  const replayed = await strowger(t, 'replay', file, '--any-build');
  t.regex(replayed.out, /too-soon, replayed, seed 7\n[\s\S]*fail: 2 steps/, replayed.err);
});

test('an artefact of the first format is refused with its format and its version', async (t) => {
  const { code, err } = await strowger(t, 'replay', join(fixtures, 'format-1.strowger.json'), '--any-build');
  t.is(code, 1);
  t.regex(
    err,
    /its format is strowger-artefact-1, written by version 0\.1\.0: use the version of strowger that wrote it/,
  );
});

test('a topology and a scenario of 0.1.0 are valid', async (t) => {
  for (const name of ['topology.yaml', 'scenario.yaml']) {
    const { code, err } = await strowger(t, 'validate', join(fixtures, name));
    t.is(code, 0, err);
  }
});

test('a topology of a later format is refused at its line', async (t) => {
  const file = writeFile(t, 'later.yaml', `format: 2\n${readFileSync(topology, 'utf8')}`);
  const { code, err } = await strowger(t, 'validate', file);
  t.is(code, 1);
  t.regex(err, /later\.yaml:1:1 format: expected 1, the only format of topologies so far/);
});
