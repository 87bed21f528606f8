/** What a proxy has seen: the exchanges of clients with a platform, and the events that the platform sent. */

export interface ProxiedExchange {
  /** When the request arrived, in milliseconds. */
  readonly atMs: number;
  /** When the answer had been read. */
  readonly untilMs: number;
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  /** The session token or cookie that the client sent; empty without one. */
  readonly session: string;
  /** The JSON of the request; `undefined` for a request without a body. */
  readonly sent: unknown;
  /** The body was not JSON: the exchange cannot be written down. */
  readonly hasOtherBody: boolean;
  readonly status: number;
  /** The JSON of the answer; `undefined` for another answer. */
  readonly answer: unknown;
  /** The session that a login has opened. */
  readonly opened: string | undefined;
}

/** An event that the platform sent over a web socket, such as `callevents.dlg_start`. */
export interface ProxiedEvent {
  readonly atMs: number;
  readonly name: string;
}

export interface ProxiedTraffic {
  readonly exchanges: readonly ProxiedExchange[];
  readonly events: readonly ProxiedEvent[];
}
