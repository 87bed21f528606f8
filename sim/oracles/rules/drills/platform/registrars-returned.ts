/** The active registrar of a site is cut off, and others have not received what devices did there last: they have it when it is back. */
import type { InstanceEntry } from '../../../../../src/model/cluster/cluster-map.ts';
import { makeUser, type OwnSipUser, register, showing } from '../../use-cases/events/own-device.ts';
import { sipUsers } from '../../use-cases/kit/paths.ts';
import { type Drill, drillOf } from '../kit/drill.ts';
import { isSpare } from '../kit/nodes.ts';

const login = 'registrars-returned';
const expires = 600;

/** What a device does: before, at the registrar that is about to be cut off, and meanwhile at its successor. */
interface Course {
  readonly ip: string;
  readonly before?: number;
  readonly unsent: number;
  readonly later?: readonly number[];
  readonly isThere: boolean;
}

const allCourses: readonly Course[] = [
  { ip: '10.66.21.31', unsent: expires, isThere: true },
  { ip: '10.66.21.32', before: expires, unsent: 0, isThere: false },
  { ip: '10.66.21.33', before: expires, unsent: 0, later: [expires], isThere: true },
  { ip: '10.66.21.34', unsent: expires, later: [expires, 0], isThere: false },
  { ip: '10.66.21.35', unsent: expires, later: [0], isThere: false },
];

export const registrarsReturned = drillOf({
  name: login,
  rule: 'When the active registrar of a site is cut off with its node, and the others have not received which devices it has registered last, and which have left, each front shows that soon after it is back, and for a device that came to its successor what it did there.',
  exclusions:
    'Domains without a site that has a second registrar and an sg on other nodes, and can spare the node of the first one.',
  sender: '10.6.1.115',
  play: async (drill) => {
    const { map } = drill.context;
    for (const site of drill.turned([...map.sites.keys()])) {
      const [registrar] = drill.activeOf('sr', site);
      if (registrar === undefined) continue;
      const isElsewhere = ({ node }: InstanceEntry) => node !== registrar.node;
      const gate = map.serving('sg', site, drill.domain).find(isElsewhere);
      const isReplaced = map.groupOf(registrar).some(isElsewhere) && isSpare(drill, registrar.node, []);
      if (gate === undefined || !isReplaced) continue;
      const user = await makeUser(drill, login, { phonenumber: login, lic: { devices: allCourses.length } });
      if (user !== undefined) await cutOff(drill, user, { registrar, gate });
      return;
    }
  },
});

interface Stage {
  readonly registrar: InstanceEntry;
  /** On another node. */
  readonly gate: InstanceEntry;
}

async function cutOff(drill: Drill, user: OwnSipUser, { registrar, gate }: Stage): Promise<void> {
  const { context, noticedMs } = drill;
  // What a device did last is decided by the clocks of the two registrars.
  const courses = drill.areClocksRight ? allCourses : allCourses.filter(({ later }) => later === undefined);
  const path = `${sipUsers}/${user.id}`;
  const send = async (ip: string, seconds: number) =>
    (await register(drill, user, { ip, expires: seconds, gate })).status === 200;
  const sendAll = async (secondsOf: (course: Course) => readonly number[]) => {
    let areServed = true;
    for (const course of courses)
      for (const seconds of secondsOf(course)) areServed = (await send(course.ip, seconds)) && areServed;
    return areServed;
  };
  const there = courses.filter(({ isThere }) => isThere).map(({ ip }) => ip);
  drill.afterwards(() => sendAll(() => [0]));
  if (!(await sendAll(({ before }) => (before === undefined ? [] : [before])))) return;
  const ofBefore = courses.filter(({ before }) => before !== undefined).map(({ ip }) => ip);
  if (!(await drill.everywhere(path, showing(ofBefore)))) return;
  const lift = context.faults.lose({ from: registrar.name, oneWay: true, messages: ['registrar.copied'] }, 1);
  drill.afterwards(async () => lift());
  const isHeard = await sendAll(({ unsent }) => [unsent]);
  let isServed = false;
  await drill.during(
    (faults) => {
      const end = faults.cut({ from: registrar.node });
      lift();
      return end;
    },
    async () => {
      await context.questions.wait(noticedMs);
      const [next = registrar] = drill.activeOf('sr', registrar.site).filter(({ node }) => node !== registrar.node);
      isServed = isHeard && next !== registrar && (await sendAll(({ later = [] }) => later));
    },
  );
  if (isServed) await drill.everywhere(path, showing(there), noticedMs);
}
