/** Reads header fields and the remote address of a request of `node:http`. */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** A header field of a request, as `Headers.get` returns it (repeated fields joined), without creating `headers`. */
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

/** Whether a request has a body, of whatever length. By `headers`, which node has created: it has looked for the Host. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}

export type Peer = Pick<Socket, 'remoteAddress' | 'remotePort'>;

/** The remote address. An IPv4 address mapped into IPv6 is returned as IPv4. */
export function addressOf({ remoteAddress = '' }: Pick<Peer, 'remoteAddress'>): string {
  return remoteAddress.startsWith('::ffff:') ? remoteAddress.slice(7) : remoteAddress;
}

/** A name for a connection while it is open: a TLS socket and its TCP socket have the same name. */
export function peerName({ remoteAddress, remotePort }: Peer): string {
  return `${remoteAddress} ${remotePort}`;
}
