/** Devices that register, refresh, move, leave or are dropped on one side of a cut, and what the other side knows of that then. */
import type { InstanceEntry } from '../../../../../src/model/cluster/cluster-map.ts';
import { boundsOf } from '../../../bounds.ts';
import { type SteadyUser, steadyUsers } from '../../use-cases/kit/call.ts';
import { EventClient } from '../../use-cases/kit/event-client.ts';
import { calls, sipUsers, states } from '../../use-cases/kit/paths.ts';
import { expecting, type Item, type Judge, textOf } from '../../use-cases/kit/use-case.ts';
import { acrossCut, type Cut, type CutSide, cutOf, siteOf, without } from '../kit/cut.ts';
import { type Drill, drillOf } from '../kit/drill.ts';

const pwd = 'registrations-across-cuts-1';
/** Seconds that a registration may last. */
const [shortest, longest] = [20, 120];
const names = ['moves', 'leaves', 'stays', 'expires', 'dropped', 'revoked', 'doubled'] as const;
type Name = (typeof names)[number];

export const registrationsAcrossCuts = drillOf({
  name: 'registrations-across-cuts',
  rule: 'When a site is cut off, the devices that register, refresh, move or leave there, or are dropped there, do so on that side at once, and at all sites after the cut; one that is not refreshed ends on both sides at its time, and subscribers on each side hear of each end there, and that the user is offline; one whose password is changed on the side of the master site is dropped on the other side after the cut, also if it was refreshed there; a call reaches the device where it is then.',
  exclusions: 'Clusters of one site, and domains that are not served on both sides.',
  sender: '10.6.1.25',
  play: async (drill) => {
    const cut = await cutOf(drill);
    if (cut === undefined) return;
    const [inner, outer] = cut.sides.map((side) => gateOf(drill, side));
    if (inner === undefined || outer === undefined) return;
    const made = await make(drill);
    const play = new Play({ drill, cut, made, gates: [inner, outer] });
    if (made.size === names.length) await play.run();
    for (const id of made.values()) await drill.ask(`${sipUsers}/${id}`, { method: 'DELETE' });
    await drill.copied();
    for (const id of made.values()) await drill.everywhere(`${states}/${id}`, expecting(404), 0);
  },
});

/** An sg of a site of the side that has all that registrations need. */
function gateOf({ context: { map }, domain }: Drill, side: CutSide): InstanceEntry | undefined {
  const sites = side.serving('sr').filter((site) => site === map.masterSite.name || side.serving('sdc').includes(site));
  return sites.flatMap((site) => map.serving('sg', site, domain))[0];
}

async function make(drill: Drill): Promise<ReadonlyMap<Name, string>> {
  const made = new Map<Name, string>();
  for (const name of names) {
    const opts = { minexpires: shortest, maxexpires: longest };
    const account = { login: loginOf(name), pwd, phonenumber: numberOf(name) };
    const user = await drill.make(sipUsers, { name, ...account, lic: { devices: 2 }, opts });
    if (user !== undefined) made.set(name, user.id);
  }
  await drill.copied();
  return made;
}

function numberOf(name: Name): string {
  return `77998${names.indexOf(name)}`;
}

function loginOf(name: Name): string {
  return `registrations-${name}`;
}

/** The address of a device of a user. */
function ipOf(name: Name, device = 1): string {
  return `10.66.2${device}.${names.indexOf(name) + 1}`;
}

interface PlayOptions {
  readonly drill: Drill;
  readonly cut: Cut;
  readonly made: ReadonlyMap<Name, string>;
  /** Of the side that is cut off, and of the other one. */
  readonly gates: readonly [InstanceEntry, InstanceEntry];
}

interface Device {
  readonly device?: number;
  readonly gate: InstanceEntry;
  readonly expires?: number;
  readonly password?: string;
  readonly status?: number;
}

/** How an end is heard. */
type End = 'unregister' | 'expire';

class Play {
  /** Each hears what happens to the devices, on its side. */
  readonly #subscribers = new Map<CutSide, EventClient>();
  readonly #drill: Drill;
  readonly #cut: Cut;
  readonly #made: ReadonlyMap<Name, string>;
  readonly #gates: readonly [InstanceEntry, InstanceEntry];

  constructor({ drill, cut, made, gates }: PlayOptions) {
    this.#drill = drill;
    this.#cut = cut;
    this.#made = made;
    this.#gates = gates;
  }

