/** `strowger sweep` and `report merge`: runs of many seeds in processes and shards, interrupted, resumed and merged. */
import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { test } from '../../kit/test.ts';
import { makeFolder } from '../../topology/edits.ts';
import { smallYaml } from '../../topology/small.ts';
import { poll, Running } from '../command.ts';
import { strowger } from '../in-process.ts';

const head = 'why: For what the tests expect of the command.\ntopology: ./small.yaml\nsteps:\n';
const lossy = "  - fault: { lose: { from: '*', probability: 0.4 } }\n  - wait: 8s\n";
const passing = `name: passing\n${head}  - request: { through: east, path: /healthz }\n    expect: { status: 200 }\n`;
/** Some seeds fail: many frames are lost, and which nodes see each other then is chance. */
const flaky = `name: flaky\n${head}${lossy}  - request: { through: east, path: /rest/v1/master/nodes/w2, as: operator }
    expect: { body: { status: active } }
sessions:
  operator: { through: east, domain: root.test, login: admin, pwd: admin }
`;

function prepare(t: ExecutionContext) {
  const folder = makeFolder(t);
  writeFileSync(join(folder, 'small.yaml'), smallYaml);
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  return { out: join(folder, 'out'), passing: file('passing.yaml', passing), flaky: file('flaky.yaml', flaky) };
}

const linesOf = (file: string) => readFileSync(file, 'utf8').trimEnd().split('\n');

test('a sweep runs every seed once, groups what fails, and keeps an artefact of each that replays', async (t) => {
  const { out, ...files } = prepare(t);
  const swept = await strowger(t, 'sweep', '--seeds', '4', '--jobs', '2', '--out', out, files.passing, files.flaky);
  t.is(swept.code, 1, swept.err);
  const outcomes = linesOf(join(out, 'sweep.jsonl')).map((line) => JSON.parse(line));
  t.is(new Set(outcomes.map(({ scenario, seed }) => `${scenario} ${seed}`)).size, 8);
  t.is(outcomes.length, 8);
  const failed = outcomes.filter(({ verdict }) => verdict === 'fail');
  t.true(failed.length > 0 && failed.length < 4, `${failed.length} of 4 failed`);
  t.regex(swept.out, /^scenario +pass +fail +unknown\nflaky +\d+ +\d+ +0\npassing +4 +0 +0\n/);
  t.regex(
    swept.out,
    /\nflaky, step 3, GET \/rest\/v1\/master\/nodes\/w2 through east\n {2}body\.status: expected "active", got .*\n {2}seeds \(\d+\), shortest run first: /,
  );
  const kept = readdirSync(out).filter((name) => name.endsWith('.strowger.json'));
  t.is(kept.length, failed.length);
  const [, artefact = ''] = /replay (\S+) --report/.exec(swept.out) ?? [];
  const page = join(out, 'page.html');
  t.is((await strowger(t, 'replay', artefact, '--report', page)).code, 0);
  t.regex(readFileSync(page, 'utf8'), /<title>flaky: fail<\/title>/);
});

test('a sweep that was stopped goes on where it was, a half line or not', async (t) => {
  const { out, passing: file } = prepare(t);
  await strowger(t, 'sweep', '--jobs', '1', '--seeds', '3', '--out', out, file);
  const record = join(out, 'sweep.jsonl');
  const before = linesOf(record);
  appendFileSync(record, '{"scenario":"pass');
  const again = await strowger(t, 'sweep', '--json', '--jobs', '1', '--seeds', '5', '--out', out, file);
  t.is(again.code, 0, again.err);
  t.deepEqual(linesOf(record).slice(0, 3), before);
  t.is(linesOf(record).length, 6, 'three, the half line, and the two that were left');
  t.like(JSON.parse(again.out), { verdict: 'pass', scenarios: [counts(5, 0)] });
});

/** The counts of the scenario `passing` in a report. */
function counts(pass: number, fail: number): object {
  return { scenario: 'passing', pass, fail, unknown: 0, neverSeen: [] };
}

test('a scenario that was edited runs anew, and counts alone', async (t) => {
  const { out, passing: file } = prepare(t);
  await strowger(t, 'sweep', '--jobs', '1', '--seeds', '2', '--out', out, file);
  writeFileSync(file, passing.replace('status: 200', 'status: 404'));
  const edited = await strowger(t, 'sweep', '--json', '--seeds', '1', '--out', out, file);
  t.is(edited.code, 1);
  t.regex(edited.err, /sweep\.jsonl has 1 runs of what has been edited since, which do not count\n/);
  t.like(JSON.parse(edited.out), { verdict: 'fail', scenarios: [counts(0, 1)], failures: [{ seeds: [1] }] });
  const joined = await strowger(t, 'report', 'merge', '--json', join(out, 'sweep.jsonl'));
  t.deepEqual(JSON.parse(joined.out), JSON.parse(edited.out));
});

