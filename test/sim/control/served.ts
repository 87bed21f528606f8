/** Worlds on free ports, as `serve` serves them, and a client of their control interface. */
import type { ExecutionContext } from 'ava';
import { type Serving, startWorld } from '../../../sim/cli/serve/start-world.ts';
import { loopbackHosts } from '../../../sim/control/access.ts';
import { controlPath, createControl } from '../../../sim/control/control.ts';
import { mainWorld, type WorldClock, Worlds } from '../../../sim/embed/hosting/worlds.ts';
import { loadTopology } from '../../../sim/topology/load-topology.ts';
import { NodeHttpServer } from '../../../src/adapters/http-server/http-server.ts';
import { silentLog } from '../../kit/quiet.ts';

export interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly text: string;
}

export interface ServedWorlds {
  readonly worlds: Worlds;
  /** The front of a site of the main world. */
  readonly front: (site: string) => string;
  /** Sends `METHOD /path` below `/strowger/v1`. */
  readonly ask: (line: string, json?: unknown) => Promise<Answer>;
}

export interface ServedOptions {
  readonly clock?: WorldClock;
  readonly topology?: string;
  readonly oracles?: 'all' | readonly string[];
}

export async function served(t: ExecutionContext, options: ServedOptions = {}): Promise<ServedWorlds> {
  const { clock = 'virtual', topology = 'default', oracles = [] } = options;
  const common = { host: '127.0.0.1', tls: undefined, limits: {}, origins: new Set<string>(), isStrict: false };
  const serving: Serving = { ...common, samples: undefined, token: 'secret', log: silentLog };
  const wanted = { name: mainWorld, clock, loaded: loadTopology(topology), seed: 7 };
  const main = await startWorld(wanted, serving, { port: 0, oracles }).ready;
  const worlds = new Worlds(main, (each) => startWorld(each, serving).ready);
  const handler = createControl({ worlds, access: { hosts: loopbackHosts }, log: silentLog });
  const control = await new NodeHttpServer({ host: '127.0.0.1', port: 0 }).open(handler);
  t.teardown(async () => {
    control.abort();
    await worlds.stop();
  });
  const ask: ServedWorlds['ask'] = async (line, json) => {
    const [method = '', path = ''] = line.split(' ');
    const sent =
      json === undefined ? {} : { body: JSON.stringify(json), headers: { 'content-type': 'application/json' } };
    const answer = await fetch(`${control.url}${controlPath}${path}`, { method, ...sent });
    const text = await answer.text();
    const isJson = answer.headers.get('content-type')?.startsWith('application/json') === true;
    return { status: answer.status, body: isJson ? JSON.parse(text) : undefined, text };
  };
  return { worlds, front: (site) => main.urls.get(site) ?? '', ask };
}
