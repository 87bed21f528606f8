/**
 * The events of the platform as an async iterator. After a lost connection it connects again and continues after the last
 * event, by its cursor.
 */
import type { Events } from './api/events.ts';
import type { ClientSocket } from './client-socket.ts';

export interface EventStreamOptions {
  /** Only events about one of these: dialogid, inviteid, login, number, confid. Default: any. */
  readonly objects?: readonly string[];
  /** The cursor of an earlier stream: this one continues after it. */
  readonly cursor?: string;
}

/** A class of events: `callevents`. */
export type EventClass = keyof Events;

/** An event with its class: `callevents.dlg_start`. */
export type EventName = { [C in EventClass]: `${C}.${keyof Events[C] & string}` }[EventClass];

/** What a stream subscribes to: an event, or all of a class. */
export type EventPattern = EventName | `${EventClass}.*`;

/** The data of an event by its name, with or without its class. */
export type EventData<N extends string> = N extends `${infer C}.${infer E}`
  ? C extends EventClass
    ? E extends keyof Events[C]
      ? Events[C][E]
      : never
    : never
  : { [C in EventClass]: N extends keyof Events[C] ? Events[C][N] : never }[EventClass];

/** An event; its `class` and `event` decide the type of its `data`. */
export type PlatformEvent = {
  [C in EventClass]: {
    [E in keyof Events[C] & string]: {
      readonly type: 'event';
      readonly class: C;
      readonly event: E;
      readonly data: Events[C][E];
      readonly cursor: string;
    };
  }[keyof Events[C] & string];
}[EventClass];

/** Events are missing here: they are no longer kept. */
export interface EventGap {
  readonly type: 'gap';
  readonly cursor: string | undefined;
}

export type StreamItem = PlatformEvent | EventGap;

interface StreamParts extends EventStreamOptions {
  readonly events: readonly EventPattern[];
  readonly open: () => ClientSocket | Promise<ClientSocket>;
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Asks before a new connection why there is no session for one, if there is none. */
  readonly refusal: () => Promise<Error | undefined>;
}

const id = 'events';
const [firstWaitMs, longestWaitMs] = [250, 8_000];
/** The code with which the platform closes the sockets of a session that is over. */
const sessionOver = 4401;
/** From this code on, an error is none of the request. */
const serverErrors = 1500;

/** The subscription was refused. */
export class SubscriptionRefused extends Error {}

export class EventStream implements AsyncIterableIterator<StreamItem, undefined> {
  readonly #parts: StreamParts;
  readonly #items: StreamItem[] = [];
  #takers: { resolve: (result: IteratorResult<StreamItem, undefined>) => void; reject: (error: Error) => void }[] = [];
  #socket: ClientSocket | undefined;
  #cursor: string | undefined;
  #waitMs = firstWaitMs;
  #failure: Error | undefined;
  #isOver = false;
  readonly #closing = new AbortController();
  #begun: () => void = () => {};
  #isReady = false;
  /** Resolves when the platform has confirmed the subscription: events from now on are in the stream. */
  readonly ready: Promise<void>;

  constructor(parts: StreamParts) {
    this.#parts = parts;
    this.#cursor = parts.cursor;
    this.ready = new Promise((resolve) => {
      this.#begun = resolve;
    });
    void this.#connect();
  }

  /** The position after the last item that was taken or waits here. */
  get cursor(): string | undefined {
    return this.#cursor;
  }

  next(): Promise<IteratorResult<StreamItem, undefined>> {
    const item = this.#items.shift();
    if (item !== undefined) return Promise.resolve({ done: false, value: item });
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    if (this.#isOver) return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolve, reject) => this.#takers.push({ resolve, reject }));
  }

  return(): Promise<IteratorResult<StreamItem, undefined>> {
    this.close();
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Ends the stream. */
  close(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#closing.abort();
    this.#socket?.close();
    this.#begun();
    for (const { resolve } of this.#takers.splice(0)) resolve({ done: true, value: undefined });
  }

  async #connect(): Promise<void> {
    let socket: ClientSocket;
    try {
      socket = await this.#parts.open();
    } catch {
      // No connection: the next attempt follows, after a pause.
      return this.#again();
    }
    // A close follows each error. The package ws reports one of a socket that is closed before it is open.
    socket.addEventListener('error', () => {});
    if (this.#isOver) return socket.close();
    this.#socket = socket;
    socket.addEventListener('open', () => this.#subscribe());
    socket.addEventListener('message', (event) => this.#receive(String((event as { data?: unknown }).data)));
    socket.addEventListener('close', (event) => void this.#again((event as { code?: number }).code));
  }

  async #again(code?: number): Promise<void> {
    if (this.#isOver) return;
    const ms = this.#waitMs;
    this.#waitMs = Math.min(longestWaitMs, ms * 2);
    if (code !== sessionOver) await this.#parts.wait(ms, this.#closing.signal);
    if (this.#isOver) return;
    // Attempts without a session would get the address banned.
    const refusal = await this.#parts.refusal();
    if (this.#isOver) return;
    if (refusal === undefined) await this.#connect();
    else this.#fail(refusal);
  }

  #subscribe(): void {
    const { events, objects = 'any' } = this.#parts;
    const cursor = this.#cursor === undefined ? {} : { cursor: this.#cursor };
    this.#socket?.send(JSON.stringify(['subscribe', { id, events, objects, ...cursor }]));
  }

  #receive(text: string): void {
    const [name, body] = JSON.parse(text) as [string, Record<string, unknown>];
    const cursor = body['cursor'] as string | undefined;
    if (name === 'subscribe') this.#confirmed(body, cursor);
    if (name === 'expired') this.#subscribe();
    if (name === 'gap') this.#put({ type: 'gap', cursor });
    if (name === 'event') {
      const { class: of, event, data } = body as unknown as PlatformEvent;
      this.#put({ type: 'event', class: of, event, data, cursor: cursor ?? '' } as PlatformEvent);
    }
    this.#cursor = cursor ?? this.#cursor;
  }

  #confirmed(
    { result, error_code: code, error_message: message, gap }: Record<string, unknown>,
    cursor: string | undefined,
  ): void {
    // A stream that has begun waits until the platform can take it again.
    if (result !== 'ok' && this.#isReady && Number(code) >= serverErrors) return this.#socket?.close();
    if (result !== 'ok') return this.#fail(new SubscriptionRefused(String(message)));
    this.#isReady = true;
    this.#waitMs = firstWaitMs;
    if (gap === true) this.#put({ type: 'gap', cursor });
    this.#begun();
  }

  #put(item: StreamItem): void {
    const taker = this.#takers.shift();
    if (taker === undefined) this.#items.push(item);
    else taker.resolve({ done: false, value: item });
  }

  #fail(error: Error): void {
    this.#failure = error;
    for (const { reject } of this.#takers.splice(0)) reject(error);
    this.close();
  }
}
