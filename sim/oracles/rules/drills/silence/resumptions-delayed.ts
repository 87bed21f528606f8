/** The past of a feed comes late, while its events go on or its callstore is lost: a subscription that continues from a cursor misses none, and gets none twice. */
import { boundsOf } from '../../../bounds.ts';
import { makeUser, register } from '../../use-cases/events/own-device.ts';
import { EventClient } from '../../use-cases/kit/event-client.ts';
import type { Item } from '../../use-cases/kit/use-case.ts';
import { type Drill, drillOf } from '../kit/drill.ts';

const login = 'resumptions-delayed';
const ip = '10.66.21.27';
/** Of each hop: a front waits two seconds for an answer that comes over several. */
const lateMs = 450;
/** By then a callstore has been asked. */
const readMs = 300;
const count = 9;
const everyMs = 200;

export const resumptionsDelayed = drillOf({
  name: login,
  rule: 'When fronts read the past of events slowly, a subscription that goes on from its cursor while events are published gets each of them once, in their order, and no gap; so do it and the subscriptions that go on already when the callstore crashes meanwhile, and another one serves.',
  exclusions: 'Domains that no sg serves, and sites with an sg and no callstore.',
  sender: '10.6.1.104',
  play: async (drill) => {
    const user = await makeUser(drill, login, { phonenumber: login });
    if (user === undefined) return;
    // Its events need one.
    if (drill.context.map.serving('callstore', user.gate.site, drill.domain).length === 0) return;
    const enter = (expires: number) => register(drill, user, { ip, expires });
    if ((await enter(600)).status !== 200) return;
    drill.afterwards(() => enter(0));
    await drill.copied();
    const subscription = { id: login, objects: [login], events: ['registrarevents.*'] };
    // What a front reads of its own site may be at hand.
    const site = drill.sites.find((each) => each !== user.gate.site) ?? drill.there;
    const before = await EventClient.open(drill, { site });
    const { cursor } = (await before?.subscribe(subscription)) ?? {};
    await before?.close();
    if (typeof cursor !== 'string') return;
    await drill.during(
      (faults) => faults.delay({ from: '*', messages: ['events.read'], kinds: ['reply'] }, lateMs),
      () => resume(drill, { site, subscription: { ...subscription, cursor } }, enter),
    );
    await replace(drill, subscription, enter);
  },
});

type Enter = (expires: number) => Promise<{ readonly status: number }>;

async function resume(
  drill: Drill,
  { site, subscription }: { readonly site: string; readonly subscription: Item },
  enter: Enter,
): Promise<void> {
  const client = await EventClient.open(drill, { site });
  if (client === undefined) return;
  const answer = await client.subscribe(subscription);
  if (answer['result'] !== 'ok') return;
  // Its first page is read, has none of these, and is still on its way.
  await drill.context.questions.wait(readMs);
  const sent: number[] = [];
  // Each refresh has another time, by which its event is known.
  for (let expires = 600; expires < 600 + count; expires += 1) {
    if ((await enter(expires)).status !== 200) return;
    sent.push(expires);
    await drill.context.questions.wait(everyMs);
  }
  await client.holds(() => client.eventsOf(login).length >= sent.length, drill.patienceMs);
  isSent(drill, 'a subscription that goes on while events are published', { client, id: login, answer, sent });
}

interface Sent {
  readonly client: EventClient;
  readonly id: string;
  /** To the subscription. */
  readonly answer: Item;
  readonly sent: readonly number[];
}

function isSent(drill: Drill, what: string, { client, id, answer, sent }: Sent): void {
  const got = client.eventsOf(id).map(({ data }) => Number(data['expires']));
  const gaps = [
    ...('gap' in answer ? ['gap'] : []),
    ...client.notices.flatMap(([name, body]) => (body['id'] === id ? [name] : [])),
  ];
  drill.expect(what, undefined, () =>
    got.join() === sent.join() && gaps.length === 0
      ? undefined
      : `expected the events of ${sent.join()}, got ${got.join() || 'none'}${gaps.length === 0 ? '' : `, and ${gaps.join()}`}`,
  );
}

/** Callstores crash while fronts wait for what they have asked them, where another one stands by. */
async function replace(drill: Drill, subscription: Item, enter: Enter): Promise<void> {
  const { map, statusOf, questions } = drill.context;
  const stores = [...map.sites.keys()].map((site) => map.serving('callstore', site, drill.domain));
  const active = stores.flatMap((group) =>
    group.some((each) => statusOf(each) === 'standby') ? group.filter((each) => statusOf(each) === 'active') : [],
  );
  if (active.length === 0) return;
  const subscribed: Pick<Sent, 'client' | 'id' | 'answer'>[] = [];
  for (const site of drill.sites) {
    const client = await EventClient.open(drill, { site });
    const answer = await client?.subscribe({ ...subscription, id: 'before' });
    if (client === undefined || answer?.['result'] !== 'ok') return;
    subscribed.push({ client, id: 'before', answer });
  }
  const sent = [700, 701, 702] as const;
  const [past, meanwhile, later] = sent;
  if ((await enter(past)).status !== 200) return;
  await drill.copied();
  let isEntered = false;
  await drill.during(
    (faults) => faults.hold({ from: '*', kinds: ['reply', 'fault'], messages: ['events.read'] }),
    async () => {
      const behind = async ({ client, answer: { cursor } }: Pick<Sent, 'client' | 'answer'>) => {
        const answer = await client.subscribe({ ...subscription, id: 'behind', cursor }, 2 * drill.patienceMs);
        return { client, id: 'behind', answer };
      };
      subscribed.push(...(await Promise.all(subscribed.map(behind))));
      for (const store of active) drill.crash(store);
      isEntered = (await enter(meanwhile)).status === 200;
      await questions.wait(drill.noticedMs);
    },
  );
  if (!isEntered || (await enter(later)).status !== 200) return;
  for (const { client, id, answer } of subscribed) {
    const withinMs = boundsOf(map).subscriberCatchUpMs;
    await client.holds(() => client.eventsOf(id).length >= sent.length, withinMs);
    isSent(drill, `the subscription ${id} at ${client.site} when its callstore has crashed`, {
      client,
      id,
      answer,
      sent,
    });
  }
}
