/** Fields of entities: the code uses exactly the fields that are not declared as stored only. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fieldsIn } from '../../sim/docs/fidelity-document.ts';
import { entities } from '../../src/model/entities/entities.ts';
import { test } from '../kit/test.ts';

const src = fileURLToPath(new URL('../../../src', import.meta.url));

/** The code in which a field can be used, without the declarations of entities, the descriptions of messages, examples and the typed client. */
const code = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter(
    (name) =>
      name.endsWith('.ts') && !/^client|entities|field-meanings|user-interface-metadata|openapi.examples/.test(name),
  )
  .map((name) => readFileSync(join(src, name), 'utf8'))
  .join('\n');
/** Rules of entities stand beside their declarations: `readonly name` in the types that they read. */
const rules = readdirSync(join(src, 'model', 'entities'))
  .map((name) => readFileSync(join(src, 'model', 'entities', name), 'utf8'))
  .join('\n');

/** Fields that give new items below them a value. */
const inherited = new Set(entities.flatMap(({ parentDefaults = {} }) => Object.values(parentDefaults)));

const isUsed = (name: string) =>
  inherited.has(name) || new RegExp(`\\b${name}\\b`).test(code) || new RegExp(`readonly ${name}\\b`).test(rules);

const all = entities.flatMap(({ kind, fields }) =>
  fieldsIn(fields).map(([path, { storedOnly }]) => ({
    path: `${kind}.${path}`,
    name: path.split('.').at(-1) ?? '',
    storedOnly,
  })),
);

test('every field that is not stored only is used by name', (t) => {
  t.deepEqual(
    all.filter(({ name, storedOnly }) => storedOnly === undefined && !isUsed(name)).map(({ path }) => path),
    [],
  );
});

test('no field that is stored only, except those for people, is used by name', (t) => {
  const wrong = all.filter(
    ({ name, storedOnly }) => storedOnly !== undefined && storedOnly !== 'for people' && isUsed(name),
  );
  t.deepEqual(
    wrong.map(({ path }) => path),
    [],
  );
});
