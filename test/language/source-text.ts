/** The parts of a TypeScript source that people read: comments, and texts of more than one word. */

export interface ReadPart {
  readonly line: number;
  readonly text: string;
}

/** A `/` after one of these begins a regular expression. */
const beforePattern = /(?:[(,=:[!&|?{};+\-*%<>~^]|\breturn|\btypeof|\bcase|^)\s*$/;

const token =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\[\s\S]|[^`\\])*`|\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*/g;

/** Comments, and texts in quotes that have a space between two words. */
export function readParts(source: string): ReadPart[] {
  const parts: ReadPart[] = [];
  token.lastIndex = 0;
  for (let match = token.exec(source); match !== null; match = token.exec(source)) {
    const [text] = match;
    const isPattern = text.startsWith('/') && !text.startsWith('//') && !text.startsWith('/*');
    if (isPattern) {
      const isDivision = !beforePattern.test(source.slice(Math.max(0, match.index - 20), match.index));
      if (isDivision) token.lastIndex = match.index + 1;
      continue;
    }
    const line = source.slice(0, match.index).split('\n').length;
    if (text.startsWith('/')) parts.push({ line, text });
    else if (/[a-z,;:] [a-z(]/i.test(text)) parts.push({ line, text: text.replaceAll(/\$\{[^}]*\}/g, '…') });
  }
  return parts;
}

/**
 * The lines of docstrings that describe nothing: behind them comes an empty line, another comment, an import, or the end of a
 * block. The first comment of a file describes the file.
 */
export function detachedDocstrings(source: string): number[] {
  return [...source.matchAll(/^[ \t]*\/\*\*[\s\S]*?\*\/[ \t]*\n(?=[ \t]*(?:\n|$|\/\*|\/\/|import\b|[)}\]]))/gm)]
    .filter(({ index }) => !/^(?:#![^\n]*\n)?\s*$/.test(source.slice(0, index)))
    .map(({ index }) => source.slice(0, index).split('\n').length);
}
