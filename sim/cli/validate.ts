/** `strowger validate` and `strowger scenario explain`: read files and run nothing. */
import { existsSync } from 'node:fs';
import { Command } from 'commander';
import { type BorderRule, crowdProblem, problemOfRule } from '../../src/model/numbers/border-rules.ts';
import { expectedText } from '../../src/model/shapes/nearest.ts';
import { refuseOtherKind } from '../input/file-kind.ts';
import { keysOf } from '../input/yaml.ts';
import { planText } from '../report/plan.ts';
import { counted } from '../report/run-text.ts';
import { leavesIn } from '../scenario/language/steps.ts';
import { loadScenario, scenarioFile, shippedScenarios, withSeed } from '../scenario/load-scenario.ts';
import { planOf, topologyName } from '../scenario/plan.ts';
import { loadTopology, readText, shippedTopologies, topologyFile } from '../topology/load-topology.ts';
import { integerArgument, reportFailure } from './process.ts';

/** `strowger scenario explain FILE`: prints the plan of a scenario without running it. */
export function scenarioCommand(): Command {
  const explain = new Command('explain')
    .description(
      'Print the plan of a scenario without running it: topology, steps with times and targets, expectations.',
    )
    .argument('<file>', 'scenario file, or the name of a scenario in the package')
    .option(
      '--seed <number>',
      "seed of the random numbers; default: the scenario's",
      integerArgument('--seed', 0, 2 ** 31),
    )
    .option('--json', 'print the plan as JSON')
    .action((file: string, { seed, json = false }: { seed?: number; json?: boolean }) => {
      const loaded = loadScenario(file, seed);
      const plan = planOf(loaded, seed ?? loaded.scenario.seed);
      process.stdout.write(json ? `${JSON.stringify(plan, null, 2)}\n` : planText(plan));
    });
  return new Command('scenario').addCommand(explain);
}

const drawsTried = 50;

/** `strowger validate FILE…`: validates topologies and scenarios, and prints their faults. */
export function validateCommand(): Command {
  return new Command('validate')
    .argument('<files...>', 'topology or scenario files, or names of those in the package')
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
    const loaded = loadScenario(file);
    const { scenario, map } = loaded;
    const isDrawn = typeof scenario.topology === 'object' && 'draw' in scenario.topology;
    // A scenario must be valid for several draws of its topology.
    for (let seed = 1; isDrawn && seed <= drawsTried; seed += 1) withSeed(loaded, seed);
    const over = isDrawn ? `topologies of ${drawsTried} seeds` : `topology "${topologyName(scenario, map)}"`;
    const leaves = leavesIn(scenario.steps);
    const isNested = leaves.length !== scenario.steps.length;
    return `a valid scenario: ${counted(leaves.length, 'step')}${isNested ? ', blocks not counted,' : ''} over ${over}`;
  }
  const { map } = loadTopology(file);
  refuseBorderProblems(file, map.topology.borderrules);
  const { sites, nodes, instances, domains } = map;
  const sizes = [
    counted(sites.size, 'site'),
    counted(nodes.size, 'node'),
    counted(instances.size, 'role instance'),
    counted(domains.size, 'domain'),
  ];
  return `a valid topology: ${sizes.join(', ')}`;
}

/** A rule that cannot be applied keeps no cluster from its start, but the author of the file learns of it. */
function refuseBorderProblems(file: string, rules: readonly BorderRule[]): void {
  const problems = rules.flatMap((rule, index) => {
    const problem = problemOfRule(rule);
    return problem === undefined ? [] : [`${file}: borderrules.${index}: ${problem}`];
  });
  const crowd = crowdProblem(rules.map((rule) => ({ ...rule, enabled: 1 })));
  if (crowd !== undefined) problems.push(`${file}: borderrules: ${crowd}`);
  if (problems.length > 0) throw new Error(problems.join('\n'));
}

function refuseUnknown(name: string): void {
  const scenarios = shippedScenarios();
  if (scenarios.includes(name)) return;
  const known = [...shippedTopologies(), ...scenarios];
  throw new Error(expectedText('a file, or a topology or scenario that ships', name, known));
}

/** A file with steps is a scenario, even with faults. */
function isScenario(file: string): boolean {
  const topology = topologyFile(file);
  if (topology !== file && !existsSync(topology) && !existsSync(file)) refuseUnknown(file);
  const text = readText(existsSync(topology) ? topology : scenarioFile(file));
  refuseOtherKind(file, text, ['topology', 'scenario']);
  return keysOf(text).some((key) => key === 'steps' || key === 'why');
}
