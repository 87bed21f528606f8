/** `strowger serve --data`: what was acknowledged is there after a restart, and after a kill at any moment. */
import { join } from 'node:path';
import { strowger } from '../cli/in-process.ts';
import { oneNode, Served } from '../cli/serve/served.ts';
import { runs } from '../kit/property.ts';
import { test } from '../kit/test.ts';
import { makeFolder, writeFile } from '../topology/edits.ts';

/** A list has room for what so many rounds make. */
const kills = Math.min(runs(2), 60);

test('a kill in the middle of writes, again and again, loses nothing that was acknowledged', async (t) => {
  const folder = join(makeFolder(t), 'data');
  const args = ['--topology', writeFile(t, 'one.yaml', oneNode), '--data', folder];
  const acknowledged = new Set<string>();
  let served = await Served.start(t, args);
  for (let round = 0; round < kills; round += 1) {
    const before = acknowledged.size;
    const writing = Promise.all(['a', 'b', 'c'].map((writer) => served.makeUsers(`r${round}-${writer}`, acknowledged)));
    while (acknowledged.size < before + 20 + ((17 * round) % 200))
      await new Promise((resolve) => setImmediate(resolve));
    served.running.kill('SIGKILL');
    await writing;
    await served.running.ended;
    served = await Served.start(t, args);
    const there = await served.users();
    const logins = new Set(there.map(({ login }) => login));
    t.deepEqual(
      [...acknowledged].filter((login) => !logins.has(login)),
      [],
    );
    t.is(logins.size, there.length, 'nothing twice');
    t.true(
      there.length <= acknowledged.size + 3 * (round + 1),
      'at most what was under way is there without an answer',
    );
    const { id = '', login = '' } = there.at(-1) ?? {};
    t.is(await served.commentOf(id), login.repeat(50), 'nothing is there by half');
  }
  t.is(await served.running.end('SIGTERM'), 0);
  t.is(served.running.err, '');
  const { code, out } = await strowger(t, 'data', 'check', folder);
  t.is(code, 0, out);
  t.log(`${kills} kills, ${acknowledged.size} acknowledged`);
});
