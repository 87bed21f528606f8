/** The commands of clients to calls, as mware carries them out at b2b and ivr. */
import { askRole } from '../../cluster/messaging/ask-in-order.ts';
import type { RoleScope } from '../../cluster/role.ts';
import type { CallCommand, CallVerb, CommandOf } from '../../model/call-request-bodies.ts';
import { done, failed, fault, type Outcome } from '../../model/fault.ts';
import type { ReplyOf } from '../../model/protocol/catalogue.ts';
import type {
  DialogCommandBody,
  DialogRecord,
  LegIdentity,
  Participation,
  Side,
} from '../../model/protocol/messages/dialog.ts';
import type { CommandReply } from '../../model/protocol/messages/mware.ts';
import type { ReferTo } from '../../model/sip/message.ts';
import { bare, parseUri, sipUri, uriKey } from '../../model/sip/uri.ts';
import { numberNowOf } from '../sip-users.ts';
import type { ConferenceRequests } from './conference-requests.ts';
import type { Lookups } from './lookups.ts';
import { callByIvr, lookUntilMs, notFound, type RequestContext } from './request-context.ts';

export function otherSide(side: Side): Side {
  return side === 'a' ? 'b' : 'a';
}

/** The side that `by` names: `a`, `b`, or the URI of its party. If a party called itself, side a. */
export function sideOf(record: DialogRecord, by: string): Side | undefined {
  if (by === 'a' || by === 'b') return by;
  const found = record.participations.find((party) => isAt(party, by));
  if (found !== undefined) return found.side;
  return (['a', 'b'] as const).find((side) => urisAt(record, side).some((uri) => uriKey(uri) === uriKey(by)));
}

/** The side of `other` that has the same party as `side` of `record`. */
export function sideOfSame(record: DialogRecord, side: Side, other: DialogRecord): Side | undefined {
  const party = partyAt(record, side);
  if (party === undefined) return undefined;
  return other.participations.find((each) => isSameParty(each, party))?.side;
}

/** A SIP user goes by its id, where it is known: its login and its number may change between two calls. */
function isSameParty(one: Participation, other: Participation): boolean {
  if (one.kind !== other.kind || one.domain !== other.domain) return false;
  if (one.id !== undefined && other.id !== undefined) return one.id === other.id;
  return one.name === other.name && one.number === other.number;
}

export function partyAt({ participations }: DialogRecord, side: Side): Participation | undefined {
  return participations.find((party) => party.side === side);
}

/** The URI of a party, without brackets. */
export function uriAt(record: DialogRecord, side: Side): string {
  const party = partyAt(record, side);
  if (party !== undefined && party.domain !== '') return sipUri(party.number, party.domain);
  return bare(urisAt(record, side)[0] ?? '');
}

/** The number to dial for a party within a domain: with the party's domain if that is another one. */
export function dialledIn(domain: string, number: string, party: Participation | undefined): string {
  if (party === undefined || party.domain === domain || isOutside(party)) return number;
  return `${number}@${party.domain}`;
}

/** The URIs of the parties, for an error message about an unknown party. */
export function partiesText(record: DialogRecord): string {
  return [...new Set((['a', 'b'] as const).map((side) => `<${uriAt(record, side)}>`))].join(', ');
}

function isOutside({ kind }: Pick<Participation, 'kind'>): boolean {
  return kind === 'outside' || kind === 'account';
}

/** A party is identified by its number and by its name; a party outside has no domain of its own. */
function isAt({ kind, domain, name, number }: Participation, by: string): boolean {
  const uri = parseUri(by);
  if (uri === undefined || (uri.user !== number && uri.user !== name)) return false;
  return isOutside({ kind }) || uri.host === domain;
}

/** The dialog's URIs are those of the caller and the callee; a leg's remote URI is that of its party. */
function urisAt({ legs, localuri, remoteuri }: DialogRecord, side: Side): string[] {
  return [...legs.filter((leg) => leg.side === side).map((leg) => leg.remoteuri), side === 'a' ? localuri : remoteuri];
}

/** Maximum ringing time when X is called to replace its own leg: its device answers automatically. (chosen) */
const replacingMs = 30_000;

type CommandReplyBody = ReplyOf<'dialog.command'>;

export class CallCommands {
  readonly #scope: RoleScope;
  readonly #lookups: Lookups;
  readonly #conferences: ConferenceRequests;

  constructor({
    scope,
    lookups,
    conferences,
  }: { scope: RoleScope; lookups: Lookups; conferences: ConferenceRequests }) {
    this.#scope = scope;
    this.#lookups = lookups;
    this.#conferences = conferences;
  }

