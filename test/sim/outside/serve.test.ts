/** `strowger serve --load`: live, phones call each other by themselves. */

import { rateArgument, UsageError } from '../../../sim/cli/process.ts';
import { poll, Running } from '../../cli/command.ts';
import { strowger } from '../../cli/in-process.ts';
import { test } from '../../kit/test.ts';

interface Listed {
  readonly dialogid: string;
  readonly status: string;
}

test('with --load phones and providers call each other, and it stops while they talk', async (t) => {
  const running = new Running(t, ['serve', '--quiet', '--port', '0', '--load', '8/s', '--seed', '1']);
  const [, url = ''] = await running.says(/^ready .*\bnorth=(\S+)/m);
  const login = { domain: 'acme.root.test', login: 'admin', pwd: 'admin', session_type: 'token' };
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${url}/rest/v1/iam/sessions`, { method: 'POST', headers, body: JSON.stringify(login) });
  const { session_token: token } = (await answer.json()) as { session_token: string };
  const talking = await poll('calls that are answered', async () => {
    const list = await fetch(`${url}/rest/v1/uc/calls`, { headers: { authorization: `Bearer ${token}` } });
    const calls = (await list.json()) as Listed[];
    return calls.filter(({ status }) => status === 'dialog').length > 3 ? calls : undefined;
  });
  t.true(talking.every(({ dialogid }) => dialogid !== ''));
  t.is(await running.end('SIGINT'), 0);
  t.notRegex(running.err, /outside\.bug|crashed/);
});

test('a malformed load is refused in one line, and exits 64', async (t) => {
  const { code, out, err } = await strowger(t, 'serve', '--load', '5');
  t.deepEqual([code, out], [64, '']);
  t.is(err, 'strowger: --load: expected a rate above 0, at most 1000/s, such as 5/s, got "5"\n');
});

test('a rate is a number a second, within bounds', (t) => {
  const read = rateArgument('--load', 1_000);
  t.deepEqual(['5/s', '0.5/s', '1000/s', '07/s'].map(read), [5, 0.5, 1_000, 7]);
  for (const text of ['5', '0/s', '0.0/s', '-1/s', '1000.1/s', '1e3/s', '5/min', ' 5/s', '.5/s', '/s', '']) {
    t.throws(() => read(text), {
      instanceOf: UsageError,
      message: /^--load: expected a rate above 0, at most 1000\/s, /,
    });
  }
});
