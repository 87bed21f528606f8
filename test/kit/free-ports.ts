/** Ports for servers that are opened at a known address. */
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below the ports that systems give to servers without one, and to connections: no other process gets one by chance. */
const [least, most] = [10_000, 30_000];

/** Ports of this machine that are free. */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) {
    const port = randomInt(least, most);
    if (await isFree(port)) ports.add(port);
  }
  return [...ports];
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
