/**
 * The answer of a directory to a login is late: the user was removed, or got another password, meanwhile. A logout is written slowly: its
 * user logs in meanwhile.
 */
import { noSession } from '../../../questions.ts';
import { current } from '../../use-cases/kit/paths.ts';
import { expecting } from '../../use-cases/kit/use-case.ts';
import { cross, makeCrossed } from '../../use-cases/sessions/logins-crossed.ts';
import { byToken, logIn, type OwnUser, type RequestHeaders } from '../../use-cases/sessions/own-sessions.ts';
import { type Drill, drillOf } from '../kit/drill.ts';

const name = 'logins-overtaken';
const lateMs = 1_500;
/** From the logins to the change. */
const afterMs = 500;
const writeMs = 2_000;
/** From the logout to the login: less than a write takes. */
const loginMs = 100;
const mostSessions = 10;

export const loginsOvertaken = drillOf({
  name,
  rule: 'When a directory has accepted a login, and the user is removed or gets another password before the front hears of that, the login is refused, or its session is valid at no front afterwards. When a front writes a logout on a slow disk, a login of a user with ten sessions ends no other one.',
  sender: '10.6.1.119',
  play: async (drill) => {
    const [crowded, ...users] = await makeCrossed(drill, name, 3);
    for (const [index, user] of users.entries())
      await drill.during(
        (faults) => faults.delay({ from: '*', messages: ['directory.authenticate'], kinds: ['reply'] }, lateMs),
        () => cross(drill, user, { index, afterMs, isRemoved: index === 0 }),
      );
    if (crowded !== undefined) await makeRoom(drill, crowded);
  },
});

/** A user with as many sessions as may be ends one of them and logs in again, at a site whose only front writes slowly. */
async function makeRoom(drill: Drill, user: Omit<OwnUser, 'id'>): Promise<void> {
  const { map, questions } = drill.context;
  const [front, ...more] = map.instancesOf('ws').filter(({ site }) => site === drill.here);
  if (front === undefined || more.length > 0) return;
  const opened: RequestHeaders[] = [];
  const login = async () => {
    const answer = await logIn(drill, user);
    drill.expect('a login', answer, expecting(200));
    opened.push(byToken(answer));
  };
  const ask = (headers: RequestHeaders, method = 'GET') => drill.ask(current, { method, session: noSession, headers });
  while (opened.length < mostSessions) await login();
  const [ended = {}] = opened.splice(drill.drawn % mostSessions, 1);
  await drill.during(
    (faults) => faults.slowStore([front.node], writeMs),
    async () => {
      const logout = ask(ended, 'DELETE');
      await questions.wait(loginMs);
      await login();
      drill.expect('a logout on a slow disk', await logout, expecting(204));
    },
  );
  for (const [index, headers] of opened.entries())
    drill.expect(`session ${index} of the user`, await ask(headers), expecting(200));
}
