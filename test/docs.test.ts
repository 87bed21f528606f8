import { readFileSync } from 'node:fs';
import test from 'ava';
import { documents } from '../sim/docs/documents.ts';

for (const [name, make] of documents) {
  test(`docs/${name} is what the code generates (else: npm run docs)`, (t) => {
    t.is(readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8'), make());
  });
}
