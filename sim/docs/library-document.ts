/** The library: the scenarios that ship, with what each is about and what it breaks. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { scenariosFolder } from '../input/package-folder.ts';
import { refusalsIn } from '../processes/refusals.ts';
import { breakingVerb, type ScenarioFault } from '../scenario/language/fault-schema.ts';
import type { ScenarioStep } from '../scenario/language/steps.ts';
import { leastMs } from '../scenario/least-time.ts';
import { loadScenario } from '../scenario/load-scenario.ts';

/** Names of the scenarios that ship. */
export function libraryNames(): string[] {
  return readdirSync(scenariosFolder)
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => name.slice(0, -'.yaml'.length))
    .sort();
}

export function libraryDocument(): string {
  const rows = libraryNames().map((name) => {
    const { map, scenario } = loadScenario(join(scenariosFolder, `${name}.yaml`));
    const { why, steps } = scenario;
    const verbs = new Set(faultsIn(steps).flatMap((fault) => breakingVerb(fault) ?? []));
    return `| [${name}](../../scenarios/${name}.yaml) | ${why.trim().replaceAll('\n', ' ')} | ${[...verbs].join(', ')} | ${timeText(leastMs(steps))} | ${refusalsIn(map, steps).join('; ') || 'yes'} |`;
  });
  return `# The library of scenarios

Generated from \`scenarios/\` by \`npm run docs\`. Each is a failure that real clusters have had, with what the interface must answer
meanwhile and afterwards. They run in virtual time (\`npx strowger run NAME\`), live (\`--mode live\`), and over many
seeds (\`npx strowger sweep NAME --seeds 200\`). How they are written: [scenarios.md](scenarios.md).

*Waits* is the sum of its waits and intervals, which \`live\` and \`processes\` take in real time. *Processes*: whether it runs with
[a process for each node](../how-to/run-as-processes.md#run-a-scenario-against-processes), or why not.

| Scenario | Why | Breaks by | Waits | Processes |
|---|---|---|---|---|
${rows.join('\n')}
`;
}

function timeText(ms: number): string {
  return ms < 60_000 ? `${Math.ceil(ms / 1_000)} s` : `${Math.ceil(ms / 60_000)} min`;
}

function faultsIn(steps: readonly ScenarioStep[]): ScenarioFault[] {
  return steps.flatMap(({ fault, steps: inner = [], repeat, parallel = [] }) => [
    ...(fault === undefined ? [] : [fault]),
    ...faultsIn(inner),
    ...faultsIn(repeat?.steps ?? []),
    ...parallel.flatMap((branch) => faultsIn(branch.steps)),
  ]);
}
