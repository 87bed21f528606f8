/** `strowger record`: a proxy in front of a platform that writes what passed as a scenario or a test. */
import { writeFileSync } from 'node:fs';
import { Command, Option } from 'commander';
import { systemClock } from '../../src/adapters/system-clock.ts';
import { expectedText } from '../../src/model/shapes/nearest.ts';
import { playedFrom } from '../record/played.ts';
import { RecordingProxy } from '../record/recording-proxy.ts';
import { scenarioTextOf } from '../record/scenario-text.ts';
import { testTextOf } from '../record/test-text.ts';
import { loadTopology } from '../topology/load-topology.ts';
import { integerArgument, outputArgument, stopOnSignal, UsageError } from './process.ts';
import { refuseTakenPorts } from './serve/server-ports.ts';

interface RecordOptions {
  readonly to: string;
  readonly out: string;
  readonly as: 'scenario' | 'ava' | 'vitest';
  readonly port: number;
  readonly host: string;
  readonly topology: string;
  readonly site?: string;
  readonly name: string;
}

export function recordCommand(): Command {
  return new Command('record')
    .requiredOption('--to <url>', 'base URL of the platform, real or simulated', urlArgument)
    .requiredOption('--out <file>', 'file to write when the command is stopped', outputArgument('--out'))
    .addOption(
      new Option('--as <form>', 'what to write: a scenario for strowger run, or a test with the typed client')
        .choices(['scenario', 'ava', 'vitest'])
        .default('scenario'),
    )
    .option('--port <port>', 'port of the proxy; 0: a free port', integerArgument('--port', 0, 65_535), 8090)
    .option('--host <address>', 'address of the proxy', '127.0.0.1')
    .option('--topology <file>', 'topology of the scenario or the test', 'default')
    .option('--site <name>', 'site of the topology that stands for the platform; default: the first with a front')
    .option('--name <name>', 'name of the scenario or the test', 'recorded')
    .action(record);
}

async function record({ to, out, as, port, host, topology, site, name }: RecordOptions): Promise<void> {
  const { map } = loadTopology(topology);
  const sites = [...new Set(map.instancesOf('ws').map((front) => front.site))];
  if (site !== undefined && !sites.includes(site))
    throw new UsageError(`--site: ${expectedText('a site with a front', site, sites)}`);
  if (as === 'scenario' && !/^[a-z0-9-]+$/.test(name))
    throw new UsageError(`--name: expected lower-case letters, digits and "-", got "${name}"`);
  await refuseTakenPorts([{ of: 'the proxy', host, port, instead: 'try --port 0' }]);
  const proxy = new RecordingProxy({ target: to, host, port, now: () => systemClock.now() });
  const stopping = stopOnSignal(() => proxy.close());
  const url = await proxy.open();
  process.stdout.write(`recording ${url} -> ${to}; stop with Ctrl-C\n`);
  await stopping;
  const played = playedFrom(proxy.traffic);
  const about = { name, target: to, topology, map, site: site ?? sites[0] ?? '' };
  const text = as === 'scenario' ? scenarioTextOf(played, about) : testTextOf(played, { ...about, framework: as });
  writeFileSync(out, text);
  const { steps, events, leftOut } = played;
  process.stdout.write(
    `${out}: ${steps.length} requests, ${events.length} kinds of events, ${leftOut.length} left out\n`,
  );
}

function urlArgument(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return text.replace(/\/+$/, '');
  throw new UsageError(`--to: expected a URL such as http://127.0.0.1:8080, got "${text}"`);
}
