import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Makes a folder, and those above it. `mkdirSync` with `recursive` does so too, but never ends where a folder answers that it
 * does not exist, such as `/proc`.
 */
export function makeFolders(path: string): void {
  const folder = resolve(path);
  if (isFolder(folder)) return;
  if (folder !== dirname(folder)) makeFolders(dirname(folder));
  try {
    mkdirSync(folder);
  } catch (error) {
    if (!isFolder(folder)) throw error; // else another process has made it meanwhile
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
