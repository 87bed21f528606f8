/** The Log port over pino: one JSON line an event, on standard error. */
import { destination, type Logger, pino } from 'pino';
import type { Log, LogFields, LogLevel } from '../ports/log.ts';

export function pinoLog(options: { level: LogLevel | 'silent' }): Log {
  return wrap(pino({ level: options.level, base: null }, destination({ fd: 2, sync: false })));
}

function wrap(logger: Logger): Log {
  return {
    write: (level: LogLevel, event: string, fields: LogFields = {}) => logger[level](fields, event),
    child: (fields) => wrap(logger.child(fields)),
  };
}
