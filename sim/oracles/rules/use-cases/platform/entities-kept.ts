/** An entity is as it was made and changed, at each front, until it is removed. */
import { being } from '../kit/answers.ts';
import { expecting, filterOf, type Item, type UseCase, useCaseOf } from '../kit/use-case.ts';
import { type EntityKind, entityKinds, masked, merged, participantKind } from './entity-kinds.ts';

const rule =
  'an entity of each kind that is created with an id has exactly its fields and their defaults at each front, is found by its keys and listed with the fields of lists; PATCH merges objects, replaces arrays and moves `lwt` only; a value that is taken, an `id` in PATCH and an unknown field are refused and change nothing; DELETE removes it and what belongs to it, and frees its values.';

export const entitiesKept = useCaseOf({
  name: 'entities-kept',
  rule: `In a quiescent cluster, ${rule}`,
  exclusions: 'Each kind in one of the working domains.',
  sender: '10.6.0.13',
  play: async (useCase) => {
    const own = entityKinds(useCase.domain, idsFor(useCase).one).filter(
      ({ isOfWorkingDomains = true }) => isOfWorkingDomains,
    );
    for (const kind of useCase.share(own)) await keep(useCase, kind);
  },
});

export const masterEntitiesKept = useCaseOf({
  name: 'master-entities-kept',
  rule: `In a quiescent cluster, in the master domain, ${rule}`,
  exclusions: 'Kinds that working domains have as well, except users.',
  sender: '10.6.0.14',
  isOfMaster: true,
  play: async (useCase) => {
    const kinds = entityKinds(useCase.domain, idsFor(useCase).one);
    for (const kind of kinds.filter(({ path }) => /borderrules$|\/users$/.test(path))) await keep(useCase, kind);
  },
});

interface Ids {
  readonly one: string;
  readonly other: string;
  readonly participant: string;
}

/** An id belongs to one domain. */
function idsFor({ domain, context: { map } }: UseCase): Ids {
  const index = 10 + map.topology.domains.findIndex(({ name }) => name === domain);
  const id = (n: number) => `aa0c0f3e-7d51-4c5b-9d8f-1000000${index}00${n}`;
  return { one: id(1), other: id(2), participant: id(3) };
}

const timePattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z$/;

async function keep(useCase: UseCase, kind: EntityKind, id = idsFor(useCase).one): Promise<void> {
  const ids = idsFor(useCase);
  const { path, whole, given, secret = {}, unique = [], omittedOnChange = [] } = kind;
  const body = { ...Object.fromEntries(given.map((name) => [name, whole[name]])), ...secret };
  const remove = (site: string, which = id) => useCase.ask(`${path}/${which}`, { site, method: 'DELETE' });
  const made = await useCase.ask(path, { method: 'POST', body: { id, ...body } });
  // The master may be out of reach.
  if (made === undefined || made.status === 503 || made.status === 504) return;
  const ext = (made.body as Item | undefined)?.['ext'] as Item | undefined;
  const item = { id, ...whole, ext };
  const changed = (one: Item) =>
    Object.fromEntries(Object.entries(one).filter(([name]) => !omittedOnChange.includes(name)));
  const isMade =
    useCase.expect(`POST ${path}`, made, being(changed(item))) &&
    useCase.expect(`times of POST ${path}`, made, () =>
      timePattern.test(String(ext?.['ct'])) && ext?.['ct'] === ext?.['lwt'] ? undefined : JSON.stringify(ext),
    );
  if (isMade && (await useCase.everywhere(`${path}/${id}`, being(item)))) await change(useCase, kind, item, body);
  if (path.endsWith('/selectors')) await keep(useCase, participantKind(id), ids.participant);
  const isSelector = path.endsWith('/selectors') && (await leaveChild(useCase, `${path}/${id}/participants`));
  useCase.expect(`DELETE ${path}`, await remove(useCase.there), expecting(204));
  await useCase.everywhere(`${path}/${id}`, expecting(404, { error_code: 1404 }));
  if (isSelector) await useCase.everywhere(`${path}/${id}/participants/${ids.participant}`, expecting(404));
  useCase.expect(`second DELETE ${path}`, await remove(useCase.here), expecting(404));
  if (unique.length === 0) return;
  const again = await useCase.ask(path, { site: useCase.there, method: 'POST', body });
  useCase.expect(`POST ${path} of the values of a removed one`, again, expecting(200));
  await remove(useCase.here, String((again?.body as Item | undefined)?.['id']));
}

