/**
 * The transactions of a user agent (RFC 3261, section 17): a state and the messages each, run by the tables of their machines. A
 * transaction whose end only absorbs what comes again waits in a map that forgets, for a timer each would cost more.
 */
import { type Compiled, compile, compiledOnce, type DeadlineEvent } from '../actors/compiled-machine.ts';
import type { Counters } from '../actors/counters.ts';
import { ExpiringMap } from '../actors/expiring-map.ts';
import {
  type ClientCommand,
  type ClientEvent,
  clientMachine,
  type InviteClientEvent,
  inviteClientMachine,
} from '../machines/sip/client-transaction.ts';
import {
  type InviteServerEvent,
  inviteServerMachine,
  type ServerCommand,
  type ServerEvent,
  serverMachine,
} from '../machines/sip/server-transaction.ts';
import { sipTimings, type TransactionDelay, transactionDelaysMs } from '../machines/sip/sip-timers.ts';
import {
  callIdsOf,
  responseTo,
  type SipMessage,
  type SipRequest,
  type SipResponse,
  withoutVerdict,
} from '../model/sip/message.ts';
import type { Clock, Timer } from '../ports/clock.ts';
import { requestAfter } from './outgoing-messages.ts';

export interface TransactionsOptions {
  readonly clock: Clock;
  readonly counters: Counters;
  readonly isLossy: (hop: string) => boolean;
  readonly send: (message: SipMessage, hop: string) => void;
  /** Runs what a timer does as a step of the agent. */
  readonly during: (step: () => void) => void;
}

/** Of one INVITE: a 200 of a further dialog is dropped. */
const mostForks = 20;

type Command = ClientCommand | ServerCommand;
type Table = Compiled<{ readonly type: string }, Command>;

interface Transaction {
  readonly key: string;
  readonly table: Table;
  readonly request: SipRequest;
  readonly hop: string;
  state: string;
  /** The deadline of its state. */
  timer: Timer | undefined;
}

interface Client extends Transaction {
  readonly onResponse: (response: SipResponse) => void;
  ack: SipRequest | undefined;
  /** The To tag of its first 2xx: another one is of another dialog, for the INVITE was forked on its way. */
  acceptedBy: string | undefined;
  /** The ACKs of the other dialogs, which are ended, by their To tags. */
  readonly forkAcks: Map<string, SipRequest>;
  /** The last number of a request in its dialog. */
  cseq: number;
  /** Its owner waits for less than 64 T1. */
  patience: Timer | undefined;
}

interface Server extends Transaction {
  /** The last one, which is sent again. */
  response: SipResponse | undefined;
  /** Of an INVITE that has been abandoned: To, with the tag of the leg. */
  to: SipRequest['to'] | undefined;
}

/** Runs transactions of either kind: `execute` carries out what their machine commands, for the message at hand. */
abstract class Transactions<T extends Transaction, M> {
  protected readonly options: TransactionsOptions;
  readonly #open = new Map<string, T>();
  readonly #lingering: ExpiringMap<T>;

  constructor(options: TransactionsOptions) {
    this.options = options;
    this.#lingering = new ExpiringMap(options.clock, sipTimings.lingerMs);
  }

  get size(): number {
    return this.#open.size + this.#lingering.size;
  }

  stop(): void {
    for (const transaction of this.#open.values()) this.release(transaction);
    this.#open.clear();
    this.#lingering.clear();
  }

  protected find(key: string): T | undefined {
    return this.#open.get(key) ?? this.#lingering.get(key);
  }

  protected add(transaction: T): void {
    this.#open.set(transaction.key, transaction);
    this.#enter(transaction);
  }

  protected step(transaction: T, type: TransactionEventType, message: M): void {
    const step = transaction.table.step(transaction.state, { type });
    transaction.state = step.state;
    if (step.isEntered) this.#enter(transaction);
    for (const command of step.commands) {
      if (command.type === 'event.unexpected')
        this.options.counters.add(`event.unexpected.transaction.${command.event}`);
      else this.execute(transaction, command.type, message);
    }
  }

  protected abstract execute(transaction: T, command: CommandType, message: M): void;

  /** What a transaction says of a deadline has no message at hand. */
  protected abstract readonly nothing: M;

  protected release(transaction: T): void {
    transaction.timer?.cancel();
  }

  /** Sets the deadline of the state that a transaction has entered, and keeps it as long as that state lasts. */
  #enter(transaction: T): void {
    transaction.timer?.cancel();
    transaction.timer = undefined;
    const { key, table, state } = transaction;
    const [delay] = table.delays(state);
    if (delay?.name === 'linger') {
      this.#open.delete(key);
      this.release(transaction);
      this.#lingering.set(key, transaction);
    } else if (delay !== undefined) {
      const { type } = delay.event;
      const due = () => this.options.during(() => this.step(transaction, type, this.nothing));
      transaction.timer = this.options.clock.setTimer(transactionDelaysMs[delay.name as TransactionDelay], due);
    } else if (state === 'terminated') {
      this.#open.delete(key);
      this.release(transaction);
    }
  }
}

