/**
 * A web socket of the virtual world, from the side of its client. It has no network, but buffers what the client has
 * not read.
 */
import { limits } from '../../../src/model/limits.ts';
import type { ServerSocket, SocketEvents, SocketHandler } from '../../../src/ports/http-server.ts';

/** How a socket ended, as the client sees it; 1006: without a close frame. */
export interface SocketEnd {
  readonly code: number;
  readonly reason: string;
}

/** Receives the messages of the platform and the end of the socket. */
export interface VirtualSocketListener {
  message(text: string): void;
  end(end: SocketEnd): void;
}

export class VirtualSocket {
  /** Received messages, in order. */
  readonly received: string[] = [];
  readonly #onMessage: (direction: 'in' | 'out', text: string) => void;
  readonly #onEnd: () => void;
  #events: SocketEvents | undefined;
  /** Messages that wait while the client does not read. */
  readonly #queue: string[] = [];
  #queuedBytes = 0;
  #isReading = true;
  /** Messages that wait while the platform does not read; undefined while it reads. */
  #unread: string[] | undefined;
  #answersPings = true;
  #end: SocketEnd | undefined;
  #listener: VirtualSocketListener | undefined;

  constructor(onMessage: (direction: 'in' | 'out', text: string) => void, onEnd = () => {}) {
    this.#onMessage = onMessage;
    this.#onEnd = onEnd;
  }

  get end(): SocketEnd | undefined {
    return this.#end;
  }

  /** Bytes that wait until the client reads. */
  get queuedBytes(): number {
    return this.#queuedBytes;
  }

  /** Received messages, parsed. */
  get messages(): unknown[] {
    return this.received.map((text) => JSON.parse(text) as unknown);
  }

  /** Returns the received messages, parsed, and clears them. */
  take(): unknown[] {
    const { messages } = this;
    this.received.length = 0;
    return messages;
  }

  /** Hands over what was received so far, then each message as it arrives. */
  listen(listener: VirtualSocketListener): void {
    this.#listener = listener;
    for (const text of this.received) listener.message(text);
    if (this.#end !== undefined) listener.end(this.#end);
  }

  /** Sends a string as it is, anything else as JSON. */
  send(message: unknown): void {
    const text = typeof message === 'string' ? message : JSON.stringify(message);
    if (this.#end !== undefined) return;
    if (this.#unread !== undefined) this.#unread.push(text);
    else this.#arrive(text);
  }

  sendBinary(): void {
    if (this.#end === undefined) this.#events?.received(undefined);
  }

  close(): void {
    this.#finish({ code: 1005, reason: '' });
  }

  /** Stops reading until `resume`. */
  pause(): void {
    this.#isReading = false;
  }

  resume(): void {
    this.#isReading = true;
    this.#queuedBytes = 0;
    for (const text of this.#queue.splice(0)) this.#deliver(text);
  }

  /** Vanishes like a machine without power: pings get no answer. */
  vanish(): void {
    this.#answersPings = false;
    this.#isReading = false;
  }

  /** Opens the platform's side. */
  open(take: SocketHandler): void {
    const self = this;
    const socket: ServerSocket = {
      get queuedBytes() {
        return self.#queuedBytes;
      },
      roomBytes: limits.socketQueueBytes,
      pause: () => {
        this.#unread ??= [];
      },
      resume: () => this.#readOn(),
      send: (...texts) => {
        for (const text of texts) this.#receive(text);
      },
      ping: () => {
        if (this.#answersPings && this.#end === undefined) this.#events?.pong();
      },
      close: (code, reason) => this.dismiss(code, reason),
      abort: () => this.cut(),
    };
    this.#events = take(socket);
  }

  /** The platform closes the socket. */
  dismiss(code: number, reason: string): void {
    this.#finish({ code, reason });
  }

  /** The connection is lost. */
  cut(): void {
    this.#finish({ code: 1006, reason: '' });
  }

  /** The platform reads again: delivers waiting messages until it pauses. */
  #readOn(): void {
    const waiting = this.#unread ?? [];
    this.#unread = undefined;
    while (waiting.length > 0 && this.#unread === undefined && this.#end === undefined) {
      this.#arrive(waiting.shift() as string);
    }
    if (this.#unread !== undefined) (this.#unread as string[]).push(...waiting);
  }

  #arrive(text: string): void {
    this.#onMessage('in', text);
    this.#events?.received(text);
  }

  #receive(text: string): void {
    if (this.#end !== undefined) return;
    if (this.#isReading) return this.#deliver(text);
    this.#queue.push(text);
    this.#queuedBytes += Buffer.byteLength(text);
  }

  #deliver(text: string): void {
    this.#onMessage('out', text);
    this.received.push(text);
    this.#listener?.message(text);
  }

  #finish(end: SocketEnd): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    this.#onEnd();
    this.#listener?.end(end);
    this.#events?.closed();
  }
}
