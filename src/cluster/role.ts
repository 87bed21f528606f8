import type { Counters } from '../actors/counters.ts';
import type { ClusterMap, InstanceEntry } from '../model/cluster-map.ts';
import { coverOf } from '../model/domain-tree.ts';
import type { Envelope } from '../model/envelope.ts';
import type { Outcome } from '../model/fault.ts';
import type { AskType, BodyOf, ReplyOf, TellType, TypesFor } from '../model/protocol/catalogue.ts';
import type { RoleName } from '../model/roles.ts';
import type { Clock } from '../ports/clock.ts';
import type { FaultPoints } from '../ports/fault-points.ts';
import type { Log } from '../ports/log.ts';
import type { Random } from '../ports/random.ts';
import type { Ask } from './asks.ts';
import type { View } from './view.ts';

/** What a role is to the runtime: handlers for the messages that the catalogue sends to it, and a life. */

/** The answer to an ask may come later: until then the ask is open, and ends with a fault if the instance ends. */
export type Handler<T extends AskType | TellType> = T extends AskType
  ? (body: BodyOf<T>, envelope: Envelope) => Outcome<ReplyOf<T>> | Promise<Outcome<ReplyOf<T>>>
  : (body: BodyOf<T>, envelope: Envelope) => void;

/** One handler for each message type of the role; the compiler sees to it that none is missing. */
export type Handlers<R extends RoleName> = { readonly [T in TypesFor<R>]: Handler<T> };

export interface Role<R extends RoleName = RoleName> {
  readonly handlers: Handlers<R>;
  /** The instance serves from now on. May be asynchronous; a rejection is a crash. */
  serve?(): void | Promise<void>;
  /** Another of the group serves from now on. */
  standBy?(): void;
  /** Sends what it has collected to send at once: a message or a timer is handled, or an answer goes out next. */
  flush?(): void;
  /** Finishes what is under way; the instance stops when this resolves. */
  drain?(): Promise<void>;
  /** Drops everything at once, after a drain or a crash. */
  stop?(): void;
}

/** What a role is made of: its place, the ports as far as they are its own, and its way to others. */
export interface RoleScope {
  readonly instance: InstanceEntry;
  readonly map: ClusterMap;
  readonly view: View;
  /** Tells two lives of one instance apart: a later one has a higher number. */
  readonly epoch: number;
  /** Ends with the instance. */
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly counters: Counters;
  readonly faultPoints: FaultPoints;
  readonly ask: Ask;
  readonly tell: <T extends TellType>(to: string, type: T, body: BodyOf<T>) => void;
  /** Calls `look` after each change of the view, until the instance ends. */
  readonly onViewChange: (look: () => void) => void;
  /** Ends the instance for a bug; its supervisor starts another. */
  readonly crash: (error: unknown) => void;
}

export type RoleFactory<R extends RoleName = RoleName> = (scope: RoleScope) => Role<R>;

/** Target to ask: the role instances that serve now, as this node sees it. */

type Finder = Pick<RoleScope, 'map' | 'view' | 'instance'>;

/** The sites in the order in which one asks: the own first, then as in the topology. */
export function sitesFrom({ map, instance }: Finder): string[] {
  return [instance.site, ...[...map.sites.keys()].filter((site) => site !== instance.site)];
}

/**
 * The instances of a role that are active and serve `domain` (any domain, where none is given): those of the own site
 * first, then those of the others; within a site by order.
 */
export function activeInstances(finder: Finder, role: RoleName, domain?: string): InstanceEntry[] {
  const { map, view } = finder;
  return sitesFrom(finder).flatMap((site) =>
    map
      .instancesOf(role)
      .filter((each) => each.site === site && (domain === undefined || coverOf(domain, each.domains) !== undefined))
      .filter((each) => view.statusOf(each) === 'active')
      .sort((a, b) => a.order - b.order),
  );
}

/** The active sdc or mdc that serves `domain`: at the own site where there is one, else the master site's. */
export function activeDirectory(finder: Finder, domain: string): InstanceEntry | undefined {
  const { map, instance } = finder;
  const own = map.site(instance.site).isMaster ? [] : activeInstances(finder, 'sdc', domain);
  const candidates = [
    ...own.filter((each) => each.site === instance.site),
    ...activeInstances(finder, 'mdc', domain),
    ...own,
  ];
  return candidates[0];
}

/** Reports a bug that fails one request or one socket, and does not end the instance. */

/** Logs what was thrown under a reference that the client can quote. */
export function reportBug({ random, log }: Pick<RoleScope, 'random' | 'log'>, error: unknown): string {
  const reference = Buffer.from(random.stream('ids').bytes(6)).toString('hex');
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  log.write('error', 'bug', { reference, stack });
  return reference;
}
