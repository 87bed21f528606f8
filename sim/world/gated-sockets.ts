/** Web sockets in front of a node that may be paused: messages of clients wait until it resumes. */
import type { SocketEvents, WebSockets } from '../../src/ports/http-server.ts';
import type { PauseGate } from '../faults/gate.ts';

export interface GatedOptions {
  /** The gate of the node, while it runs. */
  readonly gateOf: () => PauseGate | undefined;
  /** Whether the front was aborted: clients that wait at the gate are not let in. */
  readonly isAborted: () => boolean;
}

export function gatedSockets(sockets: WebSockets, { gateOf, isAborted }: GatedOptions): WebSockets {
  const pass = (work: () => void) => {
    const gate = gateOf();
    if (gate === undefined) work();
    else gate.pass(work);
  };
  const gated = (events: SocketEvents): SocketEvents => ({
    received: (text) => pass(() => events.received(text)),
    pong: () => pass(() => events.pong()),
    closed: () => pass(() => events.closed()),
  });
  return {
    path: sockets.path,
    connect: (...request) =>
      new Promise((resolve, reject) =>
        pass(() => {
          if (isAborted()) return resolve(new Response(null, { status: 503 }));
          sockets.connect(...request).then((verdict) => {
            resolve(verdict instanceof Response ? verdict : (socket) => gated(verdict(socket)));
          }, reject);
        }),
      ),
  };
}
