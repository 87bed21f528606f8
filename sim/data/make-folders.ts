/** Makes the folders of a path that are missing. */
import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Makes a folder, and those above it. `mkdirSync` with `recursive` does so too, but never ends where a folder answers that it
 * does not exist, such as `/proc`.
 */
export function makeFolders(path: string): void {
  const folder = resolve(path);
  try {
    makeFolder(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    makeFolders(dirname(folder));
    makeFolder(folder);
  }
}

/** Another process may make it at the same time. */
function makeFolder(folder: string): void {
  try {
    mkdirSync(folder);
  } catch (error) {
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) throw error;
  }
}
