/** The past of a feed comes late, while its events go on: a subscription that continues from a cursor misses none, and gets none twice. */
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
  rule: 'When fronts read the past of events slowly, a subscription that goes on from its cursor while events are published gets each of them once, in their order, and no gap.',
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
  },
});

async function resume(
  drill: Drill,
  { site, subscription }: { readonly site: string; readonly subscription: Item },
  enter: (expires: number) => Promise<{ readonly status: number }>,
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
  const got = () => client.eventsOf(login).map(({ data }) => Number(data['expires']));
  await client.holds(() => got().length >= sent.length, drill.patienceMs);
  const gaps = [...('gap' in answer ? ['gap'] : []), ...client.notices.map(([name]) => name)];
  drill.expect('a subscription that goes on while events are published', undefined, () =>
    got().join() === sent.join() && gaps.length === 0
      ? undefined
      : `expected the events of ${sent.join()}, got ${got().join() || 'none'}${gaps.length === 0 ? '' : `, and ${gaps.join()}`}`,
  );
}
