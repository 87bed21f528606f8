/** A file is served whole, in parts, and by its validators. */
import type { QuestionAnswer } from '../../../questions.ts';
import { parking } from '../kit/paths.ts';
import { type UseCase, useCaseOf } from '../kit/use-case.ts';

const content = 'abcdefghij';
const boundary = 'form-of-files-served';

export const filesServed = useCaseOf({
  name: 'files-served',
  rule: 'In a quiescent cluster a file that was written is served whole and in the ranges that are asked for, with its size, and not again to a client that has it; a tag of an earlier content says nothing of the new one; a change that expects another content is refused and changes nothing, as is a POST where there is a file; of two POSTs of one name at once, one is refused; a file that was removed is gone.',
  sender: '10.6.0.3',
  play: serve,
});

async function serve(useCase: UseCase): Promise<void> {
  const path = `${parking}/files-served.wav`;
  const ask = (request: Parameters<UseCase['ask']>[1], target = path) => useCase.ask(target, request);
  const expect = (what: string, answer: QuestionAnswer | undefined, status: number, fields: Fields = {}) =>
    useCase.expect(what, answer, (given) => {
      const got: Fields = { ...Object.fromEntries(given?.headers ?? []), body: String(given?.body ?? '') };
      const wrong = Object.entries(fields).find(([name, value]) => got[name] !== value);
      if (given?.status !== status) return `expected ${status}, got ${given?.status}`;
      return wrong && `expected ${wrong[0]} ${wrong[1]}, got ${got[wrong[0]]}`;
    });
  const inRange = async (range: string, part: string, from: number) => {
    const answer = await ask({ headers: { range: `bytes=${range}` } });
    const to = from + part.length - 1;
    expect(`range ${range}`, answer, 206, { body: part, 'content-range': `bytes ${from}-${to}/${content.length}` });
  };
  const written = await ask({ method: 'PUT', bytes: { type: 'audio/wav', text: content } });
  // Its disk may be full, or the domain may have as many files as it can.
  if (written === undefined || written.status >= 300) return;
  const whole = await ask({});
  expect('the whole', whole, 200, { body: content });
  const etag = whole?.headers.get('etag') ?? '';
  await inRange('0-0', 'a', 0);
  await inRange('2-4', 'cde', 2);
  await inRange('7-', 'hij', 7);
  await inRange('-3', 'hij', 7);
  // The end of a range may be behind that of the file, and its beginning before it. (RFC 9110, 14.1.2)
  await inRange('7-10', 'hij', 7);
  await inRange('8-999999', 'ij', 8);
  await inRange('-11', content, 0);
  expect('a range behind the end', await ask({ headers: { range: 'bytes=10-' } }), 416);
  expect('HEAD', await ask({ method: 'HEAD' }), 200, { 'content-length': String(content.length) });
  const modified = whole?.headers.get('last-modified') ?? '';
  for (const [headers, status, body] of conditions(etag, Date.parse(modified))) {
    expect(JSON.stringify(headers), await ask({ headers }), status, body === undefined ? {} : { body });
  }
  const ifOther = { 'if-match': '"other"' };
  const bytes = { type: 'audio/wav', text: 'another' };
  expect('PUT with If-Match of another', await ask({ method: 'PUT', bytes, headers: ifOther }), 412);
  expect('DELETE with If-Match of another', await ask({ method: 'DELETE', headers: ifOther }), 412);
  expect('POST where there is one', await ask(form('files-served.wav', 'another'), parking), 409);
  expect('after refused changes', await ask({}), 200, { body: content });
  const last = await replace({ ask, expect }, etag);
  expect('DELETE with its If-Match', await ask({ method: 'DELETE', headers: { 'if-match': last } }), 204);
  expect('after its removal', await ask({}), 404);
  const texts = ['one', 'other'];
  const answers = await Promise.all(texts.map((text) => ask(form('files-served.wav', text), parking)));
  const taken = texts.filter((_, index) => Number(answers[index]?.status) < 300);
  if (taken.length !== 1) useCase.report(`of two POSTs at once ${taken.length} were taken`);
  else expect('after two POSTs at once', await ask({}), 200, { body: taken[0] as string });
  await ask({ method: 'DELETE' });
}

interface Reader {
  ask(request: Parameters<UseCase['ask']>[1]): Promise<QuestionAnswer | undefined>;
  expect(what: string, answer: QuestionAnswer | undefined, status: number, fields?: Fields): void;
}