  async run(context: RequestContext, dialogid: string, command: CallCommand): Promise<Outcome<CommandReply>> {
    const live = await this.#lookups.call(context, dialogid);
    if (!live.ok) return live;
    const { record } = live.value;
    switch (command.verb) {
      case 'REFER':
        return this.#refer(context, record, command);
      case 'REFERREPLACES':
        return this.#connect(context, record, command);
      case 'SWITCHCONF':
        return this.#switchToConference(context, record);
      case 'REFERCONF':
        return this.#referToConference(context, record, command);
      default:
        return this.#pass(context, record, bodyOf(command));
    }
  }

  /** A command that b2b executes alone. */
  async #pass(
    context: RequestContext,
    record: DialogRecord,
    command: DialogCommandBody,
  ): Promise<Outcome<CommandReply>> {
    const sent = await this.#send(context, record, command);
    if (!sent.ok) return sent;
    const { bindings } = sent.value;
    const { dialogid } = record;
    return done({ dialogid, result: 'ok', ...(bindings === undefined ? {} : { bindings }) });
  }

  /** IVR calls the opponent of `by`, replacing its leg, and refers it. (flow documented) */
  async #refer(
    context: RequestContext,
    record: DialogRecord,
    { body }: CommandOf<'REFER'>,
  ): Promise<Outcome<CommandReply>> {
    const { dialogid } = record;
    const by = initiatorOf(record, body.by);
    if (!by.ok) return by;
    const opponent = otherSide(by.value);
    const refusal = unmovable(record, opponent);
    if (refusal !== undefined) return refusal;
    const initiator = partyAt(record, by.value);
    const [identity, returnNumber] = await Promise.all([
      this.#identify(context, record, opponent),
      this.#numberNow(context, initiator),
    ]);
    if (!identity.ok) return identity;
    const request = {
      domain: context.domain,
      from: dialledIn(context.domain, identity.value.number, partyAt(record, opponent)),
      to: body.referto,
      mode: 'number' as const,
      timeoutMs: replacingMs,
      responseMode: body.response_mode,
      ...(body.label === undefined ? {} : { label: body.label }),
    };
    const transfer = {
      request,
      replaces: identity.value.replaces,
      referredBy: uriAt(record, by.value),
      ...(initiator && { returnTo: dialledIn(context.domain, returnNumber ?? initiator.number, initiator) }),
    };
    const called = await callByIvr(this.#scope, transfer, context.untilMs);
    if (!called.ok) return called;
    const { dialogid: referdialogid, ...result } = called.value;
    return done({ dialogid, ...result, ...(referdialogid === undefined ? {} : { referdialogid }) });
  }

  /** Connects the opponents of two calls of one party: refers one to the leg of the other. */
  async #connect(
    context: RequestContext,
    record: DialogRecord,
    { body }: CommandOf<'REFERREPLACES'>,
  ): Promise<Outcome<CommandReply>> {
    const by = initiatorOf(record, body.by);
    if (!by.ok) return by;
    if (body.dialogid === record.dialogid) return failed(fault('invalid', 'dialogid: expected that of another call'));
    const live = await this.#lookups.call(context, body.dialogid);
    if (!live.ok) return live;
    const other = live.value.record;
    const side = sideOfSame(record, by.value, other);
    if (side === undefined) {
      return failed(fault('invalid', `dialogid: ${partyText(record, by.value)} takes no part in ${other.dialogid}`));
    }
    const meets = isConferenceAt(other, otherSide(side)) ? unconferable : unmovable;
    const refusal = meets(record, otherSide(by.value)) ?? unreferable(other, otherSide(side));
    if (refusal !== undefined) return refusal;
    const identity = await this.#identify(context, other, otherSide(side));
    if (!identity.ok) return identity;
    const { uri, replaces } = identity.value;
    const referTo = { uri, replaces };
    return this.#referTo(context, record, { sides: [otherSide(by.value)], referTo, by: by.value });
  }

  /**
   * Refers both parties to a new conference at the same time: the first to join leaves the call, which ends it for the
   * other.
   */
  async #switchToConference(context: RequestContext, record: DialogRecord): Promise<Outcome<CommandReply>> {
    const refusal = unconferable(record, 'a') ?? unconferable(record, 'b');
    if (refusal !== undefined) return refusal;
    const { domain, untilMs: deadlineMs } = context;
    const question = { type: 'conference.create' as const, body: { domain }, deadlineMs };
    const made = await askRole(this.#scope, { role: 'conf', domain }, question);
    if (!made.ok) return made;
    const { confid, uri } = made.value;
    const referred = await this.#referTo(context, record, { sides: ['a', 'b'], referTo: { uri: bare(uri) } });
    if (referred.ok) return done({ ...referred.value, confid });
    await this.#conferences.end(context, confid);
    return referred;
  }

  async #referToConference(
    context: RequestContext,
    record: DialogRecord,
    { body }: CommandOf<'REFERCONF'>,
  ): Promise<Outcome<CommandReply>> {
    const by = initiatorOf(record, body.by);
    if (!by.ok) return by;
    const side = otherSide(by.value);
    const refusal = unconferable(record, side);
    if (refusal !== undefined) return refusal;
    // Any conference may be joined: only the call must belong to the user.
    const conference = await this.#conferences.one({ ...context, own: undefined }, body.confid);
    if (!conference.ok) return conference;
    const { confid, uri } = conference.value;
    const referred = await this.#referTo(context, record, { sides: [side], referTo: { uri: bare(uri) }, by: by.value });
    return referred.ok ? done({ ...referred.value, confid }) : referred;
  }

  async #identify(context: RequestContext, record: DialogRecord, side: Side): Promise<Outcome<LegIdentity>> {
    const party = partyAt(record, side);
    const [sent, number] = await Promise.all([
      this.#send(context, record, { verb: 'identify', side }),
      this.#numberNow(context, party),
    ]);
    if (!sent.ok) return sent;
    const { identity } = sent.value;
    if (identity === undefined) return failed(fault('crashed', `${record.b2b} did not identify the party`));
    if (party === undefined || number === undefined || number === party.number) return done(identity);
    return done({ ...identity, number, uri: sipUri(number, party.domain) });
  }

  async #numberNow(context: RequestContext, party: Participation | undefined): Promise<string | undefined> {
    return party && numberNowOf(this.#scope, party, lookUntilMs(this.#scope, context));
  }

  #referTo(
    context: RequestContext,
    record: DialogRecord,
    { sides, referTo, by }: { sides: readonly Side[]; referTo: ReferTo; by?: Side },
  ): Promise<Outcome<CommandReply>> {
    const referredBy = by === undefined ? {} : { referredBy: { uri: uriAt(record, by) } };
    return this.#pass(context, record, { verb: 'refer', sides, referTo, ...referredBy });
  }

  async #send(
    { untilMs }: RequestContext,
    record: DialogRecord,
    command: DialogCommandBody,
  ): Promise<Outcome<CommandReplyBody>> {
    const { dialogid, b2b } = record;
    const sent = await this.#scope.ask(b2b, 'dialog.command', { dialogid, command }, { deadlineMs: untilMs });
    return !sent.ok && sent.fault.code === 'not_found' ? failed(notFound) : sent;
  }
}

