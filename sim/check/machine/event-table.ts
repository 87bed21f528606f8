/** The table of a machine: every event in every reachable state, in the first context in which the state was met. */
import type { AnyStateMachine } from 'xstate';
import { everyChoice } from '../kit/choices.ts';
import { columns } from '../kit/counter-example.ts';
import { BadCheck, inspected } from '../kit/form.ts';
import type { Moment } from '../player/moment.ts';
import { canReceive, MachinePlayer, stateOf } from '../player/player.ts';
import { Coverage } from './coverage.ts';
import { type AnyCheck, checkOf, type MachineCheck } from './machine-check.ts';
import { expectMachineCheck } from './machine-form.ts';
import { makeEvent } from './stimuli.ts';
import { survey, surveyBound } from './survey.ts';

export interface TableRow {
  readonly state: string;
  readonly event: string;
  readonly next: string;
  /** Types of the commands. */
  readonly commands: readonly string[];
}

/** The rows of a machine: each state × event, once for every outcome. Deadlines are events too. */
export function tableOf<M extends AnyStateMachine>(given: MachineCheck<M>): TableRow[] {
  const check = checkOf(given);
  expectMachineCheck(check, 'tableOf');
  const player = new MachinePlayer(check.machine);
  const rows = new Map<string, TableRow>();
  const visit = (moment: Moment) => {
    for (const row of rowsAt({ check, player }, moment)) rows.set(JSON.stringify(row), row);
  };
  survey({ check, player, coverage: new Coverage(player), visit });
  return [...rows.values()].sort(command);
}

function rowsAt(
  { check, player }: { readonly check: AnyCheck; readonly player: MachinePlayer },
  moment: Moment,
): TableRow[] {
  const state = stateOf(moment);
  const types = Object.keys(check.events).filter((type) => canReceive(moment, { type }));
  const reactions = types.flatMap((type) =>
    everyChoice((pick) => makeEvent(check, type, { moment, pick }), surveyBound.variants),
  );
  return reactions.map((event) => {
    const { moment: next, commands } = player.send(moment, event);
    return { state, event: event.type, next: stateOf(next), commands: commands.map(({ type }) => type) };
  });
}

function command(one: TableRow, other: TableRow): number {
  const [a, b] = [
    JSON.stringify([one.state, one.event, one.next]),
    JSON.stringify([other.state, other.event, other.next]),
  ];
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The rows in columns. */
export function formatTable(rows: readonly TableRow[]): string {
  if (!Array.isArray(rows)) throw new BadCheck(`formatTable: expected the rows of tableOf, got ${inspected(rows)}`);
  const cells = rows.map(({ state, event, next, commands }) => [state, event, next, commands.join(', ')]);
  return columns([['state', 'event', 'next', 'commands'], ...cells]).join('\n');
}
