/** Several clients make, change and remove one entity at the same moment. */
import type { QuestionAnswer } from '../../../questions.ts';
import { being } from '../kit/answers.ts';
import { selectors } from '../kit/paths.ts';
import { expecting, type Item, textOf, type UseCase, useCaseOf } from '../kit/use-case.ts';
import { type EntityKind, entityKinds, merged, participantKind } from '../platform/entity-kinds.ts';

/** The same meetings by their other path. */
const alias = '/rest/v1/api/selectors';
/** Participants of a meeting, each of which a client of its own lets hear the next one. */
const crossing = 4;

export const changesCrossed = useCaseOf({
  name: 'changes-crossed',
  rule: 'In a quiescent cluster, clients at several sites change one thing at once: of two that make an entity with one id, or with values that are unique, one is answered with 200 and the other with 409; PATCHes of different fields are all done, as are those of what different participants of a meeting hear, also the first ones; of two DELETEs one finds the entity. A participant that was removed is heard no more, also when there is one with its id again.',
  exclusions: 'Each kind in one of the working domains.',
  sender: '10.6.21.10',
  play: async (useCase) => {
    const id = idOf(useCase, 1);
    const own = entityKinds(useCase.domain, id).filter(({ isOfWorkingDomains = true }) => isOfWorkingDomains);
    for (const kind of useCase.share(own)) await cross(useCase, kind, id);
    await crossTopology(useCase);
  },
});

/** An id belongs to one domain. */
function idOf({ domain, context: { map } }: UseCase, n: number): string {
  const index = 10 + map.topology.domains.findIndex(({ name }) => name === domain);
  return `aa0c0f3e-7d51-4c5b-9d8f-5000000${index}00${n}`;
}

/** The requests at once, each by a client at another site. */
function atOnce(
  useCase: UseCase,
  path: string,
  requests: readonly { readonly method: string; readonly body?: Item }[],
): Promise<(QuestionAnswer | undefined)[]> {
  return Promise.all(requests.map((request, index) => useCase.ask(path, { ...request, site: useCase.siteAt(index) })));
}

/** Judges whether one was done, and the others were refused in this way. Returns the answer to that one. */
async function once(
  useCase: UseCase,
  path: string,
  request: { readonly method: string; readonly body?: Item },
  [done, refused]: readonly [number, number],
): Promise<QuestionAnswer | undefined> {
  const answers = await atOnce(useCase, path, [request, request]);
  const right = answers.filter((answer) => answer?.status === done);
  const areRight = right.length === 1 && answers.some((answer) => answer?.status === refused);
  // The master may be out of reach.
  if (answers.some((answer) => answer === undefined || answer.status >= 503)) return undefined;
  useCase.expect(`two ${request.method} ${path} at once`, undefined, () =>
    areRight ? undefined : `expected ${done} and ${refused}, got ${answers.map(textOf).join(' and ')}`,
  );
  return right[0];
}

async function cross(useCase: UseCase, kind: EntityKind, id: string): Promise<void> {
  const { path, whole, given, secret = {}, unique = [] } = kind;
  const body = { ...Object.fromEntries(given.map((name) => [name, whole[name]])), ...secret };
  // By its values; where none is unique, and then again, by its id.
  const bodies = unique.length === 0 ? [{ id, ...body }] : [body, { id, ...body }];
  for (const each of bodies) {
    const made = await once(useCase, path, { method: 'POST', body: each }, [200, 409]);
    if (made === undefined) return;
    const target = `${path}/${String((made.body as Item)['id'])}`;
    if (each === bodies.at(-1)) await patch(useCase, kind, target);
    await once(useCase, target, { method: 'DELETE' }, [204, 404]);
    await useCase.everywhere(target, expecting(404));
  }
}

