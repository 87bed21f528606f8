/** Ranges of a file: for any file and any field, the result is the bytes that the field requests. */
import assert from 'node:assert';
import fc from 'fast-check';
import { answerFile, dispositionOf, rangeIn } from '../../src/http/file-answers.ts';
import { bytesOf } from '../kit/http/files.ts';
import { holds, runs, sized } from '../kit/property.ts';
import { test } from '../kit/test.ts';

/** The bytes of `size` that a field asks for, in the plain way: one by one. */
function model(first: string, last: string, size: number): number[] | 'all' {
  const all = Array.from({ length: size }, (_, at) => at);
  if (first === '' && last === '') return 'all';
  if (first === '') return all.slice(size - Math.min(size, Number(last)));
  if (last !== '' && Number(last) < Number(first)) return 'all';
  return all.filter((at) => at >= Number(first) && (last === '' || at <= Number(last)));
}

test('a range has the bytes that it asks for', async (t) => {
  const part = fc.oneof(fc.constant(''), fc.nat(40).map(String), fc.constantFrom('00', '007', '99999999999999999999'));
  await holds(
    t,
    fc.property(part, part, fc.nat(30), (first, last, size) => {
      const expected = model(first, last, size);
      const range = rangeIn(`bytes=${first}-${last}`, size);
      if (expected === 'all') assert.equal(range, undefined);
      else if (expected.length === 0) assert.equal(range, 'unsatisfiable');
      else assert.deepEqual(range, { from: expected[0], to: (expected.at(-1) as number) + 1 });
    }),
    { numRuns: runs(125) },
  );
});

test('no text breaks the reading of a range', async (t) => {
  await holds(
    t,
    fc.property(
      fc.oneof(
        fc.string(),
        fc.string().map((text) => `bytes=${text}`),
      ),
      fc.nat(100),
      (field, size) => {
        const range = rangeIn(field, size);
        if (typeof range === 'object') assert.ok(range.from >= 0 && range.from < range.to && range.to <= size);
      },
    ),
    { numRuns: runs(75) },
  );
});

const bytes = bytesOf(1_000);

/** A file whose bytes come in pieces of any size. */
function file(piece: number, log: string[] = []) {
  async function* read(from: number, to: number) {
    try {
      for (let at = from; at < to; at += piece) {
        log.push(`read ${at}`);
        yield bytes.subarray(at, Math.min(at + piece, to));
      }
    } finally {
      log.push('over');
    }
  }
  return { name: 'a.wav', size: bytes.length, etag: 'e', read };
}

test('whatever the pieces of a file, an answer has the bytes of its range', async (t) => {
  await holds(
    t,
    fc.asyncProperty(fc.integer({ min: 1, max: 1_200 }), fc.nat(999), fc.nat(999), async (piece, a, b) => {
      const [first, last] = [Math.min(a, b), Math.max(a, b)];
      const request = new Request('http://x/', { headers: { range: `bytes=${first}-${last}` } });
      const answer = await answerFile(request, file(piece));
      assert.equal(answer.status, 206);
      assert.equal(answer.headers.get('content-length'), String(last - first + 1));
      assert.ok(Buffer.from(await answer.arrayBuffer()).equals(bytes.subarray(first, last + 1)));
    }),
    { numRuns: sized(25, 100) },
  );
});

test('a client that reads slowly is not read ahead for, and one that goes away ends the reading', async (t) => {
  const log: string[] = [];
  const answer = await answerFile(new Request('http://x/'), file(100, log));
  const reader = answer.body!.getReader();
  await reader.read();
  await reader.read();
  t.deepEqual(log, ['read 0', 'read 100']);
  await reader.cancel();
  t.deepEqual(log, ['read 0', 'read 100', 'over']);
});

test('a file whose first bytes are not to be had is no answer', async (t) => {
  async function* read(): AsyncGenerator<Uint8Array> {
    yield* [];
    throw new Error('away');
  }
  const away = { ...file(1), read };
  await t.throwsAsync(answerFile(new Request('http://x/'), away), { message: 'away' });
  t.is((await answerFile(new Request('http://x/', { method: 'HEAD' }), away)).status, 200);
});

test('the name of an attachment is one that RFC 8187 allows, and leads back to the name', async (t) => {
  await holds(
    t,
    fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (name) => {
      const [, encoded] = /^attachment; filename\*=UTF-8''([A-Za-z0-9!#$&+.^_`|~%-]*)$/.exec(dispositionOf(name)) ?? [];
      assert.equal(decodeURIComponent(encoded ?? '?'), name);
    }),
  );
});
