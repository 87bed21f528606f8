/** The port of the control interface. */
import { NodeHttpServer, type NodeHttpServerOptions } from '../../../src/adapters/http-server/http-server.ts';
import type { HttpHandler, OpenHttpServer } from '../../../src/ports/http-server.ts';

/** Opens it. Rejects with one sentence that names the address. */
export async function openControl(address: NodeHttpServerOptions, handler: HttpHandler): Promise<OpenHttpServer> {
  try {
    return await new NodeHttpServer(address).open(handler);
  } catch (error) {
    const isTaken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
    const reason = isTaken ? 'the address is taken; try --control 0' : String(error);
    throw new Error(`the control interface can't listen on ${address.host}:${address.port}: ${reason}`);
  }
}
