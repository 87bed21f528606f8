/** `strowger shrink`: of a long run that failed, what little of it made it fail. */

import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { shrinkList } from '../../../sim/shrink/candidates.ts';
import { optimizingLate } from '../../kit/optimizing.ts';
import { sized } from '../../kit/property.ts';
import { test } from '../../kit/test.ts';
import { makeFolder } from '../../topology/edits.ts';
import { smallYaml } from '../../topology/small.ts';
import { edit } from '../artefacts.ts';
import { Running } from '../command.ts';
import { strowger } from '../in-process.ts';

/** A test of its own, not a part of this one. */
const plainly = { encoding: 'utf8', env: { ...process.env, NODE_TEST_CONTEXT: undefined } } as const;

/** How many steps are before and after the one that matters. */
const [before, after] = sized([5, 4], [30, 28]) as [number, number];

/** Many steps, of which only the crash of w2 matters. */
function longScenario(): string {
  const noise = (i: number) =>
    [
      '  - request: { through: east, path: /healthz }\n    expect: { status: 200 }\n',
      `  - fault: { delay: { from: west, by: ${1 + (i % 5)}ms }, name: slow }\n`,
      '  - wait: 130ms\n',
    ][i % 3];
  const many = (length: number) => Array.from({ length }, (_, i) => noise(i)).join('');
  return `name: long
why: For what the tests expect of the command.
topology: ./small.yaml
sessions:
  operator: { through: east, domain: root.test, login: admin, pwd: admin }
  unused: { through: east, domain: root.test, login: admin, pwd: admin }
steps:
${many(before)}  - fault: { crash: w2 }
${many(after)}  - wait: 20s
  - request: { through: east, path: /rest/v1/master/nodes/w2, as: operator }
    expect: { status: 200, body: { status: active } }
`;
}

test('of many steps those are left that make it fail, in a file that fails in the same way', async (t) => {
  const folder = makeFolder(t);
  writeFileSync(join(folder, 'small.yaml'), smallYaml);
  writeFileSync(join(folder, 'long.yaml'), longScenario());
  t.is((await strowger(t, 'run', '--artefacts', folder, join(folder, 'long.yaml'))).code, 1);
  const { code, out } = await strowger(t, 'shrink', '--json', '--out', folder, join(folder, 'long-1.strowger.json'));
  t.is(code, 0, out);
  const result = JSON.parse(out);
  t.like(result, { stepsBefore: before + after + 3, failure: 'body.status: expected "active", got "unreachable"' });
  t.true([2, 3].includes(result.steps) && result.runs > 0, out);
  t.true(result.written.includes(join(folder, 'long-shrunk.yaml')), out);
  const shrunk = parse(readFileSync(join(folder, 'long-shrunk.yaml'), 'utf8'));
  t.true(shrunk.steps.length <= 3);
  t.deepEqual(shrunk.steps[0], { fault: { crash: 'w2' } });
  t.deepEqual(Object.keys(shrunk.sessions), ['operator']);
  const again = await strowger(t, 'run', join(folder, 'long-shrunk.yaml'));
  t.is(again.code, 1, again.out);
  t.regex(again.out, /body\.status: expected "active", got "unreachable"/);
  const test = [...optimizingLate, '--test', join(folder, 'long-shrunk.test.mjs')];
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(fileURLToPath(new URL('../../../../', import.meta.url)), join(folder, 'node_modules/strowger'));
  const { status, stdout } = spawnSync(process.execPath, test, plainly);
  t.is(status, 1);
  t.regex(stdout, /body\.status: expected "active", got "unreachable"/);
});

test('what does not fail is not shrunk', async (t) => {
  const folder = makeFolder(t);
  writeFileSync(join(folder, 'small.yaml'), smallYaml);
  writeFileSync(join(folder, 'long.yaml'), longScenario());
  await strowger(t, 'run', '--artefacts', folder, join(folder, 'long.yaml'));
  const file = join(folder, 'long-1.strowger.json');
  edit(file, (artefact) => {
    const { file: name = '', text = '' } = artefact.scenario ?? {};
    const healed = text.replace('{ crash: w2 }', '{ pause: w2 }');
    artefact.scenario = { file: name, text: healed.replace('- wait: 20s', '- fault: { resume: w2 }\n  - wait: 20s') };
  });
  const { code, err } = await strowger(t, 'shrink', '--out', folder, file);
  t.is(code, 1);
  t.regex(err, /long\.yaml: the scenario does not fail with seed 1\n$/);
});

test('a list is as short as it can be: without any one item it would not hold', async (t) => {
  const items = Array.from({ length: 300 }, (_, i) => i);
  for (const needed of [[], [0], [299], [7, 150], [3, 4, 5, 290]]) {
    let asked = 0;
    const shortest = await shrinkList(items, async (shorter) => {
      asked += 1;
      return needed.every((item) => shorter.includes(item));
    });
    t.deepEqual(shortest, needed);
    t.true(asked < 200, `${asked} times asked`);
  }
});

test('a signal ends it with what was found by then, which fails in any folder', async (t) => {
  const folder = makeFolder(t);
  writeFileSync(join(folder, 'small.yaml'), smallYaml);
  writeFileSync(join(folder, 'long.yaml'), longScenario());
  await strowger(t, 'run', '--artefacts', folder, join(folder, 'long.yaml'));
  const out = join(folder, 'out');
  const running = new Running(t, ['shrink', '--out', out, join(folder, 'long-1.strowger.json')]);
  await running.says(/^\d+ steps after \d+ runs\n/, 'err');
  t.is(await running.end('SIGINT'), 130);
  t.regex(running.err, /\nstopped: it may become smaller still\n$/);
  t.regex(running.out, /\nwritten: .*long-shrunk\.yaml/);
  t.is((await strowger(t, 'run', join(out, 'long-shrunk.yaml'))).code, 1);
});
