/** What an archive of a role application may hold: paths that stay inside it, and not more than the limits. (chosen) */
import { limits } from '../limits.ts';
import { type ZipEntry, ZipProblem } from './directory.ts';

const mebibyte = 1024 * 1024;

/** The files of an archive. Throws a `ZipProblem` for the first thing that is not allowed. */
export function filesOf(entries: readonly ZipEntry[]): ZipEntry[] {
  const files: ZipEntry[] = [];
  const names = new Set<string>();
  let [unpacked, packed, letters] = [0, 0, 0];
  for (const entry of entries) {
    const { name, size, isFolder } = entry;
    const problem = pathProblem(isFolder ? name.slice(0, -1) : name);
    if (problem !== undefined) throw new ZipProblem(`${JSON.stringify(name)}: ${problem}`);
    if (names.has(name)) throw new ZipProblem(`${JSON.stringify(name)}: there are two`);
    names.add(name);
    if (isFolder && size > 0) throw new ZipProblem(`${JSON.stringify(name)}: a folder with bytes of its own`);
    if (size > limits.unpackedFileBytes) {
      throw new ZipProblem(`${JSON.stringify(name)}: expected at most ${limits.unpackedFileBytes} bytes, got ${size}`);
    }
    unpacked += size;
    packed += entry.packed.byteLength;
    letters += Buffer.byteLength(name);
    if (!isFolder) files.push(entry);
  }
  const { unpackedBytes, archiveRatio, archiveNameBytes } = limits;
  if (unpacked > unpackedBytes)
    throw new ZipProblem(`expected at most ${unpackedBytes} bytes unpacked, got ${unpacked}`);
  if (letters > archiveNameBytes) throw new ZipProblem(`expected names of at most ${archiveNameBytes} bytes in all`);
  if (unpacked > mebibyte && unpacked > packed * archiveRatio) {
    throw new ZipProblem(`expected at most ${archiveRatio} times as many bytes unpacked as packed`);
  }
  return files;
}

const control = /[\p{Cc}\p{Cs}]/u;

/** What is wrong with a path, if anything is. */
function pathProblem(path: string): string | undefined {
  if (path.includes('\\')) return 'expected / between folders, and no \\';
  if (control.test(path)) return 'expected no control letters in a path';
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path)) return 'expected a path within the archive';
  const parts = path.split('/');
  if (parts.length > limits.archiveFolders)
    return `expected at most ${limits.archiveFolders} folders within each other`;
  const isPlain = parts.every((part) => part !== '' && part !== '.' && part !== '..');
  return isPlain ? undefined : 'expected a path without empty parts, . and ..';
}
