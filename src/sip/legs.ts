/** Sends events to the leg machines of an agent, and executes their commands with the message or operation behind the event. */
import { compile } from '../actors/compiled-machine.ts';
import type { Counters } from '../actors/counters.ts';
import {
  type LegCommand,
  type LegDelay,
  type LegEvent,
  type LegState,
  type LegTag,
  legDelaysMs,
  legMachine,
} from '../machines/sip/leg.ts';
import {
  type Challenge,
  reasonOf,
  responseTo,
  type SipRequest,
  type SipResponse,
  statusIn,
} from '../model/sip/message.ts';
import type { Clock } from '../ports/clock.ts';
import type { RandomStream } from '../ports/random.ts';
import type { Effects } from './effects.ts';
import {
  answerEvent,
  askOf,
  type DialogRequest,
  inviteEvent,
  type Leg,
  type LegOperation,
  type LegReport,
  type LegView,
  operationEvent,
  refusalOf,
  viewOf,
} from './leg.ts';
import { ackIn, answerIn, answeringMedia, cancelOf, requestIn } from './outgoing-messages.ts';
import { SessionTimer } from './session-timer.ts';
import type { ClientTransactions, ServerTransactions } from './transactions.ts';

/** What legs take from the options of their agent. */
export interface LegOwner {
  /** What it writes in Via, the sent-by of RFC 3261: an address of the cluster, or an endpoint outside. */
  readonly sentBy: string;
  readonly clock: Clock;
  /** For Call-Ids, tags, and the wait after glare. */
  readonly random: RandomStream;
  readonly counters: Counters;
  readonly userAgent?: string;
  /** Whether what is sent to `hop` can get lost on its way, so that it must be sent again until it is answered. */
  readonly isLossy: (hop: string) => boolean;
  /** Session timer (RFC 4028): `refresh` sends UPDATE at a third of the time, `watch` expects one within it. */
  readonly session: { readonly does: 'refresh' | 'watch'; readonly expiresMs: number };
  readonly onReport: (leg: string, report: LegReport) => void;
}

export interface LegsOptions {
  readonly agent: LegOwner;
  readonly clients: ClientTransactions;
  readonly servers: ServerTransactions;
  readonly effects: Effects;
  /** Runs the callback of a timer as one step of the agent, so that reports are delivered after it. */
  readonly during: (step: () => void) => void;
}

const compileLegs = () => compile(legMachine);
let table: ReturnType<typeof compileLegs> | undefined;

/** The table of the leg machine, compiled once for all agents. */
export function legTable(): ReturnType<typeof compileLegs> {
  table ??= compileLegs();
  return table;
}

/** The message or operation behind an event. */
export interface LegEventData {
  readonly request?: SipRequest;
  readonly response?: SipResponse;
  readonly operation?: LegOperation;
}

type LegEventType = LegEvent['type'] | `xstate.after.${string}`;
type Execute = (leg: Leg, data: LegEventData) => void;

const nothing: LegEventData = {};
const answered: LegTag = 'answered';

export class Legs {
  readonly #agent: LegOwner;
  readonly #clients: ClientTransactions;
  readonly #servers: ServerTransactions;
  readonly #effects: Effects;
  readonly #during: LegsOptions['during'];
  readonly #session: SessionTimer;
  readonly #legs = new Map<string, Leg>();
  readonly #table = legTable();

