/** The plan of a scenario as text. */
import type { Plan, PlannedStep } from '../scenario/plan.ts';
import { counted } from './run-text.ts';

export function planText(plan: Plan): string {
  const { name, why, seed, topology, sessions, workload, holds, steps, stepCount } = plan;
  const { sites, domains, phones } = topology;
  return [
    `${name}, seed ${seed}\n${wrapped(why.trim())}\n`,
    `topology ${topology.name}: domains ${domains.join(', ')}; ${phones} phones`,
    ...sites.flatMap((site) => [`  ${site.name}`, ...site.nodes.map((node) => `    ${node}`)]),
    ...section('sessions', sessions),
    ...section('workload, beside the steps', workload),
    ...section('what must hold', holds),
    `\n${counted(stepCount, 'step')}, blocks not counted (times since the cluster is ready, at the earliest)`,
    ...steps.flatMap((step) => stepLines(step, 0)),
    '',
  ].join('\n');
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`\n${title}`, ...lines.map((line) => `  ${line}`)];
}

function stepLines({ path, atMs, when, what, targets, expects, saves, steps }: PlannedStep, depth: number): string[] {
  const time = atMs === undefined ? '' : `${(atMs / 1_000).toFixed(3)} s`;
  const head = `${time.padStart(11)}  ${'  '.repeat(depth)}${path}  `;
  const more = ' '.repeat(head.length);
  return [
    `${head}${what}`,
    ...(when === undefined ? [] : [`${more}${when}`]),
    ...targets.map((line) => `${more}→ ${line}`),
    ...(expects === undefined ? [] : [`${more}expects ${expects}`]),
    ...(saves.length === 0 ? [] : [`${more}saves ${saves.join(', ')}`]),
    ...steps.flatMap((step) => stepLines(step, depth + 1)),
  ];
}

const width = 110;

function wrapped(text: string): string {
  const lines = [''];
  for (const word of text.split(/\s+/)) {
    const line = lines.at(-1) ?? '';
    if (line.length + word.length > width) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines.map((line) => `  ${line}`).join('\n');
}
