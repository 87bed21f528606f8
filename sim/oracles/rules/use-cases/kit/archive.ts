/** Archives of role applications as texts: the requests of oracles have no other bodies. */

/** A zip archive (PKWARE APPNOTE, 4.3) with one file that is not compressed: of ASCII characters only, as its text goes on until its checksum is. */
export function archiveOf(name: string, text: string): { readonly archive: string; readonly content: string } {
  for (let more = 0; ; more += 1) {
    const content = `${text} ${more}`;
    const archive = zipOf(name, content);
    if (/^[\0-\x7f]*$/.test(archive)) return { archive, content };
  }
}

function zipOf(name: string, content: string): string {
  const size = word(content.length);
  const common = `\x0a\0\0\0\0\0\0\0\x21\0${word(checksumOf(content))}${size}${size}${half(name.length)}\0\0`;
  const local = `PK\x03\x04${common}${name}${content}`;
  const central = `PK\x01\x02\x0a\0${common}${'\0'.repeat(14)}${name}`;
  return `${local}${central}PK\x05\x06\0\0\0\0\x01\0\x01\0${word(central.length)}${word(local.length)}\0\0`;
}

function half(value: number): string {
  return String.fromCharCode(value & 255, (value >> 8) & 255);
}

function word(value: number): string {
  return half(value) + half(value >>> 16);
}

/** CRC-32. */
function checksumOf(text: string): number {
  let checksum = -1;
  for (let at = 0; at < text.length; at += 1) {
    checksum ^= text.charCodeAt(at);
    for (let bit = 0; bit < 8; bit += 1) checksum = (checksum >>> 1) ^ (checksum & 1 ? 0xedb88320 : 0);
  }
  return ~checksum;
}
