/**
 * The observers of a world, by the observations that they subscribe to. It is the probe of the world; an observation
 * without a subscriber is not even created.
 */
import type { InstanceEntry } from '../../src/model/cluster/cluster-map.ts';
import type { Envelope } from '../../src/model/cluster/envelope.ts';
import type { InstanceStatus } from '../../src/model/cluster/states.ts';
import type { Fault } from '../../src/model/fault.ts';
import type { HttpHandler } from '../../src/ports/http-server.ts';
import type { AskLook, CrashCause, EntityLook, Probe } from '../../src/ports/instrumentation/probe.ts';
import type { Log, LogFields } from '../../src/ports/log.ts';
import type { Faults } from '../faults/faults.ts';
import type { Listener, Observation, ObservationFilter, ObservationKind, ObservationKinds } from './observation.ts';

/** Listeners of one kind of observation: to all of it, to envelopes of a type, entities of a machine, or SIP messages of a method. */
interface Subscribers {
  readonly all: Set<Listener>;
  readonly byType: Map<string, Set<Listener>>;
}

/** What is known of a request beside itself. */
type RequestOrigin = Partial<Pick<ObservationKinds['request.received'], 'sent' | 'sender'>>;

const kinds: Readonly<Record<ObservationKind, true>> = {
  'envelope.sent': true,
  'envelope.delivered': true,
  'envelope.dead': true,
  'ask.ended': true,
  'fan-out.ended': true,
  'instance.status': true,
  'instance.crashed': true,
  'entity.state': true,
  counted: true,
  logged: true,
  'request.received': true,
  'request.answered': true,
  'front.answered': true,
  'outside.sent': true,
  'socket.message': true,
  'socket.ended': true,
  'effect.received': true,
  'fault.inflicted': true,
  'fault.mended': true,
  'node.started': true,
  'node.ended': true,
};

export const observationKinds = Object.keys(kinds) as readonly ObservationKind[];

/** What observers subscribe to, by kind. */
export type ObservationSubscriptions = Readonly<Partial<Record<ObservationKind, 'all' | readonly string[]>>>;

/** `body`: the text of the answer, if the world has read it. */
export type RequestEnd = (answer?: Pick<Response, 'status' | 'headers'>, body?: string) => void;

export interface ObservedSocket {
  /** `in`: to the platform. */
  message(direction: 'in' | 'out', text: string): void;
  end(): void;
}

export class Observers implements Probe {
  /** What stands around the handler of a front beside this. */
  wrapFront: (instance: InstanceEntry, handler: HttpHandler) => HttpHandler = (_, handler) => handler;
  readonly #now: () => number;
  readonly #subscribers = new Map<ObservationKind, Subscribers>();
  #requests = 0;
  #sockets = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Subscribes `listener`. Returns the function that unsubscribes it. */
  add<K extends ObservationKind>(
    listener: Listener<K>,
    { kinds: wanted, types }: ObservationFilter<K> = {},
  ): () => void {
    const losses = listener as unknown as Listener;
    const leaves = (wanted ?? observationKinds).map((kind) => this.#enter(kind, losses, types));
    return () => {
      for (const leave of leaves) leave();
    };
  }

  /** Whether a listener subscribes to this kind. */
  hasSubscriber(kind: ObservationKind): boolean {
    return this.#subscribers.has(kind);
  }

  /** The subscriptions: all of a kind, or only envelopes of these types, entities of these machines, SIP messages of these methods. */
  get subscriptions(): ObservationSubscriptions {
    const all = [...this.#subscribers].map(([kind, { all, byType }]) => [
      kind,
      all.size > 0 ? 'all' : [...byType.keys()],
    ]);
    return Object.fromEntries(all) as ObservationSubscriptions;
  }

  /** Hands on an observation that was made elsewhere. */
  deliver(observation: Observation): void {
    const consumers = this.#subscribers.get(observation.kind);
    if (consumers !== undefined) this.#deliverTo(consumers, observation);
  }

