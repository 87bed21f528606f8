/** `strowger serve`: the whole interface over a simulated cluster, live, in this process. */
import { createWriteStream, openSync } from 'node:fs';
import { Command, Option } from 'commander';
import { DiskSamples } from '../../../src/adapters/disk-samples.ts';
import { NodeHttpServer, type NodeHttpServerOptions } from '../../../src/adapters/http-server.ts';
import { pinoLog } from '../../../src/adapters/pino-log.ts';
import type { ClusterMap } from '../../../src/model/cluster/cluster-map.ts';
import type { HttpLimits } from '../../../src/model/limits.ts';
import type { HttpHandler, OpenHttpServer } from '../../../src/ports/http-server.ts';
import type { LogLevel } from '../../../src/ports/log.ts';
import { createControl } from '../../control/control.ts';
import { withDirectives } from '../../control/directives.ts';
import { takeFolder } from '../../data/check.ts';
import { storesIn } from '../../data/stores.ts';
import { liveCluster } from '../../embed/recorded/operator.ts';
import { loadTopology } from '../../topology/load.ts';
import type { InspectNode } from '../../world/cluster.ts';
import { inspectionLine } from '../../world/inspection.ts';
import { LiveWorld } from '../../world/live.ts';
import { integerArgument, rateArgument, stopOnSignal } from '../process.ts';
import {
  controlAccess,
  controlAllowHostOption,
  controlHostOption,
  corsOption,
  limitOption,
  type TlsOptions,
  tlsCertOption,
  tlsIdentity,
  tlsKeyOption,
} from './options.ts';
import { refuseRealOnly, serveVirtual } from './virtual.ts';

interface ServeOptions extends TlsOptions {
  readonly topology: string;
  readonly port: number;
  readonly host: string;
  readonly data?: string;
  readonly metadata?: string;
  readonly samples?: string;
  readonly seed?: number;
  readonly clock: 'real' | 'virtual';
  readonly control?: number;
  readonly controlHost: string;
  readonly controlAllowHost: readonly string[];
  readonly load?: number;
  readonly limit: Partial<HttpLimits>;
  readonly inspect?: string;
  readonly quiet?: boolean;
  readonly strict?: boolean;
  readonly cors: readonly string[];
  readonly log: LogLevel | 'silent';
}

const mostCallsPerSecond = 1_000;
/** Limit of unwritten inspection events; further ones are dropped and counted in a `gap` line. */
const inspectionBufferBytes = 16 * 1024 * 1024;
const levels = ['debug', 'info', 'warn', 'error', 'silent'];

export function logOption(): Option {
  return new Option('--log <level>', 'write log lines of this level and above to standard error')
    .choices(levels)
    .default('warn');
}

export function serveCommand(): Command {
  return new Command('serve')
    .description('Serve the management interface of a simulated cluster.')
    .option('--topology <file>', 'topology file, or the name of a topology in the package', 'default')
    .option(
      '--port <port>',
      'port of the first site; the other sites get the next ports; 0: free ports',
      integerArgument('--port', 0, 65_535),
      8080,
    )
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option(
      '--data <folder>',
      'keep data in this folder: domain data, files, call records, logouts; default: in memory',
    )
    .option(
      '--metadata <folder>',
      "folder of web applications and user-interface metadata; default: the topology's, else the package's",
    )
    .option(
      '--samples <folder>',
      "folder of the audio matchers' samples, .wav files; default: the samples of the topology",
    )
    .addOption(
      new Option(
        '--clock <clock>',
        'real: time of this computer; virtual: time moves while a request is open, and by the control interface',
      )
        .choices(['real', 'virtual'])
        .default('real'),
    )
    .option(
      '--seed <number>',
      'seed of ids, tokens and jitter; default: random, with a virtual clock 1',
      integerArgument('--seed', 0, 2 ** 31),
    )
    .option(
      '--control <port>',
      'port of the control interface; 0: a free port; default: --port minus 1',
      integerArgument('--control', 0, 65_535),
    )
    .addOption(controlHostOption())
    .addOption(controlAllowHostOption())
    .option(
      '--load <rate>',
      'start calls between phones and providers at this rate, for example 5/s',
      rateArgument('--load', mostCallsPerSecond),
    )
    .addOption(corsOption())
    .addOption(tlsCertOption())
    .addOption(tlsKeyOption())
    .addOption(limitOption())
    .option('--inspect <file>', "append XState's inspection events of every node to this file, as JSON lines")
    .option('--strict', 'refuse requests, parameters and fields that are not documented or public')
    .option('--quiet', 'print only the ready line')
    .addOption(logOption())
    .addHelpText(
      'after',
      '\nSTROWGER_CONTROL_TOKEN: token that clients of the control interface send as "Authorization: Bearer …".',
    )
    .action(serve);
}

