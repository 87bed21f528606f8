/** Reads YAML files against a schema. Every fault has its line and column. */
import {
  type Alias,
  type Document,
  isAlias,
  isCollection,
  isMap,
  isNode,
  isPair,
  isScalar,
  Lexer,
  LineCounter,
  type Node,
  parseDocument,
  visit,
  type YAMLError,
  type Node as YamlNode,
} from 'yaml';
import type { z } from 'zod';
import { faultText, type InputError, readValue } from './read-value.ts';
import { YamlError, type YamlFault } from './yaml-error.ts';

export interface AliasFault {
  readonly offset: number;
  readonly message: string;
}

/** Limit of the values that all aliases of a file expand to. */
const mostAliased = 100_000;

/**
 * The faults of the aliases of a YAML file, in its order: each needs an anchor before it, and a small file must not expand
 * to millions of values. One walk, whatever their number.
 */
export function aliasFaults(document: Document): AliasFault[] {
  const faults: AliasFault[] = [];
  const anchors = new Map<string, Node>();
  const targets = new Map<Alias, Node>();
  const sizes = new Map<Node, number>();
  let aliased = 0;
  visit(document, {
    Node(_key, node) {
      const offset = node.range?.[0] ?? 0;
      if (!isAlias(node)) {
        if (node.anchor !== undefined) anchors.set(node.anchor, node);
        return;
      }
      const target = anchors.get(node.source);
      if (target === undefined) {
        // An empty one is a syntax error.
        if (node.source !== '')
          faults.push({
            offset,
            message: `no anchor "${node.source}" before this alias (${asText(`*${node.source}`)})`,
          });
        return;
      }
      targets.set(node, target);
      const isFirst = aliased <= mostAliased;
      aliased += sizeOf(target, sizes, targets);
      if (isFirst && aliased > mostAliased) {
        faults.push({ offset, message: `expected aliases that stand for at most ${mostAliased} values in all` });
      }
    },
  });
  return faults;
}

/** Number of values that a node expands to. Infinite for a node that contains itself. */
function sizeOf(node: unknown, sizes: Map<Node, number>, targets: ReadonlyMap<Alias, Node>): number {
  if (isPair(node)) return sizeOf(node.key, sizes, targets) + sizeOf(node.value, sizes, targets);
  if (!isNode(node)) return 0;
  const known = sizes.get(node);
  if (known !== undefined) return known;
  sizes.set(node, Infinity);
  const parts = isAlias(node) ? [targets.get(node)] : isCollection(node) ? node.items : [];
  let size = 1;
  for (const part of parts) size += sizeOf(part, sizes, targets);
  sizes.set(node, size);
  return size;
}

/**
 * Parses `text` against `schema`; `checks` finds what a schema cannot. Throws a `YamlError` with every fault, sorted by
 * line.
 */
export function readYaml<S extends z.ZodType>(
  file: string,
  text: string,
  { schema, checks = () => [] }: { schema: S; checks?: (value: z.infer<S>) => readonly InputError[] },
): z.infer<S> {
  const tooDeep = tooDeepAt(text);
  if (tooDeep !== undefined) throw new YamlError(file, [{ ...tooDeep, message: lessDeeply }]);
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, merge: true });
  const at = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  const errors = [
    ...syntaxErrors(document).map(({ offset, message }) => ({ ...at(offset), message })),
    ...aliasFaults(document).map(({ offset, message }) => ({ ...at(offset), message })),
  ];
  if (errors.length > 0) throw new YamlError(file, inOrder(errors));
  const placed = ({ path, message }: InputError): YamlFault => {
    const written = asWritten(document, path);
    return {
      ...at(offsetOf(document, written)),
      message: faultText({ path: written, message }),
    };
  };
  const read = readValue(schema, document.toJS({ maxAliasCount: -1 }));
  if (!read.isValid) throw new YamlError(file, inOrder(read.faults.map(placed)));
  const faults = checks(read.value);
  if (faults.length > 0) throw new YamlError(file, inOrder(faults.map(placed)));
  return read.value;
}

const deepest = 500;
const lessDeeply = `expected values that are nested at most ${deepest} deep`;