  async run(): Promise<void> {
    const { questions, now } = this.#drill.context;
    const { inside, outside, master, other } = this.#cut;
    const [inner, outer] = this.#gates;
    const users = await steadyUsers(this.#drill, 8);
    const [[here], [there]] = [inside.usersOf(users), outside.usersOf(users)];
    for (const side of [inside, outside]) await this.#subscribe(side);
    await this.#register('moves', { gate: outer });
    await this.#register('leaves', { gate: outer });
    await this.#register('dropped', { gate: inner });
    await this.#register('revoked', { gate: other === inside ? inner : outer });
    await this.#register('stays', { gate: inner, expires: 30 });
    await this.#register('expires', { gate: inner, expires: shortest });
    const startMs = now();
    const until = (seconds: number) => questions.wait(Math.max(0, startMs + seconds * 1_000 - now()));
    for (const name of names)
      if (name !== 'doubled') await this.#drill.everywhere(this.#state(name), showing('online'));
    await acrossCut(this.#drill, this.#cut, async () => {
      for (const name of ['moves', 'leaves', 'dropped', 'revoked', 'stays'] as const)
        await this.#shows(name, 'online', 'online');
      await this.#register('moves', { gate: inner });
      await this.#register('leaves', { gate: inner, expires: 0 });
      await this.#register('stays', { gate: inner, expires: longest });
      await this.#register('doubled', { gate: inner });
      await this.#register('doubled', { gate: outer, device: 2 });
      const [front = this.#drill.here] = inside.fronts;
      const drop = await this.#drill.ask(this.#state('dropped'), { site: front, method: 'DELETE' });
      this.#drill.expect(`DELETE of the state of a device at ${front}`, drop, expecting(204));
      await this.#revoke();
      await this.#shows('leaves', 'offline', 'online');
      await this.#shows('dropped', 'offline', 'online');
      await this.#shows('doubled', 'online', 'online');
      for (const name of ['leaves', 'dropped'] as const) await this.#hears(inside, name, 'unregister');
      await this.#hasAt(inside, 'moves', inner.site);
      await this.#hasAt(outside, 'moves', outer.site);
      await this.#hasAt(outside, 'doubled', outer.site);
      await this.#reached(here, ['moves'], ['leaves', 'dropped']);
      await this.#showsAt(master, 'revoked', 'offline', this.#drill.quickMs);
      await this.#showsAt(other, 'revoked', 'online');
      await this.#hears(master, 'revoked', 'unregister');
      await until(shortest + 1);
      await this.#shows('expires', 'offline', 'offline');
      for (const side of [inside, outside]) await this.#hears(side, 'expires', 'expire');
      await until(31);
      await this.#shows('stays', 'online', 'offline');
      await this.#hears(outside, 'stays', 'expire');
    });
    for (const name of ['moves', 'stays', 'doubled'] as const)
      await this.#drill.everywhere(this.#state(name), showing('online'));
    for (const name of ['leaves', 'dropped', 'revoked', 'expires'] as const)
      await this.#drill.everywhere(this.#state(name), showing('offline'));
    await this.#drill.everywhere(this.#item('moves'), having([inner.site]), 0);
    await this.#drill.everywhere(this.#item('stays'), having([inner.site]), 0);
    await this.#drill.everywhere(this.#item('doubled'), having([inner.site, outer.site]), 0);
    await this.#drill.everywhere(this.#item('leaves'), having([]), 0);
    await this.#reached(there, ['moves', 'doubled'], ['leaves', 'dropped', 'revoked', 'expires']);
    await this.#register('revoked', { gate: outer, status: 403 });
    await this.#register('revoked', { gate: inner, password: `${pwd}-other` });
    await this.#register('moves', { gate: outer, expires: 0 });
    await this.#drill.everywhere(this.#state('revoked'), showing('online'));
    await this.#drill.everywhere(this.#state('moves'), showing('offline'));
  }

  #state(name: Name): string {
    return `${states}/${this.#made.get(name)}`;
  }

