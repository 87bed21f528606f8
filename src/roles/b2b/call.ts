/**
 * A call as b2b keeps it beside its machines: names, parties, legs, forks and routes. Only its own methods change it. Whatever has
 * states is in a machine (`calls.ts`).
 */
import { type Compiled, compile } from '../../actors/compiled-machine.ts';
import type { RoleScope } from '../../cluster/role.ts';
import type { DialogEnd } from '../../machines/call/dialog-events.ts';
import type { RestMs } from '../../machines/call/dialog-forks.ts';
import {
  type HoldCommand,
  type HoldEvent,
  type HoldState,
  holdMachine,
  initialHold,
  isHeard,
  mediaOf,
} from '../../machines/call/hold.ts';
import type { Heard } from '../../machines/call/recording.ts';
import { limits } from '../../model/limits.ts';
import type { CallRequest, Participation, Side } from '../../model/protocol/messages/dialog.ts';
import type { DomainRules } from '../../model/protocol/messages/directory.ts';
import { type Media, type Party, readTransferToken, type SipRequest } from '../../model/sip/message.ts';
import { isoTime } from '../../model/time.ts';
import { randomUuid } from '../../model/uuid.ts';
import { callerBy, type Route, type RouteGroups, seatOf } from './routing/routes.ts';

/** A device, provider or instance that is being called, or has answered. */
export interface Fork {
  readonly fork: number;
  readonly side: Side;
  readonly leg: string;
  readonly route: Route;
  /** When it has rung long enough (ms since the epoch). */
  readonly untilMs: number;
  /** What it answered with. */
  readonly media: Media | undefined;
  /** Where it is redirected to. */
  readonly contacts: readonly string[];
}

/** What listeners that wait for a call receive. */
export type Progress =
  /** X rings, or has answered. */
  | { readonly type: 'caller.rang' | 'caller.taken' }
  /** Y rings, or has answered. */
  | { readonly type: 'callee.responded'; readonly status: number; readonly reason: string; readonly callid: string }
  | { readonly type: 'over'; readonly end: DialogEnd };

/** How side a calls, or is called where the platform originates the call. */
export interface CallOrigin {
  /** Domain in which its number is dialled. */
  readonly domain: string;
  /** As the directory is asked for it: a number, or `number@domain` of another domain. */
  readonly dialled: string;
  /** The INVITE that began it. */
  readonly request?: SipRequest;
  /** Login of the calling SIP user, if it is one. */
  readonly login?: string;
  /** Whether it must show who it is. */
  readonly mustProve: boolean;
}

/** What a call is made of. */
export interface CallInit {
  readonly origin: CallOrigin;
  /** Of an incoming call the Call-Id of its leg. */
  readonly acallid: string;
  readonly from: Party;
  readonly to: string;
  /** The calling party, where it is known. */
  readonly party?: Participation | undefined;
  /** How the platform starts it, if it does. */
  readonly request?: CallRequest;
}

export class Call {
  /** Counts the calls of this instance. */
  readonly n: number;
  readonly dialogid: string;
  readonly inviteid: string;
  /** When it came (ms since the epoch), and the same as events have it. */
  readonly startts: number;
  readonly invitets: string;
  readonly origin: CallOrigin;
  /** How the platform starts it, if it does. */
  readonly request: CallRequest | undefined;
  readonly opts: Readonly<Record<string, unknown>>;
  #callerPlays = '';
  #acallid: string;
  #from: Party;
  #to: string;
  #answerts: number | undefined;
  /** How long the caller may talk, and the parties together (ms). 0: no limit, or not known. */
  #callerTalkMs = 0;
  #talkMs = 0;
  #participations: readonly Participation[];
  #domains: readonly string[];
  #bindings: readonly string[] = [];
  /** The sides whose speech is transcribed. */
  readonly #transcribed = new Set<Side>();
  /** State of the hold machine of each party. */
  readonly #hold: Record<Side, HoldState> = { a: initialHold, b: initialHold };
  readonly #rules = new Map<string, DomainRules>();
  /** Legs by side, once there is one for good. */
  readonly #parties = new Map<Side, string>();
  #called: string | undefined;
  readonly #legs = new Set<string>();
  readonly #forks = new Map<number, Fork>();
  /** The routes that may be called, by the key of their target. */
  readonly #routes = new Map<string, Route>();
  #listeners: ((progress: Progress) => void)[] = [];

