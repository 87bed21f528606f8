/** The committed documents are equal to what the code generates, and not too long to be read. */
import { readdirSync, readFileSync } from 'node:fs';
import { newProgram } from '../sim/cli/program.ts';
import { clientSources } from '../sim/docs/client/source.ts';
import { documents } from '../sim/docs/documents.ts';
import { controlExamplesFile, controlExamplesSource } from '../sim/docs/examples/control-examples.ts';
import { examplesFile, examplesSource } from '../sim/docs/examples/operation-examples.ts';
import { limitGroups } from '../sim/docs/limits-document.ts';
import { messageFieldsWithoutMeaning } from '../sim/docs/protocol-document.ts';
import { faultSchema } from '../sim/scenario/language/fault-schema.ts';
import { limits } from '../src/model/limits.ts';
import { test } from './kit/test.ts';

const docs = new URL('../../docs/', import.meta.url);

test('a page of the reference has fewer than 1000 lines, the README fewer than 130', (t) => {
  const pages = readdirSync(new URL('reference/', docs)).filter((name) => name.endsWith('.md'));
  const long = pages.filter(
    (name) => readFileSync(new URL(`reference/${name}`, docs), 'utf8').split('\n').length > 1_000,
  );
  t.deepEqual(long, []);
  t.true(pages.length > 10);
  t.true(readFileSync(new URL('../README.md', docs), 'utf8').split('\n').length < 130);
});

for (const [path, make] of documents) {
  test(`docs/${path} is what the code generates (else: npm run docs)`, async (t) => {
    t.is(readFileSync(new URL(`../../docs/${path}`, import.meta.url), 'utf8'), await make(await newProgram()));
  });
}

test('src/client/api is what the code generates (else: npm run docs)', (t) => {
  for (const [path, text] of clientSources())
    t.is(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'), text, path);
});

test(`${examplesFile} is what a virtual cluster answers (else: npm run docs)`, async (t) => {
  t.is(readFileSync(new URL(`../../${examplesFile}`, import.meta.url), 'utf8'), await examplesSource());
});

test(`${controlExamplesFile} is what a virtual cluster answers (else: npm run docs)`, async (t) => {
  t.is(readFileSync(new URL(`../../${controlExamplesFile}`, import.meta.url), 'utf8'), await controlExamplesSource());
});

test('every field of a message has a meaning, in its schema or by its name', (t) => {
  t.deepEqual(messageFieldsWithoutMeaning(), []);
});

test('every limit has a meaning', (t) => {
  const groups = limitGroups();
  t.deepEqual(
    groups.flatMap(({ names }) => names),
    Object.keys(limits),
  );
  t.deepEqual(
    groups.filter(({ names, meaning }) => names.length === 0 || meaning === ''),
    [],
  );
});

test('docs/reference/scenarios.md has every verb of a fault', (t) => {
  const [, table = ''] = readFileSync(new URL('reference/scenarios.md', docs), 'utf8').split(/^## Faults$|^A place /m);
  const verbs = Object.keys(faultSchema.shape).filter((key) => key !== 'name');
  t.deepEqual(
    verbs.filter((verb) => !new RegExp(`\\b${verb}\\b`).test(table)),
    [],
  );
});
