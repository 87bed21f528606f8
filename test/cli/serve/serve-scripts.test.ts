/** `serve --scripts`: files of scripts are items of their domain, also after a change; a file that is not valid changes nothing. */
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from '../../kit/test.ts';
import { writeFile } from '../../topology/edits.ts';
import { strowger } from '../in-process.ts';
import { oneNode, Served } from './served.ts';

const script = (value: string) => `code: hello
components:
  - { name: start, type: start, next: set }
  - { name: set, type: assign, set: { response_content: "${value}" } }
`;

test('a folder of scripts is written, follows its files, and keeps the last good version', async (t) => {
  const topology = writeFile(t, 'one.yaml', oneNode);
  const folder = join(dirname(topology), 'scripts');
  mkdirSync(join(folder, 'root.test'), { recursive: true });
  const file = join(folder, 'root.test', 'hello.yaml');
  // A file is there whole, or as it was.
  const write = (text: string) => {
    writeFileSync(join(folder, 'root.test', '.new'), text);
    renameSync(join(folder, 'root.test', '.new'), file);
  };
  write(script("'one'"));
  const served = await Served.start(t, ['--topology', topology, '--scripts', folder]);
  const contents = async () => {
    const listed = await served.ask('GET', '/rest/v1/domain/svcscripts?mask=id');
    const [only, ...more] = (await listed.json()) as { id: string }[];
    t.is(more.length, 0);
    if (only === undefined) return undefined;
    const item = await served.ask('GET', `/rest/v1/domain/svcscripts/${only.id}`);
    const { code, components } = (await item.json()) as { code: string; components: { set?: object }[] };
    return [code, components[1]?.set];
  };
  t.deepEqual(await contents(), ['hello', { response_content: "'one'" }]);

  write(script("'three' +"));
  await served.running.says(
    /hello\.yaml:4:\d+ components\[1\]\.set\.response_content: .* in component "set", got "'three' \+"\n {2}its last good/,
    'err',
  );
  t.deepEqual(await contents(), ['hello', { response_content: "'one'" }]);

  write(script("'two and more'"));
  await served.running.says(/(has the script "hello"[\s\S]*){2}/, 'err');
  t.deepEqual(await contents(), ['hello', { response_content: "'two and more'" }]);

  rmSync(file);
  await served.running.says(/hello\.yaml: removed/, 'err');
  t.is(await contents(), undefined);
});

test('a folder without a domain of its name is refused', async (t) => {
  const topology = writeFile(t, 'one.yaml', oneNode);
  const folder = join(dirname(topology), 'scripts');
  mkdirSync(join(folder, 'acme.test'), { recursive: true });
  const { code, err } = await strowger(t, 'serve', '--port', '0', '--topology', topology, '--scripts', folder);
  t.is(code, 1);
  t.regex(err, /scripts.acme\.test: expected the name of a domain/);
});
