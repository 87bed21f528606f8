/** A gated server, and a client that only moves bytes, for the tests of the method gate. */
import { createServer, type IncomingMessage, type Server, type ServerOptions, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { text as textOf } from 'node:stream/consumers';
import type { ExecutionContext } from 'ava';
import { installMethodGate, type MethodGateOptions, trueMethod } from '../../src/http/method-gate/method-gate.ts';

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

export interface Seen {
  readonly method: string;
  readonly target: string;
  body?: string;
}

/** It lingers longer than any test may take: a peer that ends its side must be enough. */
export const options: MethodGateOptions = {
  lingerMs: 600_000,
  answerRefusal: ({ status, message }) => ({
    body: JSON.stringify({ status, message }),
    contentType: 'application/json',
    ...(status === 405 ? { headers: { Allow: 'GET' } } : {}),
  }),
};

/** Reads the body, then answers 200 with what it saw. A request that breaks off is left alone. */
export function echo(seen: Seen[]): Handler {
  return (request, response) => {
    const each: Seen = { method: trueMethod(request), target: request.url ?? '' };
    seen.push(each);
    request.setEncoding('latin1');
    const answer = (body: string) => {
      each.body = body;
      response.end(Buffer.from(each.method === 'HEAD' ? '' : JSON.stringify(each), 'latin1'));
    };
    textOf(request).then(answer, () => {});
  };
}

export function gated(handler: Handler, serverOptions: ServerOptions = {}, gateOptions = options): Server {
  const server = createServer(serverOptions, handler);
  installMethodGate(server, gateOptions);
  return server;
}

export async function listen(t: ExecutionContext, server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(async () => {
    const isClosed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await isClosed;
  });
  return (server.address() as AddressInfo).port;
}

/** A response, as far as the tests look. */
export interface HeardResponse {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

/** A text as one packet. */
export const bytes = (text: string) => [Buffer.from(text, 'latin1')];

/** A connection in memory. What the server writes to it is in `heard`. */
export class MemoryConnection extends Duplex {
  heard = '';
  override _read(): void {}
  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.heard += chunk.toString('latin1');
    done();
  }
}

/** Yields until pending I/O has been looked at. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Writes the packets to a port, one after the other, and answers all that comes back until the connection closes. */
export async function converse(
  port: number,
  sent: readonly Buffer[],
  endsItself = false,
  dial: (port: number) => Socket = (to) => connect({ port: to, host: '127.0.0.1', noDelay: true }),
): Promise<string> {
  const socket = dial(port);
  const heard: Buffer[] = [];
  const isClosed = new Promise<void>((resolve, reject) => socket.on('close', () => resolve()).on('error', reject));
  socket.on('data', (chunk: Buffer) => heard.push(chunk));
  for (const packet of sent) {
    if (!socket.writable) break;
    const isTaken = socket.write(packet);
    await (isTaken ? nextTurn() : new Promise((resolve) => socket.once('drain', resolve).once('close', resolve)));
  }
  if (endsItself) socket.end();
  await isClosed;
  return Buffer.concat(heard).toString('latin1');
}

/** Splits what a server sent into its responses, each with a Content-Length or without a body. */
export function responses(text: string): HeardResponse[] {
  const heard: HeardResponse[] = [];
  for (let at = 0; at < text.length; ) {
    const headEnd = text.indexOf('\r\n\r\n', at) + 4;
    const head = text.slice(at, headEnd);
    const status = Number(head.split(' ')[1]);
    const length = Number(/^Content-Length: (\d+)/im.exec(head)?.[1] ?? 0);
    heard.push({ status, head, body: text.slice(headEnd, headEnd + length) });
    at = headEnd + length;
  }
  return heard;
}
