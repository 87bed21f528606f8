/** Several clients open, fill, command and end one conference at the same moment. */
import type { QuestionAnswer } from '../../../questions.ts';
import { exactly, over } from '../calls/call-judges.ts';
import { place } from '../dialogs/phone-calls.ts';
import { connect, directedUsers, endedMs, type SteadyUser, uriOf } from '../kit/call.ts';
import { conferences } from '../kit/paths.ts';
import { filterOf, type Item, itemsOf, textOf, type UseCase, useCaseOf } from '../kit/use-case.ts';
import { hearing, roomNumberOf } from './rooms.ts';

/** Digits of the room: other rooms are those of clients. */
const room = '85';

export const conferencesCrossed = useCaseOf({
  name: 'conferences-crossed',
  rule: 'In a quiescent cluster, clients at several sites use one room at once: callers come into one conference; participants that two clients add are both there; what different participants hear by two commands both holds; and a participant or a conference that two clients remove is gone, and one of them at least has the answer that it was done.',
  exclusions:
    'Domains without rooms, or with fewer than four phones that are registered, and whose users limit no calls.',
  sender: '10.6.21.15',
  play: async (useCase) => {
    const [a, b, c, d] = await directedUsers(useCase, 4);
    const number = roomNumberOf(useCase, room);
    if (a === undefined || b === undefined || c === undefined || d === undefined || number === undefined) return;
    useCase.afterwards(async () => {
      for (const { confid } of await openConferences(useCase))
        await useCase.ask(`${conferences}/${String(confid)}`, { method: 'DELETE' });
    });
    const sites = [useCase.here, useCase.there];
    const came = await Promise.all(
      [a, b].map((user, index) => connect(useCase, { from: user.number, to: number }, { site: sites[index] ?? '' })),
    );
    if (!came.includes(undefined)) await confer(useCase, [a, b, c, d]);
    if ((await openConferences(useCase)).length === 0) await enterAtOnce(useCase, [a, b], number);
  },
});

async function openConferences(useCase: UseCase): Promise<readonly Item[]> {
  return itemsOf(await useCase.ask(`${conferences}?${filterOf({ confroomnum: room })}`));
}

/** Requests at once, at two sites in turns. */
function atOnce(
  useCase: UseCase,
  requests: readonly { readonly path: string; readonly method: string; readonly body?: Item }[],
): Promise<(QuestionAnswer | undefined)[]> {
  const sites = [useCase.here, useCase.there];
  return Promise.all(
    requests.map(({ path, ...request }, index) =>
      useCase.ask(path, { ...request, site: sites[index % sites.length] ?? useCase.here }),
    ),
  );
}

async function confer(useCase: UseCase, users: readonly SteadyUser[]): Promise<void> {
  const [, , c, d] = users;
  const found = await openConferences(useCase);
  useCase.expect(`conferences of room ${room}`, undefined, () =>
    found.length === 1 ? undefined : `${found.length} of two callers at once`,
  );
  const path = `${conferences}/${String(found[0]?.['confid'])}`;
  const counts = (count: number) =>
    useCase.everywhere(
      `${path}/participants?countonly&${filterOf({ state: 'active' })}`,
      exactly(200, { count }),
      endedMs + useCase.patienceMs,
    );
  if (found.length !== 1 || !(await counts(2))) return;
  const added = await atOnce(
    useCase,
    [c, d].map((user) => ({ path: `${path}/participants`, method: 'POST', body: { to: user?.number } })),
  );
  allDone(useCase, 'POST of two participants', added);
  if (!(await counts(4))) return;
  const listed = itemsOf(await useCase.ask(`${path}/participants`));
  const ids = users.map((user) => listed.find(({ ruri }) => ruri === uriOf(useCase, user))?.['participantid']);
  if (ids.some((id) => typeof id !== 'string')) return;
  await setHearing(useCase, path, ids as string[]);
  const own = `${path}/participants/${String(ids[3])}`;
  await removeTwice(useCase, own);
  await counts(3);
  await removeTwice(useCase, path);
  useCase.expect('phones of a conference that was removed twice', undefined, () =>
    users.every((user) => useCase.callsOf(user).length === 0) ? undefined : 'they have calls still',
  );
}

/** Two phones call the room at the same moment, and are answered in one conference. */
async function enterAtOnce(useCase: UseCase, users: readonly SteadyUser[], number: string): Promise<void> {
  const placed = users.map((user) => place(useCase, user, number));
  if (placed.includes(undefined)) return;
  const { questions } = useCase.context;
  const wrong = await questions.eventually(useCase.patienceMs + useCase.quickMs, async () => {
    const open = await openConferences(useCase);
    const path = `${conferences}/${String(open[0]?.['confid'])}/participants?${filterOf({ state: 'active' })}`;
    const active = open.length === 1 ? itemsOf(await useCase.ask(path)).length : 0;
    return active === users.length ? [] : [`${open.length} conferences, ${active} of ${users.length} callers in it`];
  });
  useCase.expect('two phones that call a room at once', undefined, () => wrong[0]);
  for (const call of placed) if (call !== undefined) questions.hangUp(call);
}

/** Each participant hears only the next one, by a command of its own. */
async function setHearing(useCase: UseCase, path: string, ids: readonly string[]): Promise<void> {
  const hears = ids.map((id, index) => ({ [id]: [ids[(index + 1) % ids.length] ?? ''] }));
  const requests = hears.map((each) => ({ path: `${path}/topology`, method: 'POST', body: { hears: each } }));
  const isDone = allDone(useCase, 'POST of the topology by several', await atOnce(useCase, requests));
  if (isDone) await useCase.everywhere(`${path}/topology`, hearing(Object.assign({}, ...hears)));
}

/** By two clients at once. */
async function removeTwice(useCase: UseCase, path: string): Promise<void> {
  const request = { path, method: 'DELETE' };
  const answers = await atOnce(useCase, [request, request]);
  const isRight = (answer: QuestionAnswer | undefined) => [200, 404, 409].includes(answer?.status ?? 0);
  useCase.expect(`two DELETE ${path} at once`, undefined, () =>
    answers.every(isRight) && answers.some((answer) => answer?.status === 200)
      ? undefined
      : `got ${answers.map(textOf).join(' and ')}`,
  );
  await useCase.everywhere(path, over, endedMs);
}

function allDone(useCase: UseCase, what: string, answers: readonly (QuestionAnswer | undefined)[]): boolean {
  return useCase.expect(what, undefined, () =>
    answers.every((answer) => answer?.status === 200) ? undefined : `got ${answers.map(textOf).join(' and ')}`,
  );
}
