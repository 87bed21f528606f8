/**
 * The protocol of one web socket: its subscriptions, what it asks and what it is answered. (public; chosen where the public
 * events are silent, and listed in docs/reference/web-socket.md)
 */

import type { RoleScope } from '../../cluster/role.ts';
import { namesIn, readMessage, type SubscribeRequest } from '../../model/call-request-bodies.ts';
import { done, type Fault, fault, type Outcome } from '../../model/fault.ts';
import { limits } from '../../model/limits.ts';
import { readCursor } from '../../model/position.ts';
import type { SessionRecord } from '../../model/protocol/messages/session.ts';
import type { Timer } from '../../ports/clock.ts';
import type { OwnLimit, OwnSipUsers } from './own-sip-users.ts';
import { Subscription, type Wanted } from './subscription.ts';
import type { Subscriptions } from './subscriptions.ts';

/** What the protocol has of its connection. */
export interface Line {
  readonly send: (text: string) => void;
  /** Whether the client has to read what waits for it first. */
  readonly isSlow: () => boolean;
  /** Ends the socket for an error that its client caused. */
  readonly fail: (error: unknown) => void;
}

export interface SocketClientOptions extends Line {
  readonly scope: RoleScope;
  readonly subscriptions: Subscriptions;
  readonly own: OwnSipUsers;
}

interface OpenSubscription {
  readonly subscription: Subscription;
  timer: Timer;
}

/** Codes of errors: 1000 and the status that HTTP would have. (documented form, chosen for sockets) */
const codes: Readonly<Record<string, number>> = {
  invalid: 1400,
  not_found: 1404,
  timeout: 1504,
  crashed: 1504,
  broken: 1500,
};

export class SocketClient {
  readonly #options: SocketClientOptions;
  readonly #opened = new Map<string, OpenSubscription>();
  #made = 0;
  #isOver = false;

  constructor(options: SocketClientOptions) {
    this.#options = options;
  }

  /** Does what a message asks for, and answers it; the session is the one under which it came. */
  async receive(text: string | undefined, session: SessionRecord): Promise<void> {
    if (text === undefined)
      return this.#answer('error', {}, fault('invalid', 'expected a text message, got a binary one'));
    const message = readMessage(text);
    if (message.ok) return this.#subscribe(message.value, session);
    const isSubscribe = /^\s*\[\s*"subscribe"/.test(text);
    this.#answer(isSubscribe ? 'subscribe' : 'error', namesIn(text), message.fault);
  }

  stop(): void {
    this.#isOver = true;
    for (const { subscription, timer } of this.#opened.values()) {
      timer.cancel();
      this.#close(subscription);
    }
    this.#opened.clear();
  }

  /** For each subscription, that its client misses what comes now. */
  gaps(): string[] {
    return [...this.#opened.values()].map(({ subscription }) => subscription.gap());
  }

  #subscribe(request: SubscribeRequest, session: SessionRecord): Promise<void> | void {
    const { id = this.#nextId(), expires = limits.subscriptionSecondsDefault } = request;
    const open = this.#opened.get(id);
    if (expires === 0) return this.#remove(id, request);
    if (open !== undefined) return this.#options.subscriptions.between(() => this.#renew(open, request, expires));
    return this.#open({ ...request, id, expires }, session);
  }

  async #open(request: SubscribeRequest & { id: string; expires: number }, session: SessionRecord): Promise<void> {
    const { id, qid, expires, cursor: text } = request;
    const refuse = (reason: Fault) => this.#answer('subscribe', { qid, id }, reason);
    const wanted = wantedBy(request);
    if (wanted === undefined)
      return refuse(fault('invalid', 'objects and events: expected both in a new subscription'));
    if (this.#opened.size >= limits.subscriptions) {
      return refuse(fault('overloaded', `a socket has at most ${limits.subscriptions} subscriptions`));
    }
    const cursor = text === undefined ? undefined : readCursor(text);
    if (text !== undefined && cursor === undefined) {
      return refuse(fault('invalid', 'cursor: expected one that an answer or a notification gave'));
    }
    const sinceMs = cursor === undefined ? this.#options.scope.clock.now() : cursor.sinceMs;
    const own = await this.#ownOf(session);
    if (!own.ok) return refuse(own.fault);
    const line = this.#options;
    const release = () => own.value && line.own.release(own.value);
    if (this.#isOver) return void release();
    const { domain, user } = session;
    const subscription = new Subscription({
      ...{ id, qid, domain, user: user.id, wanted, own: own.value, sinceMs, cursor: cursor?.positions },
      ...{ send: line.send, isSlow: line.isSlow, fail: line.fail },
    });
    const refusal = line.subscriptions.admit(subscription);
    if (refusal !== undefined) {
      release();
      return refuse(refusal);
    }
    await this.#begin(subscription, expires);
  }

  async #begin(subscription: Subscription, expires: number): Promise<void> {
    const { subscriptions } = this.#options;
    const { id, qid } = subscription;
    try {
      const { gap } = await subscriptions.prepare(subscription);
      await subscriptions.between(() => {
        if (this.#isOver) return;
        this.#opened.set(id, { subscription, timer: this.#expireAfter(subscription, expires) });
        // Nothing is sent before this turn is over.
        subscriptions.begin(subscription);
        const cursor = subscriptions.cursorOf(subscription);
        subscription.given = cursor;
        this.#send('subscribe', { qid, id, result: 'ok', expires, cursor, ...(gap && { gap }) });
      });
    } finally {
      if (!this.#opened.has(id)) this.#close(subscription);
    }
  }

  /** A renewed subscription goes on where it is; what it is about changes if the request says so. (chosen) */
  #renew(open: OpenSubscription, request: SubscribeRequest, expires: number): void {
    const { subscription } = open;
    if (!this.#opened.has(subscription.id)) return this.#answerUnknown(subscription.id, request); // expired meanwhile
    const wanted = wantedBy({ ...wantedIn(subscription.wanted), ...request });
    const refusal = wanted && this.#options.subscriptions.change(subscription, wanted);
    if (refusal !== undefined) return this.#answer('subscribe', { qid: request.qid, id: subscription.id }, refusal);
    if (request.qid !== undefined) subscription.qid = request.qid;
    open.timer.cancel();
    open.timer = this.#expireAfter(subscription, expires);
    const { id, qid } = subscription;
    const cursor = this.#options.subscriptions.cursorOf(subscription);
    this.#send('subscribe', { qid, id, result: 'ok', expires, cursor });
    subscription.given = cursor;
  }

  #remove(id: string, { qid }: SubscribeRequest): void {
    const open = this.#opened.get(id);
    if (open === undefined) return this.#answerUnknown(id, { qid });
    this.#drop(open);
    this.#send('subscribe', { qid, id, result: 'ok', expires: 0 });
  }

  #answerUnknown(id: string, { qid }: SubscribeRequest): void {
    this.#answer('subscribe', { qid, id }, fault('not_found', `no subscription "${id}"`));
  }

  #drop({ subscription, timer }: OpenSubscription): void {
    timer.cancel();
    this.#opened.delete(subscription.id);
    this.#close(subscription);
  }

