/**
 * Files of the metadata folder: `<solution>/entities/nav.json`, `<solution>/entities/<CLASS>/tab.json` and `form.json`,
 * and below `static/` the pages and icons of web applications.
 */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import { jsonFault } from '../../src/model/json-fault.ts';
import { staticTypes } from '../../src/model/static-types.ts';
import type { MetadataFiles } from '../../src/services/metadata.ts';
import { readText } from './load.ts';

/** Throws where a file is not JSON, cannot be read, or has a name that no path serves. */
export function loadMetadata(folder: string): MetadataFiles {
  const solutions = foldersIn(folder).filter((solution) => existsSync(join(folder, solution, 'entities')));
  const texts = solutions.flatMap((solution) => loadSolution(folder, `${solution}/entities`));
  return { ...Object.fromEntries(texts), ...loadStaticFiles(folder) };
}

/** Pages and icons of web applications. Throws as `loadMetadata` does. */
export function loadStaticFiles(folder: string): MetadataFiles {
  return Object.fromEntries(loadStatic(folder, 'static'));
}

type Loaded = [path: string, text: string][];

function loadSolution(root: string, path: string): Loaded {
  return namesIn(join(root, path)).flatMap((name) => {
    const below = `${path}/${name}`;
    if (name === 'nav.json') return [[below, readJson(join(root, below))]];
    if (isFolder(join(root, below))) return loadClass(root, below);
    throw new Error(`${join(root, below)}: expected nav.json, or a folder of a class`);
  });
}

function loadClass(root: string, path: string): Loaded {
  return namesIn(join(root, path)).map((name) => {
    const file = join(root, path, name);
    if (name === 'tab.json' || name === 'form.json') return [`${path}/${name}`, readJson(file)];
    throw new Error(`${file}: expected tab.json or form.json`);
  });
}

function loadStatic(root: string, path: string): Loaded {
  if (!existsSync(join(root, path))) return [];
  return namesIn(join(root, path)).flatMap((name) => {
    const below = `${path}/${name}`;
    const file = join(root, below);
    if (isFolder(file)) return loadStatic(root, below);
    if (staticTypes.has(extname(name))) return [[below, readText(file)]];
    throw new Error(`${file}: expected a text file with one of ${[...staticTypes.keys()].join(', ')}`);
  });
}

/** The text of a JSON file of any structure. A byte order mark, which is no JSON, is taken away. */
function readJson(file: string): string {
  const text = readText(file).replace(/^\uFEFF/, '');
  const problem = jsonFault(text);
  if (problem === undefined) return text;
  throw new Error(`${file}: expected JSON: ${problem}`);
}

function foldersIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return namesIn(folder).filter((name) => isFolder(join(folder, name)));
}

/** A link that leads nowhere is no folder: reading it says so. */
function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** Files that editors and file managers leave behind do not count. */
function namesIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => !name.startsWith('.') && !name.endsWith('~'))
    .toSorted();
}
