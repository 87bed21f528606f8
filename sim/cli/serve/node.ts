/** `strowger node NAME`: runs one node of a cluster as a process. The topology has the addresses of its peers. */
import { Command } from 'commander';
import { pinoLog } from '../../../src/adapters/pino-log.ts';
import type { HttpLimits } from '../../../src/model/limits.ts';
import type { LogLevel } from '../../../src/ports/log.ts';
import { takeFolder } from '../../data/check.ts';
import { storesIn } from '../../data/stores.ts';
import { loadTopology } from '../../topology/load.ts';
import { LiveWorld } from '../../world/live.ts';
import { stopOnSignal, UsageError } from '../process.ts';
import { corsOption, limitOption, type TlsOptions, tlsCertOption, tlsIdentity, tlsKeyOption } from './options.ts';
import { logOption } from './serve.ts';

interface NodeOptions extends TlsOptions {
  readonly topology: string;
  readonly data?: string;
  readonly limit: Partial<HttpLimits>;
  readonly cors: readonly string[];
  readonly log: LogLevel | 'silent';
}

export function nodeCommand(): Command {
  return new Command('node')
    .description('Run one node of a cluster as a separate process.')
    .argument('<name>', 'name of the node in the topology')
    .option('--topology <file>', 'topology file, or the name of a topology in the package', 'default')
    .option('--data <folder>', 'keep data in this folder, which the nodes of the master site share; default: in memory')
    .addOption(corsOption())
    .addOption(tlsCertOption())
    .addOption(tlsKeyOption())
    .addOption(limitOption())
    .addOption(logOption())
    .addHelpText(
      'after',
      '\nSTROWGER_SECRET: the cluster secret, the same for all nodes; default: "secret" of the topology.',
    )
    .action(runNode);
}

async function runNode(
  name: string,
  { topology, data, limit: limits, log, cors, ...tlsOptions }: NodeOptions,
): Promise<void> {
  const tls = tlsIdentity(tlsOptions);
  const loaded = loadTopology(topology);
  const { map, webApps, metadataFiles } = loaded;
  if (!map.nodes.has(name))
    throw new UsageError(`no node named "${name}"; expected one of ${[...map.nodes.keys()].join(', ')}`);
  const secret = process.env['STROWGER_SECRET'] ?? map.topology.secret;
  if (secret === undefined || secret.length < 8) {
    throw new UsageError(
      'no cluster secret: set STROWGER_SECRET, or "secret" in the topology, to at least 8 characters',
    );
  }
  const logger = pinoLog({ level: log });
  const use = { map, nodes: [name], isShared: true, command: `node ${name}` };
  const locks = data === undefined ? undefined : await takeFolder({ ...use, folder: data });
  const world = new LiveWorld({
    map,
    webApps,
    metadataFiles,
    secret,
    log: logger,
    host: '127.0.0.1',
    port: 0,
    tls,
    limits,
    origins: new Set(cors),
    storesOf: storesIn(data, logger),
    nodes: [name],
  });
  const stopping = stopOnSignal(() => world.stop());
  await world.start();
  process.stdout.write(`running ${map.node(name).address}\n`);
  await stopping;
  await locks?.release();
}
