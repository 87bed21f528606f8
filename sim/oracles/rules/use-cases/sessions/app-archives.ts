/** The archive of a role application: what is stored is given back, and goes with its application. */
import type { QuestionAnswer } from '../../../questions.ts';
import { refusing } from '../calls/call-judges.ts';
import { archiveOf, archiveWith } from '../kit/archive.ts';
import { apps } from '../kit/paths.ts';
import { expecting, type Item, textOf, type UseCase } from '../kit/use-case.ts';

const [folder, moved] = ['apps-archived', 'apps-archived-moved'];
const page = 'index.html';
const boundary = 'form-of-app-archives';
const script = 'scripts/other.js';
const first = archiveOf(page, 'the first page');
/** Its page is not its first file. */
const second = archiveWith([
  [script, (more) => `// ${more}`],
  [page, (more) => `the second page ${more}`],
]);

type Request = NonNullable<Parameters<UseCase['ask']>[1]>;
type Fields = Readonly<Record<string, string>>;

const gone = expecting(404, { error_code: 1404 });

/** Each front gives the archive back, and the pages of the last one only, at the folder of the application. */
export async function keepArchives(useCase: UseCase): Promise<void> {
  const app = await useCase.make(apps, { folder });
  if (app === undefined) return;
  await useCase.copied();
  const attachment = `${app.path}/attachment`;
  await useCase.everywhere(attachment, gone);
  const put = { type: 'application/zip', text: first.archive };
  const stored = await useCase.ask(attachment, { method: 'PUT', bytes: put, site: useCase.there });
  // Its disk may be full.
  if (stored?.status !== 200) return;
  await useCase.copied();
  const etag = await given(useCase, attachment, first.archive);
  const bytes = formOf(second.archive);
  const stale = { 'if-match': '"other"' };
  const expect = (what: string, answer: QuestionAnswer | undefined, status: number) =>
    useCase.expect(`${what} of an archive`, answer, (given) => (given?.status === status ? undefined : textOf(given)));
  expect(
    'POST with If-Match of another',
    await useCase.ask(attachment, { method: 'POST', bytes, headers: stale }),
    412,
  );
  const replaced = await useCase.ask(attachment, { method: 'POST', bytes, headers: { 'if-match': etag } });
  if (!expect('POST of a form', replaced, 200)) return;
  await useCase.copied();
  await given(useCase, attachment, second.archive);
  const plain = { type: 'text/plain', text: first.archive };
  expect('PUT of another type', await useCase.ask(attachment, { method: 'PUT', bytes: plain }), 415);
  await shownAt(useCase, folder);
  const redirected = await useCase.ask(`/app/${folder}?a=b`, { site: useCase.there });
  useCase.expect(`GET /app/${folder}`, redirected, (answer) =>
    answer?.status === 302 && answer.headers.get('location') === `/app/${folder}/?a=b`
      ? undefined
      : `expected a redirection to /app/${folder}/?a=b, got ${answer?.headers.get('location')}`,
  );
  const renamed = await useCase.ask(app.path, { method: 'PATCH', body: { folder: moved }, site: useCase.there });
  if (!useCase.expect('PATCH of the folder', renamed, expecting(200, { folder: moved }))) return;
  await useCase.copied();
  await shownAt(useCase, moved);
  await useCase.everywhere(`/app/${folder}/${page}`, gone);
  await remove(useCase, app);
}

/** The archive is given whole, in parts and by its tag, which is returned. */
async function given(useCase: UseCase, path: string, archive: string): Promise<string> {
  const length = String(archive.length);
  let etag = '';
  await useCase.everywhere(path, (answer) => {
    etag = answer?.headers.get('etag') ?? '';
    return giving(answer, 200, { body: archive, 'content-length': length, 'content-type': 'application/zip' });
  });
  const rows: readonly (readonly [string, Request, number, Fields, string?])[] = [
    ['HEAD', { method: 'HEAD' }, 200, { 'content-length': length, etag }],
    ['GET with its tag', { headers: { 'if-none-match': etag } }, 304, { etag }],
    ['GET of its end', { headers: { range: 'bytes=-22' } }, 206, { body: archive.slice(-22), 'content-length': '22' }],
    [
      'GET of its begin',
      { headers: { range: 'bytes=0-1' } },
      206,
      { body: 'PK', 'content-range': `bytes 0-1/${length}` },
    ],
    [
      'GET as an attachment',
      {},
      200,
      {
        'content-type': 'application/octet-stream',
        'content-disposition': `attachment; filename*=UTF-8''${folder}.zip`,
      },
      '?attachment=true',
    ],
  ];
  for (const [index, [what, request, status, fields, query = '']] of rows.entries()) {
    const answer = await useCase.ask(`${path}${query}`, { site: useCase.siteAt(index), ...request });
    useCase.expect(`${what} of an archive`, answer, (it) => giving(it, status, fields));
  }
  return etag;
}

