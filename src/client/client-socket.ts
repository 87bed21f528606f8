/** Web sockets of the client: the standard `WebSocket`, or that of `ws` where the runtime has none. */

/** The part of a web socket that the client uses. */
export interface ClientSocket {
  send(text: string): void;
  close(): void;
  addEventListener(type: 'open' | 'message' | 'close' | 'error', listener: (event: object) => void): void;
}

/** Opens a socket at `ws://…/ws`. */
export type OpenSocket = (url: string, token: string | undefined) => ClientSocket | Promise<ClientSocket>;

/** Browsers cannot set headers here, so the token is a parameter. */
export const openGlobalSocket: OpenSocket = async (url, token) => {
  const Socket = (globalThis as { WebSocket?: SocketConstructor }).WebSocket ?? (await socketOfPackage());
  return new Socket(token === undefined ? url : `${url}?token=${encodeURIComponent(token)}`);
};

type SocketConstructor = new (url: string) => ClientSocket;

async function socketOfPackage(): Promise<SocketConstructor> {
  const { WebSocket } = await import('ws');
  return WebSocket as unknown as SocketConstructor;
}
