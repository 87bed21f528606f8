/** Forms of files: the same files come out however the body is split, and however slowly they are read. */
import assert from 'node:assert';
import fc from 'fast-check';
import { HttpError } from '../../src/http/responses.ts';
import { atMost, filesIn } from '../../src/http/uploads.ts';
import { bytesOf } from '../kit/http/files.ts';
import { holds, runs } from '../kit/property.ts';
import { test } from '../kit/test.ts';

const boundary = 'x-boundary';

interface Part {
  readonly name?: string;
  readonly content: Uint8Array;
}

function bodyOf(parts: readonly Part[]): Buffer {
  const written = parts.map(({ name, content }) => {
    const file = name === undefined ? '' : `; filename="${name}"`;
    return Buffer.concat([
      Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="f"${file}\r\n\r\n`),
      content,
      Buffer.from('\r\n'),
    ]);
  });
  return Buffer.concat([...written, Buffer.from(`--${boundary}--\r\n`)]);
}

/** A request whose body comes in pieces, split at these places. */
function requestOf(body: Buffer, splits: readonly number[]): Request {
  const places = [...new Set(splits.map((split) => split % (body.length + 1)))].sort((a, b) => a - b);
  const ends = [...places, body.length];
  let [index, at] = [0, 0];
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      const end = ends[index];
      if (end === undefined) return controller.close();
      index += 1;
      controller.enqueue(new Uint8Array(body.subarray(at, end)));
      at = end;
    },
  });
  const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` };
  return new Request('http://x/', { method: 'POST', body: stream, headers, duplex: 'half' });
}

async function read(request: Request, pause = async () => {}): Promise<[string, Buffer][]> {
  const files: [string, Buffer][] = [];
  for await (const { name, chunks } of filesIn(request)) {
    const bytes: Uint8Array[] = [];
    for await (const chunk of chunks) {
      await pause();
      bytes.push(chunk);
    }
    files.push([name, Buffer.concat(bytes)]);
  }
  return files;
}

/** Contents that look like the boundary in part. */
const tricky = fc
  .array(fc.constantFrom('\r', '\n', '--', boundary, `\r\n--${boundary.slice(0, 5)}`, '-', 'x', '\0'), {
    maxLength: 12,
  })
  .map((parts) => parts.join(''))
  .filter((text) => !text.includes(`--${boundary}`))
  .map((text) => Buffer.from(text));
const content = fc.oneof(
  tricky,
  fc.uint8Array({ maxLength: 200 }),
  fc.nat(70_000).map((n) => bytesOf(n)),
);
const part = fc.record({ name: fc.constantFrom('a.wav', 'ü b.wav', '../c', 'd'), content });
const field = fc.record({ content: tricky });

test('the files of a form are the same at any split of its body', async (t) => {
  await holds(
    t,
    fc.asyncProperty(
      fc.array(fc.oneof(part, field), { maxLength: 5 }),
      fc.array(fc.nat(80_000), { maxLength: 30 }),
      async (parts, splits) => {
        const files = await read(requestOf(bodyOf(parts as Part[]), splits));
        const expected = (parts as Part[]).filter(({ name }) => name !== undefined);
        assert.deepEqual(
          files.map(([name]) => name),
          expected.map(({ name }) => name),
        );
        for (const [index, [, bytes]] of files.entries()) assert.ok(bytes.equals((expected[index] as Part).content));
      },
    ),
    { numRuns: runs(13) },
  );
});

test('a form split byte by byte has the same files', async (t) => {
  const body = bodyOf([
    { name: 'a', content: Buffer.from('abc\r\n--x') },
    { name: 'b', content: Buffer.from('') },
  ]);
  const splits = Array.from(body, (_, at) => at);
  t.deepEqual(
    (await read(requestOf(body, splits))).map(([name, bytes]) => [name, String(bytes)]),
    [
      ['a', 'abc\r\n--x'],
      ['b', ''],
    ],
  );
});

test('a form cut anywhere before its end is malformed, and does not hang', async (t) => {
  const body = bodyOf([
    { name: 'a', content: bytesOf(100) },
    { name: 'b', content: bytesOf(100) },
  ]);
  for (let end = 0; end < body.length - 4; end += 3) {
    await t.throwsAsync(
      read(requestOf(body.subarray(0, end), [end / 2])),
      { instanceOf: HttpError, message: /^body: / },
      `${end}`,
    );
  }
});

test('a reader that is slow holds the sender up, and one that stops is sent no more', async (t) => {
  let given = 0;
  const head = bodyOf([{ name: 'a', content: new Uint8Array() }]).subarray(0, -18);
  const stream = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(given++ === 0 ? new Uint8Array(head) : new Uint8Array(100_000)),
  });
  const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` };
  const request = new Request('http://x/', { method: 'POST', body: stream, headers, duplex: 'half' });
  const over = (async () => {
    for await (const { chunks } of filesIn(request)) {
      for await (const _ of atMost(chunks, 1_000_000)) {
        await new Promise((resolve) => setImmediate(resolve));
        t.true(given < 20, `${given} chunks were taken`);
      }
    }
  })();
  await t.throwsAsync(over, { message: 'file: expected at most 1000000 bytes' });
  const before = given;
  for (let i = 0; i < 20; i += 1) await new Promise((resolve) => setImmediate(resolve));
  t.true(given - before <= 1);
});

test('what is not read of a file is passed over', async (t) => {
  const names: string[] = [];
  const body = bodyOf([
    { name: 'a', content: bytesOf(300_000) },
    { name: 'b', content: bytesOf(200_000) },
    { name: 'c', content: bytesOf(3) },
  ]);
  for await (const { name, chunks } of filesIn(requestOf(body, [1_000, 100_000, 400_000]))) {
    names.push(name);
    if (name === 'b') for await (const _ of chunks) break;
  }
  t.deepEqual(names, ['a', 'b', 'c']);
});
