/** Bodies: what is read as JSON, what is refused, and how much is read at all. */
import { limits } from '../../../src/model/limits.ts';
import {
  type Asked,
  admin,
  current,
  emptied,
  FrontCluster,
  good,
  oneNode,
  refused,
  roles,
  sessions,
} from '../../kit/front.ts';
import { scopedTest } from '../../kit/scoped.ts';

const test = scopedTest();

const json = { 'content-type': 'application/json' };
const bans = `${roles}/esg/bannedaddrs`;
let cluster: FrontCluster;
let token: string;

test.before(async () => {
  cluster = await FrontCluster.start({ topology: oneNode });
  token = await cluster.token();
});

/** A body in pieces, without a length; it never ends when `count` is left out. */
function stream(piece: Uint8Array, count = Infinity): { body: ReadableStream<Uint8Array>; given: () => number } {
  let given = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (given === count) return controller.close();
      given += 1;
      controller.enqueue(piece);
    },
  });
  return { body, given: () => given };
}

/** A login of exactly so many bytes. */
function loginOf(bytes: number): string {
  const text = JSON.stringify(admin);
  return text + ' '.repeat(bytes - text.length);
}

const bodies: readonly (readonly [line: string, good: object])[] = [
  [`POST ${sessions}`, admin],
  [`POST ${bans}`, { ip: '10.9.8.7', expires: 60 }],
  [`PATCH ${current}`, { domain: 'root.test' }],
];

