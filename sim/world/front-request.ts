/** Requests to a front over HTTP, and its web sockets. */
import { WebSocket } from 'ws';
import type { ObservedSocket, RequestEnd } from '../oracles/observers.ts';
import { type EventSocket, FrontAway, type SocketListener } from './world.ts';

export interface FrontRequest {
  readonly site: string;
  /** Of the front. */
  readonly url: string;
  readonly request: Request;
  readonly ended: RequestEnd;
  /** Whether observers read the text of the answer. */
  readonly wantsBody: boolean;
}

/** Sends it. Rejects with `FrontAway` if the front does not answer. */
export async function requestFront({ site, url, request, ended, wantsBody }: FrontRequest): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  const body = request.body === null ? {} : { body: await request.text() };
  const { method, headers } = request;
  try {
    const response = await fetch(`${url}${pathname}${search}`, { method, headers, redirect: 'manual', ...body });
    ended(response, wantsBody ? await response.clone().text() : undefined);
    return response;
  } catch (error) {
    ended();
    throw new FrontAway(site, error instanceof Error ? String(error.cause ?? error.message) : String(error));
  }
}

export interface FrontSocket {
  /** Of the front. */
  readonly url: string;
  /** The token of a session. */
  readonly token: string;
  readonly observed: ObservedSocket;
  readonly listener: SocketListener;
}

/** Opens a web socket; the status of the refusal, or 0 if the front does not answer, where it cannot. */
export function openFrontSocket({ url, token, observed, listener }: FrontSocket): Promise<EventSocket | number> {
  const headers = { authorization: `Bearer ${token}` };
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/ws`, { headers });
  socket.on('message', (data) => {
    const text = String(data);
    observed.message('out', text);
    listener.message(text);
  });
  return new Promise((resolve) => {
    socket.once('unexpected-response', (_, { statusCode = 0 }) => {
      resolve(statusCode);
      socket.terminate();
    });
    // A close follows each error.
    socket.on('error', () => resolve(0));
    socket.once('open', () => {
      socket.once('close', () => {
        observed.end();
        listener.end();
      });
      const send = (text: string) => {
        observed.message('in', text);
        socket.send(text);
      };
      resolve({ send, close: () => socket.close() });
    });
  });
}