/** Another content, which has another tag, and then none. Returns the last tag. */
async function replace({ ask, expect }: Reader, etag: string): Promise<string> {
  const put = (text: string, headers: Fields) => ask({ method: 'PUT', bytes: { type: 'audio/wav', text }, headers });
  const body = 'klmno';
  expect('PUT with its If-Match', await put(body, { 'if-match': etag }), 200);
  const changed = await ask({});
  expect('after a change', changed, 200, { body, 'content-length': '5' });
  const tag = changed?.headers.get('etag') ?? '';
  const before = new Date(Date.parse(changed?.headers.get('last-modified') ?? '') - 1_000).toUTCString();
  expect('If-None-Match of an earlier content', await ask({ headers: { 'if-none-match': etag } }), 200, { body });
  const part = { range: 'bytes=2-4' };
  expect('If-Range of an earlier content', await ask({ headers: { ...part, 'if-range': etag } }), 200, { body });
  expect('PUT with If-Match of an earlier content', await put(content, { 'if-match': etag }), 412);
  const late = { 'if-unmodified-since': before };
  expect('DELETE with If-Unmodified-Since', await ask({ method: 'DELETE', headers: late }), 412);
  expect('HEAD with its tag', await ask({ method: 'HEAD', headers: { 'if-none-match': tag } }), 304, { etag: tag });
  expect('HEAD after refused changes', await ask({ method: 'HEAD' }), 200, { 'content-length': '5', etag: tag });
  expect('PUT of nothing', await put('', { 'if-match': tag }), 200);
  const empty = await ask({});
  expect('an empty file', empty, 200, { 'content-length': '0' });
  expect('a range of an empty file', await ask({ headers: { range: 'bytes=0-' } }), 416, {
    'content-range': 'bytes */0',
  });
  return empty?.headers.get('etag') ?? '';
}

/** Conditions, with the status of a GET and its body (RFC 9110, sections 13 and 14). A date has whole seconds. */
function conditions(etag: string, modifiedMs: number): [headers: Fields, status: number, body?: string][] {
  const [before, modified, later] = [-1, 0, 1].map((s) => new Date(modifiedMs + s * 1_000).toUTCString()) as Three;
  const other = '"other"';
  const range = 'bytes=2-4';
  return [
    [{ 'if-none-match': etag }, 304, ''],
    [{ 'if-none-match': `${other}, W/${etag}` }, 304, ''],
    [{ 'if-none-match': '*' }, 304, ''],
    [{ 'if-none-match': other }, 200, content],
    [{ 'if-modified-since': modified }, 304, ''],
    [{ 'if-modified-since': before }, 200, content],
    // A tag says more than a date.
    [{ 'if-none-match': other, 'if-modified-since': later }, 200, content],
    [{ 'if-match': etag, 'if-unmodified-since': before }, 200, content],
    [{ 'if-match': '*' }, 200, content],
    [{ 'if-match': `W/${etag}` }, 412],
    [{ 'if-match': other }, 412],
    [{ 'if-unmodified-since': modified }, 200, content],
    [{ 'if-unmodified-since': before }, 412],
    [{ range, 'if-range': etag }, 206, 'cde'],
    [{ range, 'if-range': other }, 200, content],
    [{ range, 'if-range': modified }, 206, 'cde'],
    [{ range, 'if-range': before }, 200, content],
    // Conditions come before the range. (RFC 9110, 13.2.2)
    [{ range, 'if-none-match': etag }, 304, ''],
    [{ range, 'if-none-match': other }, 206, 'cde'],
    [{ range, 'if-modified-since': before }, 206, 'cde'],
    [{ range, 'if-match': other }, 412],
    [{ range: 'bytes=-0' }, 416],
    // Ranges that say nothing, or too much.
    [{ range: 'bytes=4-2' }, 200, content],
    [{ range: 'bytes=0-1,3-4' }, 200, content],
    [{ range: 'items=0-1' }, 200, content],
  ];
}

type Three = [string, string, string];
type Fields = Readonly<Record<string, string>>;

function form(name: string, text: string): NonNullable<Parameters<UseCase['ask']>[1]> {
  const head = `Content-Disposition: form-data; name="f"; filename="${name}"`;
  const body = `--${boundary}\r\n${head}\r\n\r\n${text}\r\n--${boundary}--\r\n`;
  return { method: 'POST', bytes: { type: `multipart/form-data; boundary=${boundary}`, text: body } };
}
