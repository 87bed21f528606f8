/** Commands to a live call, each made of what b2b, ivr and conf understand. (verbs public, what they do chosen) */
import { done, failed, fault, type Outcome } from '../../model/fault.ts';
import type { ReplyOf } from '../../model/protocol/catalogue.ts';
import type { DialogCommand, DialogRecord, LegIdentity, Side } from '../../model/protocol/dialog.ts';
import type { CommandReply } from '../../model/protocol/mware.ts';
import type { CallCommand, CallVerb, CommandOf } from '../../model/requests/calls.ts';
import type { ReferTo } from '../../model/sip/message.ts';
import { askFirst } from '../../runtime/asking.ts';
import type { RoleScope } from '../../runtime/role.ts';
import { callByIvr } from './calling.ts';
import type { Conferences } from './conferences.ts';
import { type Errand, notFound } from './errand.ts';
import type { Lookups } from './lookups.ts';
import { dialledIn, otherSide, partiesText, partyAt, sideOf, sideOfSame, uriAt } from './parties.ts';

/** How long X may ring when it is called to take over a call that it has: its device answers by itself. (chosen) */
const replacingMs = 30_000;

type Told = ReplyOf<'dialog.command'>;

export class Commands {
  readonly #scope: RoleScope;
  readonly #lookups: Lookups;
  readonly #conferences: Conferences;

  constructor({ scope, lookups, conferences }: { scope: RoleScope; lookups: Lookups; conferences: Conferences }) {
    this.#scope = scope;
    this.#lookups = lookups;
    this.#conferences = conferences;
  }

  async run(errand: Errand, dialogid: string, command: CallCommand): Promise<Outcome<CommandReply>> {
    const live = await this.#lookups.call(errand, dialogid);
    if (!live.ok) return live;
    const { record } = live.value;
    switch (command.verb) {
      case 'REFER':
        return this.#refer(errand, record, command);
      case 'REFERREPLACES':
        return this.#connect(errand, record, command);
      case 'SWITCHCONF':
        return this.#switchToConference(errand, record);
      case 'REFERCONF':
        return this.#referToConference(errand, record, command);
      default:
        return this.#pass(errand, record, orderOf(command));
    }
  }

