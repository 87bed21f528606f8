/** The examples of docs/reference/check.md do what it says there, in a project that has the package. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from '../../kit/test.ts';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const page = readFileSync(join(root, 'docs/reference/check.md'), 'utf8');

/** The blocks of a part of the page: of code that imports the kit, and of what is printed. */
function blocksOf(heading: string): { readonly code: string; readonly prints: readonly string[] } {
  const [, part = ''] = new RegExp(`\n## ${heading}\n([\\s\\S]*?)(?=\n## |$)`).exec(page) ?? [];
  const blocks = [...part.matchAll(/```(\w*)\n([\s\S]*?)```/g)];
  const [[, , code = ''] = []] = blocks.filter(([, kind, text]) => kind === 'js' && text?.startsWith('import'));
  return { code, prints: blocks.filter(([, kind]) => kind === '').map(([, , text = '']) => text) };
}

function printed(code: string): string {
  const options = { input: code, cwd: root, encoding: 'utf8' } as const;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module'], options);
  return stdout + stderr;
}

const examples = {
  'A machine of your own': undefined,
  'Machines that invoke and spawn': undefined,
  'All of it in one machine': /\n {2}(undecided|unreachable): .*/g,
  'Interacting machines': /\n {6}after: .*/g,
};

for (const [heading, left] of Object.entries(examples)) {
  const { code, prints } = blocksOf(heading);
  test(`${heading}: the example runs as it stands there, by the name of the package, and prints what it says`, (t) => {
    t.regex(code, /from 'strowger\/testing'/);
    t.is(printed(code), prints[0] ?? '');
  });
  if (left === undefined) continue;
  test(`${heading}: without the lines that the page names it prints what the page says then`, (t) => {
    t.not(code.replaceAll(left, ''), code);
    t.is(printed(code.replaceAll(left, '')), prints[1] ?? '');
  });
}

test('the examples are typed strictly as they stand there', (t) => {
  const scratch = mkdtempSync(join(tmpdir(), 'strowger-'));
  t.teardown(() => rmSync(scratch, { recursive: true, force: true }));
  mkdirSync(join(scratch, 'node_modules'));
  symlinkSync(root, join(scratch, 'node_modules/strowger'));
  symlinkSync(join(root, 'node_modules/xstate'), join(scratch, 'node_modules/xstate'));
  writeFileSync(join(scratch, 'package.json'), '{ "type": "module" }');
  const files = Object.keys(examples).map((heading, index) => {
    writeFileSync(join(scratch, `${index}.ts`), blocksOf(heading).code);
    return `${index}.ts`;
  });
  const types = ['--typeRoots', join(root, 'node_modules/@types'), '--types', 'node'];
  const strict = [
    '--strict',
    '--exactOptionalPropertyTypes',
    '--noUncheckedIndexedAccess',
    '--skipLibCheck',
    '--noEmit',
  ];
  const tsc = [
    join(root, 'node_modules/typescript/bin/tsc'),
    '--checkers',
    '1',
    '--module',
    'nodenext',
    '--target',
    'es2023',
  ];
  const { stdout, status } = spawnSync(process.execPath, [...tsc, ...strict, ...types, ...files], {
    cwd: scratch,
    encoding: 'utf8',
  });
  t.is(status, 0, stdout);
});

test('the check of the first example is twenty lines at most', (t) => {
  const [, check = ''] = blocksOf('A machine of your own').code.split('const report');
  t.true(check.split('\n').length <= 20);
});

test('all that is exported is documented', async (t) => {
  const exported = Object.keys(await import('../../../sim/testing.ts'));
  t.deepEqual(
    exported.filter((name) => !page.includes(`\`${name}(`)),
    [],
  );
});

/** The names that a refusal lists, which are all that there is. */
function knownNames(text: string): string[] {
  const [, names = ''] = /unknownOption: not known here \((.*)\)/.exec(text) ?? [];
  return names.split(', ');
}

test('every option that the kit knows is documented', async (t) => {
  const { checkMachine, exploreExhaustively } = await import('../../../sim/testing.ts');
  const strange = { unknownOption: true } as never;
  for (const refused of [() => checkMachine(strange), () => exploreExhaustively(strange)]) {
    const names = knownNames(t.throws(refused).message);
    t.true(names.length > 10);
    t.deepEqual(
      names.filter((name) => !page.includes(`| \`${name}\` | `)),
      [],
    );
  }
});
