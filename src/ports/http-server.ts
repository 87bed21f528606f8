/**
 * The door of a ws instance: where HTTP requests and web sockets come in. A listening socket implements it, and the virtual
 * world's direct call.
 */
export interface HttpServer {
  /** Opens the door for `handler`, and for web sockets if somebody takes them. Rejects when the address is taken. */
  open(handler: HttpHandler, sockets?: WebSockets): Promise<OpenHttpServer>;
}

/** Answers a request from `sender`, an IP address. Never rejects. */
export type HttpHandler = (
  request: Request,
  sender: string,
  header: HeaderReader,
  allowMs?: ExtendDeadline,
) => Response | Promise<Response>;

/** Gives the client so many milliseconds from now on to send its request. Without it: `limits.requestTimeMs`. */
export type ExtendDeadline = (ms: number) => void;

/**
 * The value of a header field by its lower-case name: what `request.headers.get` gives, without the cost of making all of
 * `request.headers`, which is more than that of the rest of a small answer.
 */
export type HeaderReader = (name: string) => string | null;

/** Who takes web sockets. Any other offer to upgrade is answered as if it had not been made. */
export interface WebSockets {
  readonly path: string;
  /** Decides on a GET of that path (`target`: with its query) that asks for a web socket: a refusal, or who takes it. Never rejects. */
  connect(target: string, sender: string, header: HeaderReader): Promise<Response | SocketHandler>;
}

/** Takes a socket as it opens. */
export type SocketHandler = (socket: ServerSocket) => SocketEvents;

export interface ServerSocket {
  /** Sends a text. What the peer has not taken yet waits. */
  send(text: string): void;
  /** Bytes that wait for the peer. */
  readonly queuedBytes: number;
  /** How many may wait now: `limits.socketQueueBytes`, or less where all peers of the door together let too many wait. */
  readonly roomBytes: number;
  /** Reads nothing more until `resume`; what is on its way already is received still. */
  pause(): void;
  resume(): void;
  /** Asks for a sign of life. */
  ping(): void;
  /** Says goodbye (RFC 6455, section 7.4); nothing is received any more. */
  close(code: number, reason: string): void;
  /** Drops the connection to a peer that does not answer. */
  cut(): void;
}

export interface SocketEvents {
  /** A text, or nothing where the message was none. */
  received(text: string | undefined): void;
  /** The answer to a ping. */
  pong(): void;
  /** The connection is over, whoever ended it. Told once. */
  closed(): void;
}

export interface OpenHttpServer {
  /** Base URL, such as `http://127.0.0.1:8080`. */
  readonly url: string;
  /** Lets nobody in any more, and says goodbye to every socket; resolves when every request inside is answered. */
  close(): Promise<void>;
  /** Cuts every connection at once, as a crash does. */
  abort(): void;
}
