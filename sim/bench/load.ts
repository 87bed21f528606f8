/** A load of GET requests over raw sockets, one at a time on each connection: the load must cost less than what it measures. */
import { connect } from 'node:net';

export interface LoadOptions {
  readonly url: string;
  readonly path: string;
  readonly token: string;
  readonly requests: number;
  readonly connections: number;
}

/** Resolves when all requests were answered with 200; rejects at the first other answer. */
export async function load({ url, path, token, requests, connections }: LoadOptions): Promise<void> {
  const { hostname, port, host } = new URL(url);
  const request = `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token}\r\n\r\n`;
  let left = requests;
  const drive = () =>
    new Promise<void>((resolve, reject) => {
      const socket = connect(Number(port), hostname);
      let text = '';
      const next = () => {
        if (left === 0) {
          socket.end();
          return resolve();
        }
        left -= 1;
        return void socket.write(request);
      };
      socket.setEncoding('latin1').setNoDelay(true);
      socket.once('connect', next);
      socket.once('error', reject);
      socket.on('data', (chunk: string) => {
        text += chunk;
        if (!isWhole(text)) return;
        if (!text.startsWith('HTTP/1.1 200')) return reject(new Error(`${path}: ${text.slice(0, 200)}`));
        text = '';
        next();
      });
    });
  await Promise.all(Array.from({ length: connections }, drive));
}

function isWhole(text: string): boolean {
  const head = text.indexOf('\r\n\r\n');
  if (head < 0) return false;
  const length = /content-length: (\d+)/i.exec(text);
  return length === null ? text.endsWith('0\r\n\r\n') : text.length >= head + 4 + Number(length[1]);
}
