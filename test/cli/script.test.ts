/** `strowger script`: files that are wrong, with the place; and a run in virtual time with its steps. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, parse } from 'node:path';
import { bundledMain } from '../kit/bundle.ts';
import { test } from '../kit/test.ts';
import { writeFile } from '../topology/edits.ts';
import { strowger } from './in-process.ts';

const good = `code: hello
components:
  - { name: start, type: start, next: ask }
  - { name: ask, type: http, url: "'https://crm.test/' + startparam(4).id", result: r, next: set }
  - { name: set, type: assign, set: { response_content: r.body.name } }
`;

test('check names the line, the field and the component of each error', async (t) => {
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
  t.regex(
    second.err,
    /syntax\.yaml:5:\d+ components\[2\]\.set\.response_content: expected an expression of JavaScript: Unexpected token at 1:\d+ in component "set"/,
  );
});

test('check warns of names that nothing sets, such as a text without its own quotes', async (t) => {
  const text = `code: names
components:
  - { name: start, type: start, next: code }
  - { name: code, type: code, code: "total = 1; function twice(n) { return 2 * n } for (const each of [1]) total += each", next: set }
  - { name: set, type: assign, set: { a: "total + twice(1)", b: "[1].map((x) => x + a).length", c: "typeof d === 'undefined'" }, next: ask }
  - { name: ask, type: http, url: "'https://crm.test/' + { snd: 1 }.snd", result: answer, next: which }
  - { name: which, type: branch, condition: "answer.status === 200 && digit === 5 && Math.min(1, NaN) !== undefined", yes: log }
  - { name: log, type: log, text: snd }
`;
  const file = writeFile(t, 'names.yaml', text);
  const { code, out, err } = await strowger(t, 'script', 'check', file);
  t.is(code, 0, err);
  t.is(out, `${file}: a valid service script: 6 components\n`);
  const expected = 'expected a variable, one that a script passes in "params", or a text in quotes of its own';
  t.deepEqual(err.split('\n'), [
    `${file}: warning: component "which", condition: nothing in the script sets "digit"; ${expected}: "'digit'"`,
    `${file}: warning: component "log", text: nothing in the script sets "snd"; ${expected}: "'snd'"`,
    '',
  ]);
});

test('run prints the steps, the variables and the answer; HTTP requests get the given answers', async (t) => {
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

const wait = `code: wait
components:
  - { name: start, type: start, next: pause }
  - { name: pause, type: wait, seconds: '900', next: set }
  - { name: set, type: assign, set: { response_content: "'late'" } }
`;

test('a run that takes longer than a client waits goes to its end in virtual time, within its limit', async (t) => {
  const file = writeFile(t, 'wait.yaml', wait);
  const { code, out } = await strowger(t, 'script', 'run', file);
  t.is(code, 0, out);
  t.regex(out, /\+900\d{3} ms set \(assign\): next\n.*\n200 late\n$/);
  const short = await strowger(t, 'script', 'run', file, '--duration', '600');
  t.is(short.code, 1);
  t.regex(short.out, /failed: script "wait", component "pause": it takes longer than its domain allows\n/);
  t.is((await strowger(t, 'script', 'run', file, '--duration', 'x')).code, 64);
});

const sum = `code: sum
components:
  - { name: start, type: start, next: one }
  - { name: one, type: assign, set: { a: '1' }, next: two }
  - { name: two, type: assign, set: { b: 'a + startparam(4).n' }, next: three }
  - { name: three, type: assign, set: { response_content: 'a + b' } }
`;

test('run stops at breakpoints, shows variables, steps and continues, by commands of a pipe', (t) => {
  const file = writeFile(t, 'sum.yaml', sum);
  const args = [bundledMain(), 'script', 'run', file, '--input', '{"n":5}', '--break', 'one'];
  const run = (input: string) => spawnSync(process.execPath, args, { input, encoding: 'utf8' }).stdout;
  const out = run('vars\nstep\nprint a\nnext\nstep\nvars\ncontinue\n');
  const [stops, steps] = out.split('+1 ms start');
  t.is(
    stops,
    `stopped before one (assign) of sum
{}
stopped before two (assign) of sum
a = 1
expected a command, got "next"; commands: vars, print NAME, step, continue, quit
stopped before three (assign) of sum
{"a":1,"b":6}
`,
  );
  t.regex(steps ?? '', /three \(assign\): next\n.*\n200 7\n$/);
  // Without further commands it runs to its end.
  t.regex(run(''), /^stopped before one \(assign\) of sum\n\+1 ms start[\s\S]*200 7\n$/);
});

test('a breakpoint at a component that the script does not have is refused', async (t) => {
  const file = writeFile(t, 'sum.yaml', sum);
  const { code, err } = await strowger(t, 'script', 'run', file, '--break', 'on');
  t.is(code, 64);
  t.regex(err, /--break: expected the name of a component .*start, one, two, three.*, got "on"/);
});

const menu = `code: menu
components:
  - { name: start, type: start, next: answer }
  - { name: answer, type: answer, next: ask }
  - { name: ask, type: menu, digits: 2, seconds: '10', next: which, timeout: bye }
  - { name: which, type: branch, condition: "digits === '12'", yes: hook, no: bye }
  - { name: hook, type: http, url: "'https://crm.test/' + startparam(1)", next: bye }
  - { name: bye, type: hangup }
`;

test('an IVR script is checked as one, and run for a call that presses digits', async (t) => {
  const file = writeFile(t, 'menu.yaml', menu);
  t.is((await strowger(t, 'script', 'check', file)).out, `${file}: a valid IVR script: 6 components\n`);
  const http = ['--http', 'https://crm.test/=200:{}'];
  const { code, out } = await strowger(t, 'script', 'run', file, '--press', '1000:12', ...http);
  t.is(code, 0, out);
  t.regex(out, /which \(branch\): yes\n.*hook \(http\): next\n.*bye \(hangup\): next\n/);
  t.is((await strowger(t, 'script', 'run', file, '--press', '12')).code, 64);
});

test('test runs the cases beside a script, and says what differs', async (t) => {
  const { dir } = parse(writeFile(t, 'menu.yaml', menu));
  const tests = `script: menu.yaml
cases:
  - name: the digits 12 send a request
    presses: [{ afterMs: 1000, digits: '12' }]
    http: { 'https://crm.test/': { status: 200 } }
    expect: { run: finished, requests: ['GET https://crm.test/1001'], variables: { digits: '12' } }
  - name: other digits end the call
    from: '1002'
    presses: [{ afterMs: 1000, digits: '99' }]
    expect: { steps: [start, answer, ask, which, bye], requests: [] }
  - name: the receiver is dead
    presses: [{ afterMs: 1000, digits: '12' }]
    http: { 'https://crm.test/': silent }
    expect: { run: failed, problem: no answer within }
`;
  const file = join(dir, 'menu.test.yaml');
  writeFileSync(file, tests);
  const good = await strowger(t, 'script', 'test', file);
  t.is(good.code, 0, good.out);
  t.is(good.out.match(/^ok /gm)?.length, 3);
  writeFileSync(file, tests.replace("digits: '12' } }", "digits: '13' } }"));
  const bad = await strowger(t, 'script', 'test', file);
  t.is(bad.code, 1);
  t.regex(bad.out, /^FAIL .*: the digits 12 send a request\n +variables\.digits: expected "13", got "12"$/m);
  writeFileSync(file, tests.replace('run: failed', 'end: failed'));
  t.regex((await strowger(t, 'script', 'test', file)).err, /menu\.test\.yaml:\d+:\d+ cases\[2\]\.expect\.end: /);
});
