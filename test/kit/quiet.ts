/** Small things that many tests need, from a file that loads nothing else. */
import type { Log } from '../../src/ports/log.ts';

export const silentLog: Log = { write: () => {}, child: () => silentLog };

/** Lets everything that was awaited continue: microtasks drain before an immediate. */
export function idle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
