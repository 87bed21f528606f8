/**
 * The sessions of a document as one shell script. Blocks of a document, by what stands behind their fence:
 *
 * - `sh`: run line by line; a line that fails fails the session. `sh serve`: a cluster is started in its place, `sh up`: one of processes. `sh fails`: its
 *   last command must fail. `sh install`: not run, the gate has done it.
 * - `yaml FILE`, `json FILE`, `js FILE`: written to the file.
 * - `text`: what the `sh` block before it prints, among other lines and in this order; `…` stands for any text.
 */

export interface Block {
  readonly kind: string;
  /** Number of the line of the fence. */
  readonly line: number;
  readonly lines: readonly string[];
}

export function blocksOf(document: string): Block[] {
  const blocks: Block[] = [];
  let open: { kind: string; line: number; lines: string[] } | undefined;
  for (const [index, text] of document.split('\n').entries()) {
    const fence = /^```(.*)$/.exec(text);
    if (fence === null) open?.lines.push(text);
    else if (open === undefined) open = { kind: fence[1] ?? '', line: index + 1, lines: [] };
    else {
      blocks.push(open);
      open = undefined;
    }
  }
  return blocks;
}

/** The script of a session. It calls `serve`, which the runner defines, and writes the output of a block to `out.LINE`. */
export function scriptOf(blocks: readonly Block[]): string {
  return blocks.map(partOf).join('\n');
}

/** What each block of outputs expects, by the line of the block before it. */
export function expectationsOf(
  blocks: readonly Block[],
): { readonly line: number; readonly expected: readonly string[] }[] {
  return blocks.flatMap(({ kind, line, lines }, index) => {
    if (kind !== 'text') return [];
    const before = blocks[index - 1];
    if (before?.kind.startsWith('sh') === true && lines.length > 0) return [{ line: before.line, expected: lines }];
    throw new Error(`line ${line}: expected an sh block before this text block, and lines in it`);
  });
}

/** The first expected line that the output does not have behind those before it. */
export function missingIn(output: string, expected: readonly string[]): string | undefined {
  const printed = output.split('\n');
  let next = 0;
  return expected.find((line) => {
    const pattern = new RegExp(`^${line.trimEnd().split('…').map(escaped).join('.*')}$`);
    const found = printed.findIndex((each, index) => index >= next && pattern.test(each.trimEnd()));
    next = found + 1;
    return found < 0;
  });
}

const fileLanguages: ReadonlySet<string | undefined> = new Set(['yaml', 'json', 'js']);

function partOf({ kind, line, lines }: Block): string {
  const [language, word] = kind.split(' ');
  const text = lines.join('\n');
  if (fileLanguages.has(language) && word !== undefined) return `cat >${word} <<'FILE'\n${text}\nFILE`;
  if (language !== 'sh' || word === 'install') return '';
  if (word === 'serve') return `echo 'line ${line}'\nserve`;
  if (word === 'up') return `echo 'line ${line}'\nserve up --quiet`;
  const body = `echo 'line ${line}'\n{\n${text}\n} >out.${line} 2>&1`;
  if (word !== 'fails') return body;
  return `echo 'line ${line}'\nif ( ${text} ) >out.${line} 2>&1; then echo 'expected this command to fail'; exit 1; fi`;
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