type CommandType = Exclude<Command['type'], 'event.unexpected'>;
type TransactionEventType =
  | (ClientEvent | InviteClientEvent | ServerEvent | InviteServerEvent)['type']
  | DeadlineEvent['type'];

/** Requests that wait for their answer. */
export class ClientTransactions extends Transactions<Client, SipResponse | undefined> {
  protected readonly nothing = undefined;

  /** Sends a request; `onResponse` receives each provisional answer to an INVITE, and one final one: 408 when none came. */
  start(
    request: SipRequest,
    hop: string,
    onResponse: (response: SipResponse) => void,
    {
      timeoutMs,
      isLossy = this.options.isLossy(hop),
    }: { readonly timeoutMs?: number | undefined; readonly isLossy?: boolean } = {},
  ): void {
    const { clock, during } = this.options;
    const table = tableOf(request)(isLossy);
    const common = { key: keyOf(request), table, request, hop, state: table.initial, timer: undefined };
    const dialogs = { ack: undefined, acceptedBy: undefined, forkAcks: new Map() };
    const client: Client = { ...common, ...dialogs, onResponse, cseq: request.cseq, patience: undefined };
    this.add(client);
    this.step(client, 'send', undefined);
    if (timeoutMs === undefined || timeoutMs >= sipTimings.patienceMs) return;
    client.patience = clock.setTimer(timeoutMs, () => during(() => this.step(client, 'give.up', undefined)));
  }

  receive(response: SipResponse): void {
    const client = this.find(keyOf(response));
    if (client === undefined) return;
    const { status, method } = response;
    if (status < 200) this.step(client, 'provisional.received', response);
    else if (method !== 'INVITE') this.step(client, 'final.received', response);
    else if (status >= 300) this.step(client, 'failure.received', response);
    else if (isOfFork(client, response)) this.#endFork(client, response);
    else this.step(client, 'success.received', response);
  }

  /** Sends the ACK of a 2xx, and again when the 2xx comes again. */
  acknowledge(ack: SipRequest): void {
    const client = this.find(keyOf(ack, 'INVITE'));
    if (client === undefined) return;
    client.ack = ack;
    this.step(client, 'acknowledge', undefined);
  }

  /**
   * Gives a request up: its owner takes no answer any more. A call that is accepted all the same is ended. `cseq`: the last number of a
   * request in the dialog, if there were others.
   */
  abandon(request: SipRequest, cseq = request.cseq): void {
    const client = this.find(keyOf(request));
    if (client === undefined) return;
    client.cseq = cseq;
    this.step(client, 'abandon', undefined);
  }

  protected override release(client: Client): void {
    super.release(client);
    client.patience?.cancel();
  }

  protected execute(client: Client, command: CommandType, response: SipResponse | undefined): void {
    const { request, hop, onResponse } = client;
    switch (command) {
      case 'send.request':
        return this.options.send(request, hop);
      case 'report.response':
        return response && onResponse(response);
      case 'report.timeout':
        return onResponse(responseTo(request, 408));
      case 'make.ack':
        if (response !== undefined) client.ack = ackOf(request, response);
        return client.ack && this.options.send(client.ack, hop);
      case 'send.ack':
        return client.ack && this.options.send(client.ack, hop);
      case 'end.call':
        return response && this.#end(client, response);
    }
  }

  #end(client: Client, response: SipResponse): void {
    const { request, hop } = client;
    client.ack = requestAfter(request, response, { method: 'ACK', cseq: request.cseq });
    this.options.send(client.ack, hop);
    this.start(requestAfter(request, response, { method: 'BYE', cseq: client.cseq + 1 }), hop, () => {});
  }

  /** Each 2xx of a dialog beside that of the owner is acknowledged, and the dialog is ended (RFC 3261, 13.2.2.4). */
  #endFork({ request, hop, forkAcks }: Client, response: SipResponse): void {
    const { tag = '' } = response.to;
    const { cseq } = request;
    const known = forkAcks.get(tag);
    if (known === undefined && forkAcks.size >= mostForks) return;
    const ack = known ?? requestAfter(request, response, { method: 'ACK', cseq });
    forkAcks.set(tag, ack);
    this.options.send(ack, hop);
    if (known === undefined)
      this.start(requestAfter(request, response, { method: 'BYE', cseq: cseq + 1 }), hop, () => {});
  }
}

export interface ServerTransactionsOptions extends TransactionsOptions {
  /** The ACK of a 2xx to this INVITE came. */
  readonly onAck: (invite: SipRequest) => void;
  /** A 2xx to this INVITE was sent again and again, and no ACK came. */
  readonly onAckMissed: (invite: SipRequest) => void;
}

/** Requests that came. */
export class ServerTransactions extends Transactions<Server, SipResponse | undefined> {
  protected readonly nothing = undefined;
  readonly #owner: Pick<ServerTransactionsOptions, 'onAck' | 'onAckMissed'>;

  constructor(options: ServerTransactionsOptions) {
    super(options);
    this.#owner = options;
  }

