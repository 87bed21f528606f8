/** The answer of a directory to a login is late: the user was removed, or got another password, meanwhile. */
import { cross, makeCrossed } from '../../use-cases/sessions/logins-crossed.ts';
import { drillOf } from '../kit/drill.ts';

const name = 'logins-overtaken';
const lateMs = 1_500;
/** From the logins to the change. */
const afterMs = 500;

export const loginsOvertaken = drillOf({
  name,
  rule: 'When a directory has accepted a login, and the user is removed or gets another password before the front hears of that, the login is refused, or its session is valid at no front afterwards.',
  sender: '10.6.1.119',
  play: async (drill) => {
    const users = await makeCrossed(drill, name, 2);
    for (const [index, user] of users.entries())
      await drill.during(
        (faults) => faults.delay({ from: '*', messages: ['directory.authenticate'], kinds: ['reply'] }, lateMs),
        () => cross(drill, user, { index, afterMs, isRemoved: index === 0 }),
      );
  },
});