test('a signal ends a sweep at once, which says how to go on', async (t) => {
  const { out, passing: file } = prepare(t);
  const args = ['sweep', '--json', '--seeds', '11..5000', '--jobs', '2', '--out', out, file];
  const running = new Running(t, args);
  const record = join(out, 'sweep.jsonl');
  await poll('an outcome', async () => (existsSync(record) && linesOf(record).length > 1) || undefined);
  t.is(await running.end('SIGINT'), 130);
  const done = linesOf(record).length;
  t.regex(running.err, new RegExp(`stopped: ${done} of 4990 runs are in .*; the same command goes on there\\n$`));
  t.like(JSON.parse(running.out), { scenarios: [counts(done, 0)] });
  const again = await strowger(t, 'sweep', '--json', '--seeds', `11..${11 + done}`, '--out', out, file);
  t.is(again.code, 0, again.err);
  t.regex(again.err, /sweep\.jsonl has \d+ of these runs already, \d to go\n/);
  t.like(JSON.parse(again.out), { scenarios: [counts(done + 1, 0)] });
});

test('shards share the seeds, and their files merge into one report', async (t) => {
  const { out, passing: file } = prepare(t);
  for (const shard of ['1/2', '2/2'])
    await strowger(t, 'sweep', '--jobs', '1', '--seeds', '5', '--shard', shard, '--out', out, file);
  const shards = ['1', '2'].map((index) => join(out, `sweep-${index}-of-2.jsonl`));
  t.deepEqual(
    shards.map((shard) => linesOf(shard).length),
    [3, 2],
  );
  const junit = join(out, 'junit.xml');
  const joined = await strowger(t, 'report', 'merge', '--json', '--junit', junit, ...shards);
  t.is(joined.code, 0, joined.err);
  t.deepEqual(JSON.parse(joined.out), { verdict: 'pass', scenarios: [counts(5, 0)], failures: [] });
  const xml = readFileSync(junit, 'utf8');
  t.regex(xml, /<testsuite name="passing" tests="5" failures="0" skipped="0">/);
  t.is(xml.split('<testcase ').length, 6);
  const half = await strowger(t, 'report', 'merge', shards[0] ?? '');
  t.is(half.code, 2, 'it proves nothing of the seeds of the other shard');
  t.regex(half.out, /\npassing: 2 seeds were not run: 2, 4\n$/);
});

test('wrong arguments of a sweep are refused, and nothing runs', async (t) => {
  const { out, passing: file } = prepare(t);
  for (const args of [
    ['--shard', '3/2'],
    ['--jobs', '0'],
    ['--seeds', 'many'],
    ['--seeds', '5..4'],
    ['--seeds', '0'],
    ['--guided'],
  ]) {
    t.is((await strowger(t, 'sweep', '--out', out, ...args, file)).code, 64, args.join(' '));
  }
  t.is((await strowger(t, 'sweep', '--out', out, join(out, 'none.yaml'))).code, 1);
  const twice = await strowger(t, 'sweep', '--out', out, file, file);
  t.is(twice.code, 64);
  t.regex(twice.err, /has the same name as .*, "passing"; expected a different name in each file/);
  t.is((await strowger(t, 'report', 'merge', join(out, 'none.jsonl'))).code, 1);
  const empty = await strowger(t, 'report', 'merge', file);
  t.is(empty.code, 1);
  t.regex(empty.err, /expected the outcomes of a sweep/);
  t.is((await strowger(t, 'report')).code, 64);
  t.is((await strowger(t, 'sweep', '--out', out, '--guided', '--nats', 'nats://127.0.0.1:1')).code, 64);
  t.false(existsSync(out));
});

test('an invalid file fails a sweep, and the other files run', async (t) => {
  const { out, passing: file } = prepare(t);
  const invalid = join(dirname(out), 'invalid.yaml');
  writeFileSync(invalid, 'name: invalid\nwhy: nothing\n');
  const swept = await strowger(t, 'sweep', '--json', '--jobs', '1', '--seeds', '2', '--out', out, invalid, file);
  t.is(swept.code, 1);
  t.regex(swept.err, /invalid\.yaml:\d+:\d+ /);
  t.like(JSON.parse(swept.out), { scenarios: [counts(2, 0)] });
  t.regex(swept.err, /\S*invalid\.yaml is invalid and was not run\n/);
});
