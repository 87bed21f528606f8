/** The other end of a connection. */
import type { Socket } from 'node:net';

export type Peer = Pick<Socket, 'remoteAddress' | 'remotePort'>;

/** Its address; an IPv4 one that came over an IPv6 socket in its own form. */
export function addressOf({ remoteAddress = '' }: Pick<Peer, 'remoteAddress'>): string {
  return remoteAddress.startsWith('::ffff:') ? remoteAddress.slice(7) : remoteAddress;
}

/** Names a connection while it is open: TLS makes another object of the same one. */
export function peerName({ remoteAddress, remotePort }: Peer): string {
  return `${remoteAddress} ${remotePort}`;
}
