/** Requests as bytes, for the tests of the method gate: generated ones, their packets, and their mutations. */
import { METHODS } from 'node:http';
import fc from 'fast-check';

/** A request, as its sender means it and as bytes. */
export interface SentRequest {
  readonly method: string;
  readonly target: string;
  readonly body: string;
  readonly bytes: Buffer;
}

const refused = ['CONNECT', 'TRACE', 'TRACK', 'PRI'];
const tokenLetters = [..."!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"];
const targetLetters = [...'abcXYZ019-._~%!$&()*+,;=:@/?[]|'];

const ownMethod = fc
  .string({ unit: fc.constantFrom(...tokenLetters), minLength: 1, maxLength: 32 })
  .filter((method) => ![...METHODS, ...refused].includes(method.toUpperCase()));
const method = fc.oneof(
  fc.constantFrom('LOOKUP', 'REFER', 'SEND_DTMF', 'INVITEBYIVR', 'REFERREPLACES', 'GE', 'POSTS', 'PLAY'),
  fc.constantFrom(...METHODS.filter((known) => !refused.includes(known))),
  ownMethod,
);
const target = fc
  .string({ unit: fc.constantFrom(...targetLetters), maxLength: 30 })
  .map((text) => `/${text}`)
  .filter((text) => !/^[^?]*\/(\.|%2e){1,2}([/?]|$)/i.test(text));
/** Bodies that look like requests tempt a scanner that lost count. */
const body = fc.oneof(
  fc.constantFrom('REFER / HTTP/1.1\r\nHost: h\r\n\r\n', '0\r\n\r\n', '\r\n\r\n'),
  fc.uint8Array({ minLength: 1, maxLength: 200 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
);
const field = fc.constantFrom(
  'Accept: */*',
  'X-Long: a b\tc',
  'X-Empty:',
  'Hosts: a',
  'Connection: keep-alive',
  'TE: trailers',
);

/** A well-formed request that keeps its connection open. */
export const request: fc.Arbitrary<SentRequest> = fc
  .record({
    method,
    target,
    body: fc.option(body, { nil: '' }),
    chunkSizes: fc.option(fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 4 }), {
      nil: undefined,
    }),
    fields: fc.array(field, { maxLength: 3 }),
    trailer: fc.constantFrom('', 'X-Sum: 1\r\n'),
    isUpper: fc.infiniteStream(fc.boolean()),
    emptyLine: fc.constantFrom('', '', '\r\n'),
  })
  .map(({ chunkSizes, fields, trailer, isUpper, emptyLine, ...sent }) => {
    const text = ['GET', 'HEAD'].includes(sent.method) ? '' : sent.body;
    const isChunked = chunkSizes !== undefined && text !== '';
    const length = isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${text.length}`;
    const lines = [...fields, 'Host: h', ...(text === '' ? [] : [length])].map((line) => recased(line, isUpper));
    const head = `${emptyLine}${sent.method} ${sent.target} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`;
    const payload = isChunked ? chunked(text, chunkSizes, trailer) : text;
    return { ...sent, body: text, bytes: Buffer.from(head + payload, 'latin1') };
  });

/** Where to cut a stream into packets: after each of these sizes in turn. */
export const packetSizes = fc.oneof(
  fc.constant([1]),
  fc.constant([Number.MAX_SAFE_INTEGER]),
  fc.array(fc.integer({ min: 1, max: 120 }), { minLength: 1, maxLength: 20 }),
);

export function packets(bytes: Buffer, sizes: readonly number[]): Buffer[] {
  const cut: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const packet = bytes.subarray(at, at + (sizes[cut.length % sizes.length] ?? 1));
    cut.push(packet);
    at += packet.length;
  }
  return cut;
}

/** Some bytes replaced, removed or inserted, mostly bytes with a meaning for a parser. */
export const mutations = fc.array(
  fc.record({
    at: fc.nat(),
    removes: fc.integer({ min: 0, max: 2 }),
    byte: fc.oneof(fc.constantFrom(...Buffer.from('\r\n\t :,;05Az')), fc.integer({ min: 0, max: 255 })),
    isKept: fc.boolean(),
  }),
  { maxLength: 4 },
);

export function mutated(bytes: Buffer, changes: typeof mutations extends fc.Arbitrary<infer T> ? T : never): Buffer {
  return changes.reduce((before, { at, removes, byte, isKept }) => {
    const from = at % (before.length + 1);
    const inserted = isKept ? Buffer.from([byte]) : Buffer.alloc(0);
    return Buffer.concat([before.subarray(0, from), inserted, before.subarray(from + removes)]);
  }, bytes);
}

function recased(line: string, isUpper: Iterator<boolean>): string {
  const colon = line.indexOf(':');
  const name = [...line.slice(0, colon)].map((letter) => {
    return isUpper.next().value === true ? letter.toUpperCase() : letter.toLowerCase();
  });
  return name.join('') + line.slice(colon);
}

function chunked(text: string, sizes: readonly number[], trailer: string): string {
  let encoded = '';
  for (let at = 0, turn = 0; at < text.length; turn++) {
    const piece = text.slice(at, at + (sizes[turn % sizes.length] ?? 1));
    encoded += `${piece.length.toString(16)}\r\n${piece}\r\n`;
    at += piece.length;
  }
  return `${encoded}0\r\n${trailer}\r\n`;
}
