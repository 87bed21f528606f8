/**
 * The network outside the cluster, as an edge instance (sg, esg) sees it: phones and providers at endpoints `ip:port`. SIP
 * messages are sent to them as datagrams, which may be lost, duplicated or delayed without notice.
 */
import type { SipMessage } from '../model/sip/message.ts';

export interface Outside {
  /** Attaches an edge instance at an endpoint. A later call for the same endpoint replaces it. */
  attach(endpoint: string, received: (message: SipMessage, from: string) => void): OutsideLine;
}

export interface OutsideLine {
  send(to: string, message: SipMessage): void;
  /** Detaches; nothing is received from now on. */
  detach(): void;
}
