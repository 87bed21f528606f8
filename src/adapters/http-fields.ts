import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** Header fields of a request as node got them: without the cost of making all of its `headers`. */

/** A field as `Headers.get` gives it: given twice, both in one. */
export function fieldOf({ rawHeaders }: IncomingMessage, name: string): string | null {
  let found: string | null = null;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const field = rawHeaders[i] as string;
    if (field.length !== name.length || field.toLowerCase() !== name) continue;
    const value = rawHeaders[i + 1] as string;
    found = found === null ? value : `${found}${name === 'cookie' ? '; ' : ', '}${value}`;
  }
  return found;
}

/** The other end of a connection. */

export type Peer = Pick<Socket, 'remoteAddress' | 'remotePort'>;

/** Its address; an IPv4 one that came over an IPv6 socket in its own form. */
export function addressOf({ remoteAddress = '' }: Pick<Peer, 'remoteAddress'>): string {
  return remoteAddress.startsWith('::ffff:') ? remoteAddress.slice(7) : remoteAddress;
}

/** Names a connection while it is open: TLS makes another object of the same one. */
export function peerName({ remoteAddress, remotePort }: Peer): string {
  return `${remoteAddress} ${remotePort}`;
}
