/** YAML files read against a schema: every fault with its line and column, in one form for topologies and scenarios. */
import { type Document, isCollection, isPair, isScalar, LineCounter, parseDocument, type Node as YamlNode } from 'yaml';
import type { z } from 'zod';

/** Where and what: `3:5 sites[0].name: expected …`. Line and column count from 1. */
export interface YamlFault {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** A fault found after parsing, by the path of its value. */
export interface PathFault {
  readonly path: readonly (string | number)[];
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

/** Reads `text` as `schema` has it; `checks` finds what a schema can't. Throws a `YamlError` with every fault, by line. */
export function readYaml<S extends z.ZodType>(
  file: string,
  text: string,
  { schema, checks = () => [] }: { schema: S; checks?: (value: z.infer<S>) => readonly PathFault[] },
): z.infer<S> {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, merge: true });
  const at = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  if (document.errors.length > 0) {
    throw new YamlError(
      file,
      document.errors.map((error) => ({ ...at(error.pos[0]), message: firstLine(error.message) })),
    );
  }
  const placed = ({ path, message }: PathFault): YamlFault => ({
    ...at(offsetOf(document, path)),
    message: path.length === 0 ? message : `${pathText(path)}: ${message}`,
  });
  const value: unknown = document.toJS({ maxAliasCount: 1_000 });
  const read = schema.safeParse(value);
  if (!read.success)
    throw new YamlError(file, inOrder(read.error.issues.flatMap(issueFaults).map(withGot(value)).map(placed)));
  const faults = checks(read.data);
  if (faults.length > 0) throw new YamlError(file, inOrder(faults.map(placed)));
  return read.data;
}

function issueFaults(issue: z.core.$ZodIssue): PathFault[] {
  const path = issue.path.map((part) => (typeof part === 'number' ? part : String(part)));
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path: [...path, key], message: 'no such field here' }));
  }
  const message = issue.message
    .replace(/^Invalid (input|option|string): /, '')
    .replace(/, received undefined$/, ', got nothing');
  return [{ path, message: message.startsWith('expected') ? message : `expected ${message}` }];
}

/** Adds the value that was found, where the message does not have it. */
function withGot(value: unknown): (fault: PathFault) => PathFault {
  return ({ path, message }) => {
    const got = path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key], value);
    if (message.includes('got nothing') || message === 'no such field here') return { path, message };
    if (got === undefined || (typeof got === 'object' && got !== null)) return { path, message };
    return { path, message: `${message.replace(/, received .*$/, '')}, got ${JSON.stringify(got)}` };
  };
}

/** Where the value at `path` begins, or the nearest one around it. An alias counts where it stands. */
function offsetOf(document: Document, path: readonly (string | number)[]): number {
  let node: unknown = document.contents;
  let offset = 0;
  for (const part of path) {
    if (!isCollection(node)) break;
    const item = node.items.find((each, index) =>
      isPair(each) ? (isScalar(each.key) ? String(each.key.value) === String(part) : false) : index === part,
    );
    if (item === undefined) break;
    if (isPair(item)) {
      offset = (item.key as YamlNode | null)?.range?.[0] ?? offset;
      node = item.value;
    } else {
      node = item;
      offset = (item as YamlNode | null)?.range?.[0] ?? offset;
    }
  }
  return offset;
}

function pathText(path: readonly (string | number)[]): string {
  return path.map((part, i) => (typeof part === 'number' ? `[${part}]` : i === 0 ? part : `.${part}`)).join('');
}

function inOrder(faults: YamlFault[]): YamlFault[] {
  return faults.sort((a, b) => a.line - b.line || a.column - b.column);
}

function firstLine(text: string): string {
  return text.split('\n')[0] ?? text;
}
