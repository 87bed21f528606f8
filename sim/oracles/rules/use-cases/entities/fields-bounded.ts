/** Fields of entities take the values that the reference says, and no others. */
import { being, refusing } from '../kit/answers.ts';
import { current, sipUsers } from '../kit/paths.ts';
import { expecting, type Item, type Judge, textOf, type UseCase, useCaseOf } from '../kit/use-case.ts';
import { merged } from '../platform/entity-kinds.ts';
import { type BoundedKind, boundedKinds } from './field-bounds.ts';

const rule =
  'a value beyond the bounds of a field of an entity, a required field that is missing, and a field that only the platform sets are refused with 400 and the name of the field, and change nothing; the values at the bounds are taken and shown; a PATCH that changes nothing does not move `lwt`.';

export const fieldsBounded = useCaseOf({
  name: 'fields-bounded',
  rule: `In a quiescent cluster, ${rule} A SIP user needs no number; its shortest registration is no longer than its longest. Values are unique in their domain only, ids in all.`,
  exclusions: 'Each kind in one of the working domains.',
  sender: '10.6.20.1',
  play: async (useCase) => {
    const kinds = kindsOf(useCase).filter(({ isOfWorkingDomains = true }) => isOfWorkingDomains);
    for (const kind of useCase.share(kinds)) await bound(useCase, kind);
  },
});

export const masterFieldsBounded = useCaseOf({
  name: 'master-fields-bounded',
  rule: `In a quiescent cluster, in the master domain, ${rule} A border rule names a site of the cluster.`,
  exclusions: 'Kinds that working domains have as well.',
  sender: '10.6.20.2',
  isOfMaster: true,
  play: async (useCase) => {
    for (const kind of kindsOf(useCase).filter(({ isOfWorkingDomains }) => isOfWorkingDomains === false))
      await bound(useCase, kind);
  },
});

function kindsOf({ domain, here }: UseCase): BoundedKind[] {
  return boundedKinds(domain, `bounded-${domain.split('.')[0]}`, here);
}

async function bound(useCase: UseCase, kind: BoundedKind): Promise<void> {
  const { path, required, refused, taken } = kind;
  const made = await useCase.ask(path, { method: 'POST', body: required });
  // The master may be out of reach.
  if (made === undefined || made.status === 503 || made.status === 504) return;
  // Passwords of users are masked.
  const shown = path.endsWith('/users') ? { ...required, pwd: '*' } : required;
  if (!useCase.expect(`POST ${path}`, made, expecting(200, shown))) return;
  let item = made.body as Item;
  const target = `${path}/${String(item['id'])}`;
  await refuseCreates(useCase, kind);
  for (const [index, [field, value]] of [...refused, ['ext', {}] as const, ['opts.bounded', 1] as const].entries()) {
    const answer = await useCase.ask(target, {
      site: useCase.siteAt(index),
      method: 'PATCH',
      body: nested(field, value),
    });
    useCase.expect(`PATCH ${path} with ${field} ${short(value).slice(0, 40)}`, answer, refusing(field));
  }
  const same = await useCase.ask(target, { method: 'PATCH', body: shown });
  useCase.expect(`PATCH ${path} that changes nothing`, same, being(item));
  for (const [index, patch] of taken.entries()) {
    const answer = await useCase.ask(target, { site: useCase.siteAt(index), method: 'PATCH', body: patch });
    const { ext } = (answer?.body ?? {}) as Item;
    item = { ...merged(item, patch), ext };
    useCase.expect(`PATCH ${path} number ${index + 1} to the bounds`, answer, being(item));
  }
  await useCase.everywhere(target, being(item));
  if (path.endsWith('/sipusers')) await keepSipUser(useCase, target, item);
  if (!path.startsWith('/rest/v1/master')) await takeElsewhere(useCase, kind, item);
  useCase.expect(`DELETE ${path}`, await useCase.ask(target, { method: 'DELETE' }), expecting(204));
}

