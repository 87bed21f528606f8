/** `strowger up`: a cluster with a process for each node, supervised, on this machine. */
import { randomBytes } from 'node:crypto';
import { Command } from 'commander';
import { type LogForm, pinoLog, shownForm } from '../../../src/adapters/pino-log.ts';
import type { OpenHttpServer } from '../../../src/ports/http-server.ts';
import type { LogLevel } from '../../../src/ports/log.ts';
import { LiveHost, watcherOf } from '../../embed/hosting/live-host.ts';
import { mainWorld } from '../../embed/hosting/worlds.ts';
import { ProcessWorld } from '../../processes/process-world.ts';
import { loadTopology } from '../../topology/load-topology.ts';
import { integerArgument, outputFolderArgument, stopOnSignal } from '../process.ts';
import {
  controlAccess,
  controlAllowHostOption,
  controlHostOption,
  oraclesOf,
  oraclesOption,
  otlpOption,
} from './options.ts';
import { logFormOption, logOption } from './serve.ts';
import { openControl, refuseTakenPorts } from './server-ports.ts';

interface UpOptions {
  readonly topology: string;
  readonly port: number;
  readonly control?: number;
  readonly controlHost: string;
  readonly controlAllowHost: readonly string[];
  readonly data?: string;
  readonly otlp?: string;
  readonly oracles?: readonly string[];
  readonly quiet?: boolean;
  readonly log: LogLevel | 'silent';
  readonly logForm?: LogForm;
}

export function upCommand(): Command {
  return new Command('up')
    .option('--topology <file>', 'topology file, or the name of a topology in the package', 'default')
    .option(
      '--port <port>',
      'port of the first front; the other fronts get the next ports; 0: free ports',
      integerArgument('--port', 0, 65_535),
      8080,
    )
    .option(
      '--control <port>',
      'port of the control interface; 0: a free port; default: --port minus 1',
      integerArgument('--control', 0, 65_535),
    )
    .addOption(controlHostOption())
    .addOption(controlAllowHostOption())
    .option('--data <folder>', 'keep data in this folder; default: in memory', outputFolderArgument('--data'))
    .addOption(otlpOption())
    .addOption(oraclesOption('none'))
    .option('--quiet', 'print only the ready line, and no lines of nodes')
    .addOption(logOption())
    .addOption(logFormOption())
    .action(up);
}

async function up(options: UpOptions): Promise<void> {
  const {
    topology,
    port,
    control = Math.max(0, port - 1),
    controlHost,
    data,
    otlp,
    quiet = false,
    log: level,
    logForm = shownForm(),
  } = options;
  const access = controlAccess({ host: controlHost, allowed: options.controlAllowHost });
  const watch = await watcherOf(await oraclesOf({ clock: 'real', oracles: options.oracles }));
  const loaded = loadTopology(topology);
  const fronts = loaded.map.instancesOf('ws').map(({ node }, index) => ({
    of: `the front of ${node}`,
    host: '127.0.0.1',
    port: port === 0 ? 0 : port + index,
    instead: 'try --port 0',
  }));
  await refuseTakenPorts(fronts);
  const log = pinoLog({ level, form: logForm });
  const secret = process.env['STROWGER_SECRET'] ?? loaded.map.topology.secret ?? randomBytes(32).toString('hex');
  const width = Math.max(...[...loaded.map.nodes.keys()].map((name) => name.length));
  const world = new ProcessWorld({
    loaded,
    port,
    log,
    data,
    args: ['--log', level, '--log-form', logForm, ...(otlp === undefined ? [] : ['--otlp', otlp])],
    env: { STROWGER_SECRET: secret },
    onLine: (node, line) => {
      if (!quiet) process.stderr.write(`${node.padEnd(width)} | ${line}\n`);
    },
  });
  const keeps = 'the nodes are processes: they are not reset';
  const host = new LiveHost({ name: mainWorld, loaded, seed: undefined, make: () => world, watch, keeps });
  let server: OpenHttpServer | undefined;
  const stopping = stopOnSignal(async () => {
    server?.abort();
    await host.stop();
  });
  try {
    const { Metrics } = await import('../../metrics/metrics.ts');
    const metrics = new Metrics();
    metrics.observe(world);
    server = await openControl({ host: controlHost, port: control }, async () => {
      const { createProcessControl } = await import('../../processes/process-control.ts');
      return createProcessControl({ host, cluster: world.cluster, metrics, access, log });
    });
    const isReady = await Promise.race([host.start().then(() => true), stopping.then(() => false)]);
    if (!isReady) return;
  } catch (error) {
    server?.abort();
    await host.stop();
    throw error;
  }
  const urls = [...world.cluster.urls].map(([site, url]) => `${site}=${url}`).join(' ');
  process.stdout.write(`ready ${urls} control=${server.url}\n`);
  await stopping;
}
