/** `strowger script`: files that are wrong, with the place; and a run in virtual time with its steps. */
import test from 'ava';
import { writeFile } from '../topology/edits.ts';
import { strowger } from './in-process.ts';

const good = `code: hello
components:
  - { name: start, type: start, next: ask }
  - { name: ask, type: http, url: "'https://crm.test/' + startparam(4).id", result: r, next: set }
  - { name: set, type: assign, set: { response_content: r.body.name } }
`;

test.serial('check names the line, the field and the component of each error', async (t) => {
  const file = writeFile(t, 'hello.yaml', good);
  t.deepEqual(await strowger(t, 'script', 'check', file), {
    code: 0,
    out: `${file}: a valid service script: 3 components\n`,
    err: '',
  });
  const branch = writeFile(t, 'branch.yaml', good.replace('next: set', 'next: sett'));
  const first = await strowger(t, 'script', 'check', branch);
  t.is(first.code, 1);
  t.regex(
    first.err,
    /branch\.yaml:4:\d+ components\[1\]\.next: expected the name of a component in component "ask", which has no "sett"/,
  );
  const syntax = writeFile(t, 'syntax.yaml', good.replace('r.body.name', 'r.body.'));
  const second = await strowger(t, 'script', 'check', syntax);
  t.is(second.code, 1);
  t.regex(second.err, /syntax\.yaml:5:\d+ components\[2\]\.set\.response_content: SyntaxError: .* in component "set"/);
});

test.serial('run prints the steps, the variables and the answer; HTTP requests get the given answers', async (t) => {
  const file = writeFile(t, 'hello.yaml', good);
  const http = ['--http', 'https://crm.test/7=200:{"name":"Ann"}'];
  const { code, out } = await strowger(t, 'script', 'run', file, '--input', '{"id":7}', ...http);
  t.is(code, 0);
  t.regex(out, /\+\d+ ms ask \(http\): next\n\+\d+ ms set \(assign\): next\nvariables: .*\n200 Ann\n$/);
  const failed = await strowger(t, 'script', 'run', file, '--input', '{"id":7}');
  t.is(failed.code, 1);
  t.regex(failed.out, /failed: script "hello", component "ask": the connection failed: ECONNREFUSED\n/);
  const wrong = await strowger(t, 'script', 'run', file, '--http', 'x');
  t.is(wrong.code, 64);
});
