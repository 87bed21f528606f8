/** `strowger replay`: a recorded failure fails again, byte for byte, and a difference is reported. */
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { ExecutionContext } from 'ava';
import { test } from '../kit/test.ts';
import { makeFolder } from '../topology/edits.ts';
import { smallYaml } from '../topology/small.ts';
import { edit } from './artefacts.ts';
import { strowger } from './in-process.ts';

const failing = `name: failing
why: For what the tests expect of the command.
topology: ./small.yaml
steps:
  - fault: { lose: { from: '*', probability: 0.2 } }
  - wait: 3s
  - request: { through: west, path: /healthz }
    expect: { body: { instance: gone } }
`;

async function kept(t: ExecutionContext): Promise<string> {
  const folder = makeFolder(t);
  writeFileSync(join(folder, 'small.yaml'), smallYaml);
  writeFileSync(join(folder, 'failing.yaml'), failing);
  const artefacts = join(folder, 'kept');
  const { code, out } = await strowger(t, 'run', '--seed', '3', '--artefacts', artefacts, join(folder, 'failing.yaml'));
  t.is(code, 1);
  const file = join(artefacts, 'failing-3.strowger.json');
  t.deepEqual(readdirSync(artefacts), ['failing-3.strowger.json']);
  t.true(out.endsWith(`kept: npx strowger replay ${file}\n`));
  return file;
}

test('a run that failed is kept in one file, and happens again from it alone', async (t) => {
  const file = await kept(t);
  const { code, out } = await strowger(t, 'replay', file);
  t.is(code, 0, out);
  t.regex(out, /FAIL {2}\d+ {2}GET \/healthz through west/);
  t.true(out.endsWith('reproduced: every event is as it was\n'));
});

test('with --json a replay prints one report: the failure, and whether it was reproduced', async (t) => {
  const file = await kept(t);
  const same = await strowger(t, 'replay', '--json', file);
  t.is(same.code, 0, same.out);
  t.like(JSON.parse(same.out), { name: 'failing', seed: 3, verdict: 'fail', isReproduced: true });
  edit(file, (artefact) => {
    artefact.journal = gzipSync('0 frame\n').toString('base64');
  });
  const other = await strowger(t, 'replay', '--json', file);
  t.is(other.code, 1);
  t.like(JSON.parse(other.out), { isReproduced: false, difference: { line: 1, was: '0 frame' } });
});

test('the first event that differs is reported, as recorded and as replayed', async (t) => {
  const file = await kept(t);
  edit(file, (artefact) => {
    const lines = gunzipSync(Buffer.from(artefact.journal ?? '', 'base64'))
      .toString()
      .split('\n');
    lines[89] = `${lines[89]?.split(' ')[0]} frame something else`;
    artefact.journal = gzipSync(lines.join('\n')).toString('base64');
  });
  const { code, out } = await strowger(t, 'replay', file);
  t.is(code, 1);
  t.regex(
    out,
    /\nnot reproduced: event 90 is the first that differs, in step 2\n {2}was \d\.\d{3} s {2}frame something else\n {2}now \d\.\d{3} s {2}\S+/,
  );
});

test('what another build has kept is refused, unless one wants it', async (t) => {
  const file = await kept(t);
  edit(file, (artefact) => {
    artefact.build = '0123456789abcdef';
  });
  for (const command of ['replay', 'shrink']) {
    const refused = await strowger(t, command, file);
    t.is(refused.code, 64);
    t.regex(refused.err, /kept by version \S+ \(build 0123456789abcdef\), this is .*--any-build\n$/);
  }
  t.is((await strowger(t, 'replay', '--any-build', file)).code, 0);
});

test('a file that is no artefact is refused in one line', async (t) => {
  const file = await kept(t);
  edit(file, (artefact) => {
    delete artefact.seed;
  });
  const { code, err } = await strowger(t, 'replay', file);
  t.is(code, 1);
  t.regex(err, /^strowger: .*failing-3\.strowger\.json: expected an artefact: seed: .*\n$/);
});

for (const command of ['replay', 'shrink']) {
  test(`${command}: what was edited since it was kept is refused`, async (t) => {
    const file = await kept(t);
    edit(
      file,
      (artefact) => {
        artefact.traceHash = '0'.repeat(64);
      },
      { isSealed: false },
    );
    const { code, err } = await strowger(t, command, file);
    t.is(code, 1);
    t.regex(err, /^strowger: .*failing-3\.strowger\.json: its digest does not match its contents: .*\n$/);
  });
}
