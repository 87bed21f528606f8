/** The active registrar of a site crashes, or its node fails: registrations, their times and their number stay. */
import type { InstanceEntry } from '../../../../../src/model/cluster/cluster-map.ts';
import type { SipResponse } from '../../../../../src/model/sip/message.ts';
import { slewedSpeed } from '../../../../faults/skewed-clock.ts';
import { connect, endCalls, steadyUsers } from '../../use-cases/kit/call.ts';
import { calls, sipUsers, states } from '../../use-cases/kit/paths.ts';
import { expecting, type Item, type Judge, textOf } from '../../use-cases/kit/use-case.ts';
import { type Drill, drillOf } from '../kit/drill.ts';

const account = { login: 'registrars-replaced', pwd: 'registrars-replaced-1', phonenumber: '779976' };
const [shortest, longest] = [30, 60];
/** Devices, by address; two of them at a time. */
const [first, second, third] = ['10.66.5.1', '10.66.5.2', '10.66.5.3'];
/** How long the end of a registration may take to be seen: the clock of a node may be slow, while it is being corrected. */
const lateMs = 4_000 + shortest * 1_000 * (1 / slewedSpeed - 1);

export const registrarsReplaced = drillOf({
  name: 'registrars-replaced',
  rule: 'When the active registrar of a site crashes or its node fails, devices that were registered stay so until their time is over and no longer, devices that left stay away, others can register, refresh and leave, as many as the user may have, and calls reach them; the registrations of a user who gets another password at that moment end.',
  exclusions:
    'Domains with one registrar, and sites without an sg; the loss of a node that alone has a front, a gate, a gateway or the domain data of its site.',
  sender: '10.6.1.32',
  play: async (drill) => {
    const { map } = drill.context;
    const all = drill.sites.flatMap((site) => map.serving('sr', site, drill.domain));
    const site = drill.sites.find((each) =>
      (['sr', 'sg'] as const).every((role) => map.serving(role, each, drill.domain).length > 0),
    );
    if (site === undefined || all.length < 2) return;
    const opts = { minexpires: shortest, maxexpires: longest };
    const body = { name: 'Replaced', ...account, lic: { devices: 2 }, opts };
    const made = await drill.make(sipUsers, body);
    if (made === undefined) return;
    const { id, path } = made;
    await drill.copied();
    const devices = new Devices(drill, { site, id });
    await whileItCrashes(drill, devices);
    await whileItsTimeEnds(drill, devices);
    await whileItsNodeFails(drill, devices, path);
    await drill.ask(path, { method: 'DELETE' });
    await drill.everywhere(`${states}/${id}`, expecting(404));
  },
});

/** Two devices, which are as many as the user may have, and a call to each of two users. */
async function whileItCrashes(drill: Drill, devices: Devices): Promise<void> {
  const [caller, callee] = await steadyUsers(drill, 2);
  const isCalled = async () =>
    caller === undefined || callee === undefined
      ? false
      : (await connect(drill, { from: caller.number, to: callee.number })) !== undefined;
  const couldCall = await isCalled();
  if (couldCall)
    await endCalls(
      drill,
      [caller, callee].flatMap((user) => user ?? []),
    );
  await devices.registers(first, longest);
  await devices.registers(second, longest);
  await devices.isShown(true, drill.quickMs);
  devices.crash();
  await devices.isShown(true);
  await devices.isRefused(third);
  if (couldCall && caller !== undefined) {
    await drill.holds(drill.noticedMs, `a call of ${callee?.number} is answered`, isCalled);
    await endCalls(
      drill,
      [caller, callee].flatMap((user) => user ?? []),
    );
    await devices.isReached(caller.number);
  }
  await devices.registers(first, longest);
  await devices.registers(second, 0);
  await devices.registers(third, longest);
  await devices.isRefused(second);
  await drill.becomesWhole();
}

/** A registration ends when it would have ended, also one that another registrar has taken over. */
async function whileItsTimeEnds(drill: Drill, devices: Devices): Promise<void> {
  const { questions, now } = drill.context;
  await devices.registers(first, 0);
  await devices.registers(third, 0);
  await devices.isShown(false, drill.quickMs);
  await devices.registers(second, shortest);
  const endMs = now() + shortest * 1_000;
  await devices.isShown(true, drill.quickMs);
  // With all of its time from now on it would last longer than a slow clock makes it last.
  await questions.wait(Math.max(0, endMs - now() - (shortest * 1_000) / 2));
  devices.crash();
  await devices.isShown(true);
  await questions.wait(Math.max(0, endMs - now() - 2_000));
  await devices.isShown(true, 0);
  await questions.wait(2_000);
  await devices.isShown(false, lateMs);
  await drill.becomesWhole();
}

