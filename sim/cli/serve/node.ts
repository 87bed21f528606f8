/** `strowger node NAME`: runs one node of a cluster as a process. The topology has the addresses of its peers. */
import { Command } from 'commander';
import { type LogForm, pinoLog } from '../../../src/adapters/pino-log.ts';
import { FaultError, fault } from '../../../src/model/fault.ts';
import type { HttpLimits } from '../../../src/model/limits.ts';
import type { OpenHttpServer } from '../../../src/ports/http-server.ts';
import type { LogLevel } from '../../../src/ports/log.ts';
import { takeFolder } from '../../data/check.ts';
import { storesIn } from '../../data/stores.ts';
import { withDirectives } from '../../embed/hosting/directives.ts';
import { LiveHost } from '../../embed/hosting/live-host.ts';
import { mainWorld, Worlds } from '../../embed/hosting/worlds.ts';
import { Supervisor } from '../../processes/supervisor.ts';
import { type LoadedTopology, loadTopology } from '../../topology/load-topology.ts';
import { LiveWorld, signalStopMs } from '../../world/live.ts';
import { splitAddress } from '../../world/live-links.ts';
import { endWithSupervisor, integerArgument, outputFolderArgument, stopOnSignal, UsageError } from '../process.ts';
import { startMonitoring } from './monitoring.ts';
import {
  accessLogOption,
  controlAccess,
  controlAllowHostOption,
  controlHostOption,
  corsOption,
  limitOption,
  otlpOption,
  type TlsOptions,
  tlsCertOption,
  tlsIdentity,
  tlsKeyOption,
} from './options.ts';
import { logFormOption, logOption } from './serve.ts';
import { controlPort, openControl, refuseTakenPorts, type WantedPort } from './server-ports.ts';
import { lastSpansMs, tracesFor } from './traces.ts';

interface NodeOptions extends TlsOptions {
  readonly topology: string;
  readonly data?: string;
  readonly control?: number;
  readonly controlHost: string;
  readonly controlAllowHost: readonly string[];
  readonly limit: Partial<HttpLimits>;
  readonly cors: readonly string[];
  readonly accessLog?: string;
  readonly otlp?: string;
  readonly linkHost?: string;
  readonly log: LogLevel | 'silent';
  readonly logForm?: LogForm;
}

export function nodeCommand(): Command {
  return new Command('node')
    .argument('<name>', 'name of the node in the topology')
    .option('--topology <file>', 'topology file, or the name of a topology in the package', 'default')
    .option(
      '--data <folder>',
      'keep data in this folder, which the nodes of the master site share; default: in memory',
      outputFolderArgument('--data'),
    )
    .option(
      '--control <port>',
      'open the control interface on this port, for this node and the phones that it serves; 0: a free port; default: none',
      integerArgument('--control', 0, 65_535),
    )
    .addOption(controlHostOption())
    .addOption(controlAllowHostOption())
    .addOption(corsOption())
    .addOption(tlsCertOption())
    .addOption(tlsKeyOption())
    .addOption(limitOption())
    .option(
      '--link-host <address>',
      'address that its link listens on, for example 0.0.0.0; default: the host of "link"',
    )
    .addOption(accessLogOption())
    .addOption(otlpOption())
    .addOption(logOption())
    .addOption(logFormOption())
    .addHelpText(
      'after',
      '\nSTROWGER_SECRET: the cluster secret, the same for all nodes; default: "secret" of the topology.',
    )
    .action(runNode);
}

async function runNode(name: string, options: NodeOptions): Promise<void> {
  const { topology, data, limit: limits, cors, control, controlHost } = options;
  const access = controlAccess({ host: controlHost, allowed: options.controlAllowHost });
  const tls = tlsIdentity(options);
  const loaded = loadTopology(topology);
  const { map, webApps, metadataFiles } = loaded;
  if (!map.nodes.has(name))
    throw new UsageError(`no node named "${name}"; expected one of ${[...map.nodes.keys()].join(', ')}`);
  const secret = secretOf(loaded);
  const log = pinoLog({ level: options.log, form: options.logForm });
  await refuseTakenPorts(portsOf(name, loaded, options));
  const use = { map, nodes: [name], isShared: true, command: `node ${name}` };
  const locks = data === undefined ? undefined : await takeFolder({ ...use, folder: data });
  const monitoring = await startMonitoring(options.accessLog, log);
  const { metrics } = monitoring;
  const traces = await tracesFor(options.otlp, { node: name });
  const supervisor = await Supervisor.connect();
  const make = () => {
    const world: LiveWorld = new LiveWorld({
      map,
      webApps,
      metadataFiles,
      secret,
      log,
      host: '127.0.0.1',
      port: 0,
      tls,
      limits,
      origins: new Set(cors),
      ...(control !== undefined && {
        wrap: (handler) => withDirectives(handler, { wait: (ms) => world.wait(ms), token: access.token }),
      }),
      stores: storesIn(data, log),
      nodes: [name],
      stopMs: signalStopMs,
      linkHost: options.linkHost,
      tracing: traces?.tracing,
      ...(supervisor !== undefined && {
        edges: supervisor.outside,
        otherSystems: supervisor.otherSystems,
        outside: false,
      }),
    });
    supervisor?.observe(world, name);
    monitoring.onWorld(world);
    return world;
  };
  const keeps = `${name} is one node of a cluster: it is not reset alone`;
  const host = new LiveHost({ name: mainWorld, loaded, seed: undefined, make, keeps });
  let server: OpenHttpServer | undefined;
  const stopping = stopOnSignal(async () => {
    monitoring.leave();
    server?.abort();
    await host.stop();
    await traces?.end(lastSpansMs.server);
    await supervisor?.end();
  });
  endWithSupervisor();
  await host.start();
  if (control !== undefined) {
    const worlds = new Worlds(host, () => Promise.reject(new FaultError(fault('conflict', noWorlds))));
    server = await openControl({ host: controlHost, port: control, tls }, async () => {
      const { createControl } = await import('../../control/control.ts');
      return createControl({ worlds, metrics, access, log });
    });
  }
  process.stdout.write(`running ${map.node(name).address}${server === undefined ? '' : ` control=${server.url}`}\n`);
  await stopping;
  monitoring.end();
  await locks?.release();
}

function portsOf(
  name: string,
  { map }: LoadedTopology,
  { linkHost, control = 0, controlHost }: NodeOptions,
): WantedPort[] {
  const { link, http } = map.node(name);
  const addresses = [
    { of: `the link of ${name}`, address: link, field: 'link', at: linkHost },
    { of: `the front of ${name}`, address: http, field: 'http', at: undefined },
  ];
  const fixed = addresses.flatMap(({ of, address, field, at }) => {
    if (address === undefined) return [];
    const { host, port } = splitAddress(address);
    const instead = `change "${field}" of the node in the topology`;
    const hostFrom = at === undefined ? `"${field}" of the node` : '--link-host';
    return [{ of, host: at ?? host, port, instead, hostFrom }];
  });
  return [...fixed, controlPort({ host: controlHost, port: control })];
}

const noWorlds = 'a process of one node starts no other worlds: strowger serve does';

/** Throws a `UsageError` if there is no cluster secret. */
function secretOf({ map }: LoadedTopology): string {
  const secret = process.env['STROWGER_SECRET'] ?? map.topology.secret;
  if (secret !== undefined && secret.length >= 8) return secret;
  throw new UsageError('no cluster secret: set STROWGER_SECRET, or "secret" in the topology, to at least 8 characters');
}
