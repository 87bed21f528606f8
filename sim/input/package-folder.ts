/** Where the package is installed. */
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of package.json, for sources, for the build and for the bundle. */
export const packageFolder = folder();

/** The folder of the scenarios, topologies and metadata that ship. */
export const scenariosFolder = join(packageFolder, 'scenarios');

function folder(): string {
  const here = dirname(fileURLToPath(import.meta.url));
  const isBuilt = /[\\/]dist[\\/]sim[\\/]input$/.test(here);
  return resolve(here, isBuilt ? '../../..' : '../..');
}