/** Each field by another client; what is nested one level deep as well. */
async function patch(useCase: UseCase, kind: EntityKind, target: string): Promise<void> {
  const before = (await useCase.ask(target))?.body as Item | undefined;
  if (before === undefined) return;
  const isObject = (value: unknown): value is Item =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  const parts = Object.entries(kind.patch).flatMap(([name, value]): Item[] =>
    isObject(value)
      ? Object.entries(value).map(([inner, each]) => ({ [name]: { [inner]: each } }))
      : [{ [name]: value }],
  );
  const answers = await atOnce(
    useCase,
    target,
    parts.map((body) => ({ method: 'PATCH', body })),
  );
  const refused = answers.find((answer) => answer?.status !== 200);
  useCase.expect(`PATCHes of ${target} at once`, undefined, () =>
    answers.every((answer) => answer?.status === 200) ? undefined : textOf(refused),
  );
  if (answers.some((answer) => answer?.status !== 200)) return;
  const { ext: _, ...wanted } = merged(before, kind.patch);
  await useCase.everywhere(target, (answer) => {
    const { ext, ...rest } = (answer?.body ?? {}) as Item;
    return being({ ...wanted, ext })({ ...answer, body: { ...rest, ext } } as QuestionAnswer);
  });
}

/** Of a meeting whose topology no client has set yet. */
async function crossTopology(useCase: UseCase): Promise<void> {
  const id = idOf(useCase, 2);
  const body = { id, timestartutc: '2099-01-01T00:00:00.000Z', topology_mode: 'topology' };
  if ((await useCase.make(selectors, body)) === undefined) return;
  const people = Array.from({ length: crossing }, (_, index) => idOf(useCase, 3 + index));
  const { path } = participantKind(id);
  for (const person of people) {
    const participant = { id: person, number: `*40${people.indexOf(person)}`, topology_type: 'speaker' };
    const added = await useCase.ask(path, { method: 'POST', body: participant });
    if (added?.status !== 200) return;
  }
  await cross(useCase, participantKind(id), idOf(useCase, 3 + crossing));
  await useCase.copied();
  // From the same site requests meet more often than from several.
  for (let round = 0; round < 4; round += 1) {
    const isFirst = await hearEachOther(useCase, { id, people, round });
    if (!isFirst) return;
    if (round === 0) await replaceOne(useCase, id, people);
    await useCase.ask(`${selectors}/${id}/topology`, { method: 'DELETE' });
  }
}

/** The others hear a participant that was removed no more, also when there is one with its id again. */
async function replaceOne(useCase: UseCase, id: string, people: readonly string[]): Promise<void> {
  const { path } = participantKind(id);
  const [first = '', removed = '', third = '', last = ''] = people;
  const rest = { [first]: [], [third]: [last], [last]: [first] };
  const topology = `${selectors}/${id}/topology`;
  const gone = await useCase.ask(`${path}/${removed}`, { site: useCase.there, method: 'DELETE' });
  if (!useCase.expect('DELETE of a participant', gone, expecting(204))) return;
  await useCase.everywhere(topology, being({ hears: rest }));
  const body = { id: removed, number: '*401', topology_type: 'speaker' };
  const again = await useCase.ask(path, { method: 'POST', body });
  if (!useCase.expect('POST of a participant with its id', again, expecting(200))) return;
  await useCase.everywhere(topology, being({ hears: { ...rest, [removed]: [first, third, last] } }));
}

interface Crossing {
  /** Of the meeting. */
  readonly id: string;
  readonly people: readonly string[];
  readonly round: number;
}

/** Each participant is set by another client. Returns whether all are done. */
async function hearEachOther(useCase: UseCase, { id, people, round }: Crossing): Promise<boolean> {
  const hears = people.map((person, index) => ({ [person]: [people[(index + 1) % crossing]] }));
  const topologyBy = (index: number) => `${index % 2 === 0 ? selectors : alias}/${id}/topology`;
  const siteOf = (index: number) => useCase.siteAt(round % 2 === 0 ? index : round);
  const answers = await Promise.all(
    hears.map((each, index) =>
      useCase.ask(topologyBy(index), { method: 'PATCH', body: { hears: each }, site: siteOf(index) }),
    ),
  );
  for (const [index, answer] of answers.entries())
    useCase.expect(`PATCH ${topologyBy(index)} at once with others`, answer, (got) => {
      const { hears: shown = {} } = (got?.body ?? {}) as { hears?: Item };
      const [[person, heard] = ['', undefined]] = Object.entries(hears[index] ?? {});
      const isRight = got?.status === 200 && JSON.stringify(shown[person]) === JSON.stringify(heard);
      return isRight ? undefined : `expected ${person} to hear ${heard}, got ${textOf(got)}`;
    });
  if (answers.some((answer) => answer?.status !== 200)) return false;
  return useCase.everywhere(topologyBy(round), being({ hears: Object.assign({}, ...hears) }));
}
