/**
 * The product with mutants: a copy of the compiled files in which Stryker's instrumenter has put a switch for each
 * mutant. One process runs with one mutant, by its id in an environment variable.
 */
import {
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Instrumenter } from '@stryker-mutator/instrumenter';

export interface MutantEntry {
  readonly id: string;
  /** Path of the compiled file below `dist`. */
  readonly file: string;
  readonly line: number;
  /** The kind of change, by the name of its mutator. */
  readonly kind: string;
  readonly original: string;
  readonly replacement: string;
  /** Whether it is in a statement that only logs, or in its condition. */
  readonly isOfLog: boolean;
  /** Whether it is the name of a stream of random numbers. */
  readonly isOfRandom: boolean;
  /** Whether it is what a machine says of its types, which nothing reads at run time. */
  readonly isOfTypes: boolean;
}

/** The environment variable that the instrumented code reads. */
export const activeMutant = '__STRYKER_ACTIVE_MUTANT__';

const mutated = ['machines', 'actors', 'cluster', 'roles', 'services', 'storage', 'replication', 'sip'];
const root = fileURLToPath(new URL('../../..', import.meta.url));
const dist = join(root, 'dist');
/** Shaped like the package, so that the copy finds its scenarios. */
const copy = join(dist, 'mutants');

/** Where the modules of the copy are, with the switches of all mutants. */
export const instrumentedRoot = join(copy, 'dist');

/**
 * Where the modules are for one mutant, in a folder of its own: those of the product, and its file with switches. A run needs
 * two thirds of the time of one with switches everywhere.
 */
export function rootFor({ id, file }: Pick<MutantEntry, 'id' | 'file'>): { readonly root: string; remove(): void } {
  const folder = join(dist, 'mutants-one', id);
  const root = join(folder, 'dist');
  rmSync(folder, { recursive: true, force: true });
  for (const part of ['src', 'sim']) {
    for (const name of filesIn(join(dist, part))) {
      const path = relative(dist, name);
      mkdirSync(dirname(join(root, path)), { recursive: true });
      linkSync(path === file ? join(instrumentedRoot, path) : name, join(root, path));
    }
  }
  linkPackage(folder);
  return { root, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Makes the copy, unless there is one of this build. Returns all mutants. */
export async function instrument(build: string): Promise<readonly MutantEntry[]> {
  const list = join(copy, 'mutants.json');
  const kept = existsSync(list) ? (JSON.parse(readFileSync(list, 'utf8')) as Kept) : undefined;
  if (kept?.build === build) return kept.mutants;
  rmSync(copy, { recursive: true, force: true });
  mkdirSync(instrumentedRoot, { recursive: true });
  for (const part of ['src', 'sim']) cpSync(join(dist, part), join(instrumentedRoot, part), { recursive: true });
  linkPackage(copy);
  const mutants = await instrumentFiles();
  writeFileSync(list, JSON.stringify({ build, mutants } satisfies Kept));
  return mutants;
}

/** What the product reads of its package. */
function linkPackage(folder: string): void {
  for (const name of ['scenarios', 'package.json']) symlinkSync(join(root, name), join(folder, name));
}

interface Kept {
  readonly build: string;
  readonly mutants: readonly MutantEntry[];
}

async function instrumentFiles(): Promise<MutantEntry[]> {
  const names = mutated.flatMap((folder) => filesIn(join(instrumentedRoot, 'src', folder)));
  const files = names.map((name) => ({ name, content: readFileSync(name, 'utf8'), mutate: true }));
  const options = { ignorers: [], excludedMutations: [], plugins: null };
  const result = await new Instrumenter(silent).instrument(files, options);
  for (const { name, content } of result.files) writeFileSync(name, content);
  const contents = new Map(files.map(({ name, content }) => [name, content.split('\n')]));
  return result.mutants.map(({ id, fileName, location, mutatorName, replacement = '' }) => ({
    id,
    file: relative(instrumentedRoot, fileName),
    line: location.start.line + 1,
    kind: mutatorName,
    original: textAt(contents.get(fileName) ?? [], location),
    replacement: replacement.slice(0, 200),
    isOfLog: isOfLog(contents.get(fileName) ?? [], location.start.line),
    isOfTypes: /\btypes: (?:\{.*)?$/.test(textBefore(contents.get(fileName) ?? [], location)),
    isOfRandom: /\b(?:stream|fork)\($/.test(textBefore(contents.get(fileName) ?? [], location)),
  }));
}

function filesIn(folder: string): string[] {
  const all = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return all
    .filter((name) => name.endsWith('.js'))
    .map((name) => join(folder, name))
    .sort();
}

interface Place {
  readonly start: { readonly line: number; readonly column: number };
  readonly end: { readonly line: number; readonly column: number };
}

function textAt(lines: readonly string[], { start, end }: Place): string {
  const [first = ''] = lines.slice(start.line);
  return (start.line === end.line ? first.slice(start.column, end.column) : first.slice(start.column)).slice(0, 200);
}

function textBefore(lines: readonly string[], { start }: Place): string {
  return (lines[start.line] ?? '').slice(0, start.column);
}

/** A line that logs; or `if (…)` without a block, and such a line below it. */
function isOfLog(lines: readonly string[], line: number): boolean {
  if (/^\s*[\w.#]*\blog\.write\(.*;$/.test(lines[line] ?? '')) return true;
  return /^\s*if \(.*\)$/.test(lines[line] ?? '') && /^\s*[\w.#]*\blog\.write\(.*;$/.test(lines[line + 1] ?? '');
}

const ignore = () => {};
const silent = {
  ...{ isTraceEnabled: () => false, isDebugEnabled: () => false, isInfoEnabled: () => false },
  ...{ isWarnEnabled: () => false, isErrorEnabled: () => false, isFatalEnabled: () => false },
  ...{ trace: ignore, debug: ignore, info: ignore, warn: ignore, error: ignore, fatal: ignore },
};
