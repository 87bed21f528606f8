/** A run that breaks a rule: as a short table, as a scenario if possible, and with the command that repeats it. */
import { stringify } from 'yaml';
import type { ScenarioStep } from '../machine/machine-check.ts';
import { eventName } from '../player/chart.ts';
import { BadCheck, inspected, isObject } from './form.ts';

/** Rows of text in columns, each as wide as its widest cell. */
export function columns(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows)
    for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, cell.length);
  return rows.map((row) =>
    row
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

export interface CounterStep {
  readonly atMs: number;
  readonly event: { readonly type: string };
  readonly before: string;
  readonly after: string;
  readonly commands: readonly { readonly type: string }[];
  /** The step as steps of a scenario. */
  readonly scenario: readonly ScenarioStep[];
}

export interface CounterExample {
  readonly machine: string;
  /** `plain`, `restored` or `disordered`; `explored` for exhaustive exploration. */
  readonly way: string;
  readonly rule: string;
  readonly detail: string;
  readonly steps: readonly CounterStep[];
  /** Arguments that repeat it; absent if every run finds it. */
  readonly seed: number | undefined;
  readonly path: string | undefined;
}

/** The rule, a table of the steps, and the command that repeats them. */
export function formatCounterExample(found: CounterExample, stimulus?: string): string {
  if (!isObject(found) || !Array.isArray(found.steps))
    throw new BadCheck(
      `formatCounterExample: expected the counterExample of a report with a broken rule, got ${inspected(found)}`,
    );
  const rows = found.steps.map((step, index) => [
    String(index),
    `${step.atMs} ms`,
    short(eventText(step.event)),
    step.before === '' || step.before === step.after ? step.after : `${step.before} → ${step.after}`,
    short(step.commands.map(eventText).join(', ')),
  ]);
  return [
    `${found.machine}, ${found.way}: "${found.rule}" does not hold: ${found.detail}`,
    ...columns([['step', 'at', 'event', 'state', 'commands'], ...rows]).map((line) => `  ${line}`),
    `again: ${againText(found, stimulus)}`,
  ].join('\n');
}

function againText({ seed, path }: CounterExample, stimulus: string | undefined): string {
  const given = [
    ...(seed === undefined ? [] : [['seed', String(seed)]]),
    ...(path === undefined ? [] : [['path', path]]),
  ];
  if (stimulus !== undefined) return [stimulus, ...given.map(([name, value]) => `--${name} ${value}`)].join(' ');
  if (path === undefined) return 'every run finds it';
  return `checkMachine(…, { seed: ${seed}, path: '${path}' })`;
}

/** A scenario to start from; `undefined`: no scenario step leads to the events of the machine. */
export function scenarioOf({ machine, rule, steps }: CounterExample): string | undefined {
  const made = steps.flatMap(({ atMs, event, scenario }) =>
    scenario.map((step) => ({ at: `${atMs}ms`, note: eventText(event), ...step })),
  );
  if (made.length === 0) return undefined;
  const why = `A counter-example of the machine "${machine}", as far as a scenario can cause it: ${rule}.`;
  const [last] = steps.slice(-1);
  const rest = { at: `${(last?.atMs ?? 0) + 1_000}ms`, wait: '5s' };
  return stringify(
    { name: `${machine.replaceAll('+', '-')}-counter-example`, why, steps: [...made, rest] },
    { lineWidth: 0 },
  );
}

function eventText({ type, ...more }: { readonly type: string }): string {
  const said = Object.entries(more).map(([name, value]) => `${name} ${valueText(value)}`);
  return [eventName(type), ...said].join(' ');
}

function valueText(value: unknown): string {
  if (typeof value === 'string') return value;
  return (JSON.stringify(value) ?? 'undefined').replaceAll('"', '');
}

const longest = 72;

function short(text: string): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 1)}…`;
}
