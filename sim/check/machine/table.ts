/** The table of a machine: what every fact does in every state that can be reached, with the context in which it was first. */
import type { AnyStateMachine } from 'xstate';
import { everyChoice } from '../kit/choices.ts';
import { columns } from '../kit/counter-example.ts';
import { BadCheck, shown } from '../kit/form.ts';
import type { Moment } from '../player/moment.ts';
import { canHear, Player, stateOf } from '../player/player.ts';
import { makeFact } from './commands.ts';
import { Coverage } from './coverage.ts';
import { type AnyCheck, checkOf, type MachineCheck } from './machine-check.ts';
import { expectMachineCheck } from './machine-form.ts';
import { survey, surveyBound } from './survey.ts';

export interface TableRow {
  readonly state: string;
  readonly fact: string;
  readonly next: string;
  /** Types of the orders. */
  readonly orders: readonly string[];
}

/** The rows of a machine: each state × fact, once for every outcome that was met. Deadlines are facts as well. */
export function tableOf<M extends AnyStateMachine>(given: MachineCheck<M>): TableRow[] {
  const check = checkOf(given);
  expectMachineCheck(check, 'tableOf');
  const player = new Player(check.machine);
  const rows = new Map<string, TableRow>();
  const visit = (moment: Moment) => {
    for (const row of rowsAt({ check, player }, moment)) rows.set(JSON.stringify(row), row);
  };
  survey({ check, player, coverage: new Coverage(player), visit });
  return [...rows.values()].sort(order);
}

function rowsAt({ check, player }: { readonly check: AnyCheck; readonly player: Player }, moment: Moment): TableRow[] {
  const state = stateOf(moment);
  const types = Object.keys(check.facts).filter((type) => canHear(moment, { type }));
  const told = types.flatMap((type) =>
    everyChoice((pick) => makeFact(check, type, { moment, pick }), surveyBound.variants),
  );
  return told.map((fact) => {
    const { moment: next, orders } = player.tell(moment, fact);
    return { state, fact: fact.type, next: stateOf(next), orders: orders.map(({ type }) => type) };
  });
}

function order(one: TableRow, other: TableRow): number {
  const [a, b] = [
    JSON.stringify([one.state, one.fact, one.next]),
    JSON.stringify([other.state, other.fact, other.next]),
  ];
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The rows in columns. */
export function formatTable(rows: readonly TableRow[]): string {
  if (!Array.isArray(rows))
    throw new BadCheck(`formatTable: expected the rows that tableOf answers, got ${shown(rows)}`);
  const cells = rows.map(({ state, fact, next, orders }) => [state, fact, next, orders.join(', ')]);
  return columns([['state', 'fact', 'next', 'orders'], ...cells]).join('\n');
}
