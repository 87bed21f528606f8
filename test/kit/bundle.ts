/** Tests start the command line as users do, from the bundle, which only `npm run build` makes: the compiler alone leaves it as it was. */
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { packageFolder } from '../../sim/input/package-folder.ts';

const bundle = join(packageFolder, 'dist/cli/main.js');
const compiled = join(packageFolder, 'dist/.tsbuildinfo');

/** The file of the command line. Throws if it is older than the compiled modules. */
export function bundledMain(): string {
  if (!existsSync(bundle) || statSync(bundle).mtimeMs < statSync(compiled).mtimeMs)
    throw new Error('dist/cli is older than the compiled modules: npm run build');
  return bundle;
}
