/** The Door port over node:http, for any HTTP method, with the timeouts and limits of the product. */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { errorBody } from '../http/answering.ts';
import { installMethodGate } from '../http/method-gate.ts';
import { limits } from '../model/limits.ts';
import type { Door, DoorHandler, OpenDoor } from '../ports/door.ts';

export interface HttpDoorOptions {
  readonly host: string;
  /** 0: any free port, the same one each time the door is opened again. */
  readonly port: number;
}

/** How often the server looks for requests that are too slow. */
const sweepMs = 1_000;

export class HttpDoor implements Door {
  readonly #host: string;
  #port: number;

  constructor({ host, port }: HttpDoorOptions) {
    this.#host = host;
    this.#port = port;
  }

  async open(handler: DoorHandler): Promise<OpenDoor> {
    const server = makeServer(handler);
    const connections = new Connections(server);
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(this.#port, this.#host, resolve);
    });
    this.#port = (server.address() as AddressInfo).port;
    const host = this.#host.includes(':') ? `[${this.#host}]` : this.#host;
    return {
      url: `http://${host}:${this.#port}`,
      close: () => {
        const isClosed = new Promise<void>((resolve) => server.close(() => resolve()));
        connections.endIdle();
        return isClosed;
      },
      slam: () => {
        server.close();
        server.closeAllConnections();
      },
    };
  }
}

function makeServer(handler: DoorHandler): Server {
  const server = createServer(
    {
      headersTimeout: limits.headerTimeMs,
      requestTimeout: limits.requestTimeMs,
      connectionsCheckingInterval: sweepMs,
      maxHeaderSize: limits.headerBytes,
      requireHostHeader: true,
    },
    getRequestListener((request, env) => handler(request, senderOf((env as { incoming: IncomingMessage }).incoming))),
  );
  server.maxConnections = limits.httpConnections;
  server.maxRequestsPerSocket = limits.requestsPerConnection;
  installMethodGate(server, {
    answerRefusal: ({ status, message }) => ({
      body: errorBody(status, message),
      contentType: 'application/json; charset=utf-8',
    }),
  });
  return server;
}

/** The connections of a server, each with the requests that have no answer yet. */
class Connections {
  readonly #asked = new Map<Socket, Set<IncomingMessage>>();
  #isEnding = false;

  constructor(server: Server) {
    server.on('connection', (socket: Socket) => {
      this.#asked.set(socket, new Set());
      socket.once('close', () => this.#asked.delete(socket));
    });
    server.on('request', (request, response) => {
      const { socket } = request;
      this.#asked.get(socket)?.add(request);
      response.once('close', () => {
        this.#asked.get(socket)?.delete(request);
        if (this.#isEnding) this.#endIfIdle(socket);
      });
    });
  }

  /** Ends those that wait for no answer, also the silent ones and those in the middle of a request; the others as soon as they have it. */
  endIdle(): void {
    this.#isEnding = true;
    for (const socket of this.#asked.keys()) this.#endIfIdle(socket);
  }

  #endIfIdle(socket: Socket): void {
    const asked = this.#asked.get(socket) ?? [];
    if (![...asked].some((request) => request.complete)) socket.destroySoon();
  }
}

/** The client's address; an IPv4 one that came over an IPv6 socket in its own form. */
function senderOf(incoming: IncomingMessage): string {
  const address = incoming.socket.remoteAddress ?? '';
  return address.startsWith('::ffff:') ? address.slice(7) : address;
}
