/**
 * A process with two links that are connected, and peers that never come, that ends them and then has nothing left to
 * do. The link test starts it: `node link-leaver.js close|crash`. It prints when it had ended them.
 */
import { systemClock } from '../../../src/adapters/system-clock.ts';
import { systemRandom } from '../../../src/adapters/system-random.ts';
import { WsLink } from '../../../src/adapters/ws-link.ts';

const end = process.argv[2] === 'crash' ? 'crash' : 'close';
const urls = new Map<string, string>([['gone', 'ws://127.0.0.1:1']]);

function linkOf(self: string, dials: string[], awaits: string[]): WsLink {
  return new WsLink({
    self,
    listen: { host: '127.0.0.1', port: 0 },
    dials,
    awaits,
    urlOf: (peer) => urls.get(peer),
    secret: 'the secret of the tests',
    clock: systemClock,
    jitter: systemRandom.stream('jitter'),
    reconnect: { minMs: 60_000, maxMs: 60_000 },
    onListening: (url) => void urls.set(self, url),
  });
}

const b = linkOf('b', ['gone', 'unknown'], ['a', 'never']);
const a = linkOf('a', ['b', 'gone'], []);
let connected = 0;
await new Promise<void>((resolve, reject) => {
  const events = {
    received: () => {},
    disconnected: () => {},
    connected: () => {
      connected += 1;
      if (connected === 2) resolve();
    },
  };
  b.open(events).then(() => a.open(events), reject);
});
await Promise.all([a[end](), b[end]()]);
process.stdout.write(`ended ${systemClock.now()}\n`);