  /** The n-th call of an instance. */
  constructor(
    { instance, epoch, clock, random }: Pick<RoleScope, 'instance' | 'epoch' | 'clock' | 'random'>,
    n: number,
    { origin, acallid, from, to, party, request }: CallInit,
  ) {
    const { referredBy, label = readTransferToken(referredBy?.token)?.label ?? request?.label } = origin.request ?? {};
    this.n = n;
    this.dialogid = `${instance.srvidx}-${Math.floor(epoch).toString(36)}-${n}`;
    this.inviteid = origin.request?.inviteid ?? randomUuid(random.stream('ids').bytes(16));
    this.startts = Math.floor(clock.now());
    this.invitets = isoTime(this.startts);
    this.origin = origin;
    this.request = request;
    this.opts = {
      ...(referredBy !== undefined && { 'referred-by': referredBy.uri }),
      ...(label !== undefined && { label }),
    };
    this.#acallid = acallid;
    this.#from = from;
    this.#to = to;
    this.#participations = party === undefined ? [] : [party];
    this.#domains = [origin.domain];
    if (request === undefined) this.#parties.set('a', acallid);
  }

  get acallid(): string {
    return this.#acallid;
  }

  /** How callees see the caller. */
  get from(): Party {
    return this.#from;
  }

  /** The URI that the caller called. */
  get to(): string {
    return this.#to;
  }

  /** The file that the caller plays, such as a conference; empty: none. */
  get callerPlays(): string {
    return this.#callerPlays;
  }

  get answerts(): number | undefined {
    return this.#answerts;
  }

  /** How long the parties may talk (ms); 0: not known before the callee has answered. */
  get talkMs(): number {
    return this.#talkMs;
  }

  get participations(): readonly Participation[] {
    return this.#participations;
  }

  get domains(): readonly string[] {
    return this.#domains;
  }

  get bindings(): readonly string[] {
    return this.#bindings;
  }

  /** Record rules by domain, of the domains of the call that have any. */
  get rules(): ReadonlyMap<string, DomainRules> {
    return this.#rules;
  }

  /** The leg of side b that was called last. */
  get called(): string | undefined {
    return this.#called;
  }

  /** All legs that are not over. */
  get legs(): ReadonlySet<string> {
    return this.#legs;
  }

  get forks(): ReadonlyMap<number, Fork> {
    return this.#forks;
  }

