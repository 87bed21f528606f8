/** The web sockets of a front: who may open one, and the subscription that its URL may ask for. */
import { reportBug } from '../cluster/role.ts';
import type { HeaderReader, SocketHandler, WebSockets } from '../ports/http-server.ts';
import type { Ws } from '../roles/ws/ws.ts';
import { authorize } from './authorization.ts';
import { noOrigins, type Origins, refuseForeignPage } from './origins.ts';
import { paramsOf } from './read-request.ts';
import { answerThrown } from './responses.ts';

/** The path of web sockets. (public) */
export const socketPath = '/ws';

/** Authorizes web sockets: by session in header or cookie, or `?token=`, because browsers can't set headers here. */
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

/** The header takes precedence over the parameter, and the parameter over the cookie. (chosen) */
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
 * `?subscribe=callevents.*` subscribes when the socket opens, as if the client had sent it: for clients that can only
 * receive, such as curl. (chosen)
 */
function subscribing(take: SocketHandler, events: readonly string[]): SocketHandler {
  if (events.length === 0) return take;
  return (socket) => {
    const client = take(socket);
    client.received(JSON.stringify(['subscribe', { objects: 'any', events }]));
    return client;
  };
}