  report<K extends ObservationKind>(kind: K, what: ObservationKinds[K]): void {
    const consumers = this.#subscribers.get(kind);
    if (consumers === undefined) return;
    this.#deliverTo(consumers, { ...what, kind, atMs: this.#now() } as unknown as Observation);
  }

  sent(node: string, envelope: Envelope): void {
    this.#tellOf('envelope.sent', node, envelope);
  }

  delivered(node: string, envelope: Envelope): void {
    this.#tellOf('envelope.delivered', node, envelope);
  }

  dead(node: string, envelope: Envelope, reason: string): void {
    this.#tellOf('envelope.dead', node, envelope, reason);
  }

  askEnded(node: string, ask: AskLook, fault: Fault | undefined): void {
    this.report('ask.ended', { node, ask, fault });
  }

  fannedOut(by: string, type: string, asked: number, unanswered: number): void {
    this.report('fan-out.ended', { by, type, asked, unanswered });
  }

  instanceStatus(instance: string, status: InstanceStatus): void {
    this.report('instance.status', { instance, status });
  }

  instanceCrashed(instance: string, reason: string, cause: CrashCause): void {
    this.report('instance.crashed', { instance, reason, cause });
  }

  entityState(entity: EntityLook): void {
    const consumers = this.#subscribers.get('entity.state');
    if (consumers === undefined) return;
    const some = consumers.byType.get(entity.machine);
    if (some === undefined && consumers.all.size === 0) return;
    const { owner, machine, key, state, before } = entity;
    this.#hand({ kind: 'entity.state', atMs: this.#now(), owner, machine, key, state, before }, consumers.all, some);
  }

  counted(by: string, name: string): void {
    this.report('counted', { by, name });
  }

  /**
   * Reports a request at the front of a site, with the text of its body where the client says it. Returns the function
   * that reports its end; without an answer the front ended before it.
   */
  request(site: string, { method, url, headers }: Request, { sent, sender }: RequestOrigin = {}): RequestEnd {
    this.#requests += 1;
    const { pathname, search } = new URL(url);
    const published = { id: this.#requests, site, method, target: pathname + search };
    const startedMs = this.#now();
    const ifMatch = headers.get('if-match') ?? undefined;
    this.report('request.received', { ...published, client: clientOf(headers), sent, ifMatch, sender });
    return (answer, body) => {
      const status = answer?.status ?? 0;
      const ageS = ageOf(answer?.headers);
      const missing = answer?.headers.get('x-missing-sites') ?? undefined;
      const etag = answer?.headers.get('etag') ?? undefined;
      const about = { ...published, status, tookMs: this.#now() - startedMs };
      this.report('request.answered', { ...about, body, ageS, missing, etag });
    };
  }

  /** Reports the messages of a web socket of a client, and its end. `client`: as in `request.received`. */
  socket(site: string, client: string): ObservedSocket {
    this.#sockets += 1;
    const socket = this.#sockets;
    return {
      message: (direction, text) => this.report('socket.message', { socket, site, client, direction, text }),
      end: () => this.report('socket.ended', { socket }),
    };
  }

  /** The handler of a front that reports its answers, if a listener subscribes to them. */
  front(instance: InstanceEntry, inner: HttpHandler): HttpHandler {
    const handler = this.wrapFront(instance, inner);
    return (request, sender, ...rest) => {
      const answer = handler(request, sender, ...rest);
      if (!this.hasSubscriber('front.answered')) return answer;
      const startedMs = this.#now();
      const { method, url } = request;
      const { site, name } = instance;
      const end = (status: number) => {
        const { pathname: path } = new URL(url);
        const tookMs = this.#now() - startedMs;
        this.report('front.answered', { site, front: name, method, path, status, tookMs, sender });
      };
      Promise.resolve(answer).then(
        ({ status }) => end(status),
        () => end(0),
      );
      return answer;
    };
  }

  /** A log that reports warnings and errors to the observers, and passes everything on to `next`. */
  log(next: Log, fields: LogFields = {}): Log {
    return {
      write: (level, event, more) => {
        next.write(level, event, more);
        if (level === 'warn' || level === 'error')
          this.report('logged', { level, event, fields: { ...fields, ...more } });
      },
      child: (more) => this.log(next.child(more), { ...fields, ...more }),
    };
  }

  #tellOf(kind: EnvelopeKinds, node: string, envelope: Envelope, reason?: string): void {
    const consumers = this.#subscribers.get(kind);
    if (consumers === undefined) return;
    const some = consumers.byType.get(envelope.type);
    if (some === undefined && consumers.all.size === 0) return;
    this.#hand({ kind, atMs: this.#now(), node, envelope, reason } as Observation, consumers.all, some);
  }

  #deliverTo({ all, byType }: Subscribers, observation: Observation): void {
    const type = byType.size === 0 ? undefined : typeOf(observation);
    this.#hand(observation, all, type === undefined ? undefined : byType.get(type));
  }