  #item(name: Name): string {
    return `${sipUsers}/${this.#made.get(name)}`;
  }

  async #register(
    name: Name,
    { device, gate, expires = longest, password = pwd, status = 200 }: Device,
  ): Promise<void> {
    const { context, domain } = this.#drill;
    const who = { ip: ipOf(name, device), username: loginOf(name), domain, pwd: password };
    const response = await context.questions.register({ ...who, gate, expires });
    this.#drill.expect(`REGISTER of the device that ${name}, at ${gate.name}, for ${expires} s`, undefined, () => {
      const isRight = response.status === status && (status !== 200 || response.expires === expires);
      return isRight ? undefined : `expected ${status}, got ${response.status} for ${response.expires} s`;
    });
  }

  /** On the side of the master site the password changes; on the other side the device is refreshed with the old one. */
  async #revoke(): Promise<void> {
    const { inside, master, other } = this.#cut;
    const [site = this.#drill.here] = master.fronts;
    const body = { pwd: `${pwd}-other` };
    const changed = await this.#drill.ask(this.#item('revoked'), { site, method: 'PATCH', body });
    this.#drill.expect(`PATCH of a password at ${site}`, changed, expecting(200, { login: loginOf('revoked') }));
    await this.#register('revoked', { gate: this.#gates[other === inside ? 0 : 1] });
  }

  async #subscribe(side: CutSide): Promise<void> {
    // Events are kept by callstores of the side.
    const site = side.serving('callstore').find((each) => side.fronts.includes(each));
    const client = site && (await EventClient.open(this.#drill, { site }));
    if (!client) return;
    const events = ['registrarevents.*', 'modelevents.data_changed'];
    const { result } = await client.subscribe({ id: pwd, objects: names.map(loginOf), events });
    if (result === 'ok') this.#subscribers.set(side, client);
  }

  /** The subscriber of a side hears, while it is cut off, that the only registration of a user has ended. */
  async #hears(side: CutSide, name: Name, end: End): Promise<void> {
    const client = this.#subscribers.get(side);
    // The oldest of too many sessions is closed.
    if (client === undefined || client.isOver) return;
    const login = loginOf(name);
    const isHeard = (event: string, fields: Item) =>
      client.received.some(
        ({ name: its, data }) =>
          its === event && Object.entries(fields).every(([field, value]) => data[field] === value),
      );
    const ends = () =>
      isHeard(`registrarevents.${end}`, { login, device: ipOf(name), expires: 0 }) &&
      isHeard('modelevents.data_changed', { username: login, status: 'offline' });
    const what = `${client.site} publishes ${end} of the device that ${name}, and that its user is offline`;
    await this.#drill.holds(boundsOf(this.#drill.context.map).subscriberCatchUpMs, what, () => client.isOver || ends());
  }

  async #shows(name: Name, inside: string, outside: string): Promise<void> {
    await this.#showsAt(this.#cut.inside, name, inside, this.#drill.quickMs);
    await this.#showsAt(this.#cut.outside, name, outside, this.#drill.quickMs);
  }

  async #showsAt(side: CutSide, name: Name, status: string, withinMs = 0): Promise<void> {
    await side.everywhere(this.#state(name), () => showing(status), withinMs);
  }

  /** A device is at a site, as those sites of the side show that read the data of the domain. */
  async #hasAt(side: CutSide, name: Name, at: string): Promise<void> {
    await side.everywhere(this.#item(name), (site) => (side.reads(site) ? having([at]) : without('mdc')));
  }

  /** Calls reach the devices of these users, which refuse them, and find none of the others. */
  async #reached(caller: SteadyUser | undefined, reached: readonly Name[], others: readonly Name[]): Promise<void> {
    const site = caller && siteOf(this.#drill, caller);
    if (caller === undefined || site === undefined || !this.#drill.sites.includes(site)) return;
    for (const name of [...reached, ...others]) {
      const body = { from: caller.number, to: numberOf(name), response_mode: 3 };
      const answer = await this.#drill.ask(calls, { site, method: 'INVITE', body });
      const isReached = reached.includes(name);
      this.#drill.expect(`a call to the device that ${name}, at ${site}`, answer, (given) => {
        const { bcallid, last_response: last } = (given?.body ?? {}) as Item;
        const isRight =
          given?.status === 200 &&
          (bcallid !== undefined) === isReached &&
          String(last).startsWith(isReached ? 'SIP/2.0 404' : 'SIP/2.0 480');
        return isRight ? undefined : `expected that it ${isReached ? 'rings' : 'is away'}, got ${textOf(answer)}`;
      });
    }
  }
}

function showing(status: string): Judge {
  return (answer) => {
    const shown = ((answer?.body ?? {}) as Item)['status'];
    return answer?.status === 200 && shown === status ? undefined : `expected ${status}, got ${textOf(answer)}`;
  };
}

/** The devices of the user are reached by these sites. */
function having(sites: readonly string[]): Judge {
  return (answer) => {
    const { devices } = (answer?.body ?? {}) as { readonly devices?: readonly Item[] };
    const found = devices?.map(({ site }) => site).toSorted();
    const isRight = answer?.status === 200 && found?.join() === sites.toSorted().join();
    return isRight ? undefined : `expected devices at ${sites.join() || 'no site'}, got ${JSON.stringify(devices)}`;
  };
}
