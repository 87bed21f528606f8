/** What a running cluster tells its operator: one event a line, with fields. Never the place for data that a program reads. */
export interface Log {
  write(level: LogLevel, event: string, fields?: LogFields): void;
  /** A log that adds `fields` to every line. */
  child(fields: LogFields): Log;
}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';
export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;
