/** Faults in a YAML file. */

/** A fault with its position: `3:5 sites[0].name: expected …`. Line and column count from 1. */
export interface YamlFault {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** A file with faults. */
export class YamlError extends Error {
  readonly file: string;
  readonly faults: readonly YamlFault[];

  constructor(file: string, faults: readonly YamlFault[]) {
    super(faults.map(({ line, column, message }) => `${file}:${line}:${column} ${message}`).join('\n'));
    this.name = 'YamlError';
    this.file = file;
    this.faults = faults;
  }
}