type Passed = Exclude<CallVerb, 'REFER' | 'REFERREPLACES' | 'SWITCHCONF' | 'REFERCONF'>;

function bodyOf({ verb, body }: CommandOf<Passed>): DialogCommandBody {
  switch (verb) {
    case 'NOTIFY':
      return { verb: 'notify', ...body };
    case 'SEND_DTMF':
      return { verb: 'dtmf', ...body };
    case 'SETUP_RECORD':
      return { verb: 'record', ...body };
    case 'SETUP_ASR':
      return { verb: 'transcribe', ...body };
    case 'SETUP_BINDINGS':
      return { verb: 'bind', ...body };
    case 'DELETE':
      return { verb: 'end' };
  }
}

function initiatorOf(record: DialogRecord, by: string): Outcome<Side> {
  const side = sideOf(record, by);
  if (side !== undefined) return done(side);
  return failed(fault('invalid', `by: expected a, b or one of ${partiesText(record)}, got ${JSON.stringify(by)}`));
}

/** The refusal to refer a side: only a side in the call can be referred; while callees ring, that is side a. */
function unreferable({ dialogid, status }: DialogRecord, side: Side) {
  if (status === 'dialog' || (status === 'forking' && side === 'a')) return undefined;
  const reason = status === 'forking' ? 'side b has not answered' : `it is in status ${status}`;
  return failed(fault('conflict', `${dialogid}: side ${side} can't be referred now: ${reason}`));
}

/** Of an answered call only a room whose conference has not said its id yet is an unknown party. */
function isConferenceAt(record: DialogRecord, side: Side): boolean {
  const party = partyAt(record, side);
  return party === undefined ? record.status === 'dialog' : party.kind === 'conference';
}

/** The refusal to refer a side by REFER: a script does not follow it. */
function unmovable(record: DialogRecord, side: Side) {
  if (partyAt(record, side)?.kind !== 'ivr') return unreferable(record, side);
  return failed(fault('conflict', `${record.dialogid}: side ${side} is an IVR script, and can't be referred`));
}

/** The refusal to move a side to a conference: two connected conferences would feed their audio to each other. */
function unconferable(record: DialogRecord, side: Side) {
  if (!isConferenceAt(record, side)) return unmovable(record, side);
  return failed(fault('conflict', `${record.dialogid}: side ${side} is a conference, and can't join another`));
}

function partyText(record: DialogRecord, side: Side): string {
  return `<${uriAt(record, side)}>`;
}
