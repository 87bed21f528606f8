/** `strowger serve`: the whole interface over a simulated cluster, live, in this process. */
import { Command, Option } from 'commander';
import { type LogForm, pinoLog } from '../../../src/adapters/pino-log.ts';
import type { ClusterMap } from '../../../src/model/cluster/cluster-map.ts';
import type { HttpLimits } from '../../../src/model/limits.ts';
import type { OpenHttpServer } from '../../../src/ports/http-server.ts';
import type { LogLevel } from '../../../src/ports/log.ts';
import { takeFolder } from '../../data/check.ts';
import { mainWorld, type WantedWorld, Worlds } from '../../embed/hosting/worlds.ts';
import { ScriptFolder } from '../../scripts/script-folder.ts';
import { type LoadedTopology, loadTopology, readText } from '../../topology/load-topology.ts';
import type { World } from '../../world/world.ts';
import {
  folderArgument,
  integerArgument,
  outputArgument,
  outputFolderArgument,
  rateArgument,
  stopOnSignal,
} from '../process.ts';
import { inspectionFile } from './inspection.ts';
import { startMonitoring } from './monitoring.ts';
import {
  accessLogOption,
  controlAccess,
  controlAllowHostOption,
  controlHostOption,
  corsOption,
  limitOption,
  oraclesOf,
  oraclesOption,
  otlpOption,
  refuseRealOnly,
  type TlsOptions,
  tlsCertOption,
  tlsIdentity,
  tlsKeyOption,
} from './options.ts';
import { controlPort, openControl, refuseTakenPorts } from './server-ports.ts';
import { type OwnServing, type Serving, startWorld } from './start-world.ts';
import { lastSpansMs, tracesFor } from './traces.ts';

interface ServeOptions extends TlsOptions {
  readonly topology: string;
  readonly port: number;
  readonly host: string;
  readonly data?: string;
  readonly initialData?: string;
  readonly scripts?: string;
  readonly bans: boolean;
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
  readonly accessLog?: string;
  readonly otlp?: string;
  readonly quiet?: boolean;
  readonly strict?: boolean;
  readonly oracles?: readonly string[];
  readonly cors: readonly string[];
  readonly log: LogLevel | 'silent';
  readonly logForm?: LogForm;
}

const mostCallsPerSecond = 1_000;
const levels = ['debug', 'info', 'warn', 'error', 'silent'];

export function logOption(): Option {
  return new Option('--log <level>', 'write log lines of this level and above to standard error')
    .choices(levels)
    .default('warn');
}

export function logFormOption(): Option {
  return new Option('--log-form <form>', 'form of log lines; default: text on a terminal, json otherwise').choices([
    'text',
    'json',
  ]);
}

export function serveCommand(): Command {
  return new Command('serve')
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
      outputFolderArgument('--data'),
    )
    .option(
      '--initial-data <file>',
      'begin with the domains, users, rules, scripts, files and calls of this YAML file; a reset returns to it',
    )
    .option(
      '--scripts <folder>',
      'scripts of domains from files DOMAIN/NAME.yaml or .json of this folder; a file that changes is read again',
      folderArgument('--scripts'),
    )
    .option('--no-bans', 'ban no address for wrong logins; clients can still ban one')
    .option(
      '--metadata <folder>',
      "folder of web applications and user-interface metadata; default: the topology's, else the package's",
      folderArgument('--metadata'),
    )
    .option(
      '--samples <folder>',
      "folder of the audio matchers' samples, .wav files; default: the samples of the topology",
      folderArgument('--samples'),
    )
    .addOption(oraclesOption())
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
    .option(
      '--inspect <file>',
      "append XState's inspection events of every node to this file, as JSON lines",
      outputArgument('--inspect'),
    )
    .addOption(accessLogOption())
    .addOption(otlpOption())
    .option('--strict', 'refuse requests, parameters and fields that are not documented or public')
    .option('--quiet', 'print only the ready line')
    .addOption(logOption())
    .addOption(logFormOption())
    .addHelpText(
      'after',
      '\nSTROWGER_CONTROL_TOKEN: token that clients of the control interface send as "Authorization: Bearer …".',
    )
    .action(serve);
}