  constructor({ agent, clients, servers, effects, during }: LegsOptions) {
    this.#during = during;
    this.#agent = agent;
    this.#clients = clients;
    this.#servers = servers;
    this.#effects = effects;
    this.#session = new SessionTimer({
      ...agent.session,
      clock: agent.clock,
      during,
      refresh: (leg) => this.#ask(leg, { method: 'UPDATE', more: { contact: leg.ownContact } }),
      lapsed: (leg) => this.send(leg, 'session.lapsed'),
    });
  }

  get size(): number {
    return this.#legs.size;
  }

  /** The state in which a leg begins. */
  get initial(): LegState {
    return this.#table.initial;
  }

  get(callid: string): Leg | undefined {
    return this.#legs.get(callid);
  }

  view(leg: Leg): LegView {
    return viewOf(leg, this.#table.hasTag(leg.state, answered));
  }

  names(): IterableIterator<string> {
    return this.#legs.keys();
  }

  /** Takes a new leg, whose first event is `call` or `invite.received`. */
  add(leg: Leg): void {
    this.#legs.set(leg.callid, leg);
    this.send(leg, leg.isOutgoing ? 'call' : 'invite.received', { request: leg.invite });
  }

  /** Sends an event to a leg. */
  send(leg: Leg, type: LegEventType, data: LegEventData = nothing): void {
    const step = this.#table.step(leg.state, { type } as LegEvent);
    const before = leg.state;
    leg.state = step.state;
    if (step.isEntered) this.#show(leg, step.state, before);
    if (step.isEntered) this.#setTimers(leg);
    for (const command of step.commands) this.#execute(leg, command, data);
    if (step.state === 'ended') this.#remove(leg, isDrop(data.operation));
    else if (step.isEntered && leg.kept.length > 0)
      for (const operation of leg.kept.splice(0)) this.perform(leg, operation);
  }

  /** Performs an operation of its owner. */
  perform(leg: Leg, operation: LegOperation): void {
    if (operation.type === 'offer') leg.offer = operation.media;
    this.send(leg, operationEvent(operation), { operation });
  }

  stop(): void {
    for (const leg of this.#legs.values()) {
      for (const timer of leg.timers) timer.cancel();
      this.#session.stop(leg);
    }
    for (const leg of this.#legs.values()) this.#show(leg, undefined);
    this.#legs.clear();
  }

  #show({ callid: key }: Leg, state: string | undefined, before?: string): void {
    const { counters, sentBy } = this.#agent;
    counters.probe?.entityState({ owner: counters.address || sentBy, machine: 'leg', key, state, before });
  }

  #setTimers(leg: Leg): void {
    for (const timer of leg.timers) timer.cancel();
    const delays = this.#table.delays(leg.state);
    leg.timers =
      delays.length === 0
        ? none
        : delays.map(({ name, event }) => {
            const due = () => this.#during(() => this.send(leg, event.type));
            return this.#agent.clock.setTimer(this.#delayMs(leg, name as LegDelay), due);
          });
  }

  /** The side that made the Call-Id waits longer after glare (RFC 3261 14.1). */
  #delayMs(leg: Leg, name: LegDelay): number {
    if (name !== 'glare') return legDelaysMs[name];
    return leg.isOutgoing ? this.#agent.random.integer(2_100, 4_000) : this.#agent.random.integer(0, 2_000);
  }

  #remove(leg: Leg, isDropped: boolean): void {
    this.#legs.delete(leg.callid);
    leg.waiting.length = 0;
    this.#show(leg, undefined);
    this.#session.stop(leg);
    if (leg.referral !== undefined) this.#servers.respond(responseTo(leg.referral, 481));
    if (leg.isOutgoing) this.#clients.abandon(leg.invite, leg.cseq);
    else this.#servers.abandon(leg.invite, leg.local);
    if (leg.taken !== undefined) this.#servers.settle(leg.taken);
    for (const request of leg.asks) {
      const mustArrive = request.method === 'BYE' || request.method === 'INVITE';
      if (isDropped || !mustArrive) this.#clients.abandon(request, leg.cseq);
    }
  }

  #execute(leg: Leg, command: LegCommand, data: LegEventData): void {
    if (command.type === 'event.unexpected') {
      this.#agent.counters.add(`event.unexpected.leg.${command.event}`);
      return;
    }
    this.#executing[command.type](leg, data);
  }

  readonly #executing: Readonly<Record<Exclude<LegCommand['type'], 'event.unexpected'>, Execute>> = {
    'send.invite': (leg) => this.#clients.start(leg.invite, leg.hop, (response) => this.#onInvited(leg, response)),
    'send.cancel': (leg) => this.#clients.start(cancelOf(leg.invite), leg.hop, () => {}),
    'send.ack': (leg, { response }) => {
      if (response !== undefined) this.#clients.acknowledge(ackIn(leg, this.#agent.sentBy, response.cseq));
    },
    'send.bye': (leg) => this.#bye(leg),
    'repeat.bye': (leg) => {
      for (const request of leg.asks) if (request.method === 'BYE') this.#clients.abandon(request);
      this.#bye(leg, { isLossy: true });
    },
    'send.trying': (leg) => this.#servers.respond(responseTo(leg.invite, 100)),
    'send.ringing': (leg, { operation }) => {
      const { status = 180, plays = undefined } = operation?.type === 'ring' ? operation : {};
      const early = plays === undefined ? {} : { plays };
      this.#servers.respond(answerIn(leg, status, { contact: leg.ownContact, ...early }));
    },
    'send.ok': (leg, { operation }) => {
      const wanted = operation?.type === 'answer' ? operation.media : undefined;
      const media = wanted ?? answeringMedia(leg.invite.media);
      this.#servers.respond(answerIn(leg, 200, { contact: leg.ownContact, media, ...this.#name() }));
    },
    'send.refusal': (leg, { operation }) => {
      const { status, reason, contacts, challenge, isCredentialsWrong } = refusalOf(operation);
      const extra = {
        ...(contacts.length > 0 && { contacts: [...contacts] }),
        ...(challenge !== undefined && { challenge }),
        ...(isCredentialsWrong !== undefined && { isCredentialsWrong }),
      };
      this.#servers.respond(answerIn(leg, status, { reason, ...extra }));
    },
    'send.terminated': (leg) => this.#servers.respond(answerIn(leg, 487, {})),
    'send.offer': (leg) => this.#ask(leg, { method: 'INVITE', more: {} }),
    'accept.offer': (leg, { request }) => {
      if (request === undefined) return;
      const media = request.media ?? 'sendrecv';
      leg.taken = request;
      leg.contact = request.contact ?? leg.contact;
      this.#servers.respond(responseTo(request, 200, { contact: leg.ownContact, media: answeringMedia(media) }));
      this.#report(leg, { type: 'leg.media.changed', media });
    },
    'refuse.offer': (_leg, { request }) => this.#answer(request, 491),
    'send.request': (leg, { operation }) => {
      const ask = askOf(operation);
      if (ask !== undefined) this.#ask(leg, ask);
    },
    'take.request': (leg, { request }) => {
      if (request !== undefined) this.#take(leg, request);
    },
    'refuse.request': (_leg, { request }) => this.#answer(request, 481),
    'settle.request': (leg, { response }) => {
      if (response?.method === 'UPDATE') this.#session.answered(leg, response.status);
      if (response?.method !== 'REFER') return;
      if (response.status >= 300) leg.refers.delete(response.cseq);
      this.#report(leg, { type: 'leg.refer.answered', status: response.status });
    },
    'send.reply': (leg, { operation }) => {
      if (leg.referral === undefined) return this.#agent.counters.add('event.unexpected.leg.reply');
      this.#answer(leg.referral, operation?.type === 'refer.refuse' ? operation.status : 202);
      leg.referral = undefined;
    },
    'keep.operation': (leg, { operation }) => {
      if (operation !== undefined) leg.kept.push(operation);
    },
    'report.invited': (leg, { request }) => {
      if (request !== undefined) this.#report(leg, { type: 'leg.invited', request, from: leg.hop });
    },
    'report.rang': (leg, { response }) => {
      if (response === undefined) return;
      const { status, reason, plays } = response;
      if (status === leg.rang.status && plays === leg.rang.plays) return;
      leg.rang = { status, plays };
      this.#report(leg, { type: 'leg.rang', status, reason, plays });
    },
    'report.answered': (leg, { response }) => {
      const media = (leg.isOutgoing ? response?.media : leg.invite.media) ?? 'sendrecv';
      this.#session.start(leg);
      this.#report(leg, { type: 'leg.answered', contact: leg.contact, media });
    },
    'report.failed': (leg, { response }) => this.#reportFailed(leg, response ?? { status: 408 }),
    'report.withdrawn': (leg, { operation }) => this.#reportFailed(leg, { status: 487 }, isDrop(operation)),
    'report.unreached': (leg) => this.#reportFailed(leg, { status: leg.isOutgoing ? 487 : 480 }, true),
    'report.timeout': (leg, { operation }) => this.#reportFailed(leg, { status: 408 }, isDrop(operation)),
    'report.rejected': (leg, { operation }) => this.#reportFailed(leg, refusalOf(operation), isDrop(operation)),
    'report.cancelled': (leg) => this.#report(leg, { type: 'leg.cancelled' }),
    'report.settled': (leg, { response }) =>
      this.#report(leg, { type: 'leg.media.settled', status: response?.status ?? 408 }),
    'report.ended': (leg) => this.#report(leg, { type: 'leg.ended', by: 'remote' }),
    'report.hungup': (leg, { operation }) =>
      this.#report(leg, { type: 'leg.ended', by: isDrop(operation) ? 'lost' : 'local' }),
    'report.lost': (leg) => this.#report(leg, { type: 'leg.ended', by: 'lost' }),
  };

  #onInvited(leg: Leg, response: SipResponse): void {
    const { status } = response;
    if (response.to.tag !== undefined && (status < 300 || leg.remote.tag === undefined)) leg.remote = response.to;
    if (response.contact !== undefined && status < 300) leg.contact = response.contact;
    this.send(leg, inviteEvent(status), { response });
  }

  /** Sends a request in the dialog. Where messages can pass each other it waits for the one before. */
  #ask(leg: Leg, ask: DialogRequest): void {
    if (leg.asks.length > 0 && this.#agent.isLossy(leg.hop)) leg.waiting.push(ask);
    else this.#start(leg, ask);
  }

  #bye(leg: Leg, how?: { readonly isLossy: boolean }): void {
    this.#session.stop(leg);
    // No request follows the BYE.
    leg.waiting.length = 0;
    this.#start(leg, { method: 'BYE', more: {} }, how);
  }

  #start(leg: Leg, ask: DialogRequest, { isLossy = this.#agent.isLossy(leg.hop) } = {}): void {
    const offer = ask.method === 'INVITE' ? { media: leg.offer, contact: leg.ownContact } : {};
    const request = requestIn(leg, this.#agent.sentBy, { method: ask.method, more: { ...ask.more, ...offer } });
    leg.asks.push(request);
    if (ask.refer !== undefined) leg.refers.set(request.cseq, ask.refer);
    const onResponse = (response: SipResponse) => {
      if (response.status >= 200) this.#onAnswered(leg, request, response);
    };
    this.#clients.start(request, leg.hop, onResponse, { isLossy });
  }

  #onAnswered(leg: Leg, request: SipRequest, response: SipResponse): void {
    leg.asks.splice(leg.asks.indexOf(request), 1);
    if (this.#legs.get(leg.callid) !== leg) return;
    if (response.contact !== undefined && response.status < 300) leg.contact = response.contact;
    this.send(leg, answerEvent(response), { response });
    const next = leg.asks.length === 0 ? leg.waiting.shift() : undefined;
    if (next !== undefined) this.#start(leg, next);
  }

  /** A request of the other side in the dialog. */
  #take(leg: Leg, request: SipRequest): void {
    const { method, referTo, referredBy, dtmf, plays, speech } = request;
    if (method === 'REFER') {
      if (referTo === undefined || leg.referral !== undefined) return this.#answer(request, referTo ? 491 : 400);
      leg.referral = request;
      return this.#report(leg, { type: 'leg.referred', id: request.cseq, referTo, referredBy });
    }
    if (method === 'UPDATE') leg.contact = request.contact ?? leg.contact;
    this.#answer(request, 200);
    if (method === 'NOTIFY') this.#notified(leg, request);
    if (method === 'INFO' && plays !== undefined) this.#report(leg, { type: 'leg.plays', plays });
    if (method === 'INFO' && dtmf !== undefined) this.#report(leg, { type: 'leg.dtmf', dtmf });
    if (method === 'INFO' && speech !== undefined) this.#report(leg, { type: 'leg.spoke', speech });
  }

  #notified(leg: Leg, { event = '', eventid = 0, sipfrag }: SipRequest): void {
    const refer = leg.refers.get(eventid);
    if ((statusIn(sipfrag) ?? 0) >= 200) leg.refers.delete(eventid);
    this.#report(leg, { type: 'leg.notified', event, sipfrag, ...(refer !== undefined && { refer }) });
  }

  #answer(request: SipRequest | undefined, status: number): void {
    if (request !== undefined) this.#servers.respond(responseTo(request, status));
  }

  #reportFailed(leg: Leg, response: Failure, isLost = false): void {
    const { status, reason = reasonOf(status), contacts = [], challenge } = response;
    this.#report(leg, { type: 'leg.failed', status, reason, contacts, challenge, ...(isLost && { isLost }) });
  }

  #report(leg: Leg, report: LegReport): void {
    this.#effects.add(() => this.#agent.onReport(leg.callid, report));
  }

  #name(): { userAgent?: string } {
    const { userAgent } = this.#agent;
    return userAgent === undefined ? {} : { userAgent };
  }
}

interface Failure {
  readonly status: number;
  readonly reason?: string | undefined;
  readonly contacts?: readonly string[] | undefined;
  readonly challenge?: Challenge | undefined;
}

function isDrop(operation: LegOperation | undefined): boolean {
  return operation?.type === 'drop';
}

const none: readonly [] = [];
