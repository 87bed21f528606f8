/** Subscribers learn of each change of a registration once, from the instance that made it. */
import { nodeOf } from '../../../../src/model/cluster/address.ts';
import type { BodyOf } from '../../../../src/model/protocol/catalogue.ts';
import type { StreamItem } from '../../../../src/model/protocol/messages/stream.ts';
import { boundsOf } from '../../bounds.ts';
import type { ObservationListeners, OracleMaker } from '../../oracle.ts';
import { Reachability } from '../../reachability.ts';
import { byType, setLast, together } from '../kit/shared.ts';
import { Undisturbed } from '../kit/undisturbed.ts';

/** The event that each new state is published as. */
const events: Readonly<Record<string, string>> = { registered: 'register', removed: 'unregister', expired: 'expire' };
/** Of the last devices; a campaign has far fewer at one time. */
const mostDevices = 10_000;

/** One device at one sr instance. */
interface Copy {
  /** The last change: the event that it is published as, and whether the user had no other device. */
  readonly event: string;
  readonly isNews: boolean;
}

/** An expiry that must have been published once when its time is over. */
interface Expiry {
  readonly atMs: number;
  count: number;
}

export const registrationsPublished: OracleMaker = {
  name: 'registrations-published',
  rule: 'An sr instance publishes a registration, a refresh or a removal only where it was asked for it, and that it was made or removed at the latest two seconds after the change; an expiry is published once, while nothing is broken, and never by two instances that see each other. With the first device of a SIP user, and with the last one, it publishes that the user is online or offline, and with no other.',
  exclusions: 'Expiries in runs in which the clock of a node was wrong: instances notice them at different times.',
  make: ({ map, now, areClocksRight, check, fail }) => {
    const { quickMs, noticedMs } = boundsOf(map);
    const undisturbed = new Undisturbed();
    const reachability = new Reachability(map);
    /** Which instance has published the last expiry of a device, and when. */
    const expired = new Map<string, { readonly from: string; readonly atMs: number }>();
    /** Devices that an instance has removed, or has published as expired, and none has registered since. */
    const removed = new Map<string, true>();
    const expire = (key: string, from: string, atMs: number) => {
      const before = expired.get(key);
      // Copies that got the registration late expire late: that is no news.
      setLast(removed, key, true, mostDevices);
      setLast(expired, key, { from, atMs }, mostDevices);
      if (before === undefined || before.from === from || atMs - before.atMs > quickMs || !areClocksRight()) return;
      const [one, other] = [map.node(nodeOf(before.from)), map.node(nodeOf(from))];
      const isSettled = [one, other].every((node) => reachability.stableMs(node, atMs) > noticedMs);
      if (isSettled && reachability.areTogether(one, other))
        fail(`${from} publishes the expiry of ${key}, which ${before.from} has published`);
    };
    /** How often an instance was asked to change devices of a user, by both; and how often it has published a change of a device. */
    const asked = new Map<string, number>();
    const published = new Map<string, number>();
    const askedMs = new Map<string, number>();
    const copiedMs = new Map<string, number>();
    const copies = new Map<string, Copy>();
    const live = new Map<string, Set<string>>();
    const expiries = new Map<string, Expiry>();
    /** Changes that were asked for and are not published yet, by instance and device. */
    const owed = new Map<string, { readonly event: string; readonly atMs: number }>();
    /** The last number of each source and epoch. */
    const last = new Map<string, number>();

    const change = (owner: string, key: string, state: string | undefined, atMs: number) => {
      const user = `${owner} ${userOf(key)}`;
      const devices = live.get(user) ?? new Set<string>();
      live.set(user, devices);
      const wasLive = devices.delete(key);
      if (state === 'registered') devices.add(key);
      if (state === undefined || wasLive === (state === 'registered')) return;
      const event = events[state];
      if (event === undefined) return;
      const isNews = devices.size === (state === 'registered' ? 1 : 0);
      setLast(copies, `${owner} ${key}`, { event, isNews }, mostDevices);
      if (state === 'registered' || state === 'removed') expiries.delete(key);
      if (state === 'registered') removed.delete(key);
      // A copy that the removal has not reached expires: that is no news.
      if (state === 'removed') setLast(removed, key, true, mostDevices);
      if (state === 'expired' && !removed.has(key) && !expiries.has(key)) expiries.set(key, { atMs, count: 0 });
      else if (state !== 'expired' && askedMs.get(user) === atMs && copiedMs.get(owner) !== atMs)
        owed.set(`${owner} ${key}`, { event, atMs });
    };
    const judge = (from: string, { event }: StreamItem, next: StreamItem | undefined) => {
      const { login, domain, device } = event?.data ?? {};
      const key = `${domain}/${login}/${device}`;
      const copy = copies.get(`${from} ${key}`);
      check();
      if (event?.name === 'expire') {
        expire(key, from, now());
        const expiry = expiries.get(key);
        if (expiry !== undefined) expiry.count += 1;
      } else {
        const count = (published.get(`${from} ${key}`) ?? 0) + 1;
        published.set(`${from} ${key}`, count);
        if (count > (asked.get(`${from} ${userOf(key)}`) ?? 0))
          fail(`${from} publishes ${event?.name} of ${key}, and was not asked for it`);
      }
      if (owed.get(`${from} ${key}`)?.event === event?.name) owed.delete(`${from} ${key}`);
      const isNews = copy?.event === event?.name && copy?.isNews === true;
      if (copy === undefined || (copy.event !== event?.name && event?.name !== 'refresh')) return;
      const status = statusIn(next, login);
      const expected = isNews ? (event?.name === 'register' ? 'online' : 'offline') : undefined;
      if (status !== expected)
        fail(
          `${from} publishes ${event?.name} of ${key}, and that its user is ${status ?? 'the same'}: it is ${expected ?? 'the same'}`,
        );
    };
    const streams: ObservationListeners = {
      'envelope.delivered': byType(
        ['registrar.bind', 'registrar.unbind', 'registrar.copied'],
        ({ envelope: { type, to, body }, atMs }) => {
          if (type === 'registrar.copied') copiedMs.set(to, atMs);
          if (type === 'registrar.copied') return;
          const { domain, login } =
            'binding' in (body as object)
              ? (body as BodyOf<'registrar.bind'>).binding
              : (body as BodyOf<'registrar.unbind'>);
          const user = `${to} ${domain}/${login}`;
          asked.set(user, (asked.get(user) ?? 0) + 1);
          askedMs.set(user, atMs);
        },
      ),
      'published.items': ({ from, epoch, items }) => {
        const stream = `${from} ${epoch}`;
        for (const [index, item] of items.entries()) {
          if (item.n <= (last.get(stream) ?? 0)) continue;
          last.set(stream, item.n);
          if (item.event?.class === 'registrarevents') judge(from, item, items[index + 1]);
        }
      },
      'entity.state': { binding: ({ owner, key, state, atMs }) => change(owner, key, state, atMs) },
      'instance.status': ({ instance }) => {
        for (const name of owed.keys()) if (name.startsWith(`${instance} `)) owed.delete(name);
      },
      'fault.inflicted': ({ verb, args }) => {
        if (verb !== 'pauseNode') return;
        for (const { address } of map.node(String(args[0])).instances)
          for (const name of owed.keys()) if (name.startsWith(`${address} `)) owed.delete(name);
      },
    };
    const tick = () => {
      const nowMs = now();
      for (const [name, { event, atMs }] of owed) {
        if (nowMs - atMs <= quickMs) continue;
        owed.delete(name);
        fail(`${name} was changed as it was asked, and no ${event} was published`);
      }
      for (const [key, { atMs, count }] of expiries) {
        if (nowMs - atMs <= quickMs) continue;
        expiries.delete(key);
        const isEverywhere = [...live.values()].every((devices) => !devices.has(key));
        if (!areClocksRight() || !isEverywhere || undisturbed.forMs(nowMs) <= noticedMs + nowMs - atMs) continue;
        check();
        if (count !== 1) fail(`that ${key} has expired was published ${count} times`);
      }
    };
    return { listeners: together(undisturbed.listeners, reachability.listeners, streams), tick };
  },
};

/** The user in the key of a binding. */
function userOf(key: string): string {
  return key.split('/', 2).join('/');
}

/** What an item says of the presence of a user. */
function statusIn(item: StreamItem | undefined, login: unknown): unknown {
  const { name, data } = item?.event ?? {};
  const isPresence = name === 'data_changed' && data?.['collection'] === 'sipuser_states' && data['username'] === login;
  return isPresence ? data['status'] : undefined;
}
