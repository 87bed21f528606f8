/** Files in forms: several at once, some of which are refused, and none. */
import { isSame, longTextOf, refusing } from '../calls/call-judges.ts';
import { expecting, filterOf, type Item, itemsOf, type Judge, type UseCase, useCaseOf } from '../kit/use-case.ts';

const boundary = 'form-of-files-uploaded';
const folders = ['parking', 'selector'] as const;
const [first, second, third, spaced] = ['uploaded-1.wav', 'uploaded-2.mp3', 'uploaded-3.txt', "uploaded Ä '4'.wav"];
const names = [first, second, third, spaced];

export const filesUploaded = useCaseOf({
  name: 'files-uploaded',
  rule: 'In a quiescent cluster a form saves each of its files under its name, and refuses those whose name is taken or wrong, which change nothing: with 200 where one was saved, else with the status of the first refusal. PUT takes the first file of a form, whatever its name, or a body. Each front lists the files with their sizes and times, selected and ordered as asked, and serves each with its type, or as an attachment with its name, never a file of another domain.',
  sender: '10.6.21.7',
  play: async (useCase) => {
    const folder = `/rest/v1/fs/targets/${useCase.turned(folders)[0]}`;
    await removeAll(useCase, folder);
    useCase.afterwards(() => removeAll(useCase, folder));
    await upload(useCase, folder);
  },
});

async function removeAll(useCase: UseCase, folder: string): Promise<void> {
  for (const name of names) await useCase.ask(`${folder}/${encodeURIComponent(name)}`, { method: 'DELETE' });
}

interface Part {
  /** Absent: a field. */
  readonly filename?: string;
  /** A field may have one as well. */
  readonly type?: string;
  readonly text: string;
}

/** A form, as the request sends it. */
function formOf(parts: readonly Part[]): { readonly bytes: { readonly type: string; readonly text: string } } {
  const texts = parts.map(({ filename, type, text }) => {
    const file = filename === undefined ? '' : `; filename="${filename}"`;
    const media = type === undefined ? '' : `\r\nContent-Type: ${type}`;
    return `--${boundary}\r\nContent-Disposition: form-data; name="f"${file}${media}\r\n\r\n${text}\r\n`;
  });
  return { bytes: { type: `multipart/form-data; boundary=${boundary}`, text: `${texts.join('')}--${boundary}--\r\n` } };
}

interface Outcome {
  readonly saved: readonly (readonly [name: string, size: number])[];
  /** With the code of each. */
  readonly refused?: readonly (readonly [name: string, code: number])[];
}

const moment = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/;

/** The name, the size and the time of a file that was written about now. */
function isEntry(useCase: UseCase, shown: unknown, [name, size]: readonly [string, number]): boolean {
  const { last_modified: time, ...rest } = (shown ?? {}) as Item;
  const agoMs = useCase.context.now() - Date.parse(`${String(time).replace(' ', 'T')}Z`);
  const isRecent = !useCase.areClocksRight || (agoMs > -useCase.quickMs && agoMs < 60_000);
  return moment.test(String(time)) && isRecent && isSame(rest, { name, size });
}

function saving(useCase: UseCase, { saved, refused = [] }: Outcome): Judge {
  return (answer) => {
    const { saved: got = [], refused: not = [] } = (answer?.body ?? {}) as { saved?: Item[]; refused?: Item[] };
    const isRight =
      answer?.status === 200 &&
      got.length === saved.length &&
      saved.every((entry, index) => isEntry(useCase, got[index], entry)) &&
      isSame(
        not.map(({ name, error_code }) => [name, error_code]),
        refused,
      ) &&
      not.every(({ error_message }) => typeof error_message === 'string' && error_message !== '');
    return isRight ? undefined : `expected ${JSON.stringify({ saved, refused })}, got ${longTextOf(answer)}`;
  };
}

