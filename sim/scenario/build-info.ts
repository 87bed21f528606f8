/** The version of the package and a digest of its code, for files that another build may not be able to repeat. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageFolder } from '../input/package-folder.ts';

/** The product version and build that wrote an artefact. */
export interface BuildInfo {
  readonly version: string;
  readonly build: string;
}

/** This version and build. */
export function ownBuildInfo(): BuildInfo {
  return { version: version(), build: build() };
}

export function version(): string {
  return (JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8')) as { version: string }).version;
}

let digest: string | undefined;

/** Identifies a build, beside its version. In a bundle: the digest of the files that it was made from (`.config/bundle.js`). */
function build(): string {
  digest ??= (globalThis as { strowgerBuild?: string }).strowgerBuild ?? buildDigest();
  return digest;
}

/** A digest of every compiled file of code, by name and content. */
function buildDigest(): string {
  const hash = createHash('sha256');
  for (const part of ['src', 'sim']) {
    const folder = join(packageFolder, 'dist', part);
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.js'));
    for (const file of files.sort()) hash.update(`${part}/${file}\n`).update(readFileSync(join(folder, file)));
  }
  return hash.digest('hex').slice(0, 16);
}