async function serve({
  topology,
  port,
  host,
  data,
  metadata,
  samples,
  seed,
  clock,
  control = Math.max(0, port - 1),
  controlHost,
  controlAllowHost,
  load: rate,
  cors,
  tlsCert,
  tlsKey,
  limit: limits,
  inspect,
  quiet = false,
  strict = false,
  log,
}: ServeOptions): Promise<void> {
  const access = controlAccess({ host: controlHost, allowed: controlAllowHost });
  const tls = tlsIdentity({ tlsCert, tlsKey });
  const loaded = loadTopology(topology, { metadata });
  const { map, webApps, metadataFiles } = loaded;
  const logger = pinoLog({ level: log });
  const address = { host: controlHost, port: control, tls };
  const announce = (urls: readonly SiteUrl[], controlUrl: string) => {
    if (!quiet) process.stdout.write(banner(map, urls));
    process.stdout.write(`ready ${urls.map(({ site, url }) => `${site}=${url}`).join(' ')} control=${controlUrl}\n`);
  };
  if (clock === 'virtual') {
    refuseRealOnly({ data, samples, inspect, strict, cors });
    return serveVirtual({
      ...{ loaded, seed, host, port, tls, limits, rate, access, log: logger },
      openControl: (handler) => openControl(address, handler),
      onReady: (urls, controlUrl) =>
        announce(
          [...urls].map(([site, url]) => ({ site, url })),
          controlUrl,
        ),
    });
  }
  const seeded = seed === undefined ? {} : { seed };
  const inspection = inspect === undefined ? undefined : inspectionFile(inspect);
  const locks = data === undefined ? undefined : await takeFolder({ folder: data, map, command: 'serve' });
  const world: LiveWorld = new LiveWorld({
    map,
    webApps,
    metadataFiles,
    samples: samples === undefined ? undefined : new DiskSamples(samples),
    isStrict: strict,
    log: logger,
    host,
    port,
    tls,
    limits,
    origins: new Set(cors),
    wrap: (handler) => withDirectives(handler, { wait: (ms) => world.wait(ms), token: access.token }),
    storesOf: storesIn(data, logger),
    inspect: inspection?.write,
    ...seeded,
  });
  const cluster = liveCluster(world);
  let controlServer: OpenHttpServer | undefined;
  const stopping = stopOnSignal(async () => {
    controlServer?.abort();
    await world.stop();
  });
  const isReady = await Promise.race([world.start().then(() => true), stopping.then(() => false)]);
  if (!isReady) return locks?.release();
  // In the order of the topology.
  const urls = map.instancesOf('ws').flatMap(({ name, site }) => {
    const url = world.urls().get(name);
    return url === undefined ? [] : [{ site, url }];
  });
  if (rate !== undefined) await cluster.enter<'load'>({ do: 'load', rate });
  controlServer = await openControl(address, createControl({ operated: () => cluster, access, log: logger }));
  announce(urls, controlServer.url);
  await stopping;
  inspection?.end();
  await locks?.release();
}

/** Opens the file at once, so that a path that cannot be written ends the command before the cluster starts. */
function inspectionFile(path: string): { readonly write: InspectNode; end(): void } {
  const file = createWriteStream(path, { fd: openForAppending(path) });
  let dropped = 0;
  let isBroken = false;
  file.on('error', ({ message }) => {
    if (!isBroken) process.stderr.write(`strowger: --inspect ${path}: ${message}; no more events are written\n`);
    isBroken = true;
  });
  const writeGap = () => {
    if (dropped > 0) file.write(`${JSON.stringify({ atMs: Date.now(), kind: 'gap', dropped })}\n`);
    dropped = 0;
  };
  return {
    write: (node, event) => {
      if (isBroken || file.writableEnded) return;
      const line = inspectionLine(Date.now(), node, event);
      if (line === undefined) return;
      if (file.writableLength > inspectionBufferBytes) {
        dropped += 1;
        return;
      }
      writeGap();
      file.write(`${line}\n`);
    },
    end: () => {
      if (isBroken) return;
      writeGap();
      file.end();
    },
  };
}

function openForAppending(path: string): number {
  try {
    return openSync(path, 'a');
  } catch (error) {
    throw new Error(`--inspect ${path}: the file cannot be written: ${(error as NodeJS.ErrnoException).code}`);
  }
}

async function openControl(address: NodeHttpServerOptions, handler: HttpHandler): Promise<OpenHttpServer> {
  try {
    return await new NodeHttpServer(address).open(handler);
  } catch (error) {
    const isTaken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
    const reason = isTaken ? 'the address is taken; try --control 0' : String(error);
    throw new Error(`the control interface can't listen on ${address.host}:${address.port}: ${reason}`);
  }
}

interface SiteUrl {
  readonly site: string;
  readonly url: string;
}

function banner(map: ClusterMap, urls: readonly SiteUrl[]): string {
  const first = urls[0]?.url ?? '';
  const second = urls[1]?.url ?? first;
  const accounts = map.topology.domains.flatMap(({ name, users }) =>
    users.map(({ login, pwd, roles }) => `  ${name.padEnd(20)} ${login}/${pwd}`.padEnd(44) + roles.join(',')),
  );
  const sites = urls.map(({ site, url }) => {
    const nodes = map.site(site).nodes.map((node) => `${node.name} (${node.instances.length})`);
    return `  ${site.padEnd(10)} ${url.padEnd(26)} ${nodes.join(', ')}`;
  });
  const [{ name = '', users = [] } = {}] = map.topology.domains.filter((domain) => domain.name === map.masterDomain);
  const { login = '', pwd = '' } = users[0] ?? {};
  const victim = [...map.nodes.values()].find(
    (node) => node.instances.some((i) => i.role === 'esg') && node.site !== urls[0]?.site,
  );
  const credentials = JSON.stringify({ domain: name, login, pwd });
  return `Cluster "${map.topology.name}": sites, their fronts, their nodes (role instances)
${sites.join('\n')}

Accounts
${accounts.join('\n')}

Try
  curl -sc /tmp/jar ${first}/rest/v1/iam/sessions -d '${credentials}' -H 'content-type: application/json'
  curl -sb /tmp/jar ${first}/rest/v1/master/logicalroles/esg/bannedaddrs
  curl -sb /tmp/jar -X DELETE ${second}/rest/v1/master/nodes/${victim?.name ?? ''}   # kill a node, then ask again

`;
}
