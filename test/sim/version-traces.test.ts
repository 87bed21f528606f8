/** What the gate compares between versions of Node, here on this one. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { optimizingLate } from '../kit/optimizing.ts';
import { test } from '../kit/test.ts';

const file = fileURLToPath(new URL('../kit/version-traces.js', import.meta.url));

test('nothing in a virtual world waits for the runtime without being pending work', async (t) => {
  const { stdout } = await promisify(execFile)(process.execPath, [...optimizingLate, file]);
  t.regex(stdout, /^(\w+ \d{3,} lines [0-9a-f]{64}\n){3}$/);
});
