/** Metadata files of entities: `<solution>/entities/nav.json`, `<solution>/entities/<CLASS>/tab.json` and `form.json`. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { z } from 'zod';
import { entities } from '../../src/model/entities/entities.ts';
import { formSchema, navSchema, tabSchema } from '../../src/model/shapes/metadata.ts';
import type { MetadataFiles } from '../../src/services/metadata.ts';
import { readYaml } from '../yaml.ts';
import { readText } from './load.ts';

/** What is in the metadata folder. Throws where a file is not what it must be, or is not one that is looked for. */
export function loadMetadata(folder: string): MetadataFiles {
  const solutions = foldersIn(folder).filter((solution) => existsSync(join(folder, solution, 'entities')));
  return Object.fromEntries(solutions.map((solution) => [solution, loadSolution(join(folder, solution, 'entities'))]));
}

function loadSolution(folder: string): Record<string, object> {
  const found: Record<string, object> = {};
  for (const name of namesIn(folder)) {
    const file = join(folder, name);
    if (name === 'nav.json') found[name] = read(file, navSchema);
    else if (entities.some(({ kind }) => kind === name)) Object.assign(found, loadClass(file, name));
    else throw new Error(`${file}: expected nav.json, or a folder of a class: ${classes}`);
  }
  return found;
}

const classes = entities.map(({ kind }) => kind).join(', ');

function loadClass(folder: string, kind: string): Record<string, object> {
  if (!statSync(folder).isDirectory()) throw new Error(`${folder}: expected a folder with tab.json or form.json`);
  const found: Record<string, object> = {};
  for (const name of namesIn(folder)) {
    const file = join(folder, name);
    if (name !== 'tab.json' && name !== 'form.json') throw new Error(`${file}: expected tab.json or form.json`);
    found[`${kind}/${name}`] = name === 'tab.json' ? read(file, tabSchema) : read(file, formSchema);
  }
  return found;
}

/** JSON is YAML, and this reader knows lines and columns. */
function read(file: string, schema: z.ZodObject): object {
  return readYaml(file, readText(file), { schema });
}

function foldersIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return namesIn(folder).filter((name) => statSync(join(folder, name)).isDirectory());
}

/** What an editor or a file manager leaves behind does not count. */
function namesIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => !name.startsWith('.') && !name.endsWith('~'))
    .toSorted();
}
