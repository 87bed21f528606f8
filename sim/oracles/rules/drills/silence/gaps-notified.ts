/** Events are lost for good: their source crashes before any callstore has fetched what it has missed of them. */
import type { InstanceEntry } from '../../../../../src/model/cluster/cluster-map.ts';
import { boundsOf } from '../../../bounds.ts';
import { makeUser, type OwnSipUser, register } from '../../use-cases/events/own-device.ts';
import { EventClient } from '../../use-cases/kit/event-client.ts';
import { type Drill, drillOf } from '../kit/drill.ts';

const login = 'gaps-notified';
const ip = '10.66.21.29';
/** A callstore that has missed an event asks for it by then. */
const askedMs = 500;
const subscription = { objects: [login], events: ['registrarevents.*'] };

export const gapsNotified = drillOf({
  name: login,
  rule: 'When a registrar crashes, and its callstores have missed one of its events and not the next one, each subscription is sent the event or the notice of a gap, and the events that come after; so is one that begins behind a cursor from before, whether callstores answer then or later.',
  exclusions: 'Domains that no sg serves; sites with a callstore on the node of each registrar.',
  sender: '10.6.1.107',
  play: async (drill) => {
    const user = await makeUser(drill, login, { phonenumber: login });
    if (user === undefined) return;
    const { map } = drill.context;
    for (const site of drill.turned([...map.sites.keys()])) {
      const [gate] = map.serving('sg', site, drill.domain);
      const registrar = gate && (await apartRegistrar(drill, site));
      if (gate !== undefined && registrar !== undefined) return lose(drill, user, { registrar, gate });
    }
  },
});

/** The active registrar of a site, on a node without a callstore: another one takes over where that is needed. */
async function apartRegistrar(drill: Drill, site: string): Promise<InstanceEntry | undefined> {
  const { map, questions } = drill.context;
  const stores = map.serving('callstore', site, drill.domain);
  const isApart = (registrar: InstanceEntry) =>
    stores.length > 0 && stores.every(({ node }) => node !== registrar.node);
  const [active] = drill.activeOf('sr', site);
  if (active === undefined || isApart(active)) return active;
  if (!map.groupOf(active).some(isApart)) return undefined;
  drill.crash(active);
  await questions.wait(drill.noticedMs);
  await drill.becomesWhole();
  return drill.activeOf('sr', site).find(isApart);
}

/** A client that has subscribed before the loss, and the cursor that it was given. */
interface Follower {
  readonly client: EventClient;
  readonly cursor: unknown;
}

async function lose(
  drill: Drill,
  user: OwnSipUser,
  { registrar, gate }: { readonly registrar: InstanceEntry; readonly gate: InstanceEntry },
): Promise<void> {
  const { questions } = drill.context;
  const followers: Follower[] = [];
  for (const site of drill.sites) {
    const client = await EventClient.open(drill, { site });
    const answer = await client?.subscribe({ id: login, ...subscription });
    if (client !== undefined && answer?.['result'] === 'ok') followers.push({ client, cursor: answer['cursor'] });
  }
  // Each has another time, by which its event is known.
  const enter = async (expires: number) => (await register(drill, user, { ip, expires, gate })).status === 200;
  drill.afterwards(() => enter(0));
  if (!(await enter(600))) return;
  const { name: from } = registrar;
  let isDone = false;
  await drill.during(
    (faults) => faults.hold({ from, oneWay: true, kinds: ['reply', 'fault'], messages: ['stream.read'] }),
    async () => {
      const lift = drill.context.faults.lose({ from, oneWay: true, messages: ['stream.published'] }, 1);
      const isLost = await enter(601);
      lift();
      isDone = isLost && (await enter(602));
      await questions.wait(askedMs);
      drill.crash(registrar);
      await questions.wait(drill.noticedMs);
    },
  );
  if (!isDone || !(await enter(603))) return;
  for (const { client } of followers) await hasAll(drill, client, { id: login, isAnswered: false });
  for (const { client, cursor } of followers) {
    const { gap } = await client.subscribe({ id: 'behind', ...subscription, cursor });
    await hasAll(drill, client, { id: 'behind', isAnswered: gap === true });
  }
  const answered = new Map<EventClient, boolean>();
  await drill.during(
    (faults) => faults.hold({ from: '*', kinds: ['reply', 'fault'], messages: ['events.read'] }),
    async () => {
      const subscribe = async ({ client, cursor }: Follower) => {
        const { gap } = await client.subscribe({ id: 'unread', ...subscription, cursor }, 2 * drill.patienceMs);
        answered.set(client, gap === true);
      };
      await Promise.all(followers.map(subscribe));
    },
  );
  for (const { client } of followers)
    await hasAll(drill, client, { id: 'unread', isAnswered: answered.get(client) === true });
}

interface Sent {
  readonly id: string;
  /** Whether the answer to the subscription has said that events are lost. */
  readonly isAnswered: boolean;
}

/** A subscription was sent what came after the loss, and what was lost, or that it is. */
async function hasAll(drill: Drill, client: EventClient, { id, isAnswered }: Sent): Promise<void> {
  const got = () => client.eventsOf(id).map(({ data }) => Number(data['expires']));
  const gaps = () => client.notices.filter(([notice, body]) => notice === 'gap' && body['id'] === id).length;
  const isRight = () =>
    [600, 602, 603].every((each) => got().includes(each)) && (got().includes(601) || isAnswered || gaps() > 0);
  await client.holds(isRight, boundsOf(drill.context.map).subscriberCatchUpMs);
  drill.expect(`what the subscription ${id} of a client at ${client.site} was sent`, undefined, () =>
    isRight()
      ? undefined
      : `expected 600, 602, 603, and 601 or a gap, got ${got().join() || 'none'} and ${gaps()} gaps${isAnswered ? ' and one in the answer' : ''}`,
  );
}