  #close(subscription: Subscription): void {
    if (subscription.own !== undefined) this.#options.own.release(subscription.own);
    this.#options.subscriptions.close(subscription);
  }

  #expireAfter(subscription: Subscription, seconds: number): Timer {
    return this.#options.scope.clock.setTimer(seconds * 1_000, () => {
      const open = this.#opened.get(subscription.id);
      if (open === undefined) return;
      this.#drop(open);
      this.#send('expired', { id: subscription.id });
    });
  }

  /**
   * The SIP users bound to the user of a session: only the events of their calls are sent; nothing for an administrator, whose
   * subscriptions have no such limit. (chosen)
   */
  async #ownOf({ user, domain }: SessionRecord): Promise<Outcome<OwnLimit | undefined>> {
    return user.roles.includes('admin') ? done(undefined) : this.#options.own.take(user.id, domain);
  }

  /** An id for a subscription whose client gave none. (chosen) */
  #nextId(): string {
    do this.#made += 1;
    while (this.#opened.has(`s${this.#made}`));
    return `s${this.#made}`;
  }

  #answer(command: 'subscribe' | 'error', names: { qid?: unknown; id?: unknown }, { code, message }: Fault): void {
    const error = { error_code: codes[code] ?? 1503, error_message: message };
    this.#send(command, command === 'error' ? { ...names, ...error } : { ...names, result: 'error', ...error });
  }

  #send(command: string, body: object): void {
    this.#options.send(JSON.stringify([command, body]));
  }
}

/** What a request is about; nothing where it does not say so. */
function wantedBy({ objects, events }: Pick<SubscribeRequest, 'objects' | 'events'>): Wanted | undefined {
  if (objects === undefined || events === undefined) return undefined;
  return { objects: objects === 'any' ? undefined : new Set(objects), events: new Set(events) };
}

function wantedIn({ objects, events }: Wanted): Pick<SubscribeRequest, 'objects' | 'events'> {
  return { objects: objects === undefined ? 'any' : [...objects], events: [...events] };
}
