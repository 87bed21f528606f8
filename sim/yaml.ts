/** YAML files read against a schema: every fault with its line and column, in one form for topologies and scenarios. */
import {
  type Document,
  isCollection,
  isMap,
  isPair,
  isScalar,
  LineCounter,
  parseDocument,
  visit,
  type YAMLError,
  type Node as YamlNode,
} from 'yaml';
import type { z } from 'zod';
import { nearest } from './nearest.ts';
import { fieldsAt } from './yaml-fields.ts';

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
    ...syntaxErrors(document).map(({ offset, message }) => ({ ...at(offset), message })),
    ...danglingAliases(document).map(({ offset, message }) => ({ ...at(offset), message })),
  ];
  if (errors.length > 0) throw new YamlError(file, inOrder(errors));
  const placed = ({ path, message }: PathFault): YamlFault => {
    const written = asWritten(document, path);
    return {
      ...at(offsetOf(document, written)),
      message: path.length === 0 ? message : `${pathText(written)}: ${message}`,
    };
  };
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
  const faults = withoutConsequences(read.error.issues.flatMap(issueFaults));
  return { isSound: false, faults: faults.map(withFields(schema, value)).map(withGot(value)) };
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

/** A fault as a schema finds it. `isRule`: of the object as a whole. */
interface IssueFault extends PathFault {
  readonly isRule?: boolean;
}

function issueFaults(issue: z.core.$ZodIssue): IssueFault[] {
  const path = issue.path.map((part) => (typeof part === 'number' ? part : String(part)));
  const meant = issue.code === 'invalid_union' ? meantBy(issue) : undefined;
  if (meant !== undefined)
    return meant.flatMap(issueFaults).map((each) => ({ ...each, path: [...path, ...each.path] }));
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path: [...path, key], message: unknownField }));
  }
  const message = issue.message.replace(/^(Invalid (input|option|string): |Invalid |Too (small|big): )/, '');
  const wanted = message.startsWith('expected') ? message : `expected ${message}`;
  return [{ path, message: wanted, isRule: issue.code === 'custom' }];
}

/** Where an object has a field that there is not, that another is missing, or that it is nothing, comes of it. */
function withoutConsequences(faults: readonly IssueFault[]): IssueFault[] {
  const misspelt = faults.flatMap(({ path, message }) =>
    message === unknownField ? [pathText(path.slice(0, -1))] : [],
  );
  return faults.filter(({ path, isRule }) => isRule !== true || !misspelt.includes(pathText(path)));
}

/** Tells of a field that there is not which ones there are. */
function withFields(schema: z.ZodType, value: unknown): (fault: PathFault) => PathFault {
  return ({ path, message }) => {
    if (message !== unknownField) return { path, message };
    const fields = fieldsAt(schema, path.slice(0, -1), value);
    const near = nearest(String(path.at(-1)), fields);
    const hint = near === undefined ? '' : `; did you mean "${near}"?`;
    return { path, message: `${message}, expected one of ${fields.join(', ')}${hint}` };
  };
}

/** Of several forms that a value may have the one that was meant: that in which least of it is wrong, and not it as a whole. */
function meantBy({ errors }: z.core.$ZodIssueInvalidUnion): z.core.$ZodIssue[] | undefined {
  const forms = errors.filter((form) =>
    form.every((issue) => issue.path.length > 0 || issue.code === 'unrecognized_keys'),
  );
  const wrongs = forms.map((form) => form.reduce((sum, issue) => sum + wrongsIn(issue), 0));
  const least = Math.min(...wrongs);
  const [only, ...more] = forms.filter((_, i) => wrongs[i] === least);
  return more.length === 0 ? only : undefined;
}

function wrongsIn(issue: z.core.$ZodIssue): number {
  return issue.code === 'unrecognized_keys' ? issue.keys.length : 1;
}

/** Adds the value that was found, or what kind of value where it is a long one. */
function withGot(value: unknown): (fault: PathFault) => PathFault {
  return ({ path, message }) => {
    if (message.startsWith(unknownField)) return { path, message };
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

/** The path without the numbers of items where there is no list: where one thing stands for a list of one. */
function asWritten(document: Document, path: PathFault['path']): PathFault['path'] {
  const written: (string | number)[] = [];
  for (const part of path) {
    const node = document.getIn(written, true);
    if (typeof part === 'string' || !(isMap(node) || isScalar(node))) written.push(part);
  }
  return written;
}

export function pathText(path: readonly (string | number)[]): string {
  return path.map((part, i) => (typeof part === 'number' ? `[${part}]` : i === 0 ? part : `.${part}`)).join('');
}

function inOrder(faults: YamlFault[]): YamlFault[] {
  return faults.sort((a, b) => a.line - b.line || a.column - b.column);
}

/**
 * What is wrong with the syntax. Keys that are there twice are all told; of the rest the first, or a tab, which is hard to see:
 * what comes after it comes of it, as a rule.
 */
function syntaxErrors({ errors }: Document): { offset: number; message: string }[] {
  const isTwice = ({ code }: YAMLError) => code === 'DUPLICATE_KEY';
  const others = errors.filter((error) => !isTwice(error)).toSorted((a, b) => a.pos[0] - b.pos[0]);
  const first = others.find(({ code }) => code === 'TAB_AS_INDENT') ?? others[0];
  return [...errors.filter(isTwice), ...(first === undefined ? [] : [first])].map(
    ({ pos: [offset], code, message }) => {
      const text = (message.split('\n')[0] ?? message).replace(/; please use .*$/, '');
      const hint = text.startsWith('Missing closing') ? undefined : hints.get(code);
      return { offset, message: hint === undefined ? text : `${text} (${hint})` };
    },
  );
}

const indentation = 'is this line, or the one before it, indented as it should be?';
const hints: ReadonlyMap<string, string> = new Map([
  ['TAB_AS_INDENT', 'YAML is indented with spaces'],
  ['BAD_INDENT', indentation],
  ['UNEXPECTED_TOKEN', indentation],
  ['BLOCK_AS_IMPLICIT_KEY', `${indentation} A text with ": " in it needs quotes`],
  ['MULTILINE_IMPLICIT_KEY', `${indentation} Is a ":" missing?`],
  ['MISSING_CHAR', `${indentation} Is a ":" missing?`],
]);