const malformed: readonly [what: string, raw: string][] = [
  ['an empty body', ''],
  ['blanks', '  \r\n'],
  ['a word', 'hello'],
  ['half an object', '{"domain":'],
  ['a comma too many', '{"domain":"root.test",}'],
  ['single quotes', "{'domain':'root.test'}"],
  ['a comment', '{} // nothing'],
  ['two values', '{}{}'],
  ['NaN', 'NaN'],
  ['a form', 'domain=root.test&login=admin'],
  ['a null byte', '{"domain":"root.test"\0}'],
  ['an array as deep as it is long', '['.repeat(100_000)],
  ['arrays 65 deep', `${'['.repeat(65)}${']'.repeat(65)}`],
  ['objects 6,000 deep', `${'{"a":'.repeat(6_000)}1${'}'.repeat(6_000)}`],
  ['a field of arrays 100,000 deep', `{"x":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
];

for (const [line, right] of bodies) {
  for (const [what, raw] of malformed) {
    test(`${line} refuses ${what} as malformed JSON`, async (t) => {
      refused(t, await cluster.ask(line, { token, raw, headers: json }), 400, /^body: expected JSON/);
    });
  }

  test(`${line} refuses JSON that is no object`, async (t) => {
    for (const raw of ['null', 'true', '7', '"text"', '[]', '[{}]', '['.repeat(64) + ']'.repeat(64)]) {
      refused(t, await cluster.ask(line, { token, raw, headers: json }), 400, /^body: expected object/);
    }
  });

  test(`${line} refuses more values than a body may have`, async (t) => {
    const raw = JSON.stringify({ ...right, x: Array(20_000).fill(1) });
    refused(t, await cluster.ask(line, { token, raw, headers: json }), 400, /^body: expected at most 20000 values$/);
  });

  test(`${line} refuses other content types with 415`, async (t) => {
    const types = [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/xml',
    ];
    for (const type of [...types, 'application/jsonp', 'text/json', 'application/json-patch+json', '*/*', '']) {
      const asked: Asked = { token, raw: JSON.stringify(right), headers: { 'content-type': type } };
      refused(t, await cluster.ask(line, asked), 415, /^content-type: expected application\/json/);
    }
  });

  test(`${line} takes JSON under its name, in any case and with a charset`, async (t) => {
    for (const type of [
      'application/json',
      'Application/JSON',
      'application/json; charset=utf-8',
      'application/json ;x=y',
    ]) {
      const asked: Asked = { token, raw: JSON.stringify(right), headers: { 'content-type': type } };
      t.true([200, 204].includes((await cluster.ask(line, asked)).status), type);
    }
  });

  test(`${line} refuses a body over the limit that says its length, unread`, async (t) => {
    const { body, given } = stream(new Uint8Array(1_024));
    const headers = { ...json, 'content-length': String(limits.bodyBytes + 1) };
    refused(t, await cluster.ask(line, { token, raw: body, headers }), 413, new RegExp(String(limits.bodyBytes)));
    t.true(given() <= 1, 'a stream fills its queue of one by itself');
  });

  test(`${line} refuses a body over the limit that does not say its length, and stops reading`, async (t) => {
    const { body, given } = stream(new Uint8Array(16_384).fill(0x20));
    refused(t, await cluster.ask(line, { token, raw: body, headers: json }), 413, new RegExp(String(limits.bodyBytes)));
    t.true(given() <= limits.bodyBytes / 16_384 + 2, `${given()} pieces of 16 KiB`);
  });

  test(`${line} refuses a body that is not UTF-8`, async (t) => {
    for (const bytes of [
      [0x22, 0xff, 0x22],
      [0xc3, 0x28],
      [0x22, 0xed, 0xa0, 0x80, 0x22],
      [0xff, 0xfe, 0x7b, 0x00],
    ]) {
      const raw = new Uint8Array(bytes);
      refused(t, await cluster.ask(line, { token, raw, headers: json }), 400, /^body: expected UTF-8/);
    }
  });

  test(`${line} refuses a body that breaks off, as bad input`, async (t) => {
    const raw = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(new Uint8Array([0x7b]));
        controller.error(new Error('the client is gone'));
      },
    });
    refused(t, await cluster.ask(line, { token, raw, headers: json }), 400, /^body: /);
  });
}

test('a body of exactly the limit is read, one byte more is not', async (t) => {
  const full = loginOf(limits.bodyBytes);
  emptied(t, await cluster.ask(`POST ${sessions}`, { raw: full, headers: json }));
  refused(t, await cluster.ask(`POST ${sessions}`, { raw: `${full} `, headers: json }), 413);
});

test('a body in pieces is put together, characters across pieces too', async (t) => {
  const bytes = new TextEncoder().encode(JSON.stringify({ domain: 'Ω.test', login: 'x', pwd: 'y' }));
  const pieces = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const byte of bytes) controller.enqueue(new Uint8Array([byte]));
      controller.close();
    },
  });
  refused(t, await cluster.ask(`POST ${sessions}`, { raw: pieces, headers: json }), 401);
});

test('a length that says less than comes is not trusted', async (t) => {
  const { body } = stream(new Uint8Array(16_384).fill(0x20));
  const headers = { ...json, 'content-length': '2' };
  refused(t, await cluster.ask(`POST ${sessions}`, { raw: body, headers }), 413);
});

test('a refusal shows what it got, but not all of a long value', async (t) => {
  const answer = await cluster.ask(`POST ${bans}`, { token, json: { ip: 'x'.repeat(500_000), expires: 60 } });
  refused(t, answer, 400, /^ip: expected an IPv4 address, got "xxx/);
  t.true(answer.text.length < 300);
});

test('a key that is part of every object is a field like any other', async (t) => {
  const names = ['constructor', 'toString', 'hasOwnProperty'];
  for (const name of names) {
    const raw = `{"ip":"10.9.8.7","expires":60,"${name}":1}`;
    refused(
      t,
      await cluster.ask(`POST ${bans}`, { token, raw, headers: json }),
      400,
      new RegExp(`^${name}: no such field`),
    );
  }
});

test('a request that needs no body has none read', async (t) => {
  const { body, given } = stream(new Uint8Array(1_024));
  emptied(t, await cluster.ask(`DELETE ${bans}`, { token, raw: body }));
  t.true(given() <= 1);
  good(t, await cluster.ask(`GET ${bans}`, { token }));
});