async function upload(useCase: UseCase, folder: string): Promise<void> {
  const post = (parts: readonly Part[], site = useCase.there) =>
    useCase.ask(folder, { method: 'POST', site, ...formOf(parts) });
  const parts = [
    { text: 'a field' },
    { filename: first, text: 'one' },
    { text: 'bytes of a field', type: 'application/octet-stream' },
    { filename: second, text: 'twice two' },
    { filename: spaced, text: '' },
  ];
  const made = await post(parts);
  // Its disk may be full, or the domain may have as many files as it can.
  if (made === undefined || made.status === 503 || made.status === 413 || made.status === 507) return;
  const sizes = [
    [first, 3],
    [second, 9],
    [spaced, 0],
  ] as const;
  if (!useCase.expect('POST of three files', made, saving(useCase, { saved: sizes }))) return;
  await useCase.copied();
  await listed(useCase, folder, sizes);
  const mixed = [
    { filename: second, text: 'other' },
    { filename: 'a/b.wav', text: 'x' },
    { filename: third, text: 'three' },
    { filename: third, text: 'again' },
  ];
  const refused = [
    [second, 1_409],
    ['a/b.wav', 1_400],
    [third, 1_409],
  ] as const;
  useCase.expect(
    'POST of taken names and a new one',
    await post(mixed),
    saving(useCase, { saved: [[third, 5]], refused }),
  );
  useCase.expect('POST of taken names', await post([mixed[0] as Part, mixed[1] as Part], useCase.here), refusing(409));
  useCase.expect('POST of wrong and taken names', await post([mixed[1] as Part, mixed[0] as Part]), refusing(400));
  useCase.expect('POST of no file', await post([{ text: 'a field' }]), refusing(400));
  useCase.expect('POST of no parts', await post([]), refusing(400));
  const raw = await useCase.ask(folder, { method: 'POST', bytes: { type: 'audio/wav', text: 'raw' } });
  useCase.expect('POST of no form', raw, refusing(415));
  await useCase.copied();
  await served(useCase, folder);
  await replaced(useCase, folder);
}

async function listed(useCase: UseCase, folder: string, sizes: readonly (readonly [string, number])[]): Promise<void> {
  const own = filterOf(['like', ['property', 'name'], 'uploaded%']);
  const ordered = sizes.toSorted(([one], [next]) => (one < next ? -1 : 1));
  await useCase.everywhere(`${folder}?${own}&order=["name"]`, (answer) => {
    const rows = itemsOf(answer);
    const isRight =
      rows.length === ordered.length && ordered.every((entry, index) => isEntry(useCase, rows[index], entry));
    return isRight ? undefined : `expected ${JSON.stringify(ordered)}, got ${longTextOf(answer)}`;
  });
  const order = encodeURIComponent('[{"size":"desc"}]');
  for (const [index, [query, expected]] of (
    [
      [`${own}&order=${order}&limit=1&mask=name`, [{ name: second }]],
      [`${own}&order=${order}&offset=1&limit=1&mask=name,size`, [{ name: first, size: 3 }]],
      [`${filterOf({ name: first })}&mask=size`, [{ size: 3 }]],
      [filterOf({ name: first, size: 4 }), []],
      [`${own}&countonly`, { count: 3 }],
    ] as const
  ).entries()) {
    const answer = await useCase.ask(`${folder}?${query}`, { site: useCase.siteAt(index) });
    useCase.expect(`${folder}?${decodeURIComponent(query)}`, answer, (given) =>
      given?.status === 200 && isSame(given.body, expected)
        ? undefined
        : `expected ${JSON.stringify(expected)}, got ${longTextOf(given)}`,
    );
  }
}

/** The file is given with these header fields, and the content. */
function giving(text: string | undefined, fields: Readonly<Record<string, string | null>>, status = 200): Judge {
  return (answer) => {
    const wrong = Object.keys(fields).find((name) => (answer?.headers.get(name) ?? null) !== fields[name]);
    if (answer?.status !== status || answer.body !== text)
      return `expected ${status} ${text}, got ${longTextOf(answer)}`;
    return wrong && `${wrong}: expected ${fields[wrong]}, got ${answer.headers.get(wrong)}`;
  };
}

