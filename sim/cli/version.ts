/** The version of the package. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { scenariosFolder } from '../topology/load.ts';

export function version(): string {
  const file = join(dirname(scenariosFolder), 'package.json');
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
