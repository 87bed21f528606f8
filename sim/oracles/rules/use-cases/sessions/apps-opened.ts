/** Role applications: which a session lists, whose pages it may open, and whose scripts it may run. */
import { isDeepStrictEqual } from 'node:util';
import { noSession } from '../../../questions.ts';
import { archiveOf } from '../kit/archive.ts';
import { apps, current } from '../kit/paths.ts';
import { expecting, type Item, type Judge, textOf, type UseCase, useCaseOf } from '../kit/use-case.ts';
import { keepArchives } from './app-archives.ts';
import { describeApps } from './app-metadata.ts';
import { byToken, logIn, makeUser, type RequestHeaders } from './own-sessions.ts';

const key = 'apps-opened';
const page = 'index.html';
const { archive, content } = archiveOf(page, 'the page of an application');
/** Roles of the user, beside `user`. */
const own = [`${key}-1`, `${key}-2`] as const;

/** The access roles of an application, and whether the user may use it. */
const rows: readonly { readonly folder: string; readonly roles: readonly string[]; readonly isOpen: boolean }[] = [
  { folder: `${key}-all`, roles: [], isOpen: true },
  { folder: `${key}-one`, roles: [own[0]], isOpen: true },
  { folder: `${key}-either`, roles: ['other', own[1]], isOpen: true },
  { folder: `${key}-both`, roles: [own[1], own[0]], isOpen: true },
  { folder: `${key}-users`, roles: ['user', 'other'], isOpen: true },
  { folder: `${key}-closed`, roles: ['other', 'admin'], isOpen: false },
  { folder: `${key}-similar`, roles: [`${own[0]}0`, key], isOpen: false },
];

export const appsOpened = useCaseOf({
  name: 'apps-opened',
  rule: 'In a quiescent cluster a session lists exactly the role applications that have no access roles or one of its own, each with its address, and opens their pages and no others; an administrator opens all; with other access roles, or without its archive, an application is another one at each front, and one that is removed is not there. The metadata file of an archive says how its application is listed, and its icon leads to the image, in whatever folder of the archive that is; an archive whose metadata are not valid is refused, and changes nothing. An archive is given back as it was stored, whole, in parts and by its tag; each of its files as well; they move with the folder, and go with the application: a new one with its id has none of them.',
  exclusions: 'Runs in which clocks were set: what a front asks for in a moment is late where another clock is ahead.',
  sender: '10.6.0.63',
  play: async (useCase) => {
    if (!useCase.areClocksRight) return;
    const user = await makeUser(useCase, key, { opts: { roles: ['user', ...own] } });
    if (user === undefined) return;
    const made = new Map<string, string>();
    for (const { folder, roles } of rows) {
      const body = { folder, title: folder === rows[0]?.folder ? '' : `Title of ${folder}`, roles };
      const app = await useCase.make(apps, body);
      if (app === undefined) return;
      made.set(folder, app.id);
    }
    await useCase.copied();
    const session = byToken(await logIn(useCase, user));
    await open(useCase, session, made);
    await describeApps(useCase);
    await keepArchives(useCase);
  },
});

async function open(useCase: UseCase, session: RequestHeaders, made: ReadonlyMap<string, string>): Promise<void> {
  const as = { session: noSession, headers: session } as const;
  const shown = rows.filter(({ isOpen }) => isOpen);
  // Without an archive there is nothing to open.
  await useCase.everywhere(current, listingApps([]), useCase.quickMs, as);
  for (const [index, { folder }] of rows.entries()) {
    const attachment = `${apps}/${made.get(folder)}/attachment`;
    const stored = await useCase.ask(attachment, {
      method: 'PUT',
      site: useCase.siteAt(index),
      bytes: { type: 'application/zip', text: archive },
    });
    useCase.expect(`PUT ${attachment}`, stored, expecting(200));
  }
  await useCase.copied();
  for (const { folder, isOpen } of rows) {
    const path = `/app/${folder}/${page}`;
    await useCase.everywhere(path, isOpen ? page200 : refused403, useCase.quickMs, as);
    await useCase.everywhere(path, page200, 0);
    await useCase.everywhere(path, expecting(401, { error_code: 1401 }), 0, { session: noSession });
    await useCase.everywhere(`/app/${folder}/`, isOpen ? page200 : refused403, 0, as);
    await useCase.everywhere(`/app/${folder}/none`, isOpen ? expecting(404) : refused403, 0, as);
  }
  await useCase.everywhere(current, listingApps(shown), useCase.quickMs, as);
  await useCase.everywhere(current, listingApps(rows));
  const [first, closed] = [rows[1], rows[5]] as const;
  if (first === undefined || closed === undefined) return;
  const swapped = [
    { ...first, roles: closed.roles, isOpen: false },
    { ...closed, roles: first.roles, isOpen: true },
  ];
  for (const { folder, roles } of swapped) {
    const answer = await useCase.ask(`${apps}/${made.get(folder)}`, {
      method: 'PATCH',
      body: { roles },
      site: useCase.there,
    });
    useCase.expect(`PATCH of the roles of ${folder}`, answer, expecting(200, { folder, roles: [...roles] }));
  }
  await useCase.copied();
  for (const { folder, isOpen } of swapped)
    await useCase.everywhere(`/app/${folder}/${page}`, isOpen ? page200 : refused403, useCase.quickMs, as);
  const now = [...rows.filter((row) => row !== first && row !== closed), ...swapped];
  await useCase.everywhere(current, listingApps(now.filter(({ isOpen }) => isOpen)), useCase.quickMs, as);
  const gone = `${apps}/${made.get(closed.folder)}`;
  useCase.expect('DELETE of an archive', await useCase.ask(`${gone}/attachment`, { method: 'DELETE' }), expecting(204));
  await useCase.copied();
  await useCase.everywhere(`/app/${closed.folder}/${page}`, expecting(404), useCase.quickMs, as);
  const removed = await useCase.ask(gone, { method: 'DELETE', site: useCase.there });
  useCase.expect(`DELETE of ${closed.folder}`, removed, (answer) =>
    answer?.status === 204 ? undefined : textOf(answer),
  );
  await useCase.copied();
  const left = now.filter(({ folder, isOpen }) => isOpen && folder !== closed.folder);
  await useCase.everywhere(current, listingApps(left), useCase.quickMs, as);
}

const refused403 = expecting(403, { error_code: 1403 });

const page200: Judge = (answer) =>
  answer?.status === 200 && answer.body === content ? undefined : `expected the page, got ${textOf(answer)}`;

/** A session with exactly these of the applications of this use case, each with its fields. */
function listingApps(expected: readonly { readonly folder: string; readonly roles: readonly string[] }[]): Judge {
  const wanted = expected.map(({ folder, roles }) => ({
    ...{ name: folder === rows[0]?.folder ? folder : `Title of ${folder}`, description: '', order: 1_000 },
    ...{ 'fa-icon': '', icon: '/static/icons/app.svg', roles, url: `/app/${folder}/` },
  }));
  const byAddress = (all: readonly Item[]) => all.toSorted((a, b) => (String(a['url']) < String(b['url']) ? -1 : 1));
  return (answer) => {
    const { webapps = [] } = (answer?.body ?? {}) as { readonly webapps?: readonly Item[] };
    const got = webapps.filter(({ url }) => String(url).startsWith(`/app/${key}-`));
    const isRight = answer?.status === 200 && isDeepStrictEqual(byAddress(got), byAddress(wanted));
    return isRight
      ? undefined
      : `expected ${wanted.map(({ url }) => url).join()}, got ${answer?.status} ${JSON.stringify(got)}`;
  };
}
