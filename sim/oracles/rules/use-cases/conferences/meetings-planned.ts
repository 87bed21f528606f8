/** The plans of selector meetings: what they and their participants may be, how they are listed, and what is removed with them. */
import { isDeepStrictEqual } from 'node:util';
import { being, refusing } from '../kit/answers.ts';
import { selectors } from '../kit/paths.ts';
import { expecting, filterOf, type Item, type Judge, textOf, type UseCase, useCaseOf } from '../kit/use-case.ts';
import { type PlannedMeeting, planMeeting } from './meeting-steps.ts';

const label = 'meetings-planned';
const alias = '/rest/v1/api/selectors';
const gone = expecting(404, { error_code: 1404 });

export const meetingsPlanned = useCaseOf({
  name: label,
  rule: 'In a quiescent cluster selector meetings that are planned, and their participants, are filtered, ordered, cut, counted, masked and flattened as other lists are, by both of their paths; values beyond their bounds, missing fields and fields that only the platform sets are refused with 400 and change nothing; with a meeting its participants and its topology are removed, and a new one with its id has none of them.',
  sender: '10.6.22.40',
  play: async (useCase) => {
    const meetings: PlannedMeeting[] = [];
    for (const [index, fields] of given.entries()) {
      const made = await planMeeting(useCase, { displayname: nameOf(index + 1), ...fields });
      if (made === undefined) return;
      meetings.push(made);
      // Each has a time of its own.
      await useCase.context.questions.wait(10);
    }
    const [first, second] = meetings;
    if (first === undefined || second === undefined) return;
    await useCase.everywhere(`${second.path}?mask=id`, being({ id: second.id }));
    await listMeetings(useCase, first);
    await bound(useCase, first.path, { refused: refusedOfMeetings, taken: takenByMeetings });
    await listParticipants(useCase, second);
    await remove(useCase, second);
  },
});

const nameOf = (n: number) => `${label}-${n}`;
/** In the order of their creation. */
const given: readonly Item[] = [
  { topology_mode: 'direct', calldurationsec: 100, timestartutc: '2099-01-03T00:00:00.000Z' },
  { topology_mode: 'topology', calldurationsec: 9, timestartutc: '2099-01-01T00:00:00.000Z', default_mic: false },
  { topology_mode: 'direct', calldurationsec: 20, timestartutc: '2099-01-02T00:00:00.000Z', enabled: false },
];

interface Selection {
  readonly filter?: unknown;
  readonly query?: string;
  readonly numbers: readonly number[];
}

const property = (name: string) => ['property', name];
const orderOf = (order: unknown) => `order=${encodeURIComponent(JSON.stringify(order))}`;
const ofMeetings: readonly Selection[] = [
  { numbers: [1, 2, 3] },
  { filter: ['==', property('enabled'), true], numbers: [1, 2] },
  { filter: ['==', property('topology_mode'), 'direct'], numbers: [1, 3] },
  { filter: ['>', property('calldurationsec'), 9], numbers: [1, 3] },
  { filter: ['<', property('timestartutc'), '2099-01-03T00:00:00.000Z'], numbers: [2, 3] },
  { filter: ['!', ['==', property('default_mic'), false]], numbers: [1, 3] },
  { filter: ['==', property('state'), 'online'], numbers: [] },
  { query: orderOf(['calldurationsec']), numbers: [2, 3, 1] },
  { query: orderOf([{ timestartutc: 'desc' }]), numbers: [1, 3, 2] },
  { query: orderOf(['topology_mode', { calldurationsec: 'desc' }]), numbers: [1, 3, 2] },
  { query: `${orderOf(['calldurationsec'])}&offset=1&limit=1`, numbers: [3] },
  { query: 'limit=2', numbers: [1, 2] },
  { query: 'offset=2', numbers: [3] },
  { query: 'offset=3', numbers: [] },
  { query: 'limit=0', numbers: [] },
];

async function listMeetings(useCase: UseCase, { id, path }: PlannedMeeting): Promise<void> {
  const own = ['like', property('displayname'), `${label}-%`];
  for (const [index, { filter, query = 'limit=10', numbers }] of ofMeetings.entries()) {
    const base = index % 2 === 0 ? selectors : alias;
    const target = `${base}?${filterOf(filter === undefined ? own : ['&&', own, filter])}&${query}`;
    const names = numbers.map(nameOf);
    useCase.expect(
      decodeURIComponent(target),
      await useCase.ask(target, at(useCase, index)),
      listed('displayname', names),
    );
  }
  const shown = { displayname: nameOf(1), state: 'waiting', calldurationsec: 100 };
  const rows: readonly (readonly [string, unknown])[] = [
    [`${selectors}?${filterOf(own)}&countonly&limit=1`, { count: 3 }],
    [`${alias}?${filterOf({ id })}&mask=displayname,state,none,calldurationsec`, [shown]],
    [`${path}?mask=displayname,state,none,calldurationsec&flat`, shown],
    [`${alias}/${id}?mask=displayname&flat=false`, { displayname: nameOf(1) }],
  ];
  for (const [index, [target, body]] of rows.entries())
    useCase.expect(decodeURIComponent(target), await useCase.ask(target, at(useCase, index)), being(body));
  for (const query of ['limit=10001', 'offset=-1', 'filter=[5]', orderOf(['none']), 'countonly=2'])
    useCase.expect(query, await useCase.ask(`${selectors}?${query}`), refusing(query.slice(0, query.indexOf('='))));
}

