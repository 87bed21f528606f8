/** Times as texts. */
import { execFileSync } from 'node:child_process';
import { httpTimeOf } from '../../src/model/time.ts';
import { test } from '../kit/test.ts';

const forms = ['Sun, 06 Nov 1994 08:49:37 GMT', 'Sunday, 06-Nov-94 08:49:37 GMT', 'Sun Nov  6 08:49:37 1994'];
const ms = Date.UTC(1994, 10, 6, 8, 49, 37);

test('a date of HTTP in each of its forms is UTC, in whatever time zone the process is', (t) => {
  const module = JSON.stringify(new URL('../../src/model/time.js', import.meta.url));
  const script = `import { httpTimeOf } from ${module}; console.log(...${JSON.stringify(forms)}.map(httpTimeOf));`;
  for (const TZ of ['UTC', 'America/New_York']) {
    const env = { ...process.env, TZ };
    const printed = execFileSync(process.execPath, ['--input-type=module', '-e', script], { env, encoding: 'utf8' });
    t.deepEqual(printed.trim().split(' ').map(Number), [ms, ms, ms], TZ);
  }
  for (const text of ['soon', '', '784111777', 'Sun, 99 Nov 1994 08:49:37 GMT'])
    t.is(httpTimeOf(text), undefined, text);
});
