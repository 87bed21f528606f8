/** `strowger validate FILE…`: says of topologies and scenarios whether they are sound, and where they are not. */
import { Command } from 'commander';
import { parse } from 'yaml';
import { loadScenario } from '../scenario/load.ts';
import { loadTopology, readText, topologyFile } from '../topology/load.ts';
import { reportFailure } from './failure.ts';

export function validateCommand(): Command {
  return new Command('validate')
    .description('Check topology and scenario files; every fault with its line and column.')
    .argument('<files...>', 'topology or scenario files')
    .action(validate);
}

function validate(files: string[], _options: object, command: Command): void {
  const debug = command.optsWithGlobals<{ debug?: boolean }>().debug === true;
  for (const file of files) {
    try {
      process.stdout.write(`${file}: ${describe(file)}\n`);
    } catch (error) {
      process.exitCode = reportFailure(error, { debug });
    }
  }
}

function describe(file: string): string {
  if (isScenario(file)) {
    const { scenario, map } = loadScenario(file);
    return `a sound scenario: ${scenario.steps.length} steps over topology "${map.topology.name}"`;
  }
  const { map } = loadTopology(file);
  const { sites, nodes, instances, domains } = map;
  return `a sound topology: ${sites.size} sites, ${nodes.size} nodes, ${instances.size} role instances, ${domains.size} domains`;
}

/** A file with steps is a scenario, whatever else is wrong with it. */
function isScenario(file: string): boolean {
  const text = readText(topologyFile(file));
  try {
    const value: unknown = parse(text);
    return typeof value === 'object' && value !== null && ('steps' in value || 'why' in value);
  } catch {
    return false;
  }
}
