/** `serve --data` on a disk that fails: what a user sees at the start, while it is full, and when there is room again. */

import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LevelStores } from '../../src/adapters/level-store.ts';
import { test } from '../kit/test.ts';
import { makeFolder, writeFile } from '../topology/edits.ts';
import { Running, spawned } from './command.ts';
import { strowger } from './in-process.ts';
import { oneNode, Served } from './serve/served.ts';

const users = '/rest/v1/domain/domains/root.test/users';

/** The largest file that a process may write, of all that it runs as a disk: level's log reaches it soon. */
const fullBytes = 256 * 1024;

// A limit on the size of files stands in for a full disk: it needs no rights, and Linux can take it back from outside.
const hasLimits = spawnSync('prlimit', ['--version']).error === undefined;
const onLinux = hasLimits ? test : test.skip;

function limitFiles(pid: number, bytes: number | 'unlimited'): void {
  execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:`]);
}

onLinux(
  'while the disk is full changes are 503 and reads go on; with room again nothing acknowledged is lost',
  async (t) => {
    const folder = join(makeFolder(t), 'data');
    const args = ['--topology', writeFile(t, 'one.yaml', oneNode), '--data', folder];
    const served = await Served.start(t, args);
    const acknowledged: string[] = [];
    const make = async (login: string) => {
      const answer = await served.ask('POST', users, {
        name: login,
        login,
        pwd: 'x',
        opts: { comment: login.repeat(200) },
      });
      if (answer.status === 200) acknowledged.push(login);
      return answer;
    };
    await make('before-the-disk');
    limitFiles(served.running.pid, fullBytes);
    let refused: Response | undefined;
    for (let number = 0; refused === undefined && number < 1_000; number += 1) {
      const answer = await make(`filling-disk-${number}`);
      if (answer.status !== 200) refused = answer;
    }
    t.is(refused?.status, 503);
    t.regex(
      await (refused as Response).text(),
      /its disk is full or can't be written, nothing was changed: try again later/,
    );
    for (let number = 0; number < 30; number += 1) t.is((await make(`while-full-${number}`)).status, 503);
    const whileFull = new Set((await served.users()).map(({ login }) => login));
    t.deepEqual([...whileFull].sort(), [...acknowledged].sort(), 'reads go on, and show what was acknowledged');
    limitFiles(served.running.pid, 'unlimited');
    for (let tries = 0; (await make(`room-again-${tries}`)).status !== 200 && tries < 1_000; tries += 1);
    t.regex(acknowledged.at(-1) ?? '', /^room-again-/);
    t.is(await served.running.end('SIGTERM'), 0);
    t.is(served.running.err.match(/store\.unwritable/g)?.length, 1, served.running.err);
    t.is(served.running.err.match(/store\.writable/g)?.length, 1);
    const again = await Served.start(t, args);
    t.deepEqual((await again.users()).map(({ login }) => login).sort(), [...acknowledged].sort());
    t.is(await again.running.end('SIGTERM'), 0);
    const checked = await strowger(t, 'data', 'check', folder);
    t.is(checked.code, 0, checked.out);
  },
);

test('a damaged folder is never ready: the start says what is damaged, and a check repairs it', async (t) => {
  const folder = join(makeFolder(t), 'data');
  const args = ['--topology', writeFile(t, 'one.yaml', oneNode), '--data', folder];
  const served = await Served.start(t, args);
  const second = await strowger(t, 'serve', '--port', '0', '--quiet', ...args);
  t.is(second.code, 1);
  t.is(second.out, '');
  t.regex(
    second.err,
    new RegExp(`^strowger: data folder ${folder} is in use by process ${served.running.pid} \\(strowger serve\\)`),
  );
  for (const command of [
    ['export', 'root.test', ...args],
    ['data', 'check', folder],
  ]) {
    const { code, err } = await strowger(t, ...command);
    t.is(code, 1);
    t.regex(err, new RegExp(`in use by process ${served.running.pid}`));
  }
  t.is(await served.running.end('SIGKILL'), 'SIGKILL');
  const whole = await strowger(t, 'data', 'check', folder);
  t.is(whole.code, 0, whole.out);
  t.regex(whole.out, /\(cluster "one"\): 5 stores, \d+ records: nothing is damaged\n$/);
  const store = await new LevelStores(join(folder, 'east')).open('data-14');
  await store.write([{ put: 'r/1/user/2030/x', value: '{"kind":' }]);
  await store.close();
  const refused = await strowger(t, 'serve', '--port', '0', '--quiet', ...args);
  t.is(refused.code, 1);
  t.is(refused.out, '', 'no ready line');
  t.regex(
    refused.err,
    /is damaged:\n {2}damage: east\/data-14, r\/1\/user\/2030\/x: is not JSON.*\n"strowger data check /,
  );
  const found = await strowger(t, 'data', 'check', '--json', folder);
  t.is(found.code, 1);
  const { findings } = JSON.parse(found.out) as { findings: { store: string; at: string; repair: string }[] };
  t.like(findings[0], { store: 'east/data-14', at: 'r/1/user/2030/x', repair: 'removed' });
  const repaired = await strowger(t, 'data', 'check', '--repair', folder);
  t.is(repaired.code, 0);
  t.regex(repaired.out, /\(repaired: removed\)\n.*1 damaged part, repaired\n$/);
  const again = await Served.start(t, args);
  t.is(await again.running.end('SIGTERM'), 0);
});

test('data check refuses wrong arguments with 64, and a path without a folder with the reason', async (t) => {
  t.is((await strowger(t, 'data', 'check')).code, 64);
  t.is((await strowger(t, 'data', 'check', '--mend', 'x')).code, 64);
  const file = join(makeFolder(t), 'data');
  writeFileSync(file, '');
  const { code, err } = await strowger(t, 'data', 'check', file);
  t.is(code, 64);
  t.is(err, `strowger: <folder>: expected a folder, ${file} is a file\n`);
  const missing = await strowger(t, 'data', 'check', `${file}-2`);
  t.is(missing.code, 64);
  t.is(missing.err, `strowger: <folder>: expected an existing folder, got "${file}-2"\n`);
});

test('a folder of another cluster is refused by every command that uses it', async (t) => {
  const folder = join(makeFolder(t), 'data');
  const one = ['--topology', writeFile(t, 'one.yaml', oneNode), '--data', folder];
  const none = writeFile(t, 'domain.json', '{"format":"strowger-domain-1","domain":"root.test","items":{}}');
  t.is((await strowger(t, 'import', none, ...one)).code, 0);
  const other = ['--topology', writeFile(t, 'two.yaml', oneNode.replace('name: one', 'name: two')), '--data', folder];
  for (const command of [
    ['serve', '--port', '0'],
    ['export', 'root.test'],
  ]) {
    const { code, out, err } = await strowger(t, ...command, ...other);
    t.is(code, 1);
    t.is(out, '');
    t.regex(err, /belongs to another cluster: its cluster is "one", that of the topology is "two"/);
  }
  const node = new Running(t, ['node', 'e1', ...other], { STROWGER_SECRET: 'a secret of a cluster' });
  t.is(await node.ended, 1);
  t.regex(node.err, /belongs to another cluster/);
});

const onFullDevice = existsSync('/dev/full') ? test : test.skip;

onFullDevice('inspection events that cannot be written are reported once, and the cluster serves on', async (t) => {
  const args = ['--topology', writeFile(t, 'one.yaml', oneNode), '--inspect', '/dev/full'];
  const served = await Served.start(t, args);
  t.is((await served.ask('GET', users)).status, 200);
  t.is(await served.running.end('SIGTERM'), 0);
  t.is(
    served.running.err.match(/--inspect \/dev\/full: .*; no more events are written/g)?.length,
    1,
    served.running.err,
  );
});

const onProc = existsSync('/proc/self') ? test : test.skip;

for (const command of [
  ['docs', '--write'],
  ['serve', '--port', '0', '--data'],
  ['sweep', 'site-cut', '--seeds', '1', '--out'],
]) {
  onProc(`${command[0]}: a folder below one that refuses to be written is reported, and it ends`, async (t) => {
    // A served cluster whose start has failed must not keep its process alive.
    const { code, err } = await (command[0] === 'serve' ? spawned : strowger)(t, ...command, '/proc/strowger/x');
    t.is(code, 1);
    t.regex(err, /ENOENT|can't be made/);
  });
}
