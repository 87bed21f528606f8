/** The commands, with what the list of all of them says. */
import type { Command } from 'commander';

export interface ListedCommand {
  readonly name: string;
  /** Its options and arguments, as its own help shows them. */
  readonly usage: string;
  readonly description: string;
  /** Loads its module: loading all takes most of the time of a short run. */
  readonly make: () => Promise<Command>;
}

export const listedCommands: readonly ListedCommand[] = [
  {
    name: 'serve',
    usage: '[options]',
    description: 'Serve the management interface of a simulated cluster.',
    make: async () => (await import('./serve/serve.ts')).serveCommand(),
  },
  {
    name: 'run',
    usage: '[options] <files...>',
    description: 'Run scenarios: requests, faults and expectations.',
    make: async () => (await import('./run.ts')).runCommand(),
  },
  {
    name: 'sweep',
    usage: '[options] [files...]',
    description: 'Run scenarios, or a generated campaign, in virtual time with many seeds. Continues an earlier sweep.',
    make: async () => (await import('./sweep/sweep.ts')).sweepCommand(),
  },
  {
    name: 'worker',
    usage: '[options]',
    description: 'Run seeds of sweeps from a queue. Workers may come, go and die at any time.',
    make: async () => (await import('./sweep/worker.ts')).workerCommand(),
  },
  {
    name: 'replay',
    usage: '[options] <artefact>',
    description: 'Run an artefact again. Exit code 0: every event is the same, the failure included; 1: not.',
    make: async () => (await import('./replay/replay.ts')).replayCommand(),
  },
  {
    name: 'shrink',
    usage: '[options] <artefact>',
    description: 'Reduce a failed run to the smallest scenario that fails in the same way.',
    make: async () => (await import('./sweep/shrink.ts')).shrinkCommand(),
  },
  {
    name: 'report',
    usage: '[options] [command]',
    description: 'Merge reports of sweeps.',
    make: async () => (await import('./report.ts')).reportCommand(),
  },
  {
    name: 'scenario',
    usage: '[options] [command]',
    description: 'Explain scenario files.',
    make: async () => (await import('./validate.ts')).scenarioCommand(),
  },
  {
    name: 'script',
    usage: '[options] [command]',
    description: 'Check, run and test scripts.',
    make: async () => (await import('./script.ts')).scriptCommand(),
  },
  {
    name: 'validate',
    usage: '[options] <files...>',
    description: 'Validate topology and scenario files. Prints every error with its line and column.',
    make: async () => (await import('./validate.ts')).validateCommand(),
  },
  {
    name: 'check',
    usage: '[options] [machines...]',
    description:
      'Check the state machines of this product: every event is handled in every state, all states and transitions are reached, rules hold. Interacting machines are explored.',
    make: async () => (await import('./check.ts')).checkCommand(),
  },
  {
    name: 'node',
    usage: '[options] <name>',
    description: 'Run one node of a cluster as a separate process.',
    make: async () => (await import('./serve/node.ts')).nodeCommand(),
  },
  {
    name: 'record',
    usage: '[options]',
    description: 'Pass requests and web sockets on to a platform, and write what passed as a scenario or a test.',
    make: async () => (await import('./record.ts')).recordCommand(),
  },
  {
    name: 'up',
    usage: '[options]',
    description: 'Run a cluster with a process for each node, and supervise them.',
    make: async () => (await import('./serve/up.ts')).upCommand(),
  },
  {
    name: 'export',
    usage: '[options] <domain>',
    description: 'Print the data of a domain as a JSON document: without files, with hashed passwords.',
    make: async () => (await import('./data/domain.ts')).exportCommand(),
  },
  {
    name: 'import',
    usage: '[options] <file>',
    description: 'Replace the data of a domain with a JSON document, all or nothing. Files stay.',
    make: async () => (await import('./data/domain.ts')).importCommand(),
  },
  {
    name: 'data',
    usage: '[options] [command]',
    description: 'Check and repair data folders of `serve --data`.',
    make: async () => (await import('./data/check-data.ts')).dataCommand(),
  },
  {
    name: 'topology',
    usage: '[options]',
    description: 'Print a topology of a given size: sites that all serve the same domains, each with two gateways.',
    make: async () => (await import('./topology.ts')).topologyCommand(),
  },
  {
    name: 'bench',
    usage: '[options]',
    description: 'Measure the product against plain ws, node:http and XState, as ratios.',
    make: async () => (await import('./development.ts')).benchCommand(),
  },
  {
    name: 'docs',
    usage: '[options] [name]',
    description: 'Print a generated document, or write all of them into a folder.',
    make: async () => (await import('./development.ts')).docsCommand(),
  },
];
