/** Where banned words occur: in documents, help texts, and in comments and texts of the code. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { newProgram } from '../../sim/cli/program.ts';
import { readParts } from './source-text.ts';

interface Word {
  readonly pattern: string;
  readonly reason: string;
  readonly instead: string;
}

export interface Words {
  readonly words: readonly Word[];
  /** How many hits each area may have; no more than when this was recorded last. */
  readonly most: Readonly<Record<Area, number>>;
}

export const areas = ['documents', 'help', 'architecture', 'src', 'sim', 'test'] as const;
export type Area = (typeof areas)[number];

const root = fileURLToPath(new URL('../../..', import.meta.url));
export const wordsFile = join(root, '.config', 'words.json');

export function readWords(): Words {
  return JSON.parse(readFileSync(wordsFile, 'utf8')) as Words;
}

/** The hits of an area, each as `place: "word": reason; instead`. */
export async function hitsIn(area: Area, { words }: Words): Promise<string[]> {
  const patterns = words.map((word) => ({ ...word, expression: new RegExp(`\\b(?:${word.pattern})\\b`, 'gi') }));
  return (await textsOf(area)).flatMap(({ place, text }) =>
    patterns.flatMap(({ expression, reason, instead }) =>
      [...text.matchAll(expression)].map(([found]) => `${place}: "${found}": ${reason}; say: ${instead}`),
    ),
  );
}

interface PlacedText {
  readonly place: string;
  readonly text: string;
}

async function textsOf(area: Area): Promise<PlacedText[]> {
  if (area === 'documents') return documents().flatMap(linesOf);
  if (area === 'architecture') return linesOf('ARCHITECTURE.md');
  if (area === 'help') return helpOf(await newProgram());
  return filesIn(area, '.ts').flatMap((file) =>
    readParts(readFileSync(join(root, file), 'utf8')).map(({ line, text }) => ({ place: `${file}:${line}`, text })),
  );
}

/** The documents at the root, and those below `docs/`. The log of changes keeps the words of its time. */
function documents(): string[] {
  const atRoot = readdirSync(root).filter(
    (name) => name.endsWith('.md') && !['ARCHITECTURE.md', 'CHANGELOG.md'].includes(name),
  );
  return [...atRoot, ...filesIn('docs', '.md')];
}

function filesIn(folder: string, end: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(end))
    .map((name) => join(folder, name))
    .sort();
}

/** The lines of a document, without what is code in it. */
function linesOf(file: string): PlacedText[] {
  let isCode = false;
  return readFileSync(join(root, file), 'utf8')
    .split('\n')
    .flatMap((text, index) => {
      const isFence = /^\s*```/.test(text);
      if (isFence) isCode = !isCode;
      const place = `${file}:${index + 1}`;
      return isCode || isFence ? [] : [{ place, text: text.replaceAll(/`[^`]*`/g, '…') }];
    });
}

function helpOf(command: Command): PlacedText[] {
  let text = '';
  command.configureOutput({ writeOut: (part) => (text += part) });
  command.outputHelp();
  return [{ place: `${command.name()} --help`, text }, ...command.commands.flatMap(helpOf)];
}
