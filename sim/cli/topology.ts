/** `strowger topology`: writes a topology of a given size. */
import { Command } from 'commander';
import { stringify } from 'yaml';
import { generatedTopology, topologySizes } from '../topology/generate.ts';
import { UsageError } from './process.ts';

type Size = keyof typeof topologySizes;

export function topologyCommand(): Command {
  return new Command('topology')
    .option('--sites <n>', 'number of sites', '3')
    .option('--nodes <n>', 'nodes of each site', '4')
    .option('--users <n>', 'accounts of each domain, with one phone each', '10')
    .action((options: Record<Size, string>) => {
      const topology = generatedTopology({
        sites: sizeOf('sites', options),
        nodes: sizeOf('nodes', options),
        users: sizeOf('users', options),
      });
      process.stdout.write(stringify(topology, { aliasDuplicateObjects: false }));
    });
}

function sizeOf(name: Size, options: Readonly<Record<Size, string>>): number {
  const { least, most } = topologySizes[name];
  const value = Number(options[name]);
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw new UsageError(`--${name}: expected a number from ${least} to ${most}, got "${options[name]}"`);
}