  /** A command that b2b carries out by itself. */
  async #pass(errand: Errand, record: DialogRecord, order: DialogCommand): Promise<Outcome<CommandReply>> {
    const told = await this.#tell(errand, record, order);
    if (!told.ok) return told;
    const { bindings } = told.value;
    const { dialogid } = record;
    return done({ dialogid, result: 'ok', ...(bindings === undefined ? {} : { bindings }) });
  }

  /** The opponent of `by` is called by IVR in the place of its leg, and referred from there. (flow documented) */
  async #refer(errand: Errand, record: DialogRecord, { body }: CommandOf<'REFER'>): Promise<Outcome<CommandReply>> {
    const { dialogid } = record;
    const by = initiatorOf(record, body.by);
    if (!by.ok) return by;
    const opponent = otherSide(by.value);
    const refusal = unreferable(record, opponent);
    if (refusal !== undefined) return refusal;
    const identity = await this.#identify(errand, record, opponent);
    if (!identity.ok) return identity;
    const order = {
      domain: errand.domain,
      from: dialledIn(errand.domain, identity.value.number, partyAt(record, opponent)),
      to: body.referto,
      mode: 'number' as const,
      timeoutMs: replacingMs,
      responseMode: body.response_mode,
      ...(body.label === undefined ? {} : { label: body.label }),
    };
    const initiator = partyAt(record, by.value);
    const transfer = {
      order,
      replaces: identity.value.replaces,
      referredBy: uriAt(record, by.value),
      ...(initiator === undefined ? {} : { returnTo: dialledIn(errand.domain, initiator.number, initiator) }),
    };
    const called = await callByIvr(this.#scope, transfer, errand.untilMs);
    if (!called.ok) return called;
    const { dialogid: referdialogid, ...result } = called.value;
    return done({ dialogid, ...result, ...(referdialogid === undefined ? {} : { referdialogid }) });
  }

  /** The opponents of two calls of one party are connected: the one is referred to the leg of the other. */
  async #connect(
    errand: Errand,
    record: DialogRecord,
    { body }: CommandOf<'REFERREPLACES'>,
  ): Promise<Outcome<CommandReply>> {
    const by = initiatorOf(record, body.by);
    if (!by.ok) return by;
    if (body.dialogid === record.dialogid) return failed(fault('invalid', 'dialogid: expected that of another call'));
    const live = await this.#lookups.call(errand, body.dialogid);
    if (!live.ok) return live;
    const other = live.value.record;
    const side = sideOfSame(record, by.value, other);
    if (side === undefined) {
      return failed(fault('invalid', `dialogid: ${partyText(record, by.value)} takes no part in ${other.dialogid}`));
    }
    const meets = partyAt(other, otherSide(side))?.kind === 'conference' ? unconferable : unreferable;
    const refusal = meets(record, otherSide(by.value)) ?? unreferable(other, otherSide(side));
    if (refusal !== undefined) return refusal;
    const identity = await this.#identify(errand, other, otherSide(side));
    if (!identity.ok) return identity;
    const { uri, replaces } = identity.value;
    const referTo = { uri, replaces };
    return this.#referSide(errand, record, { side: otherSide(by.value), referTo, by: by.value });
  }

  /** Both parties are referred to a new conference, at once: who is in leaves the call, which would end it for the other. */
  async #switchToConference(errand: Errand, record: DialogRecord): Promise<Outcome<CommandReply>> {
    const refusal = unconferable(record, 'a') ?? unconferable(record, 'b');
    if (refusal !== undefined) return refusal;
    const { domain, untilMs: deadlineMs } = errand;
    const question = { type: 'conference.create' as const, body: { domain }, deadlineMs };
    const made = await askFirst(this.#scope, { role: 'conf', domain }, question);
    if (!made.ok) return made;
    const { confid, uri } = made.value;
    const refer = (side: Side) => this.#referSide(errand, record, { side, referTo: { uri: bare(uri) } });
    const [a, b] = await Promise.all([refer('a'), refer('b')]);
    const { dialogid } = record;
    if (a.ok && b.ok) return done({ dialogid, result: 'ok', confid });
    if (a.ok || b.ok) return done({ dialogid, result: 'failed', confid });
    await this.#conferences.end(errand, confid);
    return a;
  }

  async #referToConference(
    errand: Errand,
    record: DialogRecord,
    { body }: CommandOf<'REFERCONF'>,
  ): Promise<Outcome<CommandReply>> {
    const by = initiatorOf(record, body.by);
    if (!by.ok) return by;
    const side = otherSide(by.value);
    const refusal = unconferable(record, side);
    if (refusal !== undefined) return refusal;
    // A conference of somebody else may be joined: it is the call that must be one's own.
    const conference = await this.#conferences.one({ ...errand, own: undefined }, body.confid);
    if (!conference.ok) return conference;
    const { confid, uri } = conference.value;
    const referred = await this.#referSide(errand, record, { side, referTo: { uri: bare(uri) }, by: by.value });
    return referred.ok ? done({ ...referred.value, confid }) : referred;
  }

  async #identify(errand: Errand, record: DialogRecord, side: Side): Promise<Outcome<LegIdentity>> {
    const told = await this.#tell(errand, record, { verb: 'identify', side });
    if (!told.ok) return told;
    const { identity } = told.value;
    return identity === undefined ? failed(fault('crashed', `${record.b2b} did not say who that is`)) : done(identity);
  }

  #referSide(
    errand: Errand,
    record: DialogRecord,
    { side, referTo, by }: { side: Side; referTo: ReferTo; by?: Side },
  ): Promise<Outcome<CommandReply>> {
    const referredBy = by === undefined ? {} : { referredBy: { uri: uriAt(record, by) } };
    return this.#pass(errand, record, { verb: 'refer', side, referTo, ...referredBy });
  }

  async #tell({ untilMs }: Errand, record: DialogRecord, command: DialogCommand): Promise<Outcome<Told>> {
    const { dialogid, b2b } = record;
    const told = await this.#scope.ask(b2b, 'dialog.command', { dialogid, command }, { deadlineMs: untilMs });
    return !told.ok && told.fault.code === 'not_found' ? failed(notFound) : told;
  }
}

type Passed = Exclude<CallVerb, 'REFER' | 'REFERREPLACES' | 'SWITCHCONF' | 'REFERCONF'>;

function orderOf({ verb, body }: CommandOf<Passed>): DialogCommand {
  switch (verb) {
    case 'NOTIFY':
      return { verb: 'notify', ...body };
    case 'SEND_DTMF':
      return { verb: 'dtmf', ...body };
    case 'SETUP_RECORD':
      return { verb: 'record', ...body };
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

/** Why a side can't be referred now: only one that is in the call can; while callees ring, that is side a. */
function unreferable({ dialogid, status }: DialogRecord, side: Side) {
  if (status === 'dialog' || (status === 'forking' && side === 'a')) return undefined;
  const reason = status === 'forking' ? 'side b has not answered' : `it is in status ${status}`;
  return failed(fault('conflict', `${dialogid}: side ${side} can't be referred now, for ${reason}`));
}

/** Why a side can't go to a conference: two conferences that were connected would talk to each other for ever. */
function unconferable(record: DialogRecord, side: Side) {
  if (partyAt(record, side)?.kind !== 'conference') return unreferable(record, side);
  return failed(fault('conflict', `${record.dialogid}: side ${side} is a conference, which can't go to another`));
}

function partyText(record: DialogRecord, side: Side): string {
  return `<${uriAt(record, side)}>`;
}

function bare(uri: string): string {
  return uri.startsWith('<') && uri.endsWith('>') ? uri.slice(1, -1) : uri;
}