function at(useCase: UseCase, index: number) {
  return { site: useCase.siteAt(index) };
}

/** The list has these items, in this order. */
function listed(field: string, wanted: readonly unknown[]): Judge {
  return (answer) => {
    const got = Array.isArray(answer?.body) ? (answer.body as Item[]).map((item) => item[field]) : undefined;
    return answer?.status === 200 && isDeepStrictEqual(got, wanted)
      ? undefined
      : `expected ${wanted.join() || 'none'}, got ${got?.join() ?? textOf(answer)}`;
  };
}

interface Bounds {
  readonly refused: readonly Item[];
  readonly taken: readonly Item[];
}

const long = (chars: number) => 'x'.repeat(chars);
const refusedOfMeetings: readonly Item[] = [
  ...[-1, 9_801, 1.5, '9'].map((calldurationsec) => ({ calldurationsec })),
  ...[0, 301, '35'].map((calltimeout) => ({ calltimeout })),
  ...['', 'speaker', null].map((topology_mode) => ({ topology_mode })),
  ...['2099', 'tomorrow', '2099-13-01T00:00:00.000Z', 5].map((timestartutc) => ({ timestartutc })),
  ...[{ enabled: 1 }, { default_mic: 'true' }, { default_spk: 0 }, { default_recall: null }],
  ...[
    { displayname: long(1_001) },
    { comment: long(1_001) },
    { mediafile: long(241) },
    { state: 'online' },
    { none: 1 },
  ],
];
const takenByMeetings: readonly Item[] = [
  { calldurationsec: 9_800, calltimeout: 300, comment: long(1_000), topology_mode: 'abonent', default_spk: false },
  { calldurationsec: 0, calltimeout: 1, comment: '', default_recall: true, timestartutc: '2099-12-31T23:59:59.999Z' },
];
const refusedOfParticipants: readonly Item[] = [
  ...['', '1 2', '<1>', long(129), 5].map((number) => ({ number })),
  ...['', 'chairman', null].map((topology_type) => ({ topology_type })),
  ...[-1, 1_001, 0.5].map((video_cell) => ({ video_cell })),
  ...[{ mic: 1 }, { spk: 'true' }, { recall: null }, { video_out: 0 }, { name: long(1_001) }],
  ...[{ hold: true }, { state: 'active' }, { is_hand_raised: true }, { none: 1 }],
];
const takenByParticipants: readonly Item[] = [
  { number: long(128), topology_type: 'assistant', video_cell: 1_000, name: long(1_000), video_out: true },
  { number: '7790502', topology_type: 'listener', video_cell: 0, name: '', mic: true, spk: false },
];

/** What is refused changes nothing, and what is taken is shown. */
async function bound(useCase: UseCase, path: string, { refused, taken }: Bounds): Promise<void> {
  const before = (await useCase.ask(path))?.body as Item;
  for (const [index, body] of refused.entries()) {
    const [field = ''] = Object.keys(body);
    const answer = await useCase.ask(path, { method: 'PATCH', body, ...at(useCase, index) });
    useCase.expect(`PATCH ${path} with ${JSON.stringify(body).slice(0, 60)}`, answer, refusing(field));
  }
  await useCase.everywhere(path, being(before), 0, { sites: [useCase.here] });
  for (const [index, body] of taken.entries()) {
    const answer = await useCase.ask(path, { method: 'PATCH', body, ...at(useCase, index) });
    useCase.expect(`PATCH ${path} number ${index + 1} to the bounds`, answer, expecting(200, body));
    await useCase.everywhere(path, expecting(200, { ...body, state: 'waiting' }));
  }
}

/** In the order of their creation. `mic` is that of the meeting where it is absent. */
const members: readonly Item[] = [
  { number: '7790503', topology_type: 'speaker', name: 'B', video_cell: 10 },
  { number: '7790504', topology_type: 'listener', name: 'a', video_cell: 9, mic: true },
  { number: '7790505', topology_type: 'listener', name: 'C', video_cell: 100 },
];
const ofParticipants: readonly Selection[] = [
  { numbers: [0, 1, 2] },
  { filter: { topology_type: 'listener' }, numbers: [1, 2] },
  { filter: ['==', property('mic'), false], numbers: [0, 2] },
  { filter: ['>=', property('video_cell'), 10], numbers: [0, 2] },
  { filter: ['in', property('number'), ['7790503', '7790504']], numbers: [0, 1] },
  { query: orderOf(['video_cell']), numbers: [1, 0, 2] },
  { query: orderOf([{ name: 'desc' }]), numbers: [1, 2, 0] },
  { query: orderOf(['topology_type', { number: 'desc' }]), numbers: [2, 1, 0] },
  { query: `${orderOf([{ video_cell: 'desc' }])}&offset=1&limit=1`, numbers: [0] },
  { query: 'offset=3', numbers: [] },
];

