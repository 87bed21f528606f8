/** `strowger scenario explain FILE`: says what a scenario would do, without running it. */
import { Command } from 'commander';
import { planText } from '../report/plan.ts';
import { loadScenario } from '../scenario/load.ts';
import { planOf } from '../scenario/plan.ts';
import { integerArgument } from './failure.ts';

export function scenarioCommand(): Command {
  const explain = new Command('explain')
    .description('Print the plan of a scenario: its topology, what is done when and to whom, and what must hold.')
    .argument('<file>', 'scenario file')
    .option('--seed <number>', "seed of chance; default: the scenario's", integerArgument('--seed', 0, 2 ** 31))
    .option('--json', 'print it as JSON')
    .action((file: string, { seed, json = false }: { seed?: number; json?: boolean }) => {
      const loaded = loadScenario(file, seed);
      const plan = planOf(loaded, seed ?? loaded.scenario.seed);
      process.stdout.write(json ? `${JSON.stringify(plan, null, 2)}\n` : planText(plan));
    });
  return new Command('scenario').description('Scenario files.').addCommand(explain);
}
