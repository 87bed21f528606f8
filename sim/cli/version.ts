/** What is running: the version of the package, and a digest of its code. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { scenariosFolder } from '../topology/load.ts';

const packageFolder = dirname(scenariosFolder);

export function version(): string {
  return (JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8')) as { version: string }).version;
}

/** Tells two builds of one version apart: a digest of every file of code, by name and content. */
export function build(): string {
  const hash = createHash('sha256');
  for (const part of ['src', 'sim']) {
    const folder = join(packageFolder, 'dist', part);
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.js'));
    for (const file of files.sort()) hash.update(`${part}/${file}\n`).update(readFileSync(join(folder, file)));
  }
  return hash.digest('hex').slice(0, 16);
}
