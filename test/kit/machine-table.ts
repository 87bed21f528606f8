/**
 * A machine against its table: what every event does in every state, and what every deadline does. A state × event that
 * the table leaves out fails, for "ignored on purpose" is a decision as well.
 */
import type { SerialFn } from 'ava';
import type { AnyStateMachine, ContextFrom, EmittedFrom, EventFromLogic, InputFrom } from 'xstate';
import { isDecided } from '../../sim/check/machine/coverage.ts';
import { type RestingState, restingStates } from '../../sim/check/player/chart.ts';
import { type Walk, walk } from './machine-walk.ts';

/**
 * States are named by their path (`tied.held`). `contexts`: what the context holds before, beside the table's own, and
 * what some of it holds after.
 */
export type Row<M extends AnyStateMachine> = readonly [
  state: string,
  event: EventFromLogic<M>,
  next: string,
  commands: readonly EmittedFrom<M>[],
  contexts?: { readonly before?: Partial<ContextFrom<M>>; readonly after?: Partial<ContextFrom<M>> },
];

/** `path`: events, and milliseconds that pass between them, from the start of the machine until `state`. */
export type Deadline<M extends AnyStateMachine> = readonly [
  path: readonly (EventFromLogic<M> | number)[],
  state: string,
  afterMs: number,
  next: string,
  commands: readonly EmittedFrom<M>[],
];

export interface MachineTable<M extends AnyStateMachine> {
  readonly machine: M;
  /** Every type of event; the compiler sees to it that none is missing. */
  readonly events: Readonly<Record<EventFromLogic<M>['type'], true>>;
  readonly context: ContextFrom<M>;
  readonly rows: readonly Row<M>[];
  /** For machines that have deadlines: what they start from. */
  readonly input?: InputFrom<M>;
  readonly deadlines?: readonly Deadline<M>[];
}

/** The command of a machine that receives an event which its state does not handle. */
export function unexpected<T extends string>(event: T): { type: 'event.unexpected'; event: T } {
  return { type: 'event.unexpected', event };
}

/** Declares the tests of a table. */
export function machineTable<M extends AnyStateMachine>(test: SerialFn, label: string, table: MachineTable<M>): void {
  const { machine, rows, context, deadlines = [] } = table;
  const states = restingStates(machine);

  test(`${label}: the table decides every event in every state, and nothing else`, (t) => {
    t.deepEqual(differences(table), { missing: [], strange: [] });
  });

  test(`${label}: every event leads from every state to the next, with the commands of the table`, (t) => {
    for (const [state, event, next, commands, { before, after } = {}] of rows) {
      const walked = walk(machine, { state, context: Object.assign({}, context, before) });
      walked.send(event);
      const row = `${state} × ${JSON.stringify(event)}`;
      t.is(walked.state, next, row);
      t.deepEqual(walked.commands, commands, row);
      const held = walked.context as Record<string, unknown>;
      for (const [name, value] of Object.entries(after ?? {})) t.deepEqual(held[name], value, `${row}, ${name}`);
      walked.stop();
      t.is(walked.clock.pending, 0, `${row} leaves a timer`);
    }
  });

  test(`${label}: an event that a state does not decide changes nothing and is reported as unexpected`, (t) => {
    for (const { path: state, decides } of states) {
      const undecided = rows
        .filter((row) => row[0] === state && !isDecided(row[1].type, decides))
        .map(([, event]) => event);
      for (const event of [...undecided, { type: 'an.unknown.event' } as EventFromLogic<M>]) {
        const walked = walk(machine, { state, context });
        walked.send(event);
        t.deepEqual([walked.state, walked.context, walked.commands], [state, context, [unexpected(event.type)]]);
        walked.stop();
      }
    }
  });

  if (states.some((state) => state.hasDeadline) || deadlines.length > 0) deadlineTests(test, label, table, states);
}

/** What a table leaves out of the states and events of its machine, and what it has that the machine has not. */
export function differences<M extends AnyStateMachine>({
  machine,
  events,
  rows,
}: Pick<MachineTable<M>, 'machine' | 'events' | 'rows'>): { missing: string[]; strange: string[] } {
  const states = restingStates(machine).map(({ path }) => path);
  const wanted = new Set(states.flatMap((state) => Object.keys(events).map((event) => `${state} × ${event}`)));
  const decided = new Set(rows.map(([state, event]) => `${state} × ${event.type}`));
  return {
    missing: [...wanted].filter((pair) => !decided.has(pair)),
    strange: [...decided].filter((pair) => !wanted.has(pair)),
  };
}

function deadlineTests<M extends AnyStateMachine>(
  test: SerialFn,
  label: string,
  { machine, input, deadlines = [] }: MachineTable<M>,
  states: readonly RestingState[],
): void {
  test(`${label}: the table knows every state that has a deadline`, (t) => {
    const wanted = states.filter((state) => state.hasDeadline).map(({ path }) => path);
    t.deepEqual([...new Set(deadlines.map(([, state]) => state))].sort(), wanted.sort());
  });

  test(`${label}: every deadline comes at its time, not a millisecond sooner`, (t) => {
    for (const [path, state, afterMs, next, commands] of deadlines) {
      const walked: Walk<M> = walk(machine, { input: input as InputFrom<M> });
      for (const step of path) {
        if (typeof step === 'number') walked.pass(step);
        else walked.send(step as EventFromLogic<M>);
      }
      const row = `${state}, reached by ${JSON.stringify(path)}`;
      t.is(walked.state, state, row);
      const soFar = walked.commands.length;
      if (afterMs > 0) walked.pass(afterMs - 1);
      t.is(walked.state, state, `${row}, a millisecond before`);
      t.is(walked.commands.length, soFar, `${row}, a millisecond before`);
      walked.pass(Math.min(afterMs, 1));
      t.is(walked.state, next, row);
      t.deepEqual(walked.commands.slice(soFar), commands, row);
      walked.stop();
      t.is(walked.clock.pending, 0, `${row} leaves a timer`);
    }
  });
}
