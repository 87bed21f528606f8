/** Of more sessions than a user may have the one that was idle longest ends. */
import { noSession } from '../../../questions.ts';
import { current } from '../kit/paths.ts';
import { expecting, type UseCase, useCaseOf } from '../kit/use-case.ts';
import {
  byToken,
  cookieIn,
  logIn,
  makeUser,
  type OwnUser,
  type RequestHeaders,
  unauthorized,
  unusedAddress,
} from './own-sessions.ts';

const most = 10;
/** Uses within a second count as one. */
const idleMs = 2_100;

export const loginsLimited = useCaseOf({
  name: 'logins-limited',
  rule: 'In a quiescent cluster, a user has ten sessions, by token and by cookie, and an eleventh login ends the one that was idle longest at each front, and no other one, whichever was opened first; one that is closed makes room.',
  exclusions: 'Sites with several fronts: these learn later when a session was used.',
  sender: '10.6.20.4',
  play: async (useCase) => {
    const isAlone = useCase.context.map.instancesOf('ws').filter(({ site }) => site === useCase.here).length === 1;
    if (!isAlone || !useCase.areClocksRight) return;
    const user = await makeUser(useCase, 'logins-limited');
    if (user !== undefined) await open(useCase, user);
  },
});

async function open(useCase: UseCase, user: OwnUser): Promise<void> {
  const { questions } = useCase.context;
  const opened: RequestHeaders[] = [];
  const login = async (isByCookie = false) => {
    const answer = await logIn(useCase, user, isByCookie ? { changed: { session_type: undefined } } : {});
    useCase.expect('a login', answer, expecting(isByCookie ? 204 : 200));
    opened.push(isByCookie ? { cookie: `RSession=${cookieIn(answer)}` } : byToken(answer));
  };
  for (let n = 0; n < 3; n += 1) {
    await login(n === 1);
    await questions.wait(idleMs);
  }
  while (opened.length < most) await login(opened.length === most - 1);
  await questions.wait(idleMs);
  await used(useCase, opened[0], 'the first session');
  await login();
  await look(useCase, opened, [1]);
  const end = await useCase.ask(current, { method: 'DELETE', session: noSession, headers: opened[4] ?? {} });
  useCase.expect('a logout', end, expecting(204));
  await login();
  await look(useCase, opened, [1, 4]);
  await login();
  await look(useCase, opened, [1, 2, 4]);
}

async function used(useCase: UseCase, headers: RequestHeaders | undefined, what: string): Promise<void> {
  useCase.expect(what, await useCase.ask(current, { session: noSession, headers: headers ?? {} }), expecting(200));
}

/** These, by index, have ended, and of the others none that is looked at; at each front. To look at one is to use it. */
async function look(useCase: UseCase, opened: readonly RequestHeaders[], ended: readonly number[]): Promise<void> {
  await useCase.context.questions.wait(useCase.quickMs);
  for (const site of useCase.sites) {
    const sender = unusedAddress(useCase, useCase.sites.indexOf(site));
    for (const index of ended) {
      const headers = opened[index] ?? {};
      const answer = await useCase.ask(current, { site, session: noSession, headers, sender });
      useCase.expect(`session ${index} of ${opened.length}, at ${site}`, answer, unauthorized);
    }
  }
  for (const index of [0, 3, opened.length - 1]) {
    const headers = opened[index] ?? {};
    await useCase.everywhere(current, expecting(200), useCase.quickMs, { session: noSession, headers });
  }
}
