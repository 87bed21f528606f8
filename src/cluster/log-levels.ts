/** The log levels of a node and of its instances: lines that are more detailed are not written. They last as long as the node. */
import type { Log, LogLevel } from '../ports/log.ts';

/** From the most detailed level to the least. */
const levels: readonly LogLevel[] = ['debug', 'info', 'warn', 'error'];

export class LogLevels {
  readonly #levels = new Map<string, LogLevel>();

  /** The most detailed level that a node or an instance writes; the log of its process may bound it further. */
  levelOf(name: string): LogLevel {
    return this.#levels.get(name) ?? 'debug';
  }

  set(name: string, level: LogLevel): void {
    this.#levels.set(name, level);
  }

  /** The log of a node or an instance. */
  limited(name: string, log: Log): Log {
    return {
      write: (level, event, fields) => {
        if (levels.indexOf(level) >= levels.indexOf(this.levelOf(name))) log.write(level, event, fields);
      },
      child: (fields) => this.limited(name, log.child(fields)),
    };
  }
}
