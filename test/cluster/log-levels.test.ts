/** Log levels of a node and its instances. */

import { LogLevels } from '../../src/cluster/log-levels.ts';
import type { Log } from '../../src/ports/log.ts';
import { test } from '../kit/test.ts';

test('a node or an instance writes the lines of its level and less detailed ones, in each log made from its own', (t) => {
  const lines: string[] = [];
  const log: Log = { write: (level) => void lines.push(level), child: () => log };
  const levels = new LogLevels();
  const own = levels.limited('ivr-1', log).child({ instance: 'ivr-1' });
  const other = levels.limited('ivr-2', log);
  const written = (each: Log) => {
    lines.length = 0;
    for (const level of ['debug', 'info', 'warn', 'error'] as const) each.write(level, 'event');
    return lines.join(' ');
  };
  t.is(written(own), 'debug info warn error');
  levels.set('ivr-1', 'warn');
  t.is(levels.levelOf('ivr-1'), 'warn');
  t.is(written(own), 'warn error');
  t.is(written(other), 'debug info warn error');
  levels.set('ivr-1', 'info');
  t.is(written(own), 'info warn error');
});
