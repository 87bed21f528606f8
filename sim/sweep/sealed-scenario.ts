/** A scenario with its topology and metadata in one text, for machines that do not have its files. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { platformFields, platformIn, platformOf } from '../scenario/artefact.ts';
import { type LoadedScenario, readScenario } from '../scenario/load.ts';

const schema = z.strictObject({ scenario: z.strictObject({ file: z.string(), text: z.string() }), ...platformFields });

export function sealScenario(loaded: LoadedScenario): string {
  return JSON.stringify({ scenario: loaded.source, ...platformOf(loaded) });
}

export function unsealScenario(file: string): LoadedScenario {
  const { scenario, ...platform } = schema.parse(JSON.parse(readFileSync(file, 'utf8')));
  return readScenario(scenario, () => platformIn(platform));
}
