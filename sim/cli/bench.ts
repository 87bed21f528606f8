/** `strowger bench`: what the product costs against bare floors, measured in the same run. */
import { Command } from 'commander';
import { runBench } from '../bench/bench.ts';

export function benchCommand(): Command {
  return new Command('bench')
    .description('Measure the product against bare floors (ws, node:http, XState), as ratios.')
    .option('--only <name>', 'only rows whose name contains this')
    .action(({ only }: { only?: string }) => runBench({ only: only ?? '' }));
}
