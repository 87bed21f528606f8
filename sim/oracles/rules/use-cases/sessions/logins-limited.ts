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
/** One of the fronts reads the user sooner than the other one. */
const crossingsMs = [1, 8, 8, 14, 14, 20, 20, 26];
/** Uses within a second count as one. */
const idleMs = 2_100;

export const loginsLimited = useCaseOf({
  name: 'logins-limited',
  rule: 'In a quiescent cluster, a user has ten sessions, by token and by cookie, and an eleventh login ends the one that was idle longest at each front, and no other one, whichever was opened first; one that is closed makes room. Of logins at two fronts at once no more than ten sessions are left.',
  exclusions: 'Sites with several fronts: these learn later when a session was used.',
  sender: '10.6.20.4',
  play: async (useCase) => {
    await cross(useCase);
    const isAlone = useCase.context.map.instancesOf('ws').filter(({ site }) => site === useCase.here).length === 1;
    if (!isAlone || !useCase.areClocksRight) return;
    const user = await makeUser(useCase, 'logins-limited');
    if (user !== undefined) await open(useCase, user);
  },
});

/** A user with as many sessions as may be logs in at two fronts at once, several times. */
async function cross(useCase: UseCase): Promise<void> {
  const { questions } = useCase.context;
  const sites = [...new Set([useCase.here, useCase.there])];
  const user = sites.length > 1 ? await makeUser(useCase, 'logins-crowded') : undefined;
  if (user === undefined) return;
  let opened: RequestHeaders[] = [];
  const sender = unusedAddress(useCase, 31);
  const login = async (site = useCase.here) => {
    const answer = await logIn(useCase, user, { site, sender });
    // A login during which another one ends its session is refused.
    if (answer?.status === 200) opened.push(byToken(answer));
  };
  for (let n = 0; n < most; n += 1) await login();
  for (const [n, laterMs] of crossingsMs.entries()) {
    const [first, second] = n % 2 === 0 ? sites : sites.toReversed();
    const before = login(first);
    await questions.wait(laterMs);
    await Promise.all([before, login(second)]);
    await questions.wait(useCase.quickMs);
    const site = useCase.siteAt(n);
    const looks = opened.map((headers) => useCase.ask(current, { site, session: noSession, headers, sender }));
    const left = (await Promise.all(looks)).map((look) => look?.status === 200);
    opened = opened.filter((_, index) => left[index]);
    useCase.expect(`sessions at ${site} after logins at two fronts at once`, undefined, () =>
      opened.length <= most ? undefined : `expected at most ${most} that are left, got ${opened.length}`,
    );
  }
}

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