  /** How long each fork may still ring (ms). */
  restMsOfForks(nowMs: number): RestMs {
    return Object.fromEntries([...this.#forks.values()].map(({ fork, untilMs }) => [fork, untilMs - nowMs]));
  }

  /** Whether side a and side b are heard by the other one. */
  get heard(): Heard {
    const { a, b } = this.#hold;
    return [isHeard(a, b), isHeard(b, a)];
  }

  /** The leg of a party, once there is one for good. */
  legOf(side: Side): string | undefined {
    return this.#parties.get(side);
  }

  partyOf(side: Side): Participation | undefined {
    return this.#participations.find((party) => party.side === side);
  }

  /** What a party has offered or answered last. */
  mediaOf(side: Side): Media {
    return mediaOf(this.#hold[side]);
  }

  /** Whether the speech of a side is transcribed. */
  isTranscribed(side: Side): boolean {
    return this.#transcribed.has(side);
  }

  /** Throws for the key of a target that was not found for this call. */
  routeTo(key: string): Route {
    const route = this.#routes.get(key);
    if (route === undefined) throw new Error(`${this.dialogid} has no route "${key}"`);
    return route;
  }

  /** Sets who takes part at a side. */
  seat(party: Participation): void {
    const others = this.#participations.filter(({ side }) => side !== party.side);
    this.#participations = [...others, party].sort((one, other) => (one.side < other.side ? -1 : 1));
    this.#addDomain(party.domain);
  }

  /** The caller has shown who it is, and how callees see it. */
  seatCaller(party: Participation, from: Party): void {
    this.#from = from;
    this.seat(party);
  }

  /** Sets the party that is called at a side: known before an answer, except for a conference. */
  seatCallee(side: Side, route: Route): void {
    if (side === 'a') this.#from = callerBy(route);
    else this.#to = route.to;
    this.#seatAt(side, route);
  }

  /** Sets the party to which a route leads. One that has redirected the call to a room takes no part. */
  #seatAt(side: Side, { party, domain }: Route): void {
    if (party !== undefined) return this.seat(seatOf(side, party));
    this.#participations = this.#participations.filter((each) => each.side !== side);
    this.#addDomain(domain);
  }

  /** Adds what routing has found: routes, and the rules of the domains that the call may concern, as they are when it is routed. */
  addRoutes(groups: RouteGroups, rules: readonly DomainRules[]): void {
    for (const route of groups.flat()) this.#routes.set(route.key, route);
    for (const each of rules) this.#rules.set(each.domain, each);
  }

  limitCaller(talkMs: number): void {
    this.#callerTalkMs = talkMs;
  }

  /** How long the caller and the callee of a route may talk (ms), by their own limits or else by the platform's. */
  talkMsWith({ talkMs }: Route): number {
    return shorter(this.#callerTalkMs, talkMs) || limits.talkMs;
  }

  addLeg(leg: string): void {
    this.#legs.add(leg);
  }

  removeLeg(leg: string): void {
    this.#legs.delete(leg);
  }

  addFork(fork: Fork): void {
    this.#forks.set(fork.fork, fork);
    if (fork.side === 'b') this.#called = fork.leg;
  }

  /** What a fork has answered, or where it is redirected to. */
  updateFork(number: number, what: Partial<Pick<Fork, 'media' | 'contacts'>>): void {
    this.#forks.set(number, { ...this.#fork(number), ...what });
  }

  removeFork(number: number): Fork {
    const fork = this.#fork(number);
    this.#forks.delete(number);
    return fork;
  }

  /** X, which the platform has called, has answered with this fork: it is the caller from now on. */
  takeCaller(number: number): Fork {
    const fork = this.removeFork(number);
    const { leg, route } = fork;
    this.#parties.set('a', leg);
    this.#acallid = leg;
    this.#from = callerBy(route);
    this.#callerTalkMs = route.talkMs;
    if (route.party !== undefined) this.seat(seatOf('a', route.party));
    return fork;
  }

  /** The callee has answered with this fork. */
  connect(number: number, atMs: number): Fork {
    const fork = this.#fork(number);
    this.#parties.set('b', fork.leg);
    this.#answerts = atMs;
    this.#talkMs = this.talkMsWith(fork.route);
    this.#seatAt('b', fork.route);
    return fork;
  }

  /** What a party sends and takes from now on. Returns whether what the parties hear of each other may have changed. */
  setMedia(side: Side, media: Media): boolean {
    const { state, commands } = holdTable().step(this.#hold[side], { type: `media.${media}` });
    this.#hold[side] = state;
    return commands.length > 0;
  }

  /** The caller plays a file from now on; empty: none. */
  playFromCaller(file: string): void {
    this.#callerPlays = file;
  }

  transcribe(side: Side, isOn: boolean): void {
    if (isOn) this.#transcribed.add(side);
    else this.#transcribed.delete(side);
  }

  bind(labels: readonly string[]): void {
    this.#bindings = labels;
  }

  /** Calls a listener with the progress of the call, until it is over. */
  listen(listener: (progress: Progress) => void): void {
    this.#listeners.push(listener);
  }

  notify(progress: Progress): void {
    for (const listener of this.#listeners) listener(progress);
    if (progress.type === 'over') this.#listeners = [];
  }

  #fork(number: number): Fork {
    const fork = this.#forks.get(number);
    if (fork === undefined) throw new Error(`${this.dialogid} has no fork ${number}`);
    return fork;
  }

  #addDomain(domain: string): void {
    if (!this.#domains.includes(domain)) this.#domains = [...this.#domains, domain];
  }
}

export function otherSide(side: Side): Side {
  return side === 'a' ? 'b' : 'a';
}

/** Of two limits the shorter; 0 is none. */
function shorter(one: number, other: number): number {
  if (one === 0 || other === 0) return Math.max(one, other);
  return Math.min(one, other);
}

let table: Compiled<HoldEvent, HoldCommand, HoldState> | undefined;

function holdTable(): Compiled<HoldEvent, HoldCommand, HoldState> {
  table ??= compile(holdMachine) as Compiled<HoldEvent, HoldCommand, HoldState>;
  return table;
}
