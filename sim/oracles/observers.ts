import type { Envelope } from '../../src/model/envelope.ts';
import type { Fault } from '../../src/model/fault.ts';
import type { InstanceStatus } from '../../src/model/states.ts';
import type { Log, LogFields } from '../../src/ports/log.ts';
import type { AskLook, CrashCause, EntityLook, Probe } from '../../src/ports/probe.ts';
import type { Faults } from '../faults/faults.ts';
import type { Listener, Observation, ObservationKind, ObservationKinds, Wanted } from './observation.ts';

/**
 * Those who look on at a world, by what they want to see. It is the world's probe; what nobody wants is not even made into an
 * observation, and of envelopes only the types that somebody wants.
 */

/** Listeners of one kind: those who want all of it, and those who want envelopes of a type, or entities of a machine. */
interface Hearers {
  readonly all: Set<Listener>;
  readonly byType: Map<string, Set<Listener>>;
}

const kinds: Readonly<Record<ObservationKind, true>> = {
  'envelope.sent': true,
  'envelope.delivered': true,
  'envelope.dead': true,
  'ask.ended': true,
  'instance.status': true,
  'instance.crashed': true,
  'entity.state': true,
  counted: true,
  logged: true,
  'request.received': true,
  'request.answered': true,
  'outside.sent': true,
  'fault.inflicted': true,
  'fault.mended': true,
  'node.started': true,
  'node.ended': true,
};

export const observationKinds = Object.keys(kinds) as readonly ObservationKind[];

export class Observers implements Probe {
  readonly #now: () => number;
  readonly #hearers = new Map<ObservationKind, Hearers>();
  #requests = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Tells `listener` what it wants from now on. Returns what ends that. */
  add<K extends ObservationKind>(listener: Listener<K>, { kinds: wanted, types }: Wanted<K> = {}): () => void {
    const heard = listener as unknown as Listener;
    const leaves = (wanted ?? observationKinds).map((kind) => this.#enter(kind, heard, types));
    return () => {
      for (const leave of leaves) leave();
    };
  }

  /** Whether somebody wants this kind. */
  wants(kind: ObservationKind): boolean {
    return this.#hearers.has(kind);
  }

  tell<K extends ObservationKind>(kind: K, what: ObservationKinds[K]): void {
    const hearers = this.#hearers.get(kind);
    if (hearers === undefined || hearers.all.size === 0) return;
    const observation = { ...what, kind, atMs: this.#now() } as unknown as Observation;
    for (const listener of hearers.all) listener(observation);
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
    this.tell('ask.ended', { node, ask, fault });
  }

  instanceStatus(instance: string, status: InstanceStatus): void {
    this.tell('instance.status', { instance, status });
  }

  instanceCrashed(instance: string, reason: string, cause: CrashCause): void {
    this.tell('instance.crashed', { instance, reason, cause });
  }

  entityState(entity: EntityLook): void {
    const hearers = this.#hearers.get('entity.state');
    if (hearers === undefined) return;
    const some = hearers.byType.get(entity.machine);
    if (some === undefined && hearers.all.size === 0) return;
    const { owner, machine, key, state, before } = entity;
    this.#hand({ kind: 'entity.state', atMs: this.#now(), owner, machine, key, state, before }, hearers.all, some);
  }

  counted(by: string, name: string): void {
    this.tell('counted', { by, name });
  }

  /** A request at the front of a site. Returns what tells its end: with status 0, that the front was gone before it. */
  request(site: string, { method, url }: Request): (status: number, body?: string) => void {
    this.#requests += 1;
    const { pathname, search } = new URL(url);
    const told = { id: this.#requests, site, method, target: pathname + search };
    const startedMs = this.#now();
    this.tell('request.received', told);
    return (status, body) => this.tell('request.answered', { ...told, status, tookMs: this.#now() - startedMs, body });
  }

  /** A log that shows its warnings and errors, and passes all on to `next`. */
  log(next: Log, fields: LogFields = {}): Log {
    return {
      write: (level, event, more) => {
        next.write(level, event, more);
        if (level === 'warn' || level === 'error')
          this.tell('logged', { level, event, fields: { ...fields, ...more } });
      },
      child: (more) => this.log(next.child(more), { ...fields, ...more }),
    };
  }

  #tellOf(kind: EnvelopeKinds, node: string, envelope: Envelope, reason?: string): void {
    const hearers = this.#hearers.get(kind);
    if (hearers === undefined) return;
    const some = hearers.byType.get(envelope.type);
    if (some === undefined && hearers.all.size === 0) return;
    this.#hand({ kind, atMs: this.#now(), node, envelope, reason } as Observation, hearers.all, some);
  }

  #hand(observation: Observation, all: ReadonlySet<Listener>, some: ReadonlySet<Listener> | undefined): void {
    for (const listener of all) listener(observation);
    if (some !== undefined) for (const listener of some) listener(observation);
  }

  #enter(kind: ObservationKind, listener: Listener, types: readonly string[] | undefined): () => void {
    const hearers: Hearers = this.#hearers.get(kind) ?? { all: new Set(), byType: new Map() };
    this.#hearers.set(kind, hearers);
    const sets = types === undefined || !isKeyed(kind) ? [hearers.all] : types.map((type) => setOf(hearers, type));
    for (const set of sets) set.add(listener);
    return () => {
      for (const set of sets) set.delete(listener);
      for (const [type, set] of hearers.byType) if (set.size === 0) hearers.byType.delete(type);
      if (hearers.all.size === 0 && hearers.byType.size === 0) this.#hearers.delete(kind);
    };
  }
}

type EnvelopeKinds = 'envelope.sent' | 'envelope.delivered' | 'envelope.dead';

function isKeyed(kind: ObservationKind): boolean {
  return kind.startsWith('envelope.') || kind === 'entity.state';
}

function setOf({ byType }: Hearers, type: string): Set<Listener> {
  const found = byType.get(type) ?? new Set();
  byType.set(type, found);
  return found;
}

/** The verbs of who breaks things, told to those who look on: each as it is used, and again when what it did is over. */

type Verb = (...args: unknown[]) => unknown;

/** The same verbs; one that gives no function to lift it is over as soon as it is done. */
export function observedFaults(faults: Faults, observers: Observers): Faults {
  let count = 0;
  const use = (verb: string, does: Verb, args: unknown[]) => {
    count += 1;
    const told = { fault: count, verb, args };
    const over = () => observers.tell('fault.mended', told);
    observers.tell('fault.inflicted', told);
    let lift: unknown;
    try {
      lift = does(...args);
      if (typeof lift !== 'function') return lift;
    } finally {
      if (typeof lift !== 'function') over();
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