  /** Whether the agent has seen this request before; it then gets the last answer again. Else it is remembered. */
  isRepeated(request: SipRequest, from: string): boolean {
    const key = keyOf(request);
    const known = this.find(key);
    if (known !== undefined) {
      this.step(known, 'request.repeated', undefined);
      return true;
    }
    const hop = request.via[0] ?? from;
    const table = (request.method === 'INVITE' ? inviteServerTable : serverTable)(this.options.isLossy(hop));
    this.add({ key, table, request, hop, state: table.initial, timer: undefined, response: undefined, to: undefined });
    return false;
  }

  /** Whether an INVITE of this number is known: the one that a CANCEL means. */
  hasInvite(cancel: SipRequest): boolean {
    return this.find(keyOf(cancel, 'INVITE')) !== undefined;
  }

  /** Answers a request that was remembered; nothing when that is long ago. */
  respond(response: SipResponse): void {
    const server = this.find(keyOf(response));
    if (server === undefined) return;
    const { status, method } = response;
    if (status < 200) this.step(server, 'respond.provisional', response);
    else if (method !== 'INVITE') this.step(server, 'respond.final', response);
    else this.step(server, status < 300 ? 'respond.success' : 'respond.failure', response);
  }

  /** An ACK came. */
  acknowledge(ack: SipRequest): void {
    this.#toInvite(ack, 'ack.received');
  }

  /** Never answers an INVITE any more, unless it is taken back. `to`: with the tag of its leg. */
  abandon(invite: SipRequest, to: SipRequest['to']): void {
    const server = this.find(keyOf(invite, 'INVITE'));
    if (server === undefined) return;
    server.to = to;
    this.step(server, 'abandon', undefined);
  }

  /** An INVITE that has been abandoned is answered with 487 when it is taken back; of any other its owner decides. */
  cancel(request: SipRequest): void {
    const server = this.find(keyOf(request, 'INVITE'));
    if (server === undefined) return;
    const to = server.to ?? server.response?.to ?? server.request.to;
    this.step(server, 'cancel.received', { ...responseTo(server.request, 487), to });
  }

  /** Sends a 2xx no more: its dialog is over, or known to be there. */
  settle(invite: SipRequest): void {
    this.#toInvite(invite, 'settle');
  }

  /** Sends a response, or the last one again. An edge counts wrong credentials once, so only the first says that they are. */
  #send(server: Server, response: SipResponse | undefined): void {
    const sent = response ?? server.response;
    if (sent === undefined) return;
    server.response = withoutVerdict(sent);
    this.options.send(sent, server.hop);
  }

  #toInvite(request: SipRequest, type: InviteServerEvent['type']): void {
    const server = this.find(keyOf(request, 'INVITE'));
    if (server !== undefined) this.step(server, type, undefined);
  }

  protected execute(server: Server, command: CommandType, response: SipResponse | undefined): void {
    switch (command) {
      case 'send.response':
        return this.#send(server, response);
      case 'report.ack':
        return this.#owner.onAck(server.request);
      case 'report.ack.missed':
        return this.#owner.onAckMissed(server.request);
    }
  }
}

type TableOfWay = (isLossy: boolean) => Table;

const callTable = compiledOnce((isLossy: boolean): Table => compile(inviteClientMachine({ isLossy, isWithin: false })));
const reinviteTable = compiledOnce(
  (isLossy: boolean): Table => compile(inviteClientMachine({ isLossy, isWithin: true })),
);
const requestTable = compiledOnce((isLossy: boolean): Table => compile(clientMachine({ isLossy })));
const inviteServerTable = compiledOnce((isLossy: boolean): Table => compile(inviteServerMachine({ isLossy })));
const serverTable = compiledOnce((_isLossy: boolean): Table => compile(serverMachine));

function tableOf({ method, to }: SipRequest): TableOfWay {
  if (method !== 'INVITE') return requestTable;
  return to.tag === undefined ? callTable : reinviteTable;
}

/** The ACK of a final answer that is no 2xx: it belongs to the INVITE (RFC 3261, 17.1.1.3). */
function ackOf(request: SipRequest, response: SipResponse): SipRequest {
  const { uri, maxForwards, callid, from, cseq, via } = request;
  const ids = callIdsOf(request);
  return { kind: 'request', uri, maxForwards, callid, from, to: response.to, cseq, method: 'ACK', via, ...ids };
}

/** Whether a 2xx is of another dialog than the first one. An INVITE within a dialog is not forked. */
function isOfFork(client: Client, { to: { tag = '' } }: SipResponse): boolean {
  client.acceptedBy ??= tag;
  return client.request.to.tag === undefined && client.acceptedBy !== tag;
}

/**
 * The tag of From is the same in a request, its responses, its CANCEL and its ACK; another one means another transaction. The
 * BYEs of several dialogs of one INVITE differ in the tag of To.
 */
function keyOf({ method: own, cseq, callid, from, to }: SipMessage, method: SipMessage['method'] = own): string {
  const key = `${method} ${cseq} ${callid} ${from.tag ?? ''}`;
  return method === 'BYE' ? `${key} ${to.tag ?? ''}` : key;
}
