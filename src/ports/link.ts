/**
 * A node's connections to its peers: one each, in both directions, for text frames in order.
 * WebSockets implement it, and the simulated network does.
 *
 * A link promises little, as a real one does: a frame that `send` took may be lost with its connection; frames of one
 * connection arrive in the order sent, once, whole or not at all (a fault that somebody injects may break that).
 */
export interface Link {
  /** Starts to listen, and to keep a connection to every peer. Resolves when it listens; connections follow. */
  open(events: LinkEvents): Promise<void>;
  /** Hands a frame over for `peer`. Answers at once: nothing when it was taken, else why it was refused (surely not sent). */
  send(peer: string, frame: string): LinkRefusal | undefined;
  /** Drops the connection to `peer`, which seems dead, so that a new one is made. */
  reset(peer: string): void;
  /** Stops listening and closes every connection, telling the peers. */
  close(): Promise<void>;
  /** Drops the listener and every connection at once, as the death of the process does. */
  crash(): void;
}

export interface LinkEvents {
  received(peer: string, frame: string): void;
  connected(peer: string): void;
  /** `reason` is for the log. */
  disconnected(peer: string, reason: string): void;
}

/** `queue_full` and `frame_too_large` are limits (see `model/limits.ts`); past the queue's limit the connection is lost too. */
export type LinkRefusal = 'not_connected' | 'queue_full' | 'frame_too_large';