async function leaveChild(useCase: UseCase, path: string): Promise<boolean> {
  const ids = idsFor(useCase);
  const body = { id: ids.participant, number: '*404', topology_type: 'speaker' };
  const made = await useCase.ask(path, { site: useCase.there, method: 'POST', body });
  return useCase.expect(`POST ${path} after its removal`, made, expecting(200, { id: ids.participant }));
}

async function change(useCase: UseCase, kind: EntityKind, item: Item, body: Item): Promise<void> {
  const { path, patch, unique = [], omittedOnChange = [] } = kind;
  const target = `${path}/${String(item['id'])}`;
  const send = (method: string, sent: unknown, to = target, site = useCase.there) =>
    useCase.ask(to, { site, method, body: sent });
  await refuseTaken(useCase, kind, body);
  useCase.expect(`POST ${path} of its id`, await send('POST', { ...body, id: item['id'] }, path), expecting(409));
  useCase.expect(
    `PATCH ${path} with id`,
    await send('PATCH', { id: item['id'] }),
    expecting(400, { error_code: 1400 }),
  );
  useCase.expect(`PATCH ${path} with an unknown field`, await send('PATCH', { kept: 1 }), expecting(400));
  useCase.expect(`POST ${path} with an unknown field`, await send('POST', { ...body, kept: 1 }, path), expecting(400));
  const own = Object.fromEntries(unique.map((name) => [name, item[name]]));
  const patched = await send('PATCH', { ...own, ...patch });
  const lwt = ((patched?.body as Item | undefined)?.['ext'] as Item | undefined)?.['lwt'];
  const { ct, lwt: before } = item['ext'] as Item;
  const result = { ...merged(item, patch), ext: { ct, lwt } };
  const shown = Object.fromEntries(Object.entries(result).filter(([name]) => !omittedOnChange.includes(name)));
  useCase.expect(`PATCH ${path}`, patched, being(shown));
  useCase.expect(`lwt of PATCH ${path}`, patched, () =>
    String(lwt) > String(before) ? undefined : `${lwt} after ${before}`,
  );
  await useCase.everywhere(target, being(result));
  await lookUp(useCase, kind, result);
  await useCase.everywhere(
    `${path}?${filterOf({ id: item['id'] })}`,
    being([masked(result, ['id', 'ext', ...kind.listed])]),
  );
  await useCase.everywhere(`${target}?mask=id,ext.ct,unknown`, being({ id: item['id'], ext: { ct } }));
  await useCase.everywhere(`${target}?mask=ext,ext.ct`, being({ ext: { ct, lwt } }), 0, { sites: [useCase.there] });
}

/** Another one has a unique value: neither POST nor PATCH takes it from it. */
async function refuseTaken(useCase: UseCase, { path, unique = [], whole }: EntityKind, body: Item): Promise<void> {
  if (unique.length === 0) return;
  const ids = idsFor(useCase);
  for (const name of unique) {
    const others = Object.fromEntries(unique.map((each) => [each, each === name ? whole[each] : `${whole[each]}9`]));
    const answer = await useCase.ask(path, { site: useCase.there, method: 'POST', body: { ...body, ...others } });
    useCase.expect(`POST ${path} of a ${name} that is taken`, answer, expecting(409, { error_code: 1409 }));
  }
  const others = Object.fromEntries(unique.map((each) => [each, `${whole[each]}9`]));
  const site = useCase.there;
  const other = await useCase.ask(path, { site, method: 'POST', body: { ...body, ...others, id: ids.other } });
  if (!useCase.expect(`POST ${path} of another one`, other, expecting(200, { id: ids.other }))) return;
  for (const name of unique) {
    const answer = await useCase.ask(`${path}/${ids.other}`, { method: 'PATCH', body: { [name]: whole[name] } });
    useCase.expect(`PATCH ${path} to a ${name} that is taken`, answer, expecting(409));
  }
  useCase.expect(`GET ${path} after it`, await useCase.ask(`${path}/${ids.other}`), expecting(200, others));
  await useCase.ask(`${path}/${ids.other}`, { method: 'DELETE' });
}

async function lookUp(useCase: UseCase, { path, unique = [], lookup = unique }: EntityKind, item: Item): Promise<void> {
  if (lookup === null) return;
  for (const site of useCase.sites) {
    for (const name of ['id', ...lookup]) {
      const answer = await useCase.ask(path, { site, method: 'LOOKUP', body: item[name] });
      useCase.expect(`LOOKUP ${path} by ${name} at ${site}`, answer, being([item['id']]));
    }
  }
  const answer = await useCase.ask(path, { site: useCase.there, method: 'LOOKUP', body: 'kept-nowhere' });
  useCase.expect(
    `LOOKUP ${path} in vain`,
    answer,
    expecting(404, { error_code: 1404, error_message: 'Lookup failed' }),
  );
}
