/** What errors of level, and of the file system below it, mean for a store. */
import { StoreDamaged, StoreLocked, StoreUnwritable } from '../ports/store.ts';

/** What the system says where a file can't be written, as level passes it on and as Node names it. */
const unwritable =
  /No space left|File too large|quota exceeded|Read-only file system|Permission denied|Operation not permitted|Input\/output error|Too many open files|ENOSPC|EFBIG|EDQUOT|EROFS|EACCES|EPERM|EIO|EMFILE/;

/** The error that the port promises for one of level; others stay as they are. */
export function asStoreError(name: string, error: unknown, call: 'open' | 'read' | 'write'): unknown {
  const codes = chainOf(error).map(({ code }) => code);
  const reason = reasonOf(error);
  if (codes.includes('LEVEL_LOCKED')) return new StoreLocked(name);
  if (codes.includes('LEVEL_CORRUPTION')) return new StoreDamaged(name, reason);
  if (call === 'open')
    return unwritable.test(reason) ? new StoreUnwritable(name, reason) : new StoreDamaged(name, reason);
  if (codes.includes('LEVEL_IO_ERROR'))
    return call === 'write' ? new StoreUnwritable(name, reason) : new StoreDamaged(name, reason);
  // A store that could not be opened anew.
  return codes.includes('LEVEL_DATABASE_NOT_OPEN') ? new StoreUnwritable(name, reason) : error;
}

/** The words of the innermost error: those around it say only what failed, and not why. */
export function reasonOf(error: unknown): string {
  return chainOf(error).at(-1)?.message ?? String(error);
}

function chainOf(error: unknown): NodeJS.ErrnoException[] {
  return error instanceof Error ? [error, ...chainOf(error.cause)] : [];
}