function giving(answer: QuestionAnswer | undefined, status: number, fields: Fields): string | undefined {
  const got: Fields = { ...Object.fromEntries(answer?.headers ?? []), body: String(answer?.body ?? '') };
  const wrong = Object.keys(fields).find((name) => got[name] !== fields[name]);
  if (answer?.status !== status) return `expected ${status}, got ${textOf(answer)}`;
  return wrong && `${wrong}: expected ${fields[wrong]?.slice(0, 200)}, got ${got[wrong]?.slice(0, 200)}`;
}

function formOf(archive: string): { readonly type: string; readonly text: string } {
  const head = 'Content-Disposition: form-data; name="f"; filename="any.zip"\r\nContent-Type: application/zip';
  const field = `--${boundary}\r\nContent-Disposition: form-data; name="field"\r\n\r\nnone\r\n`;
  const text = `${field}--${boundary}\r\n${head}\r\n\r\n${archive}\r\n--${boundary}--\r\n`;
  return { type: `multipart/form-data; boundary=${boundary}`, text };
}

/** Each file of the archive is given whole, in parts and by its tag. */
async function shownAt(useCase: UseCase, at: string): Promise<void> {
  for (const [name, type] of [
    [page, 'text/html'],
    [script, 'text/javascript'],
  ] as const) {
    const path = `/app/${at}/${name}`;
    const content = second.contents.get(name) ?? '';
    const length = String(content.length);
    let etag = '';
    await useCase.everywhere(path, (answer) => {
      etag = answer?.headers.get('etag') ?? '';
      const isOfType = answer?.headers.get('content-type')?.startsWith(type) === true;
      return giving(answer, 200, { body: content, 'content-length': length }) ?? (isOfType ? undefined : `not ${type}`);
    });
    const rows: readonly (readonly [Request, number, Fields])[] = [
      [{ method: 'HEAD' }, 200, { 'content-length': length, etag }],
      [{ headers: { 'if-none-match': etag } }, 304, { etag }],
      [{ headers: { 'if-match': '"other"' } }, 412, {}],
      [{ headers: { range: 'bytes=1-3' } }, 206, { body: content.slice(1, 4), 'content-range': `bytes 1-3/${length}` }],
      [{ headers: { range: 'bytes=-2' } }, 206, { body: content.slice(-2), 'content-length': '2' }],
      [{ headers: { range: `bytes=${length}-` } }, 416, { 'content-range': `bytes */${length}` }],
    ];
    for (const [index, [request, status, fields]] of rows.entries()) {
      const answer = await useCase.ask(path, { site: useCase.siteAt(index), ...request });
      useCase.expect(`${path} with ${JSON.stringify(request)}`, answer, (it) => giving(it, status, fields));
    }
  }
}

/** A new application with its id and folder has neither its archive nor its pages. */
async function remove(useCase: UseCase, { id, path }: { readonly id: string; readonly path: string }): Promise<void> {
  const attachment = `${path}/attachment`;
  const removed = await useCase.ask(path, { method: 'DELETE', site: useCase.there });
  useCase.expect('DELETE of an application', removed, expecting(204));
  await useCase.copied();
  for (const target of [attachment, `/app/${moved}/${page}`]) await useCase.everywhere(target, gone);
  const bytes = { type: 'application/zip', text: first.archive };
  const late = await useCase.ask(attachment, { method: 'PUT', bytes });
  useCase.expect('PUT of an archive of a removed application', late, refusing(404));
  const again = await useCase.make(apps, { id, folder: moved });
  if (again === undefined) return;
  await useCase.copied();
  for (const target of [attachment, `/app/${moved}/${page}`]) await useCase.everywhere(target, gone);
  const item: Item = { id, folder: moved, archive: { _links: { self: { href: attachment } } } };
  await useCase.everywhere(path, expecting(200, item));
}
