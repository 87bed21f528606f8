/** The Log port over pino, on standard error: one JSON line an event, or on a terminal one line that people read. */
import { destination, type Logger, pino } from 'pino';
import type { Log, LogFields, LogLevel } from '../ports/log.ts';

export interface PinoLogOptions {
  readonly level: LogLevel | 'silent';
  /** Default: `shownForm()`. */
  readonly form?: LogForm | undefined;
}

export type LogForm = 'json' | 'text';

/** `text` on a terminal, else `json`. */
export function shownForm(): LogForm {
  return process.stderr.isTTY ? 'text' : 'json';
}

export function pinoLog({ level, form = shownForm() }: PinoLogOptions): Log {
  const out = destination({ fd: 2, sync: false });
  const lines = form === 'json' ? out : { write: (line: string) => out.write(textOf(JSON.parse(line) as PinoLine)) };
  return wrap(pino({ level, base: null }, lines));
}

interface PinoLine {
  readonly level: number;
  readonly time: number;
  readonly msg: string;
}

/** `14:03:07 warn  node.lost node=n1 by=hq/h1` */
function textOf({ level, time, msg, ...fields }: PinoLine): string {
  const clock = new Date(time).toTimeString().slice(0, 8);
  const shown = Object.entries(fields).map(([name, value]) => ` ${name}=${fieldText(value)}`);
  return `${clock} ${(pino.levels.labels[level] ?? '').padEnd(5)} ${msg}${shown.join('')}\n`;
}

/** Quoted where it has blanks or controls, which could forge a line. */
function fieldText(value: unknown): string {
  const text = String(value);
  return /^[!#-~]+$/.test(text) ? text : JSON.stringify(text);
}

function wrap(logger: Logger): Log {
  return {
    write: (level: LogLevel, event: string, fields: LogFields = {}) => logger[level](fields, event),
    child: (fields) => wrap(logger.child(fields)),
  };
}
