/**
 * How many connections an HTTP server takes, of each address and of all. A connection above that is answered 503 and closed; far
 * above it is closed at once.
 */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { DoorLimits } from '../model/door-limits.ts';
import { addressOf, type Peer, peerName } from './http-peer.ts';

/** Connections of an address above its share, and of all above their limit, that are told so. */
const refusedAtOnce = 100;

export class Shares {
  readonly #limits: DoorLimits;
  readonly #byAddress = new Map<string, number>();
  /** Connections that are above a limit, by address and port: TLS makes another object of the same connection. */
  readonly #refused = new Map<string, string>();
  #total = 0;

  constructor(server: Server, limits: DoorLimits) {
    this.#limits = limits;
    server.on('connection', (socket: Socket) => this.#count(socket));
  }

  /** Why a connection is not served, if it is not. */
  refusalOf(peer: Peer): string | undefined {
    return this.#refused.get(peerName(peer));
  }

  #count(socket: Socket): void {
    const address = addressOf(socket);
    const name = peerName(socket);
    const count = (this.#byAddress.get(address) ?? 0) + 1;
    this.#byAddress.set(address, count);
    this.#total += 1;
    socket.once('close', () => {
      this.#refused.delete(name);
      this.#total -= 1;
      const left = (this.#byAddress.get(address) ?? 0) - 1;
      if (left > 0) this.#byAddress.set(address, left);
      else this.#byAddress.delete(address);
    });
    const { connectionsPerAddress, httpConnections } = this.#limits;
    const above = Math.max(count - connectionsPerAddress, this.#total - httpConnections);
    if (above > refusedAtOnce) socket.destroy();
    else if (above > 0) {
      const isOwn = count > connectionsPerAddress;
      const limit = isOwn ? `${connectionsPerAddress} connections of one address` : `${httpConnections} connections`;
      this.#refused.set(name, `expected at most ${limit}`);
    }
  }
}
