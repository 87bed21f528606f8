/** Archives of role applications as texts: the requests of oracles have no other bodies. */
import { crc32 } from 'node:zlib';

/** The name and the text of a file; `more` makes it another one. */
type PackedText = readonly [name: string, textWith: (more: string) => string];

interface TextArchive {
  readonly archive: string;
  /** The texts of the files, by their names. */
  readonly contents: ReadonlyMap<string, string>;
}

/** An archive with one file. */
export function archiveOf(name: string, text: string): { readonly archive: string; readonly content: string } {
  const { archive, contents } = archiveWith([[name, (more) => `${text} ${more}`]]);
  return { archive, content: contents.get(name) ?? '' };
}

/** A zip archive (PKWARE APPNOTE, 4.3) whose files are not compressed: of ASCII characters only, as each text goes on until its checksum is. */
export function archiveWith(files: readonly PackedText[]): TextArchive {
  const contents = new Map<string, string>();
  let locals = '';
  const entries: { readonly fields: string; readonly name: string; readonly place: string }[] = [];
  for (const [name, textWith] of files) {
    const { content, fields } = contentOf(name, textWith, locals.length);
    contents.set(name, content);
    entries.push({ fields, name, place: word(locals.length) });
    locals += localOf({ name, fields, content });
  }
  const sizeOfAll = entries.reduce((sum, { name }) => sum + 46 + name.length, 0);
  // A comment of the last entry: so many that their size is of ASCII characters.
  const comment = ' '.repeat(isAscii(word(sizeOfAll)) ? 0 : 256 - (sizeOfAll % 256));
  const central = entries
    .map(({ fields, name, place }, index) => {
      const own = index + 1 < entries.length ? '' : comment;
      return `PK\x01\x02\x0a\0${fields}${half(own.length)}${'\0'.repeat(8)}${place}${name}${own}`;
    })
    .join('');
  const count = half(files.length);
  const archive = `${locals}${central}PK\x05\x06\0\0\0\0${count}${count}${word(central.length)}${word(locals.length)}\0\0`;
  return { archive, contents };
}

interface LocalFile {
  readonly name: string;
  /** From the needed version to the length of the extra field. */
  readonly fields: string;
  readonly content: string;
}

function localOf({ name, fields, content }: LocalFile): string {
  return `PK\x03\x04${fields}${name}${content}`;
}

/** The content of a file that begins at this place, and ends at one of ASCII characters. */
function contentOf(name: string, textWith: PackedText[1], begin: number): Omit<LocalFile, 'name'> {
  for (let more = 100; ; more += 1) {
    // One checksum in sixteen is.
    const content = textWith(`${more}${' '.repeat(Math.floor(more / 100) - 1)}`);
    const size = word(content.length);
    const fields = `\x0a\0\0\0\0\0\0\0\x21\0${word(crc32(content))}${size}${size}${half(name.length)}\0\0`;
    const file = localOf({ name, fields, content });
    if (isAscii(file + word(begin + file.length))) return { content, fields };
  }
}

function isAscii(text: string): boolean {
  return /^[\0-\x7f]*$/.test(text);
}

function half(value: number): string {
  return String.fromCharCode(value & 255, (value >> 8) & 255);
}

function word(value: number): string {
  return half(value) + half(value >>> 16);
}
