/** Formats reports: one line each, what is missing below it, and counter-examples last. */
import { leastExecuted, type MachineReport, type WayReport } from '../machine/check-machine.ts';
import type { SystemReport } from '../system/check-system.ts';
import { formatCounterExample, scenarioOf } from './counter-example.ts';
import { BadCheck, inspected, isObject } from './form.ts';

const width = 24;

export function machineLine(report: MachineReport): string {
  const { verdict, machine, decisions, states, transitions, ways } = report;
  const generated = sum(ways.map((way) => way.generated));
  const executed = sum(ways.map((way) => way.executed));
  return [
    verdict.padEnd(7),
    machine.padEnd(width),
    `states ${states.reached}/${states.total}`.padEnd(14),
    `transitions ${transitions.reached}/${transitions.total}`.padEnd(20),
    decidedText(decisions).padEnd(33),
    `runs ${sum(ways.map((way) => way.runs))}`.padEnd(10),
    `stimuli ${executed}/${generated} ${generated === 0 ? 0 : Math.floor((executed / generated) * 100)} %`,
  ].join(' ');
}

function decidedText({ pairs, undecided, declared }: MachineReport['decisions']): string {
  const decided = `decided ${pairs - undecided.length}/${pairs}`;
  return declared === 0 ? decided : `${decided} (${declared} unexpected)`;
}

/** The missing items, which the line only counts. */
export function machineNotes(report: MachineReport): string[] {
  const { decisions, states, transitions, unreachable, ways, ungiven, replay } = report;
  if (replay !== undefined) return replayNotes(report);
  // Shown if something is missing.
  const neverSent = states.missed.length + transitions.missed.length > 0 ? decisions.neverSent : [];
  // A check that stops at a counter-example has not tried much.
  const isIdle = ({ generated, executed }: WayReport) => executed < generated * leastExecuted;
  const idle = report.counterExample === undefined ? ways.filter(isIdle) : [];
  return [
    ...decisions.undecided.map((pair) => `not decided: ${pair}`),
    ...undecidedHelp(decisions.undecided),
    ...decisions.stale.map((pair) => `wrong under undecided: ${pair}`),
    ...states.missed.map((state) => `never reached: ${state}`),
    ...transitions.missed.map((name) => `never taken: ${name}`),
    ...neverSent.map((event) => `never sent: ${event}, because it is not among events`),
    ...missedHelp([...states.missed, ...transitions.missed]),
    ...unreachable.wrong.map((name) => `wrong under unreachable: ${name}`),
    ...ungiven.map(
      (command) => `never given: ${command}, though once or last names it, so the run proves nothing about it`,
    ),
    ...idle.map(
      ({ way }) => `${way}: less than ${leastExecuted * 100} % of the stimuli could be executed, so little was proved`,
    ),
  ];
}

/** A replay of one run reports nothing else. */
function replayNotes({ replay, seed }: MachineReport): string[] {
  if (replay === undefined || replay.came === 'breaks') return [];
  const { path, came } = replay;
  if (came === 'does not exist') return [`there is no path ${path} with seed ${seed}, so nothing was run`];
  return [`the path ${path} breaks nothing with seed ${seed}, as the machine and its check are now`];
}

/** How to decide the first of them. */
function undecidedHelp([first]: readonly string[]): string[] {
  if (first === undefined) return [];
  const [state = '', event = ''] = first.split(' × ').map(quoted);
  const declared = `undecided: { ${state}: { events: ['${first.split(' × ')[1]}'], why: '…' } }`;
  return [`  decide it in the chart (ignored on purpose: ${event}: {}), or declare it in the check, ${declared}`];
}

/** What to do about the first of them. */
function missedHelp([first]: readonly string[]): string[] {
  if (first === undefined) return [];
  return [
    `  lead there by events (far: longer paths), or declare it in the check, unreachable: { ${quoted(first)}: '…' }`,
  ];
}

/** As a key in an object literal. */
function quoted(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : `'${name}'`;
}

export function systemLine(report: SystemReport): string {
  const { verdict, system, states, transitions, depth, ends, cut, whole, healedMs, inFlight } = report;
  const explored = cut === 0 ? 'all of it' : `all within ${whole} moves`;
  const agreed = `deadlocks none, ends ${ends}, agreed within ${Math.ceil(healedMs / 1_000)} s; ${explored}`;
  return [
    verdict.padEnd(7),
    system.padEnd(width),
    `states ${states}`.padEnd(14),
    `transitions ${transitions}`.padEnd(20),
    `depth ${depth}`.padEnd(9),
    `in flight ${inFlight}`.padEnd(12),
    verdict !== 'fail' ? agreed : 'stopped at the first that breaks a rule',
  ].join(' ');
}

/** Why the exploration proves little. */
export function systemNotes({ doubts }: SystemReport): string[] {
  return doubts.map((doubt) => `${doubt}, so little was proved`);
}

/** The report of a machine or a system: a line, what is missing, and a counter-example. */
export function formatReport(report: MachineReport | SystemReport): string {
  const given: unknown = report;
  if (!isObject(given) || !('decisions' in given || 'system' in given))
    throw new BadCheck(
      `formatReport: expected the report of checkMachine or exploreExhaustively, got ${inspected(given)}`,
    );
  const lines =
    'machine' in report ? [machineLine(report), ...machineNotes(report)] : [systemLine(report), ...systemNotes(report)];
  const { counterExample } = report;
  return [...lines, ...(counterExample === undefined ? [] : [formatCounterExample(counterExample)])].join('\n');
}

/** A counter-example with its scenario, if it has one. */
export function counterText(report: MachineReport | SystemReport): string {
  const { counterExample } = report;
  if (counterExample === undefined) return '';
  const scenario = scenarioOf(counterExample);
  const text =
    scenario === undefined
      ? 'as a scenario: no scenario step leads to these events'
      : `as a scenario:\n${indented(scenario)}`;
  return `\n${formatCounterExample(counterExample, `npx strowger check ${counterExample.machine}`)}\n${text}\n`;
}

function indented(text: string): string {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n');
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