/** Where values are nested too deeply for the parser, which recurses: brackets, and indicators such as `-` in one line. */
function tooDeepAt(text: string): Pick<YamlFault, 'line' | 'column'> | undefined {
  // Most files have fewer indicators in all: there is nothing to find, and the lexer costs a quarter of the parser.
  if ((text.match(/[[{]|[-?:](?=\s|$)/g)?.length ?? 0) <= deepest) return undefined;
  let [offset, brackets, indicators, isScalar] = [0, 0, 0, false];
  for (const token of new Lexer().lex(text)) {
    if (!isScalar) {
      if (token === '[' || token === '{') brackets += 1;
      else if (token === ']' || token === '}') brackets = Math.max(0, brackets - 1);
      else if (brackets === 0 && (token === '-' || token === '?' || token === ':')) indicators += 1;
      else if (token.includes('\n')) indicators = 0;
    }
    if (brackets + indicators > deepest) {
      const before = text.slice(0, offset).split('\n');
      return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
    }
    if (!markers.has(token)) offset += token.length;
    isScalar = token === scalarMarker;
  }
  return undefined;
}

/** Tokens of the lexer that stand for no text: byte order mark, document, end of a flow, scalar. */
const scalarMarker = '\x1f';
const markers = new Set(['\x02', '\x18', scalarMarker]);

/** The keys of a file, as far as it can be read: it may have faults. */
export function keysOf(text: string): string[] {
  if (tooDeepAt(text) !== undefined) return [];
  const { contents } = parseDocument(text, { prettyErrors: false });
  return isMap(contents) ? contents.items.map(({ key }) => String(isScalar(key) ? key.value : key)) : [];
}

/** Offset of the value at `path`, or of the nearest one around it. The position of an alias is its own. */
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

/** The path without list indices where the file has a single item in place of a list. */
function asWritten(document: Document, path: InputError['path']): InputError['path'] {
  const written: (string | number)[] = [];
  for (const part of path) {
    const node = document.getIn(written, true);
    if (typeof part === 'string' || !(isMap(node) || isScalar(node))) written.push(part);
  }
  return written;
}

function inOrder(faults: YamlFault[]): YamlFault[] {
  return faults.sort((a, b) => a.line - b.line || a.column - b.column);
}

/**
 * Syntax errors: all duplicate keys, and the first other error, because later ones usually follow from it. A tab goes
 * first, because it is hard to see.
 */
function syntaxErrors({ errors }: Document): { offset: number; message: string }[] {
  const isTwice = ({ code }: YAMLError) => code === 'DUPLICATE_KEY';
  const others = errors.filter((error) => !isTwice(error)).toSorted((a, b) => a.pos[0] - b.pos[0]);
  const first = others.find(({ code }) => code === 'TAB_AS_INDENT') ?? others[0];
  return [...errors.filter(isTwice), ...(first === undefined ? [] : [first])].map(
    ({ pos: [offset], code, message }) => {
      if (code === 'RESOURCE_EXHAUSTION') return { offset, message: lessDeeply };
      const text = (message.split('\n')[0] ?? message).replace(/; please use .*$/, '');
      const isAnchor = code === 'BAD_ALIAS' && text.startsWith('Anchor');
      const hint = text.startsWith('Missing closing') ? undefined : isAnchor ? asText('&') : hints.get(code);
      return { offset, message: hint === undefined ? text : `${text} (${hint})` };
    },
  );
}

function asText(text: string): string {
  return `as a text it needs quotes: '${text}'`;
}

const indentation = 'is this line, or the one before it, indented as it should be?';
const hints: ReadonlyMap<string, string> = new Map([
  ['TAB_AS_INDENT', 'YAML is indented with spaces'],
  ['BAD_INDENT', indentation],
  ['UNEXPECTED_TOKEN', indentation],
  ['BLOCK_AS_IMPLICIT_KEY', `${indentation} A text with ": " in it needs quotes`],
  ['MULTILINE_IMPLICIT_KEY', `${indentation} Is a ":" missing?`],
  ['BAD_ALIAS', asText('*')],
  ['BAD_SCALAR_START', 'a text that begins with it needs quotes'],
  ['MISSING_CHAR', `${indentation} Is a ":" missing?`],
]);
