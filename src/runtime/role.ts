/** What a role is to the runtime: handlers for the messages that the catalogue sends to it, and a life. */
import type { ClusterMap, InstanceEntry } from '../model/cluster-map.ts';
import type { Envelope } from '../model/envelope.ts';
import type { Outcome } from '../model/fault.ts';
import type { AskType, BodyOf, ReplyOf, TellType, TypesFor } from '../model/protocol/catalogue.ts';
import type { RoleName } from '../model/roles.ts';
import type { Clock } from '../ports/clock.ts';
import type { FaultPoints } from '../ports/fault-points.ts';
import type { Log } from '../ports/log.ts';
import type { Random } from '../ports/random.ts';
import type { Ask } from './asks.ts';
import type { Counters } from './counters.ts';
import type { View } from './view.ts';

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
  readonly onView: (look: () => void) => void;
  /** Ends the instance for a bug; its supervisor starts another. */
  readonly crash: (error: unknown) => void;
}

export type RoleFactory<R extends RoleName = RoleName> = (scope: RoleScope) => Role<R>;
export type RoleFactories = { readonly [R in RoleName]: RoleFactory<R> };
