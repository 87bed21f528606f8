/**
 * The world outside the cluster, as an edge instance (sg, esg) meets it: phones and providers at endpoints `ip:port`, to
 * which SIP messages go as datagrams: they may be lost, doubled or late. Nobody says so.
 */
import type { SipMessage } from '../model/sip/message.ts';

export interface Outside {
  /** Takes the endpoint of an edge instance. A later opener takes it over. */
  attach(endpoint: string, received: (message: SipMessage, from: string) => void): OutsideLine;
}

export interface OutsideLine {
  send(to: string, message: SipMessage): void;
  /** Leaves; nothing is received any more. */
  detach(): void;
}
