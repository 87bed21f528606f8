/** The node of a gate is lost, with devices that are registered through the gate: the platform reaches them through another one. */
import type { InstanceEntry } from '../../../../../src/model/cluster/cluster-map.ts';
import { makeUser, type OwnSipUser, register, showing } from '../../use-cases/events/own-device.ts';
import { type SteadyUser, steadyUsers } from '../../use-cases/kit/call.ts';
import { EventClient } from '../../use-cases/kit/event-client.ts';
import { states } from '../../use-cases/kit/paths.ts';
import { expecting, type Item } from '../../use-cases/kit/use-case.ts';
import { type Drill, drillOf } from '../kit/drill.ts';
import { gatesOf, isSpare, sitesWithout } from '../kit/nodes.ts';

const expires = 600;
const opts = { minexpires: 15, maxexpires: expires };
/** Of the user with two devices that answer: these, and one that comes later. */
const answering = { login: 'devices-reached', phonenumber: '779942', lic: { devices: 2 } };
const [first, second, later] = ['10.66.6.1', '10.66.6.2', '10.66.6.3'] as const;
/** Of the user whose only device does not answer: nothing is at its contact. */
const silent = { login: 'devices-reached-silent', phonenumber: '779943', lic: { devices: 1 } };
const [away, next, refused] = ['10.66.6.4', '10.66.6.5', '10.66.6.6'] as const;
const awayContact = `sip:${silent.login}@10.66.6.9:5070`;
/** A phone asks a gate so long, and waits before it asks the next one: twice, where a node has two gates. */
const nextGateMs = 2 * (10_000 + 2_000);

export const devicesReached = drillOf({
  name: 'devices-reached',
  rule: 'When the node of a gate is lost, devices that are registered through the gate stay registered, and are asked and notified through another gate: a device that answers keeps its place, and another one is refused; one that is silent is replaced, with its events; one that an administrator drops by its state, the number of devices or the password is notified within seconds, and a phone registers again through another gate.',
  exclusions: 'Domains with one gate, and gates whose node their site or its front needs.',
  sender: '10.6.1.66',
  play: async (drill) => {
    const place = await placeOf(drill);
    if (place === undefined) return;
    const there = await makeUser(drill, answering.login, { ...answering, opts });
    const gone = there && (await makeUser(drill, silent.login, { ...silent, opts }));
    if (there === undefined || gone === undefined) return;
    const { gate } = place;
    const came = [
      await register(drill, there, { ip: first, expires, gate }),
      await register(drill, there, { ip: second, expires, gate }),
      await register(drill, gone, { ip: away, expires, gate, contact: awayContact }),
    ];
    if (came.some(({ status }) => status !== 200)) return;
    await drill.everywhere(there.path, showing([first, second]));
    await drill.everywhere(gone.path, showing([away]));
    await drill.without([gate.node], () => reach(drill, place, there, gone));
  },
});

interface Place {
  /** The gate that is lost, and another one. */
  readonly gate: InstanceEntry;
  readonly other: InstanceEntry;
  /** Sites whose front stays. */
  readonly sites: readonly string[];
  /** A user whose phone is registered through the gate, and has another one at its site. */
  readonly user: SteadyUser | undefined;
}

async function placeOf(drill: Drill): Promise<Place | undefined> {
  const { map } = drill.context;
  const gates = [...map.sites.keys()].flatMap((site) => drill.activeOf('sg', site));
  const users = await steadyUsers(drill, 4);
  const all = gates.flatMap((gate): Place[] => {
    const others = gates.filter(({ node }) => node !== gate.node);
    const other = others.find(({ site }) => site === gate.site) ?? others[0];
    const sites = sitesWithout(drill, gate.node);
    const isData = (['mdc', 'sdc'] as const).every((role) => {
      const serving = map.serving(role, gate.site, drill.domain);
      return serving.length === 0 || serving.some(({ node }) => node !== gate.node);
    });
    if (other === undefined || !isData || !sites.includes(drill.here) || !isSpare(drill, gate.node, [])) return [];
    const user = users.find((each) => gatesOf(drill, each).includes(gate.name));
    return [{ gate, other, sites, user: other.site === gate.site ? user : undefined }];
  });
  return all.find(({ user }) => user !== undefined) ?? all[0];
}

