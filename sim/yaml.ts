/** YAML files read against a schema: every fault with its line and column, in one form for topologies and scenarios. */
import {
  type Document,
  isCollection,
  isPair,
  isScalar,
  LineCounter,
  parseDocument,
  visit,
  type Node as YamlNode,
} from 'yaml';
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
  const errors = [
    ...document.errors.map(({ pos: [offset], message }) => ({ ...at(offset), message: syntaxText(message) })),
    ...danglingAliases(document).map(({ offset, message }) => ({ ...at(offset), message })),
  ];
  if (errors.length > 0) throw new YamlError(file, inOrder(errors));
  const placed = ({ path, message }: PathFault): YamlFault => ({
    ...at(offsetOf(document, path)),
    message: path.length === 0 ? message : `${pathText(path)}: ${message}`,
  });
  const read = readValue(schema, dataOf(file, document));
  if (!read.isSound) throw new YamlError(file, inOrder(read.faults.map(placed)));
  const faults = checks(read.value);
  if (faults.length > 0) throw new YamlError(file, inOrder(faults.map(placed)));
  return read.value;
}

/** A value as `schema` has it, or every fault of it. */
export function readValue<S extends z.ZodType>(
  schema: S,
  value: unknown,
): { isSound: true; value: z.infer<S> } | { isSound: false; faults: PathFault[] } {
  const read = schema.safeParse(value);
  if (read.success) return { isSound: true, value: read.data };
  return { isSound: false, faults: read.error.issues.flatMap(issueFaults).map(withGot(value)) };
}

/** Aliases of anchors that are not there, or not yet. */
function danglingAliases(document: Document): { offset: number; message: string }[] {
  const dangling: { offset: number; message: string }[] = [];
  visit(document, {
    Alias(_key, alias) {
      if (alias.resolve(document) !== undefined) return;
      dangling.push({ offset: alias.range?.[0] ?? 0, message: `no anchor "${alias.source}" before this alias` });
    },
  });
  return dangling;
}

function dataOf(file: string, document: Document): unknown {
  try {
    return document.toJS({ maxAliasCount: 1_000 });
  } catch (error) {
    // Aliases of aliases of aliases: few lines that would be millions of values.
    throw new YamlError(file, [{ line: 1, column: 1, message: (error as Error).message }]);
  }
}

const unknownField = 'no such field here';

function issueFaults(issue: z.core.$ZodIssue): PathFault[] {
  const path = issue.path.map((part) => (typeof part === 'number' ? part : String(part)));
  const meant = issue.code === 'invalid_union' ? meantBy(issue) : undefined;
  if (meant !== undefined)
    return meant.flatMap(issueFaults).map((each) => ({ ...each, path: [...path, ...each.path] }));
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path: [...path, key], message: unknownField }));
  }
  const message = issue.message.replace(/^(Invalid (input|option|string): |Invalid |Too (small|big): )/, '');
  return [{ path, message: message.startsWith('expected') ? message : `expected ${message}` }];
}

/** Of several forms that a value may have the one that was meant: the one form that it is not wrong in as a whole. */
function meantBy({ errors }: z.core.$ZodIssueInvalidUnion): z.core.$ZodIssue[] | undefined {
  const forms = errors.filter((form) =>
    form.every((issue) => issue.path.length > 0 || issue.code === 'unrecognized_keys'),
  );
  const [only, ...more] = forms;
  return more.length === 0 ? only : undefined;
}

/** Adds the value that was found, or what kind of value where it is a long one. */
function withGot(value: unknown): (fault: PathFault) => PathFault {
  return ({ path, message }) => {
    if (message === unknownField) return { path, message };
    const got = path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key], value);
    if (typeof got === 'object' && got !== null) return { path, message: message.replace(', received ', ', got ') };
    return { path, message: `${message.replace(/, received .*$/, '')}, got ${JSON.stringify(got) ?? 'nothing'}` };
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

export function pathText(path: readonly (string | number)[]): string {
  return path.map((part, i) => (typeof part === 'number' ? `[${part}]` : i === 0 ? part : `.${part}`)).join('');
}

function inOrder(faults: YamlFault[]): YamlFault[] {
  return faults.sort((a, b) => a.line - b.line || a.column - b.column);
}

/** The first line of the reader's message, without what it advises a programmer. */
function syntaxText(message: string): string {
  return (message.split('\n')[0] ?? message).replace(/; please use .*$/, '');
}
