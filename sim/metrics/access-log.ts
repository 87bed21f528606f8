/** The access log of the fronts: one JSON line for each answer. Queries are left out, because they may hold secrets. */
import { closeSync, openSync } from 'node:fs';
import { destination, pino } from 'pino';
import type { World } from '../world/world.ts';

interface AccessLog {
  /** Writes the answers of the fronts of a world. */
  observe(world: World): void;
  end(): void;
}

/** Appends to `file`, or writes to standard output for `-`. Throws if the file cannot be opened. */
export function openAccessLog(file: string): AccessLog {
  const isOutput = file === '-';
  const fd = isOutput ? 1 : opened(file);
  const out = destination({ fd, sync: false });
  const logger = pino({ base: null, timestamp: pino.stdTimeFunctions.isoTime }, out);
  return {
    observe: (world) => {
      world.observe<'front.answered'>(
        ({ kind: _kind, atMs: _atMs, ...answer }) => logger.info(answer, 'front.answered'),
        { kinds: ['front.answered'] },
      );
    },
    end: () => {
      out.flushSync();
      if (!isOutput) closeSync(fd);
    },
  };
}

function opened(file: string): number {
  try {
    return openSync(file, 'a');
  } catch (error) {
    throw new Error(`--access-log ${file}: the file cannot be written: ${(error as NodeJS.ErrnoException).code}`);
  }
}
