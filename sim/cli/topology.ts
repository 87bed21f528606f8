/** `strowger topology`: writes a topology of a given size. */
import { Command } from 'commander';
import { stringify } from 'yaml';
import { generatedTopology, topologySizes } from '../topology/generate.ts';
import { integerArgument } from './process.ts';

type Size = keyof typeof topologySizes;

export function topologyCommand(): Command {
  return new Command('topology')
    .option('--sites <n>', 'number of sites', sizeArgument('sites'), 3)
    .option('--nodes <n>', 'nodes of each site', sizeArgument('nodes'), 4)
    .option('--users <n>', 'accounts of each domain, with one phone each', sizeArgument('users'), 10)
    .action((sizes: Record<Size, number>) => {
      process.stdout.write(stringify(generatedTopology(sizes), { aliasDuplicateObjects: false }));
    });
}

function sizeArgument(name: Size): (text: string) => number {
  const { least, most } = topologySizes[name];
  return integerArgument(`--${name}`, least, most);
}
