/** A call as b2b keeps it beside its machines: names, parties and legs. Whatever has states is in a machine (`calls.ts`). */
import type { RoleScope } from '../../cluster/role.ts';
import type { DialogEnd } from '../../machines/call/dialog-events.ts';
import { type HoldState, initialHold } from '../../machines/call/hold.ts';
import type {
  CallRequest,
  DialogRecord,
  DialogStatus,
  LegRecord,
  Participation,
  Side,
} from '../../model/protocol/messages/dialog.ts';
import type { DomainRules } from '../../model/protocol/messages/directory.ts';
import type { CallRecording, RecordingList } from '../../model/recording/recording.ts';
import { type Media, type Party, readTransferToken, type SipRequest } from '../../model/sip/message.ts';
import { bracketed } from '../../model/sip/uri.ts';
import { isoTime } from '../../model/time.ts';
import { randomUuid } from '../../model/uuid.ts';
import type { Route } from './routing/routes.ts';

/** A device, provider or instance that is being called, or has answered. */
export interface Fork {
  readonly fork: number;
  readonly side: Side;
  readonly leg: string;
  readonly route: Route;
  /** When it has rung long enough (ms since the epoch). */
  readonly untilMs: number;
  /** What it answered with. */
  media: Media | undefined;
  /** Where it is redirected to. */
  contacts: readonly string[];
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

export interface Call {
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
  acallid: string;
  /** How callees see the caller. */
  from: Party;
  /** The URI that the caller called. */
  to: string;
  answerts: number | undefined;
  /** How long the parties may talk (ms), by their own limits or else by the platform's; 0: not known before there are routes. */
  talkMs: number;
  participations: readonly Participation[];
  domains: readonly string[];
  opts: Readonly<Record<string, unknown>>;
  bindings: readonly string[];
  /** The sides whose speech is transcribed. */
  readonly transcribed: Record<Side, boolean>;
  /** State of the hold machine of each party. */
  readonly hold: Record<Side, HoldState>;
  /** Record rules by domain, of the domains of the call that have any. */
  rules: ReadonlyMap<string, DomainRules> | undefined;
  /** Legs by side, once there is one for good. */
  a: string | undefined;
  b: string | undefined;
  /** The leg of side b that was called last. */
  called: string | undefined;
  /** All legs that are not over. */
  readonly legs: Set<string>;
  readonly forks: Map<number, Fork>;
  /** The routes that may be called, by the key of their target. */
  readonly routes: Map<string, Route>;
  readonly listeners: ((progress: Progress) => void)[];
}

export function legOf({ a, b }: Call, side: Side): string | undefined {
  return side === 'a' ? a : b;
}

export function otherSide(side: Side): Side {
  return side === 'a' ? 'b' : 'a';
}

export function partyOf({ participations }: Call, side: Side): Participation | undefined {
  return participations.find((party) => party.side === side);
}

/** Sets who takes part at a side. */
export function seat(call: Call, party: Participation): void {
  call.participations = [...call.participations.filter(({ side }) => side !== party.side), party].sort((one, other) =>
    one.side < other.side ? -1 : 1,
  );
  addDomain(call, party.domain);
}

export function addDomain(call: Call, domain: string): void {
  if (!call.domains.includes(domain)) call.domains = [...call.domains, domain];
}

/** What a record says of a call beside its own fields: where it is, and what its machines know. */
export interface RecordedState {
  readonly site: string;
  readonly b2b: string;
  readonly status: DialogStatus;
  readonly recordings: RecordingList;
}

/** The call as callstore receives it. Nothing in it is changed later. */
export function recordOf(call: Call, { site, b2b, status, recordings }: RecordedState): DialogRecord {
  const { dialogid, inviteid, acallid, startts, answerts, bindings } = call;
  const [last] = recordings.slice(-1);
  const opts = last === undefined ? call.opts : { ...call.opts, recording: last.endts === undefined };
  return {
    dialogid,
    inviteid,
    acallid,
    esgdlg: call.origin.request?.esgdlg ?? '',
    status,
    legs: legsOf(call),
    localuri: bracketed(call.from.uri),
    remoteuri: bracketed(call.to),
    site,
    startts,
    ...(answerts === undefined ? {} : { answerts }),
    opts: bindings.length === 0 ? opts : { ...opts, bindings },
    domains: call.domains as string[],
    b2b,
    participations: call.participations as Participation[],
    bindings: bindings as string[],
    ...(recordings.length > 0 && { recordings: recordings as CallRecording[] }),
  };
}

function legsOf(call: Call): LegRecord[] {
  const caller = bracketed(call.from.uri);
  const legs: LegRecord[] = [];
  const isTaken = call.a !== undefined;
  if (call.a !== undefined) {
    legs.push({ callid: call.a, side: 'a', localuri: bracketed(call.to), remoteuri: caller });
  }
  for (const { leg, side, route, untilMs } of call.forks.values()) {
    if (side === 'a') {
      if (!isTaken) legs.push({ callid: leg, side, localuri: caller, remoteuri: bracketed(route.to) });
      continue;
    }
    if (call.b !== undefined && call.b !== leg) continue;
    const time = timeOf(call, untilMs);
    legs.push({ callid: leg, side, localuri: caller, remoteuri: bracketed(route.to), ...time });
  }
  return legs;
}

/** Until the callee has answered it may ring for a time, then talk for a time. */
function timeOf({ answerts, talkMs }: Call, untilMs: number): { untilMs: number } {
  return { untilMs: answerts === undefined ? untilMs : answerts + talkMs };
}

/** What a call is made of. */
export interface CallInit {
  readonly origin: CallOrigin;
  readonly acallid: string;
  readonly from: Party;
  readonly to: string;
  readonly request?: CallRequest;
}

/** The n-th call of an instance. */
export function newCall(
  { instance, epoch, clock, random }: Pick<RoleScope, 'instance' | 'epoch' | 'clock' | 'random'>,
  n: number,
  { origin, acallid, from, to, request }: CallInit,
): Call {
  const startts = Math.floor(clock.now());
  const { referredBy, label = readTransferToken(referredBy?.token)?.label ?? request?.label } = origin.request ?? {};
  const opts = {
    ...(referredBy !== undefined && { 'referred-by': referredBy.uri }),
    ...(label !== undefined && { label }),
  };
  return {
    n,
    dialogid: `${instance.srvidx}-${Math.floor(epoch).toString(36)}-${n}`,
    inviteid: origin.request?.inviteid ?? randomUuid(random.stream('ids').bytes(16)),
    startts,
    invitets: isoTime(startts),
    origin,
    request,
    acallid,
    from,
    to,
    answerts: undefined,
    talkMs: 0,
    participations: [],
    domains: [origin.domain],
    opts,
    bindings: [],
    transcribed: { a: false, b: false },
    hold: { a: initialHold, b: initialHold },
    rules: undefined,
    a: undefined,
    b: undefined,
    called: undefined,
    legs: new Set(),
    forks: new Map(),
    routes: new Map(),
    listeners: [],
  };
}

/** Calls the listeners that wait for a call. */
export function notify({ listeners }: Call, progress: Progress): void {
  for (const listener of listeners) listener(progress);
}
