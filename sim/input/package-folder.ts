/** Where the package is installed. */
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of package.json, for sources, for the build and for the bundle. */
export const packageFolder = folder();

/** The folder of the scenarios, topologies and metadata that ship. */
export const scenariosFolder = join(packageFolder, 'scenarios');

/** A file of the bundle that runs in a process of its own: it starts in half the time of the compiled modules. */
export function bundled(name: 'main' | 'worker'): string {
  return join(packageFolder, 'dist/cli', `${name}.js`);
}

function folder(): string {
  const here = dirname(fileURLToPath(import.meta.url));
  const isBuilt = /[\\/]dist[\\/]sim[\\/]input$/.test(here);
  return resolve(here, isBuilt ? '../../..' : '../..');
}
