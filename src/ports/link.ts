/**
 * A node's connections to its peers, one per peer, for text frames in order, in both directions. Implemented by WebSockets
 * and by the simulated network.
 *
 * A frame accepted by `send` may be lost with its connection. Frames of one connection arrive in the order sent, once,
 * complete or not at all, unless a fault is injected.
 */
import type { Envelope } from '../model/cluster/envelope.ts';

export interface Link {
  /** Starts listening and connects to every peer. Resolves when it listens; the connections follow. */
  open(events: LinkEvents): Promise<void>;
  /**
   * Sends a frame to `peer`. Returns `undefined` when the frame was accepted, else the reason why it was definitely not
   * sent. `envelope`: what the frame holds, which is not changed any more.
   */
  send(peer: string, frame: string, envelope?: Envelope): LinkRefusal | undefined;
  /** Drops the connection to `peer`, which seems dead; a new one is made. */
  reset(peer: string): void;
  /** Stops listening and closes every connection with a close frame. */
  close(): Promise<void>;
  /** Drops the listener and every connection at once, as the death of the process does. */
  crash(): void;
}

export interface LinkEvents {
  /** `envelope`: what the frame holds, from a link that has it; the receiver must not change it. */
  received(peer: string, frame: string, envelope?: Envelope): void;
  connected(peer: string): void;
  /** `reason` is for the log. */
  disconnected(peer: string, reason: string): void;
}

/** `queue_full` and `frame_too_large` are limits (see `model/limits.ts`). A full queue also closes the connection. */
export type LinkRefusal = 'not_connected' | 'queue_full' | 'frame_too_large';
