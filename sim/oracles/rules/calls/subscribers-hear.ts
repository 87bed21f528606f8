/** Subscribers hear each event once and in order, or get a gap. */
import { coverOf } from '../../../../src/model/domain-tree.ts';
import type { ForwardedEvent, PlatformEvent } from '../../../../src/model/protocol/messages/stream.ts';
import { streamConsumersOf } from '../../../../src/replication/stream-source.ts';
import { boundsOf } from '../../bounds.ts';
import type { OracleMaker } from '../../oracle.ts';
import { ClientRequests } from '../kit/client-requests.ts';
import { jsonIn } from '../kit/reading.ts';
import { byType, together } from '../kit/shared.ts';
import { Undisturbed } from '../kit/undisturbed.ts';

interface Published {
  readonly source: string;
  readonly epoch: number;
  readonly n: number;
  readonly event: PlatformEvent;
  readonly atMs: number;
  /** How many items had been withheld on their ways by then. */
  readonly withheld: number;
}

type Body = Readonly<Record<string, unknown>>;

/** A subscription, and the later ones that continue it with its cursor. */
class Subscriber {
  readonly id: string;
  readonly domain: string;
  readonly socket: number;
  readonly events: ReadonlySet<string>;
  readonly objects: ReadonlySet<string> | undefined;
  cursor: string | undefined;
  isOpen = false;
  openedMs = 0;
  readonly heard: Set<string>;
  /** What it has heard since it was opened. */
  readonly #here = new Set<string>();
  /** The events that it must still hear, by id. */
  readonly owed: Map<string, Published>;
  /** The last number that it has heard, by source and epoch. */
  readonly last: Map<string, number>;

  constructor({ domain, socket, body }: { domain: string; socket: number; body: Body }, before?: Subscriber) {
    this.id = String(body['id']);
    this.domain = domain;
    this.socket = socket;
    this.events = new Set(body['events'] as readonly string[]);
    this.objects = body['objects'] === 'any' ? undefined : new Set(body['objects'] as readonly string[]);
    this.cursor = before?.cursor;
    this.heard = before?.heard ?? new Set();
    this.owed = before?.owed ?? new Map();
    this.last = before?.last ?? new Map();
  }