  #hand(observation: Observation, all: ReadonlySet<Listener>, some: ReadonlySet<Listener> | undefined): void {
    for (const listener of all) listener(observation);
    if (some !== undefined) for (const listener of some) listener(observation);
  }

  #enter(kind: ObservationKind, listener: Listener, types: readonly string[] | undefined): () => void {
    const consumers: Subscribers = this.#subscribers.get(kind) ?? { all: new Set(), byType: new Map() };
    this.#subscribers.set(kind, consumers);
    const sets = types === undefined || !isKeyed(kind) ? [consumers.all] : types.map((type) => setOf(consumers, type));
    for (const set of sets) set.add(listener);
    return () => {
      for (const set of sets) set.delete(listener);
      for (const [type, set] of consumers.byType) if (set.size === 0) consumers.byType.delete(type);
      if (consumers.all.size === 0 && consumers.byType.size === 0) this.#subscribers.delete(kind);
    };
  }
}

/** The session that a request presents. */
export function clientOf(headers: Headers): string {
  return headers.get('authorization')?.replace(/^Bearer +/i, '') ?? headers.get('cookie') ?? '';
}

function ageOf(headers: Headers | undefined): number | undefined {
  const age = headers?.get('x-data-age');
  return age === undefined || age === null ? undefined : Number(age);
}

type EnvelopeKinds = 'envelope.sent' | 'envelope.delivered' | 'envelope.dead';

function isKeyed(kind: ObservationKind): boolean {
  return kind.startsWith('envelope.') || kind === 'entity.state' || kind === 'outside.sent';
}

/** The name by which an observation of a keyed kind is subscribed to. */
function typeOf(observation: Observation): string | undefined {
  if ('envelope' in observation) return observation.envelope.type;
  if (observation.kind === 'outside.sent') return observation.message.method;
  return observation.kind === 'entity.state' ? observation.machine : undefined;
}

function setOf({ byType }: Subscribers, type: string): Set<Listener> {
  const found = byType.get(type) ?? new Set();
  byType.set(type, found);
  return found;
}

type Verb = (...args: unknown[]) => unknown;

/** Wraps the verbs of faults, so that observers learn of the beginning and the end of each. A fault without a lift function ends at once. */
export function observedFaults(faults: Faults, observers: Observers): Faults {
  let count = 0;
  const use = (verb: string, does: Verb, args: unknown[]) => {
    count += 1;
    const published = { fault: count, verb, args };
    const over = (isRefused = false) => observers.report('fault.mended', { ...published, isRefused });
    observers.report('fault.inflicted', published);
    let lift: unknown;
    try {
      lift = does(...args);
    } catch (error) {
      over(true);
      throw error;
    }
    if (typeof lift !== 'function') {
      over();
      return lift;
    }
    const mend = lift as () => void;
    return () => {
      mend();
      over();
    };
  };
  return new Proxy(faults, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]) => use(String(name), member.bind(target) as Verb, args);
    },
  });
}
