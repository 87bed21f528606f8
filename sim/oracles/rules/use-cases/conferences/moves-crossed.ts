/** Two clients move the parties of one call, which can follow one of them. */
import type { QuestionAnswer } from '../../../questions.ts';
import { over } from '../calls/call-judges.ts';
import { connect, directedUsers, endCalls, endedMs, type OwnCall, type SteadyUser, uriOf } from '../kit/call.ts';
import { calls, conferences } from '../kit/paths.ts';
import { type Item, itemsOf, textOf, type UseCase, useCaseOf } from '../kit/use-case.ts';
import { foundBy, meetingOf, roomNumberOf } from './rooms.ts';

/** Digits of the room: other rooms are those of others. */
const room = '47';
/** From one command to the other: the party is being moved still, or has just left. */
const latersMs = [0, 40, 150] as const;

export const movesCrossed = useCaseOf({
  name: 'moves-crossed',
  rule: 'In a quiescent cluster, of two commands of clients that come at nearly the same time to one call, where SWITCHCONF moves both of its parties and REFERCONF or REFERREPLACES one of them, or both of these the same one, exactly one is done and the other one is refused, with 404 or 409; each party is where that command has moved it, and nowhere else.',
  exclusions: 'Domains with fewer than three phones that are registered, and whose users limit no calls.',
  sender: '10.6.3.41',
  play: async (useCase) => {
    const [x, y, z] = await directedUsers(useCase, 3);
    if (x === undefined || y === undefined || z === undefined) return;
    const users = [x, y, z] as const;
    useCase.afterwards(() => endConferences(useCase, users));
    for (const [index, pair] of pairs.entries()) {
      const laterMs = latersMs[(useCase.drawn + index) % latersMs.length] ?? 0;
      await cross(useCase, users, { pair, laterMs });
      await endConferences(useCase, users);
      await endCalls(useCase, users);
      await areFree(useCase, users);
      if (useCase.problems.length > 0) return;
    }
  },
});

type Three = readonly [SteadyUser, SteadyUser, SteadyUser];
type Verb = 'SWITCHCONF' | 'REFERCONF' | 'REFERREPLACES';

/** A command, and the side that stays behind where it moves one. */
type Move = readonly [verb: Verb, by?: 'a' | 'b'];

const pairs: readonly (readonly [Move, Move])[] = [
  [['REFERCONF', 'a'], ['SWITCHCONF']],
  [['SWITCHCONF'], ['REFERCONF', 'b']],
  [['REFERREPLACES', 'a'], ['SWITCHCONF']],
  [['REFERCONF', 'b'], ['SWITCHCONF']],
  [['SWITCHCONF'], ['REFERREPLACES', 'a']],
  [
    ['REFERCONF', 'a'],
    ['REFERREPLACES', 'a'],
  ],
];

interface Crossing {
  readonly pair: readonly [Move, Move];
  readonly laterMs: number;
}

/** What the commands move parties to. */
interface Places {
  readonly confid: string | undefined;
  readonly other: OwnCall | undefined;
}

