/** What the metadata file in the archive of a role application makes of its entry in a session. */
import { isDeepStrictEqual } from 'node:util';
import { refusing } from '../calls/call-judges.ts';
import { archiveWith } from '../kit/archive.ts';
import { apps, current } from '../kit/paths.ts';
import { expecting, type Item, type Judge, textOf, type UseCase } from '../kit/use-case.ts';

const folder = 'apps-described';
const title = 'Its title';
const defaultIcon = '/static/icons/app.svg';
const image = (more: string) => `<svg xmlns="http://www.w3.org/2000/svg"><!-- ${more} --></svg>`;

/** What a session lists where the metadata file says nothing else. */
const undescribed = {
  ...{ name: title, description: '', order: 1_000, icon: defaultIcon, 'fa-icon': '', roles: [] },
  url: `/app/${folder}/`,
};

interface Described {
  /** The metadata file; address and roles are those of the platform, whatever it says. */
  readonly about: Item;
  /** A file of the archive. */
  readonly file?: string;
  readonly icon: string;
}

const rows: readonly Described[] = [
  {
    about: {
      ...{ name: 'Desk', description: 'For agents', order: 3, 'fa-icon': 'fa-phone', icon: 'app.svg' },
      ...{ url: 'http://elsewhere.test/', roles: ['other'], vendor: { since: [1, null] } },
    },
    file: 'app.svg',
    icon: `/app/${folder}/app.svg`,
  },
  { about: { icon: 'img/app.svg' }, file: 'img/app.svg', icon: `/app/${folder}/img/app.svg` },
  {
    about: { icon: 'img/of all/50%25?+#&1.svg', description: 'A name with any characters' },
    file: 'img/of all/50%25?+#&1.svg',
    icon: `/app/${folder}/img/of%20all/50%2525%3F%2B%23%261.svg`,
  },
  { about: { icon: '/static/icons/other.svg' }, icon: '/static/icons/other.svg' },
  { about: { icon: 'https://icons.test/app.svg?a=b', order: -1 }, icon: 'https://icons.test/app.svg?a=b' },
  { about: { icon: '' }, icon: defaultIcon },
  { about: {}, icon: defaultIcon },
];

/** Metadata files that are refused, and a word of the message. */
const refused: readonly (readonly [text: string, word: string])[] = [
  ['{', 'JSON'],
  ['{"order":"first"}', 'order'],
  ['{"icon":"img/none.svg"}', 'icon'],
  [JSON.stringify({ name: 'x'.repeat(4_100) }), '4096'],
];

/** Each front lists the application as its metadata file says, and its icon leads to the file. */
export async function describeApps(useCase: UseCase): Promise<void> {
  const app = await useCase.make(apps, { folder, title });
  if (app === undefined) return;
  await useCase.copied();
  const attachment = `${app.path}/attachment`;
  const store = (text: string, index: number) =>
    useCase.ask(attachment, {
      method: 'PUT',
      site: useCase.siteAt(index),
      bytes: { type: 'application/zip', text },
    });
  const page = ['index.html', (more: string) => `its page ${more}`] as const;
  let last: Item = undescribed;
  for (const [index, { about, file, icon }] of rows.entries()) {
    const more = file === undefined ? [] : [[file, image] as const];
    const describing = (text: string) => JSON.stringify({ ...about, text });
    const { archive, contents } = archiveWith([page, ['webapp.json', describing], ...more]);
    const stored = await store(archive, index);
    if (!useCase.expect(`PUT of an archive with ${JSON.stringify(about)}`, stored, expecting(200))) return;
    await useCase.copied();
    const { url, roles } = undescribed;
    const described = JSON.parse(contents.get('webapp.json') ?? '{}') as Item;
    last = { ...undescribed, ...described, url, roles, icon };
    await useCase.everywhere(current, listing(last));
    if (file === undefined) continue;
    await useCase.everywhere(icon, (answer) => {
      const type = String(answer?.headers.get('content-type'));
      const isRight = answer?.status === 200 && answer.body === contents.get(file) && type.startsWith('image/svg+xml');
      return isRight ? undefined : `expected the image ${file}, got ${type} ${textOf(answer)}`;
    });
  }
  for (const [index, [text, word]] of refused.entries()) {
    const { archive } = archiveWith([page, ['webapp.json', (more) => `${text}${' '.repeat(Number(more) - 100)}`]]);
    useCase.expect(`PUT of an archive with ${text.slice(0, 40)}`, await store(archive, index), (answer) => {
      const message = String((answer?.body as Item | undefined)?.['error_message']);
      return refusing(400, 'archive')(answer) ?? (message.includes(word) ? undefined : `${message} without ${word}`);
    });
  }
  await useCase.everywhere(current, listing(last));
  const { archive } = archiveWith([page]);
  if (!useCase.expect('PUT of an archive without metadata', await store(archive, 0), expecting(200))) return;
  await useCase.copied();
  await useCase.everywhere(current, listing(undescribed));
}

/** A session with this entry of the application, and no other one. */
function listing(expected: Item): Judge {
  return (answer) => {
    const { webapps = [] } = (answer?.body ?? {}) as { readonly webapps?: readonly Item[] };
    const got = webapps.filter(({ url }) => url === expected['url']);
    const isRight = answer?.status === 200 && isDeepStrictEqual(got, [expected]);
    return isRight ? undefined : `expected ${JSON.stringify(expected)}, got ${answer?.status} ${JSON.stringify(got)}`;
  };
}