  /** Whether it may hear this one now: what several sources publish may be behind its cursor again when it resumes. */
  hears(id: string, isShared: boolean): boolean {
    if (this.#here.has(id) || (this.heard.has(id) && !isShared)) return false;
    this.#here.add(id);
    this.heard.add(id);
    return true;
  }

  wants({ class: of, name, domains, objects }: PlatformEvent): boolean {
    if (!domains.includes(this.domain)) return false;
    if (!this.events.has(`${of}.*`) && !this.events.has(`${of}.${name}`)) return false;
    return this.objects === undefined || objects.some((each) => this.objects?.has(each));
  }
}

export const subscribersHear: OracleMaker = {
  name: 'subscribers-hear',
  rule: 'A subscriber of events over web sockets, which resumes with its cursor after a lost connection, receives each matching event once, and those of a source in order, or it receives a gap; what several instances publish under one id may come again when it resumes. The bound: five seconds if nothing was broken since it came, else the cluster has been stable for as long as it takes to pull an event that was lost on every link of its route.',
  exclusions:
    'Events of an instance that has ended since: what it had not passed on is lost with it. Events at sites that do not serve the domain. Subscriptions of users who are no administrators, and subscriptions that are renewed with other events or objects.',
  make: ({ map, now, stableMs, fired, check, fail, questions }) => {
    const { subscriberCatchUpMs, promptMs, noticedMs } = boundsOf(map);
    const undisturbed = new Undisturbed();
    const withheld = () => fired('stream.unheard') + fired('events.unheard');
    const published = new Map<string, Published>();
    /** Ids of events that several sources have published. */
    const shared = new Set<string>();
    const epochs = new Map<string, { epoch: number; n: number }>();
    const requests = new ClientRequests();
    /** By socket and id. */
    const subscribers = new Map<string, Subscriber>();
    /** Subscriptions that wait for their answer. */
    const asked = new Map<string, Subscriber>();
    const nameOf = (socket: number, id: unknown) => `${socket} ${id}`;
    const isAdmin = (domain: string | undefined, login: string | undefined) => {
      const users = map.topology.domains.find(({ name }) => name === domain)?.users;
      return users?.some((user) => user.login === login && user.roles.includes('admin')) === true;
    };
    const nameAt = (address: string) => map.instances.get(address)?.name ?? address;

    /** A call of two domains is at one site, and a domain that this site does not serve does not see it. */
    const isServed = (domain: string, source: string) => {
      const instance = map.instanceNamed(source);
      const consumers = instance === undefined ? [] : streamConsumersOf({ map, instance });
      return consumers.some(({ domains }) => coverOf(domain, domains) !== undefined);
    };
    const publish = (one: Published) => {
      const id = idOf(one.event);
      const isShared = published.has(id) && published.get(id)?.source !== one.source;
      if (isShared) shared.add(id);
      published.set(id, one);
      for (const subscriber of subscribers.values()) {
        const { domain, heard, owed } = subscriber;
        if (subscriber.wants(one.event) && !heard.has(id) && isServed(domain, one.source)) owed.set(id, one);
      }
    };
    /** A callstore without another one at its site publishes its own events only to fronts. */
    const publishOwn = (source: string, body: unknown, atMs: number) => {
      const { items = [] } = body as { readonly items?: readonly ForwardedEvent[] };
      for (const { source: of, epoch, n, event } of items)
        if (of === source && !published.has(idOf(event)))
          publish({ source, epoch, n, event, atMs, withheld: withheld() });
    };
    const lose = (instance: string) => {
      for (const { owed } of [...subscribers.values(), ...asked.values()])
        for (const [id, { source }] of owed) if (source === instance) owed.delete(id);
    };
    const hear = (subscriber: Subscriber, body: Body) => {
      const id = String((body['data'] as Body | undefined)?.['eventid']);
      const who = `${String(body['id'])} of ${subscriber.domain}`;
      const what = `${body['class']}.${body['event']} ${id}`;
      check();
      const known = published.get(id);
      if (known === undefined) return fail(`${who} heard ${what}, which no source has published`);
      if (!subscriber.wants(known.event)) return fail(`${who} heard ${what}, which is none of its events`);
      if (!subscriber.hears(id, shared.has(id))) return fail(`${who} heard ${what} twice`);
      subscriber.owed.delete(id);
      if (shared.has(id)) return;
      const stream = `${known.source} ${known.epoch}`;
      const last = subscriber.last.get(stream) ?? 0;
      if (known.n < last) fail(`${who} heard ${what}, number ${known.n} of ${known.source}, after number ${last}`);
      subscriber.last.set(stream, Math.max(last, known.n));
    };
    const ask = (socket: number, client: string, body: Body) => {
      const name = nameOf(socket, body['id']);
      const domain = requests.domainOf(client);
      const isRenewal = subscribers.get(name)?.isOpen === true;
      if (isRenewal && ('events' in body || 'objects' in body)) subscribers.delete(name);
      if (
        isRenewal ||
        !isAdmin(domain, requests.loginOf(client)) ||
        domain === undefined ||
        !Array.isArray(body['events'])
      )
        return;
      const before = continuedBy(body, domain);
      asked.set(name, new Subscriber({ domain, socket, body }, before?.[1]));
      if (before !== undefined) subscribers.delete(before[0]);
    };
    /** The ended subscription whose cursor this one has, with its name. */
    const continuedBy = ({ id, cursor }: Body, domain: string): [string, Subscriber] | undefined => {
      const [one, another] = [...subscribers].filter(
        ([, each]) => !each.isOpen && each.id === id && each.domain === domain && each.cursor === cursor,
      );
      return another === undefined ? one : undefined;
    };
    const answered = (name: string, { result, gap, expires }: Body) => {
      const subscriber = asked.get(name) ?? subscribers.get(name);
      const isNew = asked.delete(name);
      if (subscriber === undefined || result !== 'ok') return;
      subscriber.isOpen = expires !== 0;
      if (isNew) subscriber.openedMs = now();
      if (gap === true) subscriber.owed.clear();
      subscribers.set(name, subscriber);
    };
    const said = (socket: number, text: string) => {
      const [type, body] = jsonIn(text) as [string, Body];
      const name = nameOf(socket, body['id']);
      if (type === 'subscribe') answered(name, body);
      const subscriber = subscribers.get(name);
      if (subscriber === undefined) return;
      if (type === 'event') hear(subscriber, body);
      if (type === 'expired') subscriber.isOpen = false;
      if (type === 'gap') subscriber.owed.clear();
      if (typeof body['cursor'] === 'string') subscriber.cursor = body['cursor'];
    };
    const isLate = ({ atMs, withheld: before }: Published, openedMs: number): boolean => {
      const forMs = now() - Math.max(atMs, openedMs);
      return forMs > promptMs && before === withheld() && undisturbed.forMs(now()) > now() - atMs + noticedMs;
    };
    const missing = (sinceMs: number): string[] =>
      [...subscribers.values()].flatMap(({ id, domain, owed, isOpen, openedMs }) => {
        const late = isOpen ? [...owed.values()].find((one) => one.atMs < sinceMs || isLate(one, openedMs)) : undefined;
        if (late === undefined) return [];
        const { event, source, atMs } = late;
        return [
          `${id} of ${domain} has not heard ${event.class}.${event.name} ${idOf(event)} of ${source} for ${now() - atMs} ms`,
        ];
      });
    return {
      listeners: together(undisturbed.listeners, requests.listeners, {
        'published.items': ({ from, epoch, items, atMs }) => {
          const source = nameAt(from);
          const known = epochs.get(source);
          const place = known?.epoch === epoch ? known : { epoch, n: 0 };
          epochs.set(source, place);
          for (const { n, event } of items) {
            if (n <= place.n) continue;
            place.n = n;
            if (event !== undefined) publish({ source, epoch, n, event, atMs, withheld: withheld() });
          }
        },
        'envelope.sent': byType(
          ['events.pushed', 'events.follow', 'events.read'],
          ({ envelope: { from, body }, atMs }) => publishOwn(nameAt(from), body, atMs),
        ),
        'instance.status': ({ instance, status }) => {
          if (status === 'stopped') lose(nameAt(instance));
        },
        'node.ended': ({ node }) => {
          for (const { name } of map.node(node).instances) lose(name);
        },
        'socket.message': ({ socket, client, direction, text }) => {
          if (direction === 'out') return said(socket, text);
          const [type, body] = messageIn(text);
          if (type === 'subscribe' && body !== undefined) ask(socket, client, body);
        },
        'socket.ended': ({ socket }) => {
          for (const subscriber of subscribers.values()) if (subscriber.socket === socket) subscriber.isOpen = false;
        },
      }),
      tick: (nowMs) => {
        const sinceMs = stableMs() > subscriberCatchUpMs ? nowMs - subscriberCatchUpMs : Number.NEGATIVE_INFINITY;
        for (const wrong of missing(sinceMs)) fail(wrong);
      },
      atQuiescence: async () => {
        const sinceMs = now();
        const wrong = await questions.eventually(subscriberCatchUpMs, () => missing(sinceMs));
        for (const each of wrong) fail(each);
      },
    };
  },
};

function idOf({ data }: PlatformEvent): string {
  return String(data['eventid']);
}

function messageIn(text: string): [string | undefined, Body | undefined] {
  try {
    const [type, body] = JSON.parse(text) as [string, Body];
    return typeof body === 'object' ? [type, body] : [undefined, undefined];
  } catch {
    // No JSON subscribes.
    return [undefined, undefined];
  }
}