async function serve(options: ServeOptions): Promise<void> {
  const { port, control = Math.max(0, port - 1), controlHost, quiet = false, load: rate } = options;
  const access = controlAccess({ host: controlHost, allowed: options.controlAllowHost });
  const tls = tlsIdentity(options);
  const loaded = await topologyFor(options);
  const oracles = await oraclesOf(options);
  const log = pinoLog({ level: options.log, form: options.logForm });
  if (options.clock === 'virtual') refuseRealOnly(options);
  const { data, seed } = options;
  const fronts = loaded.map.instancesOf('ws').map(({ site }, index) => ({
    of: `the front of ${site}`,
    host: options.host,
    port: port === 0 ? 0 : port + index,
    instead: 'try --port 0',
  }));
  await refuseTakenPorts([...fronts, controlPort({ host: controlHost, port: control })]);
  const inspection = options.inspect === undefined ? undefined : inspectionFile(options.inspect);
  const locks = data === undefined ? undefined : await takeFolder({ folder: data, map: loaded.map, command: 'serve' });
  const serving: Serving = {
    host: options.host,
    tls,
    limits: options.limit,
    origins: new Set(options.cors),
    isStrict: options.strict === true,
    samples: options.samples,
    token: access.token,
    log,
  };
  const monitoring = await startMonitoring(options.accessLog, log);
  const traces = await tracesFor(options.otlp, { seed: options.clock === 'virtual' ? (seed ?? 1) : undefined });
  const tracing = traces?.tracing;
  const { metrics } = monitoring;
  let worlds: Worlds | undefined;
  const scripts = scriptsIn(options.scripts, loaded, () => worlds?.main.urls.get(loaded.map.masterSite.name) ?? '');
  const onWorld = (world: World) => {
    monitoring.onWorld(world);
    scripts?.forget();
  };
  const own: OwnServing = { port, data, inspect: inspection?.write, oracles, onWorld, tracing };
  const main = { name: mainWorld, clock: options.clock, loaded, seed } satisfies WantedWorld;
  const starting = startWorld(main, serving, own);
  let controlServer: OpenHttpServer | undefined;
  const stopping = stopOnSignal(async () => {
    monitoring.leave();
    controlServer?.abort();
    await (worlds ?? starting).stop();
  });
  const started = await Promise.race([starting.ready, stopping]);
  if (started === undefined) return locks?.release();
  worlds = new Worlds(started, (wanted) => startWorld(wanted, serving).ready);
  if (rate !== undefined) await started.present.enter<'load'>({ do: 'load', rate });
  const address = { host: controlHost, port: control, tls };
  const served = worlds;
  controlServer = await openControl(address, async () => {
    const { createControl } = await import('../../control/control.ts');
    return createControl({ worlds: served, metrics, access, log });
  });
  await scripts?.start();
  if (!quiet) process.stdout.write(banner(loaded.map, started.urls));
  const urls = [...started.urls].map(([site, url]) => `${site}=${url}`).join(' ');
  process.stdout.write(`ready ${urls} control=${controlServer.url}\n`);
  await stopping;
  scripts?.stop();
  await traces?.end(lastSpansMs.server);
  inspection?.end();
  monitoring.end();
  await locks?.release();
}

/** The scripts of a folder. Errors are on standard error. */
function scriptsIn(folder: string | undefined, { map }: LoadedTopology, url: () => string): ScriptFolder | undefined {
  const onLine = (line: string) => void process.stderr.write(`${line}\n`);
  return folder === undefined ? undefined : new ScriptFolder({ folder, map, url, onLine });
}

/** The topology, with what other options change in it. */
async function topologyFor({ topology, metadata, initialData: file, bans }: ServeOptions): Promise<LoadedTopology> {
  const base = loadTopology(topology, { metadata });
  if (file === undefined && bans) return base;
  const { withDataFile, withSettings } = await import('../../scenario/initial-data.ts');
  const whole = file === undefined ? base : withDataFile(base, { file, text: readText(file) });
  return bans ? whole : withSettings(whole, { bans });
}

/** `urls`: the first front of each site. */
function banner(map: ClusterMap, bySite: ReadonlyMap<string, string>): string {
  const urls = [...bySite].map(([site, url]) => ({ site, url }));
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