async function whileItsNodeFails(drill: Drill, devices: Devices, path: string): Promise<void> {
  const { map } = drill.context;
  const [sr] = drill.activeOf('sr', devices.site);
  if (sr === undefined) return;
  const { nodes, arbiters } = map.site(devices.site);
  const others = nodes.filter(({ name }) => name !== sr.node).flatMap(({ instances }) => instances);
  const [gate] = others.filter(({ role }) => role === 'sg');
  const canAct = nodes.length % 2 === 1 || arbiters.length > 0;
  const needed = ['rpco', 'ws', 'sr', ...(devices.site === map.masterSite.name ? ['mdc'] : [])];
  const isServed = needed.every((role) => others.some((instance) => instance.role === role));
  if (gate === undefined || !canAct || !isServed) return;
  await devices.registers(first, longest, gate);
  await devices.isShown(true, drill.quickMs);
  await drill.without([sr.node], async () => {
    await devices.isShown(true);
    await devices.registers(second, longest, gate);
    // A registrar of another site asks by the node that is lost whether the devices answer, until it knows of the loss.
    await drill.context.questions.wait(drill.noticedMs);
    await devices.isRefused(third, gate);
    await devices.registers(first, 0, gate);
    await devices.registers(second, 0, gate);
    await devices.isShown(false);
  });
  await devices.isShown(false, 0);
  // The one that was away serves, where it is next.
  devices.crash();
  await devices.isShown(false);
  await devices.registers(third, shortest);
  await devices.isShown(true, drill.quickMs);
  await devices.registers(third, 0);
  await devices.isShown(false, drill.quickMs);
  await drill.becomesWhole();
  await whilePasswordChanges(drill, devices, { path, node: sr.node, gate });
}

interface PasswordChange {
  readonly path: string;
  readonly node: string;
  readonly gate: InstanceEntry;
}

/** The node of the registrar has failed, and others do not know it yet, when the user gets another password. */
async function whilePasswordChanges(
  drill: Drill,
  devices: Devices,
  { path, node, gate }: PasswordChange,
): Promise<void> {
  if (!drill.activeOf('sr', devices.site).some((sr) => sr.node === node)) return;
  await devices.registers(first, longest, gate);
  await devices.isShown(true, drill.quickMs);
  await drill.without([node], async () => {
    const changed = await drill.ask(path, { method: 'PATCH', body: { pwd: `${account.pwd}-new` } });
    if (changed?.status === 200) await devices.isShown(false);
  });
}

/** The devices of a SIP user, and the site of their registrar. */
class Devices {
  readonly site: string;
  readonly #drill: Drill;
  readonly #id: string;

  constructor(drill: Drill, { site, id }: { site: string; id: string }) {
    this.#drill = drill;
    this.site = site;
    this.#id = id;
  }

  crash(): void {
    for (const sr of this.#drill.activeOf('sr', this.site)) this.#drill.crash(sr);
  }

  /** A registrar serves within the time in which one takes over. */
  async registers(ip: string, expires: number, gate?: InstanceEntry): Promise<void> {
    await this.#isAnswered(
      ip,
      { expires, gate },
      ({ status, expires: granted }) => status === 200 && granted === expires,
    );
  }

  /** All that the user may have are registered, and answer. */
  async isRefused(ip: string, gate?: InstanceEntry): Promise<void> {
    await this.#isAnswered(ip, { expires: longest, gate }, ({ status }) => status === 403);
  }

  /** Each front that is open shows whether one of them is registered. */
  async isShown(isOnline: boolean, withinMs = this.#drill.noticedMs): Promise<void> {
    const judge: Judge = (answer) => {
      const { status } = (answer?.body ?? {}) as { status?: unknown };
      const isRight = answer?.status === 200 && status === (isOnline ? 'online' : 'offline');
      return isRight ? undefined : `expected ${isOnline ? 'online' : 'offline'}, got ${textOf(answer)}`;
    };
    const { sites } = this.#drill.context.questions;
    await this.#drill.everywhere(`${states}/${this.#id}`, judge, withinMs, { sites });
  }

  /** A call gets to the devices, which refuse it. */
  async isReached(number: string): Promise<void> {
    const body = { from: number, to: account.phonenumber, response_mode: 3 };
    const answer = await this.#drill.ask(calls, { method: 'INVITE', body });
    const { last_response: last, result } = (answer?.body ?? {}) as Item;
    // The phone of the caller may be busy.
    if (answer?.status !== 200 || result !== 'ok') return;
    this.#drill.expect(`a call to ${account.phonenumber}`, answer, () =>
      String(last).includes(' 404 ') ? undefined : `expected 404 of a device, got ${textOf(answer)}`,
    );
  }

  async #isAnswered(
    ip: string,
    { expires, gate }: { expires: number; gate: InstanceEntry | undefined },
    isRight: (response: SipResponse) => boolean,
  ): Promise<void> {
    const { domain, context, noticedMs } = this.#drill;
    const [usual] = context.map.serving('sg', this.site, domain);
    const at = gate ?? usual;
    if (at === undefined) return;
    let response: SipResponse | undefined;
    await this.#drill.holds(noticedMs, `REGISTER of ${ip} is served`, async () => {
      response = await context.questions.register({
        ...account,
        username: account.login,
        ip,
        domain,
        gate: at,
        expires,
      });
      return response.status !== 503 && response.status !== 408;
    });
    const got = response;
    this.#drill.expect(`REGISTER of ${ip} for ${expires} s`, undefined, () =>
      got !== undefined && isRight(got) ? undefined : `got ${got?.status}, expires ${got?.expires}`,
    );
  }
}