async function refuseCreates(useCase: UseCase, { path, required }: BoundedKind): Promise<void> {
  const refused = async (what: string, body: Item, field: string) =>
    useCase.expect(`POST ${path} ${what}`, await useCase.ask(path, { method: 'POST', body }), refusing(field));
  // These have a default.
  const optional = ['priority', 'tonumber', 'enabled'];
  for (const name of Object.keys(required).filter((each) => !optional.includes(each)))
    await refused(`without ${name}`, { ...required, [name]: undefined }, name);
  await refused('with an id that is no uuid', { ...required, id: 'bounded' }, 'id');
  await refused('with ext', { ...required, ext: { ct: '2020-01-01T00:00:00.000Z' } }, 'ext');
  await refused('with a wrong title', { ...required, opts: { title: 5 } }, 'opts.title');
}

/** A SIP user whose times of registration are 1, and who has no number. */
async function keepSipUser(useCase: UseCase, target: string, item: Item): Promise<void> {
  const path = sipUsers;
  const patched = (opts: Item) => useCase.ask(target, { site: useCase.there, method: 'PATCH', body: { opts } });
  useCase.expect('PATCH to a longer shortest time', await patched({ minexpires: 2 }), refusing('opts.minexpires'));
  useCase.expect('PATCH to equal times', await patched({ minexpires: 2, maxexpires: 2 }), expecting(200));
  useCase.expect('PATCH to a shorter longest time', await patched({ maxexpires: 1 }), refusing('opts.minexpires'));
  const wrong = { login: 'bounded-times', pwd: 'x', opts: { minexpires: 9, maxexpires: 8 } };
  useCase.expect(
    'POST with a longer shortest time',
    await useCase.ask(path, { method: 'POST', body: wrong }),
    refusing('opts.minexpires'),
  );
  const other = { login: `${String(item['login'])}-2`, pwd: 'bounded' };
  const made = await useCase.ask(path, { site: useCase.there, method: 'POST', body: other });
  useCase.expect('POST of another SIP user without a number', made, expecting(200, { phonenumber: '' }));
  const own = `${path}/${String((made?.body as Item | undefined)?.['id'])}`;
  const devices = await useCase.ask(own, { method: 'PATCH', body: { devices: ['sent'] } });
  useCase.expect('PATCH of devices', devices, shownWithout('sent'));
  await useCase.ask(own, { method: 'DELETE' });
}

/** Another domain has items of its own, with the same values; but not with the same id. */
async function takeElsewhere(useCase: UseCase, { path, required }: BoundedKind, item: Item): Promise<void> {
  const domain = useCase.otherDomain;
  if (domain === undefined) return;
  const there = path.replace(`/${useCase.domain}/`, `/${domain}/`);
  const elsewhere = { domain, site: useCase.there };
  const ask = (method: string, to: string, body?: unknown) => useCase.ask(to, { ...elsewhere, method, body });
  // Its administrator may have been changed, and the session ended.
  if ((await ask('GET', current))?.status !== 200) return;
  const id = item['id'];
  useCase.expect(
    `POST ${there} of an id of ${useCase.domain}`,
    await ask('POST', there, { ...required, id }),
    expecting(409),
  );
  useCase.expect(
    `PATCH ${there} of an item of ${useCase.domain}`,
    await ask('PATCH', `${there}/${String(id)}`, {}),
    expecting(404, { error_code: 1404 }),
  );
  useCase.expect(
    `LOOKUP ${there} of an item of ${useCase.domain}`,
    await ask('LOOKUP', there, id),
    expecting(404, { error_message: 'Lookup failed' }),
  );
  const unique = ['login', 'code', 'folder', 'token_local'].filter((name) => item[name] !== undefined);
  const same = { ...required, ...Object.fromEntries(unique.map((name) => [name, item[name]])) };
  const made = await ask('POST', there, same);
  useCase.expect(`POST ${there} of values of ${useCase.domain}`, made, expecting(200));
  await ask('DELETE', `${there}/${String((made?.body as Item | undefined)?.['id'])}`);
}

function nested(field: string, value: unknown): Item {
  const [outer = '', inner] = field.split('.');
  return { [outer]: inner === undefined ? value : { [inner]: value } };
}

function short(value: unknown): string {
  return String(JSON.stringify(value)).slice(0, 200);
}

function shownWithout(device: string): Judge {
  return (answer) =>
    answer?.status === 200 && !JSON.stringify((answer.body as Item)['devices'] ?? []).includes(device)
      ? undefined
      : `expected no device ${device}, got ${textOf(answer)}`;
}
