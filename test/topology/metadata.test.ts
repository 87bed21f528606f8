import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { loadMetadata, loadTopology } from '../../sim/topology/load-topology.ts';
import { metadataFor } from '../../src/services/web-apps/user-interface.ts';
import { test } from '../kit/test.ts';

function folderWith(t: ExecutionContext, files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'metadata-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

test('metadata come from the files of the solution, then from common ones, then from the declarations', (t) => {
  const files = {
    'standard/entities/user/tab.json': '{ "own": "standard" }\n',
    'common/entities/user/tab.json': '{"own":"common"}',
    'master/entities/nav.json': '["own"]',
  };
  const { map, metadataFiles = {} } = loadTopology('default', {
    metadata: folderWith(t, files),
  });
  const seen = (domain: string, file?: 'tab.json' | 'form.json', kind = 'user') =>
    metadataFor(map, metadataFiles, {
      domain,
      ...(file && { of: { kind, file } }),
    });
  t.is(seen('acme.root.test', 'tab.json'), files['standard/entities/user/tab.json']);
  t.is(seen('root.test', 'tab.json'), files['common/entities/user/tab.json']);
  t.is(seen('root.test'), files['master/entities/nav.json']);
  t.like(JSON.parse(seen('acme.root.test')), { groups: [{ name: 'domain' }] });
  t.like(JSON.parse(seen('acme.root.test', 'form.json')), {
    class: 'user',
    label: 'Users',
  });
  t.like(JSON.parse(seen('acme.root.test', 'tab.json', 'sipuser')), {
    class: 'sipuser',
  });
});

test('a metadata file of any structure, of any class, is served as it is', (t) => {
  const deep = `${'['.repeat(5_000)}${']'.repeat(5_000)}`;
  const texts = ['[]', 'null', '0', '"text"', '{"groups": 1}', ' {"__proto__": {"a": 1}, "a": 1, "a": 2}\n', deep];
  for (const text of texts) {
    for (const kind of ['user', 'constructor', 'no-entity']) {
      const folder = folderWith(t, {
        'common/entities/nav.json': `\uFEFF${text}`,
        [`common/entities/${kind}/form.json`]: text,
      });
      const { map, metadataFiles = {} } = loadTopology('default', {
        metadata: folder,
      });
      for (const domain of ['root.test', 'acme.root.test']) {
        t.is(metadataFor(map, metadataFiles, { domain }), text);
        t.is(
          metadataFor(map, metadataFiles, {
            domain,
            of: { kind, file: 'form.json' },
          }),
          text,
        );
      }
    }
  }
});

test('a metadata file that is broken or is never served is refused at the start, with its name and the place', (t) => {
  const cases: [string, string, RegExp][] = [
    ['common/entities/nav.json', '{\n  "groups" 1\n}', /nav\.json: expected JSON: line 2, column 12: expected ":"/],
    ['common/entities/user/tab.json', '', /user\/tab\.json: expected JSON: line 1, column 1: /],
    ['common/entities/user/form.json', 'groups: []', /user\/form\.json: expected JSON: line 1, column 1: /],
    ['common/entities/user/forms.json', '{}', /forms\.json: expected tab\.json or form\.json/],
    ['common/entities/tab.json', '{}', /entities\/tab\.json: expected nav\.json, or a folder of a class/],
    ['common/entities/user/tab.json/file', '{}', /user\/tab\.json: /],
    ['static/icons/desk.png', '', /desk\.png: expected a text file with one of \.html, /],
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
