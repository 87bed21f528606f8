import { reportBug } from '../cluster/role.ts';
import type { HeaderReader, SocketHandler, WebSockets } from '../ports/http-server.ts';
import type { Ws } from '../roles/ws/ws.ts';
import { authorize } from './authorization.ts';
import { noOrigins, type Origins, refuseForeignPage } from './origins.ts';
import { paramsOf } from './requests.ts';
import { answerThrown } from './responses.ts';

/** Where web sockets are. (public) */
export const socketPath = '/ws';

/** Who may open a web socket: a session, shown by header, cookie or, since browsers can't set headers here, by `?token=`. */

export function createWebSockets(ws: Ws, origins: Origins = noOrigins): WebSockets {
  return {
    path: socketPath,
    connect: async (target, sender, header) => {
      try {
        return await admit(ws, { target, sender, header, origins });
      } catch (error) {
        return answerThrown(error, (bug) => reportBug(ws.scope, bug));
      }
    },
  };
}

/** The header wins over the parameter, and that over the cookie. (chosen) */
async function admit(
  ws: Ws,
  { target, sender, header, origins }: { target: string; sender: string; header: HeaderReader; origins: Origins },
): Promise<SocketHandler> {
  const token = paramsOf(target).get('token');
  const isShown = header('authorization') !== null || token === null;
  const shown: HeaderReader = isShown
    ? header
    : (name) => (name === 'authorization' ? `Bearer ${token}` : header(name));
  const { session, id } = await authorize(ws, shown, {
    access: { domain: 'any', to: 'own' },
    sender,
    refuseForged: () => refuseForeignPage(header, origins),
  });
  return subscribing(ws.sockets.take(session, id), paramsOf(target).getAll('subscribe'));
}

/**
 * `?subscribe=callevents.*` subscribes as the socket opens, as if the client had sent it: for those who can only listen, such as
 * curl. (chosen)
 */
function subscribing(take: SocketHandler, events: readonly string[]): SocketHandler {
  if (events.length === 0) return take;
  return (socket) => {
    const client = take(socket);
    client.received(JSON.stringify(['subscribe', { objects: 'any', events }]));
    return client;
  };
}
