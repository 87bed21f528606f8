/** LOOKUP finds by the keys of a kind as they are now, and by no other field. */
import { isDeepStrictEqual } from 'node:util';
import { being } from '../kit/answers.ts';
import { sipUsers, states } from '../kit/paths.ts';
import { expecting, filterOf, type Item, type Judge, textOf, type UseCase, useCaseOf } from '../kit/use-case.ts';

const key = 'keys-found';
/** Of other kinds: what they have, and the fields that are no keys. */
const kinds: readonly { readonly path: string; readonly body: Item; readonly others: readonly string[] }[] = [
  { path: 'uc/recordrules', body: { priority: 999_992, tonumber: key, fromnumber: key }, others: ['tonumber'] },
  { path: 'domain/roleapps', body: { folder: key, title: `${key}-2` }, others: ['folder', 'title'] },
  { path: 'uc/chatcampaigns', body: { code: key, name: `${key}-2`, autobot: `${key}-3` }, others: ['name', 'autobot'] },
];

export const keysFound = useCaseOf({
  name: 'keys-found',
  rule: 'In a quiescent cluster, LOOKUP finds each item that has the key in one of the fields of its kind, at each front: of SIP users the one with that login and the one with that number; not by other fields, not by a value that was changed, and nothing that was removed. The state of a SIP user has its id, its login as it is now, and `offline` until it registers.',
  sender: '10.6.20.11',
  play: async (useCase) => {
    await findSipUsers(useCase);
    for (const { path, body, others } of kinds) {
      const target = `/rest/v1/${path}`;
      const made = await useCase.make(target, body);
      if (made === undefined) continue;
      const { id } = made;
      for (const name of others) await lookUp(useCase, target, { sought: body[name], ids: [] }, useCase.here);
      await lookUp(useCase, target, { sought: id, ids: [id] }, useCase.there);
      if (path === 'uc/recordrules') await nameOtherwise(useCase, target, id);
    }
  },
});

/** The documented list of names has `storageid` for `storageruleid`: both are taken. */
async function nameOtherwise(useCase: UseCase, path: string, id: unknown): Promise<void> {
  const storageruleid = '00000000-0000-0000-0000-000000000000';
  for (const name of ['storageid', 'storageruleid']) {
    const filter = filterOf({ id, [name]: storageruleid });
    const answer = await useCase.ask(`${path}?${filter}&mask=id,${name}`, { site: useCase.there });
    useCase.expect(`GET ${path} by ${name}`, answer, being([{ id, storageruleid }]));
  }
}

interface Sought {
  readonly sought: unknown;
  readonly ids: readonly unknown[];
}

async function lookUp(useCase: UseCase, path: string, { sought, ids }: Sought, site: string): Promise<void> {
  const answer = await useCase.ask(path, { site, method: 'LOOKUP', body: sought });
  useCase.expect(`LOOKUP ${path} by ${String(sought)} at ${site}`, answer, finding(ids));
}

async function findSipUsers(useCase: UseCase): Promise<void> {
  const ids: string[] = [];
  const bodies: readonly Item[] = [
    { login: key, pwd: 'x', name: `${key}-name`, phonenumber: `${key}-number` },
    { login: `${key}-2`, pwd: 'x', phonenumber: key },
  ];
  for (const body of bodies) {
    const made = await useCase.make(sipUsers, body);
    if (made === undefined) return;
    ids.push(made.id);
  }
  await useCase.copied();
  const [first, second] = ids;
  const all = async (sought: string, found: readonly unknown[]) => {
    for (const site of useCase.sites) await lookUp(useCase, sipUsers, { sought, ids: found }, site);
  };
  await all(key, [first, second]);
  await all(`${key}-number`, [first]);
  await lookUp(useCase, sipUsers, { sought: `${key}-name`, ids: [] }, useCase.here);
  await lookUp(useCase, sipUsers, { sought: key.toUpperCase(), ids: [] }, useCase.there);
  await useCase.everywhere(
    `${states}/${String(second)}`,
    being({ id: second, username: `${key}-2`, status: 'offline' }),
  );
  await patch(useCase, second, { login: `${key}-3`, phonenumber: '' });
  await all(key, [first]);
  await all(`${key}-2`, []);
  await all(`${key}-3`, [second]);
  await useCase.everywhere(
    `${states}/${String(second)}`,
    being({ id: second, username: `${key}-3`, status: 'offline' }),
  );
  await listStates(useCase, second);
  // It is free now.
  await patch(useCase, second, { login: `${key}-2`, phonenumber: `${key}-4` });
  await all(`${key}-2`, [second]);
  await useCase.ask(`${sipUsers}/${String(first)}`, { site: useCase.there, method: 'DELETE' });
  await useCase.copied();
  await all(key, []);
  await all(`${key}-number`, []);
  await useCase.everywhere(`${states}/${String(first)}`, expecting(404, { error_code: 1404 }), 0);
}

async function patch(useCase: UseCase, id: unknown, body: Item): Promise<void> {
  const answer = await useCase.ask(`${sipUsers}/${String(id)}`, { site: useCase.there, method: 'PATCH', body });
  useCase.expect(`PATCH of ${Object.keys(body).join()}`, answer, expecting(200, body));
  await useCase.copied();
}

/** States are listed as other lists are. */
async function listStates(useCase: UseCase, id: unknown): Promise<void> {
  const state = { id, username: `${key}-3`, status: 'offline' };
  const query = (filter: unknown, more = '') => `${states}?${filterOf(filter)}${more}`;
  const own = ['==', ['property', 'username'], `${key}-3`];
  await useCase.everywhere(query(own), being([state]));
  const online = ['&&', own, ['==', ['property', 'status'], 'online']];
  await useCase.everywhere(query(online), being([]), 0);
  await useCase.everywhere(query(own, '&mask=username,none'), being([{ username: state.username }]), 0);
}

/** In any order; 404 where there is none. */
function finding(ids: readonly unknown[]): Judge {
  if (ids.length === 0) return expecting(404, { error_code: 1404, error_message: 'Lookup failed' });
  return (answer) => {
    const got = Array.isArray(answer?.body) ? answer.body.toSorted() : answer?.body;
    const isRight = answer?.status === 200 && isDeepStrictEqual(got, ids.toSorted());
    return isRight ? undefined : `expected ${ids.join()}, got ${textOf(answer)}`;
  };
}
