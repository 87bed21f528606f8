/** The ports of a served cluster: they are checked before it starts, so that a taken one is one sentence and no crash of a node. */
import { createServer } from 'node:net';
import { NodeHttpServer, type NodeHttpServerOptions } from '../../../src/adapters/http-server/http-server.ts';
import type { HttpHandler, OpenHttpServer } from '../../../src/ports/http-server.ts';
import { UsageError } from '../process.ts';

export interface WantedPort {
  /** The server that wants it, such as `the front of hq`. */
  readonly of: string;
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** How another port is chosen, such as `try --port 0`. */
  readonly instead: string;
  /** What names the address. Default: `--host`. */
  readonly hostFrom?: string;
}

const mostPort = 65_535;

/** Rejects with the first address or port that cannot be used. */
export async function refuseTakenPorts(wanted: readonly WantedPort[]): Promise<void> {
  for (const { of, port, instead } of wanted)
    if (port > mostPort) throw new UsageError(`${of} gets port ${port}: expected ports up to ${mostPort}; ${instead}`);
  for (const place of wanted) {
    const { host, port } = place;
    if (port === 0 && host === usualHost) continue;
    const code = await new Promise<string | undefined>((resolve) => {
      const server = createServer();
      server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? String(error)));
      server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
    });
    if (code !== undefined) throw listenError(place, code);
  }
}

const usualHost = '127.0.0.1';
/** Codes for a host that this machine does not have, or does not know. */
const foreign: ReadonlySet<string> = new Set(['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL', 'EINVAL']);

/** One sentence that names the address, what is wrong with it, and what to change. */
function listenError({ of, host, port, instead, hostFrom = '--host' }: WantedPort, code: string): Error {
  const failed = `${of} can't listen on ${host}:${port}`;
  if (foreign.has(code))
    return new Error(
      `${failed}: this machine has no address "${host}"; expected one of its own in ${hostFrom}, such as ${usualHost}, or 0.0.0.0 for all`,
    );
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: 'the address is taken',
    EACCES: 'this user may not open the port',
  };
  return new Error(`${failed}: ${reasons[code] ?? code}; ${instead}`);
}

/** The port of the control interface. */
export function controlPort({ host, port }: { readonly host: string; readonly port: number }): WantedPort {
  return { of: 'the control interface', host, port, instead: 'try --control 0', hostFrom: '--control-host' };
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
    const { code = String(error) } = error as NodeJS.ErrnoException;
    throw listenError(controlPort(address), code);
  }
}