async function listParticipants(useCase: UseCase, { id, path }: PlannedMeeting): Promise<void> {
  const all = `${path}/participants`;
  for (const missing of ['number', 'topology_type']) {
    const body = { number: '1', topology_type: 'speaker', [missing]: undefined };
    useCase.expect(`POST without ${missing}`, await useCase.ask(all, { method: 'POST', body }), refusing(missing));
  }
  for (const missing of ['timestartutc', 'topology_mode']) {
    const body = { timestartutc: '2099-01-01T00:00:00.000Z', topology_mode: 'direct', [missing]: undefined };
    useCase.expect(`POST without ${missing}`, await useCase.ask(alias, { method: 'POST', body }), refusing(missing));
  }
  const ids: string[] = [];
  for (const body of members) {
    const added = await useCase.ask(all, { method: 'POST', body });
    useCase.expect(`POST ${all}`, added, expecting(200, { mic: false, ...body }));
    if (added?.status !== 200) return;
    ids.push(String((added.body as Item)['id']));
    await useCase.context.questions.wait(10);
  }
  await useCase.everywhere(`${all}?mask=id`, being(ids.map((each) => ({ id: each }))));
  for (const [index, { filter, query = 'limit=10', numbers }] of ofParticipants.entries()) {
    const base = index % 2 === 0 ? all : `${alias}/${id}/participants`;
    const target = `${base}?${filter === undefined ? '' : `${filterOf(filter)}&`}${query}`;
    const wanted = numbers.map((n) => ids[n]);
    useCase.expect(decodeURIComponent(target), await useCase.ask(target, at(useCase, index)), listed('id', wanted));
  }
  const shown = { number: '7790504', state: 'waiting', hold: false };
  const rows: readonly (readonly [string, unknown])[] = [
    [`${all}?${filterOf({ mic: false })}&countonly&limit=0`, { count: 2 }],
    [`${all}?${filterOf({ name: 'a' })}&mask=number,state,hold,none`, [shown]],
    [`${all}/${ids[1]}?mask=number,state,hold,none&flat`, shown],
  ];
  for (const [index, [target, body]] of rows.entries())
    useCase.expect(decodeURIComponent(target), await useCase.ask(target, at(useCase, index)), being(body));
  useCase.expect('limit=-1', await useCase.ask(`${all}?limit=-1`), refusing('limit'));
  // The defaults of a meeting are those of later participants.
  const changed = await useCase.ask(path, { method: 'PATCH', body: { default_mic: true }, site: useCase.there });
  useCase.expect('PATCH of default_mic', changed, expecting(200, { default_mic: true }));
  const silent = `${all}?${filterOf({ mic: false })}&mask=id`;
  await useCase.everywhere(silent, being([ids[0], ids[2]].map((each) => ({ id: each }))));
  await bound(useCase, `${all}/${ids[0]}`, { refused: refusedOfParticipants, taken: takenByParticipants });
}

/** Its participants and what they hear are those of this meeting, and of no other one with its id. */
async function remove(useCase: UseCase, { id, path }: PlannedMeeting): Promise<void> {
  const [all, topology] = [`${path}/participants`, `${path}/topology`];
  const ids = ((await useCase.ask(`${all}?mask=id`))?.body ?? []) as { readonly id: string }[];
  const [first, second] = ids.map((each) => each.id);
  if (first === undefined || second === undefined) return;
  const set = await useCase.ask(topology, { method: 'PATCH', body: { hears: { [first]: [second] } } });
  useCase.expect('PATCH of the topology', set, (answer) => (answer?.status === 200 ? undefined : textOf(answer)));
  const removed = await useCase.ask(path, { method: 'DELETE', site: useCase.there });
  if (!useCase.expect('DELETE of a meeting', removed, expecting(204))) return;
  for (const target of [path, all, `${all}/${first}`, topology, `${alias}/${id}`])
    await useCase.everywhere(target, gone);
  const body = { number: '1', topology_type: 'speaker' };
  useCase.expect('POST to a removed meeting', await useCase.ask(all, { method: 'POST', body }), gone);
  const hears = { hears: { [first]: [second] } };
  useCase.expect('PATCH of its topology', await useCase.ask(topology, { method: 'PATCH', body: hears }), gone);
  useCase.expect(
    'PATCH of its participant',
    await useCase.ask(`${all}/${second}`, { method: 'PATCH', body: {} }),
    gone,
  );
  const again = await planMeeting(useCase, { topology_mode: 'topology' }, id);
  if (again === undefined) return;
  await useCase.everywhere(all, being([]));
  await useCase.everywhere(topology, being({ hears: {} }));
  for (const each of [first, second]) {
    const answer = await useCase.ask(all, { method: 'POST', body: { ...body, id: each } });
    if (!useCase.expect(`POST of participant ${each}`, answer, expecting(200, { id: each, mic: true }))) return;
  }
  // By their types, whatever was set of the other meeting.
  await useCase.everywhere(topology, being({ hears: { [first]: [second], [second]: [first] } }));
}
