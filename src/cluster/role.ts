/** What a role is to its node: its handlers and its course, the scope that it gets, and how it finds other instances. */
import type { Counters } from '../actors/counters.ts';
import type { ClusterMap, InstanceEntry } from '../model/cluster/cluster-map.ts';
import type { Envelope } from '../model/cluster/envelope.ts';
import type { RoleName } from '../model/cluster/roles.ts';
import { coverOf } from '../model/domain-tree.ts';
import type { Outcome } from '../model/fault.ts';
import type { AskType, BodyOf, ReplyOf, TellType, TypesFor } from '../model/protocol/catalogue.ts';
import type { Clock } from '../ports/clock.ts';
import type { FaultPoints } from '../ports/instrumentation/fault-points.ts';
import type { Log } from '../ports/log.ts';
import type { Random } from '../ports/random.ts';
import type { ClusterView } from './membership/view.ts';
import type { Ask } from './messaging/asks.ts';

/** The answer to an ask may be a promise: until it resolves the ask is open, and ends with a fault if the instance ends. */
export type Handler<T extends AskType | TellType> = T extends AskType
  ? (body: BodyOf<T>, envelope: Envelope) => Outcome<ReplyOf<T>> | Promise<Outcome<ReplyOf<T>>>
  : (body: BodyOf<T>, envelope: Envelope) => void;

/** One handler for each message type of the role; the compiler reports missing ones. */
export type Handlers<R extends RoleName> = { readonly [T in TypesFor<R>]: Handler<T> };

export interface Role<R extends RoleName = RoleName> {
  readonly handlers: Handlers<R>;
  /** The instance is active from now on. May be asynchronous; a rejection is a crash. */
  serve?(): void | Promise<void>;
  /** Another member of the group is active from now on. */
  standBy?(): void;
  /** Sends batched messages now: after a message or timer was handled, and before an answer is sent. */
  flush?(): void;
  /** Finishes work under way; the instance stops when the promise resolves. */
  drain?(): Promise<void>;
  /** Releases everything at once, after a drain or a crash. */
  stop?(): void;
}

/** What a role gets from the runtime: its instance, its ports, and functions to reach other instances. */
export interface RoleScope {
  readonly instance: InstanceEntry;
  readonly map: ClusterMap;
  readonly view: ClusterView;
  /** Identifies one start of the instance; later starts have higher numbers. */
  readonly epoch: number;
  /** How much of its time the request that this scope serves has spent before. Absent: none. */
  readonly spentMs?: number;
  /** Ends with the instance. */
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly counters: Counters;
  readonly faultPoints: FaultPoints;
  readonly ask: Ask;
  /** Ends every open ask of the instance, which stops, as timed out. */
  readonly giveUpAsks: () => void;
  /** `lastsMs`: a message that arrives later is dropped. 0: never; default: that of its type. */
  readonly tell: <T extends TellType>(to: string, type: T, body: BodyOf<T>, lastsMs?: number) => void;
  /** Calls the listener after each change of the view, until the instance ends. */
  readonly onViewChange: (listener: () => void) => void;
  /** Crashes the instance because of a bug; its supervisor starts another. */
  readonly crash: (error: unknown) => void;
}

export type RoleFactory<R extends RoleName = RoleName> = (scope: RoleScope) => Role<R>;

type Finder = Pick<RoleScope, 'map' | 'view' | 'instance'>;

/**
 * The active instances of a role that serve `domain` (absent: any domain): those of the own site first, then those of other
 * sites; within a site by group priority.
 */
export function activeInstances(finder: Finder, role: RoleName, domain?: string): InstanceEntry[] {
  const { map, view, instance } = finder;
  const active: InstanceEntry[] = [];
  const addThoseOf = (site: string) => {
    for (const each of map.serving(role, site, domain)) if (view.statusOf(each) === 'active') active.push(each);
  };
  addThoseOf(instance.site);
  for (const site of map.sites.keys()) if (site !== instance.site) addThoseOf(site);
  return active;
}

/**
 * The same, of a call between parties of several domains: an instance that serves all that are known, if there is one, else the first. A call
 * is seen at the sites that serve its domains; an instance elsewhere would hide it.
 */
export function activeForCall(finder: Finder, role: RoleName, domains: readonly string[]): InstanceEntry[] {
  const known = domains.filter((domain) => finder.map.domains.has(domain));
  const all = activeInstances(finder, role, domains[0]);
  const common = all.filter((each) => known.every((domain) => coverOf(domain, each.domains) !== undefined));
  return common.length > 0 ? common : all;
}

/** The active sdc or mdc that serves `domain`: at the own site if there is one, else at the master site. */
export function activeDirectory(finder: Finder, domain: string): InstanceEntry | undefined {
  return activeDirectories(finder, domain)[0];
}

/** All active sdc and mdc instances that serve `domain`: of the own site first, then of the master site, then others. */
export function activeDirectories(finder: Finder, domain: string): InstanceEntry[] {
  const { map, instance } = finder;
  const copies = map.site(instance.site).isMaster ? [] : activeInstances(finder, 'sdc', domain);
  const [own, others] = [true, false].map((isOwn) => copies.filter(({ site }) => (site === instance.site) === isOwn));
  return [...(own ?? []), ...activeInstances(finder, 'mdc', domain), ...(others ?? [])];
}

/**
 * Logs an error that fails one request or one socket, but does not end the instance. Returns a reference that the client
 * can quote.
 */
export function reportBug({ random, log }: Pick<RoleScope, 'random' | 'log'>, error: unknown): string {
  const reference = Buffer.from(random.stream('ids').bytes(6)).toString('hex');
  const stack = error instanceof Error ? (error.stack ?? error.message) : textOf(error);
  log.write('error', 'bug', { reference, stack });
  return reference;
}

/** A thrown value as a text. Must not throw: `String` does for an object without a prototype. */
function textOf(thrown: unknown): string {
  return typeof thrown === 'object' ? Object.prototype.toString.call(thrown) : String(thrown);
}
