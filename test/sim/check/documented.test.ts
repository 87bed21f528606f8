/** The example of docs/check.md does what it says there, for those who have the package. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import test from 'ava';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const page = readFileSync(new URL('docs/check.md', `file://${root}`), 'utf8');

/** The text of the first block of a kind after a sentence. */
function blockAfter(sentence: string, kind: string): string {
  const [, rest = ''] = page.split(sentence);
  const [, block = ''] = new RegExp(`\`\`\`${kind}\n([^]*?)\`\`\``).exec(rest) ?? [];
  return block;
}

test('the example runs as it stands there, by the name of the package, and prints what it says', (t) => {
  const code = blockAfter('## A machine of your own', 'js');
  t.true(code.includes("from 'strowger/testing'"));
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--input-type=module'], {
    input: code,
    cwd: root,
    encoding: 'utf8',
  });
  t.is(status, 0, stderr);
  t.is(stdout, blockAfter('It prints', ''));
});

test('the check of the example is twenty lines at most', (t) => {
  const [, check = ''] = blockAfter('## A machine of your own', 'js').split('const report');
  t.true(check.split('\n').length <= 20);
});

test('all that is exported is documented', async (t) => {
  const exported = Object.keys(await import('../../../sim/testing.ts'));
  t.deepEqual(
    exported.filter((name) => !page.includes(`\`${name}(`)),
    [],
  );
});
