/**
 * The HTTP server of a ws instance: accepts HTTP requests and web sockets. Implemented by a listening socket, and by direct
 * calls in the virtual world.
 */
export interface HttpServer {
  /** Starts serving `handler`, and `sockets` if given. Rejects when the address is in use. */
  open(handler: HttpHandler, sockets?: WebSockets): Promise<OpenHttpServer>;
}

/** Answers a request from `sender`, an IP address. Rejects with `ConnectionDropped` only. */
export type HttpHandler = (
  request: Request,
  sender: string,
  header: HeaderReader,
  extendDeadline?: ExtendDeadline,
) => Response | Promise<Response>;

/** The server drops the connection of the request without an answer, or after the first bytes of one. */
export class ConnectionDropped extends Error {
  readonly firstBytes: Uint8Array | undefined;

  constructor(message: string, firstBytes?: Uint8Array) {
    super(message);
    this.firstBytes = firstBytes;
  }
}

/** Gives the client this many milliseconds from now on to send its request. Default: `limits.requestTimeMs`. */
export type ExtendDeadline = (ms: number) => void;

/**
 * Returns the value of a header field by its lower-case name, like `request.headers.get`, but without creating
 * `request.headers`, which costs more than the rest of a small answer.
 */
export type HeaderReader = (name: string) => string | null;

/** The handler of web sockets. Other upgrade offers are answered as plain requests. */
export interface WebSockets {
  readonly path: string;
  /**
   * Decides on a web socket handshake for that path (`target` includes the query): a refusal, or the handler of the socket.
   * Never rejects.
   */
  connect(target: string, sender: string, header: HeaderReader): Promise<Response | SocketHandler>;
}

/** Handles a socket from the moment it opens. */
export type SocketHandler = (socket: ServerSocket) => SocketEvents;

export interface ServerSocket {
  /** Sends texts, in one system call. They are queued until the client reads them. */
  send(...texts: readonly string[]): void;
  /** Queued bytes that the client has not read. */
  readonly queuedBytes: number;
  /**
   * Bytes that may be queued now: `limits.socketQueueBytes`, or less when the clients of this server together have too many
   * queued.
   */
  readonly roomBytes: number;
  /** Stops reading until `resume`; data that is already in transit is still received. */
  pause(): void;
  resume(): void;
  /** Sends a ping frame. */
  ping(): void;
  /** Closes the connection with a close frame (RFC 6455, section 7.4); nothing is received from now on. */
  close(code: number, reason: string): void;
  /** Drops the connection without a close frame. */
  abort(): void;
}

export interface SocketEvents {
  /** A text message; `undefined` for a message that is not text. */
  received(text: string | undefined): void;
  /** The pong for a ping. */
  pong(): void;
  /** The connection is closed, by either end. Called once. */
  closed(): void;
}

export interface OpenHttpServer {
  /** Base URL, such as `http://127.0.0.1:8080`. */
  readonly url: string;
  /** Accepts no more requests and closes every socket; resolves when every request under way is answered. */
  close(): Promise<void>;
  /** Drops every connection at once, as a crash does. */
  abort(): void;
}
