/** The ports of a served cluster: they are checked before it starts, so that a taken one is one sentence and no crash of a node. */
import { createServer } from 'node:net';
import { NodeHttpServer, type NodeHttpServerOptions } from '../../../src/adapters/http-server/http-server.ts';
import type { HttpHandler, OpenHttpServer } from '../../../src/ports/http-server.ts';

export interface WantedPort {
  /** The server that wants it, such as `the front of hq`. */
  readonly of: string;
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** How another port is chosen, such as `try --port 0`. */
  readonly instead: string;
}

/** Rejects with the first port that cannot be used. */
export async function refuseTakenPorts(wanted: readonly WantedPort[]): Promise<void> {
  for (const { of, host, port, instead } of wanted) {
    if (port === 0) continue;
    const code = await new Promise<string | undefined>((resolve) => {
      const server = createServer();
      server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? String(error)));
      server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
    });
    if (code === undefined) continue;
    const reason = code === 'EADDRINUSE' ? 'the address is taken' : code;
    throw new Error(`${of} can't listen on ${host}:${port}: ${reason}; ${instead}`);
  }
}

/**
 * Opens the port of the control interface, which `make` makes at the first request: most clusters are served without one, and are
 * ready earlier. Rejects with one sentence that names the address.
 */
export async function openControl(
  address: NodeHttpServerOptions,
  make: () => Promise<HttpHandler>,
): Promise<OpenHttpServer> {
  let made: Promise<HttpHandler> | undefined;
  try {
    return await new NodeHttpServer(address).open(async (...request) => {
      made ??= make();
      return (await made)(...request);
    });
  } catch (error) {
    const isTaken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
    const reason = isTaken ? 'the address is taken; try --control 0' : String(error);
    throw new Error(`the control interface can't listen on ${address.host}:${address.port}: ${reason}`);
  }
}
