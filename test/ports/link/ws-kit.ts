/** Links over real sockets for the tests, and a client that speaks their protocol by hand. */
import { createHmac } from 'node:crypto';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import type { Socket } from 'node:net';
import type { ExecutionContext } from 'ava';
import { WebSocket } from 'ws';
import { systemClock } from '../../../src/adapters/system-clock.ts';
import { WsLink, type WsLinkOptions } from '../../../src/adapters/ws-link.ts';
import { moment } from '../../kit/moment.ts';

export const secret = 'the secret of the tests';
const patienceMs = 20_000;

/** A link on a free port of this machine; it crashes when the test is over. */
export function makeWsLink(t: ExecutionContext, options: Pick<WsLinkOptions, 'self'> & Partial<WsLinkOptions>): WsLink {
  const link = new WsLink({
    listen: { host: '127.0.0.1', port: 0 },
    dials: [],
    awaits: [],
    urlOf: () => undefined,
    secret,
    clock: systemClock,
    jitter: { float: () => 0, integer: (least) => least, bytes: (count) => new Uint8Array(count) },
    reconnect: { minMs: 1, maxMs: 20 },
    ...options,
  });
  t.teardown(() => link.crash());
  return link;
}

/** Looks again and again. */
export async function untilReal(isReached: () => boolean): Promise<void> {
  const endMs = systemClock.now() + patienceMs;
  while (!isReached()) {
    if (systemClock.now() > endMs) throw new Error(`it has not come to pass in ${patienceMs} ms`);
    await moment();
  }
}

export interface Claim {
  readonly from: string;
  readonly to: string;
  readonly atMs?: number;
  readonly secret?: string;
}

/** What a dialler shows. */
export function proofOf({ from, to, atMs = systemClock.now(), secret: key = secret }: Claim): string {
  const claim = `${from}>${to}@${atMs}`;
  return `Strowger ${claim} ${createHmac('sha256', key).update(claim).digest('hex')}`;
}

/** Asks for the upgrade and gives the status: 101, or why not. Any connection that comes of it is dropped. */
export async function knock(url: string, headers: Record<string, string>): Promise<number> {
  const asked = askToUpgrade(url, headers);
  return new Promise((resolve, reject) => {
    asked.once('error', reject);
    asked.once('upgrade', (answer: IncomingMessage, socket: Socket) => {
      socket.destroy();
      resolve(answer.statusCode ?? 0);
    });
    asked.once('response', (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
  });
}

/** The bare socket behind an upgrade that was granted. */
export async function upgraded(url: string, headers: Record<string, string>): Promise<Socket> {
  const asked = askToUpgrade(url, headers);
  return new Promise((resolve, reject) => {
    asked.once('error', reject);
    asked.once('response', (answer) => reject(new Error(`refused with ${answer.statusCode}`)));
    asked.once('upgrade', (_answer: IncomingMessage, socket: Socket) => {
      socket.on('error', () => {});
      resolve(socket);
    });
  });
}

function askToUpgrade(url: string, headers: Record<string, string>): ClientRequest {
  const asked = request(url.replace('ws:', 'http:'), {
    headers: {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
      ...headers,
    },
  });
  asked.end();
  return asked;
}

/** A client of its own making that has proved to be `from`, once it is connected. */
export async function client(t: ExecutionContext, url: string, claim: Claim): Promise<WebSocket> {
  const socket = new WebSocket(url, { headers: { authorization: proofOf(claim) }, perMessageDeflate: false });
  t.teardown(() => socket.terminate());
  socket.on('error', () => {});
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('close', (code) => reject(new Error(`closed with ${code}`)));
  });
  return socket;
}