async function served(useCase: UseCase, folder: string): Promise<void> {
  const disposition = 'content-disposition';
  const shown = (type: string, length: number) => ({
    'content-type': type,
    'content-length': String(length),
    [disposition]: null,
  });
  const saved = (name: string) => ({
    'content-type': 'application/octet-stream',
    [disposition]: `attachment; filename*=UTF-8''${name}`,
  });
  const spacedName = 'uploaded%20%C3%84%20%274%27.wav';
  await useCase.everywhere(`${folder}/${first}`, giving('one', shown('audio/wav', 3)));
  await useCase.everywhere(`${folder}/${second}`, giving('twice two', shown('audio/mpeg', 9)));
  await useCase.everywhere(
    `${folder}/${third}?attachment=false`,
    giving('three', shown('text/plain; charset=utf-8', 5)),
  );
  await useCase.everywhere(`${folder}/${spacedName}`, giving(undefined, shown('audio/wav', 0)));
  for (const [index, [path, text, fields]] of (
    [
      [`${first}?attachment=true`, 'one', saved(first)],
      [`${second}?attachment`, 'twice two', saved(second)],
      [`${spacedName}?attachment=1`, undefined, saved(spacedName)],
      [`${second}?attachment=0`, 'twice two', shown('audio/mpeg', 9)],
    ] as const
  ).entries())
    useCase.expect(path, await useCase.ask(`${folder}/${path}`, { site: useCase.siteAt(index) }), giving(text, fields));
  const head = await useCase.ask(`${folder}/${second}?attachment=true`, { method: 'HEAD', site: useCase.there });
  useCase.expect('HEAD as an attachment', head, giving(undefined, { ...saved(second), 'content-length': '9' }));
  useCase.expect('HEAD as an attachment', head, (answer) =>
    /no-store/.test(answer?.headers.get('cache-control') ?? '')
      ? undefined
      : `cache-control ${answer?.headers.get('cache-control')}`,
  );
  const none = await useCase.ask(`${folder}/uploaded-none.wav`, { method: 'HEAD' });
  useCase.expect('HEAD of no file', none, giving(undefined, {}, 404));
  useCase.expect('attachment=maybe', await useCase.ask(`${folder}/${first}?attachment=maybe`), refusing(400));
  useCase.expect(
    'DELETE of no file',
    await useCase.ask(`${folder}/uploaded-none.wav`, { method: 'DELETE' }),
    refusing(404),
  );
  const domain = useCase.otherDomain;
  if (domain === undefined) return;
  const foreign = await useCase.ask(`${folder}/${first}`, { domain, site: useCase.there });
  // Its administrator may have been changed, and the session ended.
  if (foreign !== undefined && foreign.status !== 401) useCase.expect(`a file from ${domain}`, foreign, refusing(404));
}

async function replaced(useCase: UseCase, folder: string): Promise<void> {
  const put = (request: NonNullable<Parameters<UseCase['ask']>[1]>, name = first, site = useCase.there) =>
    useCase.ask(`${folder}/${name}`, { method: 'PUT', site, ...request });
  const entry =
    (name: string, size: number): Judge =>
    (answer) =>
      answer?.status === 200 && isEntry(useCase, answer.body, [name, size])
        ? undefined
        : `expected ${name} of ${size}, got ${longTextOf(answer)}`;
  const form = formOf([
    { text: 'a field', type: 'application/octet-stream' },
    { filename: third, text: 'of the form' },
    { filename: first, text: 'ignored' },
  ]);
  useCase.expect('PUT of a form', await put(form), entry(first, 11));
  await useCase.everywhere(`${folder}/${first}`, giving('of the form', {}));
  await useCase.everywhere(`${folder}/${third}`, giving('three', {}));
  useCase.expect(
    'PUT of a body',
    await put({ bytes: { type: 'text/plain', text: 'ä body' } }, second),
    entry(second, 7),
  );
  await useCase.everywhere(
    `${folder}/${second}`,
    giving('ä body', { 'content-length': '7', 'content-type': 'audio/mpeg' }),
  );
  useCase.expect('PUT of a form without a file', await put(formOf([{ text: 'x' }])), refusing(400));
  useCase.expect(
    'PUT of a wrong name',
    await put({ bytes: { type: 'audio/wav', text: 'x' } }, 'a%2Fb.wav'),
    refusing(400),
  );
  const known = { 'if-none-match': '*' };
  useCase.expect(
    'PUT where there is one',
    await put({ bytes: { type: 'audio/wav', text: 'x' }, headers: known }),
    refusing(412),
  );
  await useCase.everywhere(`${folder}/${first}`, giving('of the form', {}), 0);
  const gone = await useCase.ask(`${folder}/${first}`, { method: 'DELETE', site: useCase.there });
  useCase.expect('DELETE of a file', gone, expecting(204));
  const missing = { 'if-match': '*' };
  useCase.expect(
    'PUT where there is none',
    await put({ bytes: { type: 'audio/wav', text: 'x' }, headers: missing }),
    refusing(412),
  );
  await useCase.everywhere(`${folder}/${first}`, refusing(404));
  await useCase.everywhere(`${folder}/${second}`, giving('ä body', {}), 0);
}
