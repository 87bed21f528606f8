import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { loadTopology } from '../../sim/topology/load.ts';
import { loadMetadata } from '../../sim/topology/metadata.ts';
import { metadataFor } from '../../src/services/metadata.ts';

function folderWith(t: ExecutionContext, files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'metadata-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

const nav = (name: string) => ({ groups: [{ name, label: name, classes: [] }] });
const tab = (label: string) => ({
  class: 'user',
  label,
  path: '/',
  columns: [],
  order: [],
  limit: 1,
  lookup: [],
  operations: [],
});

test('metadata come from the files of the solution, then from common ones, then from the declarations', (t) => {
  const folder = folderWith(t, {
    'standard/entities/user/tab.json': JSON.stringify(tab('standard')),
    'common/entities/user/tab.json': JSON.stringify(tab('common')),
    'master/entities/nav.json': JSON.stringify(nav('own')),
  });
  const { map, metadataFiles = {} } = loadTopology('default', { metadata: folder });
  const seen = (domain: string, file?: 'tab.json' | 'form.json', kind = 'user') =>
    metadataFor(map, metadataFiles, { domain, ...(file && { of: { kind, file } }) });
  t.deepEqual(seen('acme.root.test', 'tab.json'), tab('standard'));
  t.deepEqual(seen('root.test', 'tab.json'), tab('common'));
  t.deepEqual(seen('root.test'), nav('own'));
  t.like(seen('acme.root.test'), { groups: [{ name: 'domain' }] });
  t.like(seen('acme.root.test', 'form.json'), { class: 'user', label: 'Users' });
  t.like(seen('acme.root.test', 'tab.json', 'sipuser'), { class: 'sipuser' });
});

test('a file that is not what it must be is refused at the start, with its name and the place', (t) => {
  const cases: [string, string, RegExp][] = [
    ['common/entities/nav.json', '{\n  "groups": 1\n}', /nav\.json:2:3 groups/],
    ['common/entities/user/tab.json', '[]', /user\/tab\.json:1:1 /],
    ['common/entities/user/form.json', '{"a"', /user\/form\.json:\d+:\d+ /],
    ['common/entities/user/forms.json', '{}', /forms\.json: expected tab\.json or form\.json/],
    ['common/entities/nobody/tab.json', '{}', /nobody: expected nav\.json, or a folder of a class/],
  ];
  for (const [path, text, wanted] of cases) {
    const folder = folderWith(t, { [path]: text });
    t.throws(() => loadMetadata(folder), { message: wanted });
  }
});

test('a list of web applications that is wrong is refused at the start', (t) => {
  const folder = folderWith(t, { 'master/webapps.json': '[{"name": "Desk"}]' });
  t.throws(() => loadTopology('default', { metadata: folder }), { message: /webapps\.json:1:2 / });
});