/** Z is in a room where one of the commands moves a party there, and in another call of x where one connects it with the opponent. */
async function cross(useCase: UseCase, users: Three, { pair, laterMs }: Crossing): Promise<void> {
  const [x, y, z] = users;
  const needs = (wanted: Verb) => pair.some(([verb]) => verb === wanted);
  const number = roomNumberOf(useCase, room);
  if (needs('REFERCONF') && (number === undefined || !(await connect(useCase, { from: z.number, to: number })))) return;
  const [confid] = needs('REFERCONF') ? await foundBy(useCase, conferences, { sipuserid: z.id }) : [];
  const call = await connect(useCase, { from: x.number, to: y.number });
  const other = needs('REFERREPLACES') ? await connect(useCase, { from: x.number, to: z.number }) : undefined;
  const isReady = (!needs('REFERCONF') || confid !== undefined) && (!needs('REFERREPLACES') || other !== undefined);
  if (call === undefined || !isReady) return;
  const what = `${pair.map((move) => move.join(' by ')).join(` and ${laterMs} ms later `)}`;
  const done = await command(useCase, call, { pair, laterMs, confid, other, what });
  if (done === undefined) return;
  const [[verb, by], answer] = done;
  await useCase.everywhere(call.path, over, useCase.patienceMs);
  const [moved, stays] = by === 'a' ? [y, x] : [x, y];
  if (verb === 'REFERREPLACES') return connected(useCase, what, [moved, z, stays]);
  const made = (answer?.body as Item | undefined)?.['confid'];
  const parties = verb === 'SWITCHCONF' ? [x, y] : [moved, z];
  await useCase.everywhere(
    `${conferences}/${String(made)}/participants`,
    meetingOf(useCase, parties),
    useCase.patienceMs,
  );
  const isElsewhere = (user: SteadyUser) => useCase.callsOf(user).length > (user === x && other !== undefined ? 1 : 0);
  useCase.expect(`${what}, the phone that stays behind`, undefined, () =>
    verb === 'REFERCONF' && isElsewhere(stays) ? `${stays.number} has a call still` : undefined,
  );
}

/** Returns the command that is done, with its answer; `undefined`: they are not answered as they may be. */
async function command(
  useCase: UseCase,
  { path }: OwnCall,
  { pair, laterMs, confid, other, what }: Crossing & Places & { readonly what: string },
): Promise<readonly [Move, QuestionAnswer | undefined] | undefined> {
  const sites = [useCase.here, useCase.there];
  const answers = await Promise.all(
    pair.map(async ([method, by], index) => {
      await useCase.context.questions.wait(index * laterMs);
      const body = {
        ...(by !== undefined && { by }),
        ...(method === 'REFERCONF' && { confid }),
        ...(method === 'REFERREPLACES' && { dialogid: other?.dialogid }),
      };
      return useCase.ask(path, { method, body, site: sites[index] ?? useCase.here });
    }),
  );
  const isDone = (answer: QuestionAnswer | undefined) => answer?.status === 200;
  const isRefused = (answer: QuestionAnswer | undefined) => answer?.status === 404 || answer?.status === 409;
  const isRight = useCase.expect(what, undefined, () =>
    answers.filter(isDone).length === 1 && answers.some(isRefused)
      ? undefined
      : `expected one to be done, got ${answers.map(textOf).join(' and ')}`,
  );
  const index = answers.findIndex(isDone);
  const move = pair[index];
  return isRight && move !== undefined ? [move, answers[index]] : undefined;
}

/** The opponents of two calls have one call, and the party of both has none. */
async function connected(useCase: UseCase, what: string, [one, other, free]: Three): Promise<void> {
  const uris = [one, other].map((user) => uriOf(useCase, user)).toSorted();
  await useCase.everywhere(
    calls,
    (answer) => {
      const found = itemsOf(answer).filter((item) => (item['uris'] as string[]).toSorted().join() === uris.join());
      return found.length === 1 && found[0]?.['status'] === 'dialog'
        ? undefined
        : `${what}: ${found.length} calls of ${uris.join(' and ')}`;
    },
    useCase.patienceMs,
  );
  useCase.expect(`${what}, the phone that referred`, undefined, () =>
    useCase.callsOf(free).length === 0 ? undefined : `${free.number} has a call still`,
  );
}

async function endConferences(useCase: UseCase, users: readonly SteadyUser[]): Promise<void> {
  for (const { id } of users)
    for (const confid of await foundBy(useCase, conferences, { sipuserid: id }))
      await useCase.ask(`${conferences}/${confid}`, { method: 'DELETE' });
}

async function areFree(useCase: UseCase, users: readonly SteadyUser[]): Promise<void> {
  const open = () => users.filter((user) => useCase.callsOf(user).length > 0).map(({ number }) => number);
  const wrong = await useCase.context.questions.eventually(endedMs, open);
  useCase.expect('the phones after the calls', undefined, () =>
    wrong.length === 0 ? undefined : `${wrong.join()} have calls still`,
  );
}
