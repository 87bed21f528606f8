/** A selector meeting that is changed while it runs: its group, its file, its defaults and its longest duration. */
import { isSame } from '../calls/call-judges.ts';
import { type SteadyUser, steadyUsers, uriOf } from '../kit/call.ts';
import { conferences, groups, parking } from '../kit/paths.ts';
import { expecting, type Item, itemsOf, type Judge, textOf, type UseCase, useCaseOf } from '../kit/use-case.ts';
import { confidOf, isFree, planMeeting } from './meeting-steps.ts';

const code = 'meetings-changed';
const file = `${code}.wav`;
/** A file by its address, and where it is stored. */
const places = [
  { folder: parking, address: `:SYNC_COMMON/parking/${file}` },
  { folder: '/rest/v1/fs/targets/selector', address: `:SYNC_DOMAIN_DATA/selector/${file}` },
] as const;
/** An mware looks at a running meeting each second. */
const roundMs = 1_000;
const endedMs = 34_000;

export const meetingsChanged = useCaseOf({
  name: 'meetings-changed',
  rule: 'In a quiescent cluster a selector meeting that runs calls each number that is added to a contact group which takes part, and ends the call of one that is removed, also where the number of a participant is changed; its numbers hear each other as the mode and the type of the participant say; a participant that hears no other one hears the file of the meeting, and only then; a new participant has the defaults of the meeting for what it does not say; and the meeting ends when its longest duration is set to less than it has lasted.',
  exclusions:
    'Domains with fewer than two phones that are registered and answer; calls that phones or other rules end.',
  sender: '10.6.21.22',
  play: async (useCase) => {
    const [a, b] = await steadyUsers(useCase, 2);
    if (a === undefined || b === undefined || !useCase.areClocksRight) return;
    const { folder, address } = places[useCase.drawn % places.length] ?? places[0];
    const bytes = { type: 'audio/wav', text: '~'.repeat(1_000) };
    const stored = await useCase.ask(`${folder}/${file}`, { method: 'PUT', bytes });
    // Its disk may be full, or the domain may have as many files as it can.
    if (stored?.status !== 200) return;
    useCase.afterwards(() => useCase.ask(`${folder}/${file}`, { method: 'DELETE' }));
    const group = await useCase.make(groups, { code, members: [a.number] });
    if (group === undefined) return;
    await useCase.copied();
    await change(useCase, { group: group.path, address }, [a, b]);
  },
});

async function change(
  useCase: UseCase,
  { group, address }: { readonly group: string; readonly address: string },
  [a, b]: readonly [SteadyUser, SteadyUser],
): Promise<void> {
  const { now, questions } = useCase.context;
  const meeting = await planMeeting(useCase, {
    topology_mode: 'direct',
    timestartutc: new Date(now() - 1_000).toISOString(),
    mediafile: address,
    default_mic: false,
    default_spk: true,
  });
  if (meeting === undefined) return;
  const { path } = meeting;
  const number = `group#${code}`;
  const added = await useCase.ask(`${path}/participants`, {
    method: 'POST',
    body: { number, topology_type: 'speaker', mic: true },
  });
  useCase.expect('POST of a group', added, expecting(200, { number, mic: true, spk: true, recall: false }));
  if (added?.status !== 200) return;
  const other = await useCase.ask(`${path}/participants`, {
    method: 'POST',
    body: { number: 'group#none', topology_type: 'listener' },
  });
  useCase.expect(
    'POST with the defaults of the meeting',
    other,
    expecting(200, { mic: false, spk: true, recall: false }),
  );
  const patch = async (target: string, body: Item) => {
    const answer = await useCase.ask(target, { method: 'PATCH', body, site: useCase.there });
    useCase.expect(`PATCH ${JSON.stringify(body)}`, answer, expecting(200, body));
    await useCase.copied();
  };
  const hears = async (user: SteadyUser, what: string | undefined) => {
    const heard = () => useCase.callsOf(user)[0]?.hears;
    const wrong = await questions.eventually(3 * roundMs, () =>
      heard() === what ? [] : [`it hears ${String(heard())}`],
    );
    useCase.expect(`${user.number} is to hear ${String(what)}`, undefined, () => wrong[0]);
  };
  const takePart = async (users: readonly SteadyUser[]) => {
    const ringMs = Math.max(...users.map(({ answerMs }) => answerMs));
    return useCase.everywhere(
      `${conferences}/${confid}/participants`,
      active(users.map((user) => uriOf(useCase, user))),
      ringMs + 2 * roundMs + useCase.quickMs + useCase.patienceMs,
    );
  };
  await useCase.everywhere(path, expecting(200, { state: 'online' }), a.answerMs + endedMs);
  const confid = await confidOf(useCase, a);
  if (confid === 'undefined' || !(await takePart([a]))) return;
  await hears(a, address);
  await patch(group, { members: [a.number, b.number] });
  if (!(await takePart([a, b]))) return;
  await hears(a, undefined);
  await hears(b, undefined);
  // Of a group of listeners, the mode says which hear each other.
  const listeners = `${path}/participants/${String((added.body as Item)['id'])}`;
  await patch(listeners, { topology_type: 'listener' });
  for (const [mode, is] of [
    ['direct', true],
    ['abonent', false],
    ['topology', false],
    ['direct', true],
  ] as const) {
    await patch(path, { topology_mode: mode });
    await hears(a, is ? undefined : address);
    await useCase.everywhere(`${conferences}/${confid}/topology`, hearing(is ? 1 : 0), 3 * roundMs);
  }
  await patch(group, { members: [b.number] });
  if (!(await takePart([b]))) return;
  await isFree(useCase, a);
  await hears(b, address);
  await patch(path, { mediafile: '' });
  await hears(b, undefined);
  // A participant that is a number of its own, and then another one.
  const own = await useCase.ask(`${path}/participants`, {
    method: 'POST',
    body: { number: a.number, topology_type: 'speaker' },
  });
  if (own?.status !== 200 || !(await takePart([b, a]))) return;
  await patch(group, { members: [] });
  if (!(await takePart([a]))) return;
  await isFree(useCase, b);
  await patch(`${path}/participants/${String((own.body as Item)['id'])}`, { number: b.number });
  if (!(await takePart([b]))) return;
  await isFree(useCase, a);
  await patch(path, { calldurationsec: 1 });
  await useCase.everywhere(path, expecting(404, { error_code: 1404 }), 2 * roundMs + useCase.quickMs);
  await isFree(useCase, b);
}

/** Each of two participants hears so many others. */
function hearing(count: number): Judge {
  return (answer) => {
    const { hears = {} } = (answer?.body ?? {}) as { hears?: Readonly<Record<string, readonly string[]>> };
    const all = Object.values(hears);
    return all.length === 2 && all.every((heard) => heard.length === count)
      ? undefined
      : `expected that each of two hears ${count}, got ${textOf(answer)}`;
  };
}

/** Exactly these take part. */
function active(uris: readonly string[]): Judge {
  return (answer) => {
    const got = itemsOf(answer).map(({ ruri, state }) => [ruri, state]);
    const wanted = uris.map((uri) => [uri, 'active']);
    return answer?.status === 200 && isSame(got.toSorted(), wanted.toSorted())
      ? undefined
      : `expected ${uris.join()}, got ${JSON.stringify(got)}`;
  };
}
