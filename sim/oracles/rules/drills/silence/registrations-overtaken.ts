/** The copies of a registration arrive after those of its end: the device has left. */
import { makeUser, register } from '../../use-cases/events/own-device.ts';
import { states } from '../../use-cases/kit/paths.ts';
import { type Item, textOf } from '../../use-cases/kit/use-case.ts';
import { type Drill, drillOf } from '../kit/drill.ts';

const login = 'registrations-overtaken';
const ip = '10.66.21.28';
const lateMs = 2_000;
const pollMs = 250;

export const registrationsOvertaken = drillOf({
  name: login,
  rule: 'When registrars hear of a registration later than of its end, no front shows the device as registered, then or later.',
  exclusions: 'Domains that no sg serves, and clusters with one registrar.',
  sender: '10.6.1.106',
  play: async (drill) => {
    if (drill.context.map.instancesOf('sr').length < 2) return;
    const user = await makeUser(drill, login, { phonenumber: login });
    if (user === undefined) return;
    const leave = () => register(drill, user, { ip, expires: 0 });
    drill.afterwards(leave);
    let lift = () => {};
    await drill.during(
      (faults) => {
        lift = faults.delay({ from: 'sr', to: 'sr', messages: ['registrar.copied'] }, lateMs);
        return lift;
      },
      async () => {
        const statuses = [(await register(drill, user, { ip, expires: 600 })).status];
        // What was sent before is late still.
        lift();
        statuses.push((await leave()).status);
        if (statuses.some((status) => status !== 200)) return;
        await drill.context.questions.wait(drill.quickMs);
        await staysAway(drill, `${states}/${user.id}`);
      },
    );
  },
});

async function staysAway(drill: Drill, path: string): Promise<void> {
  const { questions, now } = drill.context;
  const untilMs = now() + lateMs + drill.quickMs;
  while (now() < untilMs) {
    for (const site of drill.sites) {
      const answer = await drill.ask(path, { site });
      const isShown = answer?.status === 200 && (answer.body as Item)['status'] !== 'offline';
      if (!drill.expect(`GET ${path} at ${site}`, answer, () => (isShown ? textOf(answer) : undefined))) return;
    }
    await questions.wait(pollMs);
  }
}
