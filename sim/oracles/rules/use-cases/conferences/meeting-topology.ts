/** Which participants of a selector meeting hear which others, in its plan and in its conference. */
import { exactly, isSame, refusing } from '../calls/call-judges.ts';
import { type SteadyUser, uriOf } from '../kit/call.ts';
import { type Item, itemsOf, type Judge, textOf, type UseCase } from '../kit/use-case.ts';

interface Place {
  readonly useCase: UseCase;
  /** Of the meeting, and of its conference. */
  readonly path: string;
  readonly conference: string;
  /** A user that takes part in the conference only: it hears all that speak, and no participant of the meeting hears it. */
  readonly guest: SteadyUser | undefined;
}

/** Users that take part, with the ids of their participants: a speaker, a listener and an assistant. */
type People = readonly (readonly [user: SteadyUser, id: string])[];
type Hears = Readonly<Record<string, readonly string[]>>;

/** mware applies a change in its next round. */
const roundMs = 3_000;

/** `people`: those of the meeting. */
export async function checkTopology(place: Place, people: People): Promise<void> {
  const { useCase, path } = place;
  const topology = `${path}/topology`;
  const [speaker = '', listener = '', assistant = ''] = people.map(([, id]) => id);
  const byTypes = { [speaker]: [assistant], [listener]: [speaker], [assistant]: [speaker, listener] };
  const all = { [speaker]: [listener, assistant], [listener]: [speaker, assistant], [assistant]: [speaker, listener] };
  const { guest } = place;
  const present: People = guest === undefined ? people : [...people, [guest, 'guest']];
  const heard = (hears: Hears, audible = [speaker, listener, assistant]) =>
    hearIn(place, present, guest === undefined ? hears : { ...hears, guest: audible });
  await useCase.everywhere(topology, exactly(200, { hears: byTypes }));
  await heard(byTypes);
  const set = async (hears: Item, judge: Judge) =>
    useCase.expect('PATCH', await useCase.ask(topology, { method: 'PATCH', body: { hears } }), judge);
  await set({ [speaker]: [speaker] }, refusing(400, `hears.${speaker}`));
  await set({ [speaker]: [listener, listener] }, refusing(400, `hears.${speaker}`));
  await set({ [speaker]: ['aa0c0f3e-7d51-4c5b-9d8f-200000000000'] }, refusing(400, 'hears'));
  const changed = { ...byTypes, [speaker]: [listener], [listener]: [] };
  await set({ [speaker]: [listener], [listener]: [] }, exactly(200, { hears: changed }));
  await useCase.everywhere(topology, exactly(200, { hears: changed }));
  await heard(changed);
  const patch = async (target: string, body: Item) => {
    const answer = await useCase.ask(target, { site: useCase.there, method: 'PATCH', body });
    useCase.expect(`PATCH ${JSON.stringify(body)}`, answer, (given) => {
      const item = (given?.body ?? {}) as Item;
      const isRight = given?.status === 200 && Object.entries(body).every(([name, value]) => item[name] === value);
      return isRight && !('is_hand_raised' in item) && !('hold' in item) ? undefined : textOf(given);
    });
  };
  // By types, whatever is set; then all others; then what is set again.
  await patch(path, { topology_mode: 'abonent' });
  await useCase.everywhere(topology, exactly(200, { hears: byTypes }));
  await heard(byTypes);
  await patch(path, { topology_mode: 'direct' });
  await useCase.everywhere(topology, exactly(200, { hears: all }));
  await heard(all);
  await patch(`${path}/participants/${assistant}`, { mic: false });
  await heard({ ...all, [speaker]: [listener], [listener]: [speaker] }, [speaker, listener]);
  await patch(`${path}/participants/${assistant}`, { mic: true, spk: false });
  await heard({ ...all, [assistant]: [] });
  await patch(`${path}/participants/${assistant}`, { spk: true, topology_type: 'speaker' });
  await patch(path, { topology_mode: 'topology' });
  await heard({ ...changed, [assistant]: [speaker] });
  const reset = await useCase.ask(topology, { site: useCase.there, method: 'DELETE' });
  useCase.expect('DELETE of the topology', reset, exactly(204, undefined));
  const asSpeakers = { [speaker]: [assistant], [listener]: [speaker, assistant], [assistant]: [speaker] };
  await useCase.everywhere(topology, exactly(200, { hears: asSpeakers }));
  await heard(asSpeakers);
}

/** Which participants hear each other in the conference, whose participants have other ids. */
async function hearIn({ useCase, conference }: Place, people: People, expected: Hears): Promise<void> {
  const listed = itemsOf(await useCase.ask(`${conference}/participants`));
  const memberOf = new Map(
    listed.map((item) => {
      const [, id] = people.find(([user]) => item['ruri'] === uriOf(useCase, user)) ?? [];
      return [String(item['participantid']), id] as const;
    }),
  );
  const sorted = (hears: Hears) =>
    Object.fromEntries(Object.entries(hears).map(([id, heard]) => [id, heard.toSorted()]));
  await useCase.everywhere(
    `${conference}/topology`,
    (answer) => {
      const { hears = {} } = (answer?.body ?? {}) as { hears?: Hears };
      const named = Object.entries(hears).map(([id, heard]) => [
        String(memberOf.get(id)),
        heard.map((each) => String(memberOf.get(each))),
      ]);
      const isRight = isSame(sorted(Object.fromEntries(named) as Hears), sorted(expected));
      return isRight ? undefined : `expected ${JSON.stringify(expected)}, got ${textOf(answer)}`;
    },
    roundMs,
  );
}
