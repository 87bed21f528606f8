/** Reads the artefact that a command is given; what another build has kept only where that is wanted. */
import { Option } from 'commander';
import { type Artefact, readArtefact } from '../scenario/artefact.ts';
import { readText } from '../topology/load.ts';
import { UsageError } from './failure.ts';
import { build, version } from './version.ts';

export interface BuildOptions {
  readonly anyBuild?: boolean;
}

export function anyBuildOption(): Option {
  return new Option(
    '--any-build',
    'take what another version or build of the code has kept; else that is refused (64)',
  );
}

export function artefactIn(file: string, { anyBuild = false }: BuildOptions): Artefact {
  const artefact = readArtefact({ file, text: readText(file) });
  const here = { version: version(), build: build() };
  if (anyBuild || (artefact.version === here.version && artefact.build === here.build)) return artefact;
  const made = `${artefact.version} (build ${artefact.build})`;
  throw new UsageError(
    `${file}: kept by version ${made}, this is ${here.version} (build ${here.build}); see --any-build`,
  );
}