async function reach(drill: Drill, place: Place, there: OwnSipUser, gone: OwnSipUser): Promise<void> {
  const { questions } = drill.context;
  await questions.wait(drill.noticedMs);
  const events = await EventClient.open(drill);
  const notified = questions.deactivated();
  try {
    if (events === undefined) return;
    await events.subscribe({ id: 'r', objects: [silent.login], events: ['registrarevents.*'] });
    await replaces(drill, place, gone, events);
    await drops(drill, place, there, notified);
    await movesPhone(drill, place, notified);
  } finally {
    notified.stop();
  }
}

/** Another device takes the place of the silent one. */
async function replaces(drill: Drill, { other, sites }: Place, user: OwnSipUser, events: EventClient): Promise<void> {
  await answers(drill, user, { ip: next, gate: other, status: 200 });
  await drill.everywhere(user.path, showing([next]), drill.quickMs, { sites });
  const expected = [`registrarevents.unregister ${awayContact}`, `registrarevents.register ${contactOf(user, next)}`];
  await events.holds(() => events.eventsOf('r').length >= expected.length, drill.quickMs);
  const had = events.eventsOf('r').map(({ name, data }) => `${name} ${String(data['contact'])}`);
  drill.expect(`events of ${user.login}`, undefined, () =>
    had.toSorted().join() === expected.toSorted().join()
      ? undefined
      : `expected ${expected.join()}, got ${had.join() || 'none'}`,
  );
  await answers(drill, user, { ip: refused, gate: other, status: 403 });
  await drill.everywhere(user.path, showing([next]), drill.quickMs, { sites });
}

/** Devices that answer keep their places until an administrator drops them. */
async function drops(
  drill: Drill,
  { other, sites }: Place,
  user: OwnSipUser,
  { endpoints }: { readonly endpoints: readonly string[] },
): Promise<void> {
  const site = sites.at(-1) ?? drill.here;
  await answers(drill, user, { ip: later, gate: other, status: 403 });
  await drill.everywhere(user.path, showing([first, second]), 0, { sites });
  const change = async (body: Item, left: readonly string[], notified: readonly string[]) => {
    const what = Object.keys(body).join();
    const answer = await drill.ask(user.path, { method: 'PATCH', site, body });
    if (!drill.expect(`PATCH of ${what} at ${site}`, answer, expecting(200))) return;
    await drill.everywhere(user.path, showing(left), drill.quickMs, { sites });
    const own = () =>
      [first, second, later].flatMap((ip) => endpoints.filter((to) => to === `${ip}:5060`).map(() => ip));
    await drill.holds(
      drill.quickMs,
      `one NOTIFY after a PATCH of ${what} for each of ${notified.join()}`,
      () => own().join() === notified.join(),
    );
  };
  await change({ lic: { devices: 1 } }, [second], [first]);
  await change({ pwd: `${user.pwd}-2` }, [], [first, second]);
}

/** The phone of a user registers again after its state was removed. */
async function movesPhone(
  drill: Drill,
  { gate, sites, user }: Place,
  { endpoints }: { readonly endpoints: readonly string[] },
): Promise<void> {
  if (user === undefined) return;
  const phone = () => drill.phonesOf(user)[0];
  const before = phone();
  // It may have noticed, and moved.
  if (before?.gate !== gate.name || before.state !== 'registered') return;
  const site = sites.at(-1) ?? drill.here;
  const deleted = await drill.ask(`${states}/${user.id}`, { method: 'DELETE', site });
  if (!drill.expect(`DELETE of the state of ${user.login} at ${site}`, deleted, expecting(204))) return;
  const isNotified = () => endpoints.includes(before.endpoint);
  if (!(await drill.holds(drill.quickMs, `a NOTIFY for the phone of ${user.login}`, isNotified))) return;
  const isBack = () => phone()?.state === 'registered' && phone()?.gate !== gate.name && phone()?.isRegistered === true;
  await drill.holds(nextGateMs, `the phone of ${user.login} registers through another gate`, isBack);
  await drill.everywhere(`${states}/${user.id}`, expecting(200, { status: 'online' }), drill.quickMs, { sites });
}

interface Asked {
  readonly ip: string;
  readonly gate: InstanceEntry;
  readonly status: number;
}

async function answers(drill: Drill, user: OwnSipUser, { ip, gate, status }: Asked): Promise<void> {
  const response = await register(drill, user, { ip, expires, gate });
  drill.expect(`REGISTER of ${ip} at ${gate.name}`, undefined, () =>
    response.status === status ? undefined : `expected ${status}, got ${response.status}`,
  );
}

function contactOf({ login }: OwnSipUser, ip: string): string {
  return `sip:${login}@${ip}:5060`;
}
