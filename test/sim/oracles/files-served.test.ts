/** The files of fronts that serve files as they should, and of fronts that do not. */

import type { OracleRequest } from '../../../sim/oracles/questions.ts';
import { filesServed } from '../../../sim/oracles/rules/use-cases/platform/files-served.ts';
import { conditionOf, isRangeCurrent, rangeIn } from '../../../src/http/file-answers.ts';
import { test } from '../../kit/test.ts';
import { signedIn, Trial } from './trial.ts';

type Break =
  | 'shortRange'
  | 'wholeRange'
  | 'put'
  | 'delete'
  | 'post'
  | 'postBoth'
  | 'notModified'
  | 'size'
  | 'stays'
  | 'late'
  | 'oneTag'
  | 'suffix'
  | undefined;

const lastModifiedMs = Date.UTC(2026, 0, 1);

/** A front with files; `broken` says what it does wrong. */
function fileFront(broken?: Break): (asked: OracleRequest) => Response {
  const files = new Map<string, string>();
  return ({ domain, method = 'GET', bytes, headers = {} }) => {
    const text = files.get(domain);
    const etag = broken === 'oneTag' ? '"tag"' : `"${text}"`;
    const empty = (status: number) => new Response(null, { status });
    const isOther = 'if-match' in headers && headers['if-match'] !== etag;
    const isLate = Date.parse(headers['if-unmodified-since'] ?? '') < lastModifiedMs && broken !== 'late';
    switch (method) {
      case 'PUT':
        if (isOther && broken !== 'put') return empty(412);
        files.set(domain, bytes?.text ?? '');
        return empty(200);
      case 'POST': {
        const [, content = ''] = /\r\n\r\n(.*)\r\n/.exec(bytes?.text ?? '') ?? [];
        const isTaken = text !== undefined && !(broken === 'postBoth' && text === 'one');
        if (isTaken && broken === 'post') files.set(domain, content);
        if (isTaken) return empty(409);
        files.set(domain, content);
        return empty(200);
      }
      case 'DELETE':
        if ((isOther && broken !== 'delete') || isLate) return empty(412);
        if (broken !== 'stays') files.delete(domain);
        return empty(204);
      default:
        if (text === undefined) return empty(404);
        return served(text, headers, { etag, broken });
    }
  };
}

function served(
  text: string,
  headers: Readonly<Record<string, string>>,
  { etag, broken }: { readonly etag: string; readonly broken: Break },
): Response {
  const request = new Request('http://front', { headers });
  const validators = { etag: etag.slice(1, -1), lastModifiedMs };
  const condition = conditionOf(request, validators);
  if (condition === 'failed') return new Response(null, { status: 412 });
  if (condition === 'unchanged' && broken !== 'notModified')
    return new Response(null, { status: 304, headers: { etag } });
  const size = String(broken === 'size' ? text.length + 1 : text.length);
  const asked = isRangeCurrent(request, validators) ? rangeIn(request.headers.get('range'), text.length) : undefined;
  if (asked === undefined || broken === 'wholeRange') {
    const modified = new Date(lastModifiedMs).toUTCString();
    return new Response(text, { headers: { etag, 'content-length': size, 'last-modified': modified } });
  }
  const isWhole = broken === 'suffix' && headers['range'] === 'bytes=-0';
  if (asked === 'unsatisfiable')
    return new Response(null, { status: isWhole ? 200 : 416, headers: { 'content-range': `bytes */${text.length}` } });
  const { from } = asked;
  const to = asked.to - (broken === 'shortRange' ? 1 : 0);
  const range = `bytes ${from}-${to - 1}/${text.length}`;
  return new Response(text.slice(from, to), { status: 206, headers: { 'content-range': range } });
}

test('files-served: passes where files are served, unknown where none can be written', async (t) => {
  t.is((await new Trial(filesServed, { answer: signedIn(fileFront()) }).quiesce()).verdict, 'pass');
  const full = () => new Response(null, { status: 507 });
  t.is((await new Trial(filesServed, { answer: full }).quiesce()).verdict, 'unknown');
});

for (const [broken, problem] of [
  ['shortRange', /range 0-0: expected body a, got /],
  ['wholeRange', /range 0-0: expected 206, got 200/],
  ['put', /PUT with If-Match of another: expected 412, got 200/],
  ['delete', /DELETE with If-Match of another: expected 412, got 204/],
  ['post', /after refused changes: expected body abcdefghij, got another/],
  ['postBoth', /of two POSTs at once 2 were taken/],
  ['notModified', /\{"if-none-match":.*: expected 304, got 200/],
  ['size', /HEAD: expected content-length 10, got 11/],
  ['late', /DELETE with If-Unmodified-Since: expected 412, got 204/],
  ['oneTag', /If-None-Match of an earlier content: expected 200, got 304/],
  ['suffix', /\{"range":"bytes=-0"\}: expected 416, got 200/],
  ['stays', /after its removal: expected 404, got 200/],
] as const) {
  test(`files-served: fails for ${broken}`, async (t) => {
    const trial = await new Trial(filesServed, { answer: signedIn(fileFront(broken)) }).quiesce();
    t.regex(trial.failures.join('\n'), problem);
  });
}
