/** The copies of a registration arrive after those of its end: the device has left. Its un-REGISTER arrives after its next REGISTER: it is there. */
import type { InstanceEntry } from '../../../../../src/model/cluster/cluster-map.ts';
import { makeUser, type OwnSipUser, register, showing } from '../../use-cases/events/own-device.ts';
import { states } from '../../use-cases/kit/paths.ts';
import { type Item, textOf } from '../../use-cases/kit/use-case.ts';
import { type Drill, drillOf } from '../kit/drill.ts';

const login = 'registrations-overtaken';
const ip = '10.66.21.28';
const lateMs = 2_000;
const pollMs = 250;
/** From the un-REGISTER to the next REGISTER, and until the first one arrives: an edge does not wait for longer than two seconds. */
const [soonMs, heldMs] = [200, 1_000] as const;

export const registrationsOvertaken = drillOf({
  name: login,
  rule: 'When registrars hear of a registration later than of its end, no front shows the device as registered, then or later. When a REGISTER overtakes the un-REGISTER before it, the device is registered at each front.',
  exclusions: 'Domains that no sg serves; the first for clusters with one registrar.',
  sender: '10.6.1.106',
  play: async (drill) => {
    const user = await makeUser(drill, login, { phonenumber: login });
    if (user === undefined) return;
    const leave = () => register(drill, user, { ip, expires: 0 });
    drill.afterwards(leave);
    // Messages inside a node are not late: the b2b and the registrar of one of the gates may be on one node.
    const gates = drill.context.map.serving('sg', user.gate.site, drill.domain).slice(0, 2);
    for (const gate of gates) await returnsEarly(drill, user, gate);
    if (drill.context.map.instancesOf('sr').length < 2 || (await leave()).status !== 200) return;
    await drill.copied();
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

/** It registers again while its un-REGISTER is on its way from the b2b that serves it to the registrar. */
async function returnsEarly(drill: Drill, user: OwnSipUser, gate: InstanceEntry): Promise<void> {
  const { questions } = drill.context;
  const send = async (expires: number) => (await register(drill, user, { ip, expires, gate })).status;
  if ((await send(600)) !== 200) return;
  let isBack = false;
  await drill.during(
    (faults) => faults.delay({ from: 'b2b', to: 'sr', messages: ['registrar.unbind'] }, heldMs),
    async () => {
      const left = send(0);
      await questions.wait(soonMs);
      isBack = (await send(600)) === 200;
      await left;
    },
  );
  if (isBack) await drill.everywhere(user.path, showing([ip]));
}

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
