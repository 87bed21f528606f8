/**
 * The change log of domain data: a master whose group fails over, and a copy that crashes, loses messages, and has the master out of reach for a
 * while.
 */
import { actionList, type DataAction, type DataCheck } from '../system/data-system.ts';
import { type CopyMessage, type CopyRules, CopyRun, type CopyState, copyRules, newCopy, rowsAt } from './data-copy.ts';
import { hasDeadline, startPulling } from './pulling.ts';

/** How much may happen. */
export interface CopyFaults {
  readonly writes: number;
  readonly losses: number;
  readonly duplicates: number;
  readonly crashes: number;
  /** How often another member of the group takes over, and may find an empty database. */
  readonly takeovers: number;
  /** How often the copy misses a master that runs. */
  readonly misses: number;
  readonly inFlight: number;
}

const usualFaults: CopyFaults = {
  writes: 3,
  losses: 0,
  duplicates: 0,
  crashes: 1,
  takeovers: 1,
  misses: 0,
  inFlight: 3,
};

function startOf({ inFlight: _, ...faults }: CopyFaults): CopyState {
  const copy = { ...newCopy(rowsAt(1, 0)), seen: 1, pulling: { ...startPulling(), state: 'current.quiet' as const } };
  const master = { epoch: 1, database: 1, n: 0, logFrom: 1, isPublishing: false };
  return { messages: [], ...faults, master, copy };
}

function actionsOf(rules: CopyRules, state: CopyState): DataAction<CopyState>[] {
  const { copy, master } = state;
  const { actions, add } = actionList((changed: CopyState) => new CopyRun(rules, changed));
  if (state.writes > 0 && !master.isPublishing) add('master makes a change durable', (run) => run.write());
  if (master.isPublishing) add('master publishes it', (run) => run.publish(), 'next');
  if (state.takeovers > 0) {
    add('another master takes over', (run) => run.takeOver(false));
    add('another master takes over with an empty database', (run) => run.takeOver(true));
  }
  if (!copy.isUp) {
    add('copy starts', (run) => run.start(), 'next');
    return actions;
  }
  const { seen, pulling, filling, stored } = copy;
  const isAsking = pulling.running !== null;
  const hasAsked = state.messages.some((message) => 'ask' in message && message.ask === pulling.running?.ask);
  if (seen !== master.epoch) add('copy sees the master', (run) => run.see(), 'next');
  if (seen !== 0 && state.misses > 0) add('copy misses the master', (run) => run.miss());
  if (isAsking && filling === null && !hasAsked) add('copy has no answer in time', (run) => run.timeOut(), 'next');
  if (filling !== null) add('copy has replaced all rows', (run) => run.filled(), 'next');
  if (stored.n !== copy.n || stored.database !== copy.database) add('copy has written', (run) => run.written(), 'next');
  if (state.crashes > 0) add('copy crashes', (run) => run.crash());
  const isDue = ['retry', 'check'].some((name) => hasDeadline(pulling, name));
  if (isDue && state.messages.length === 0 && !isAsking)
    add('copy pulls as time passes', (run) => run.passTime(), 'later');
  return actions;
}

/** An ask that no copy waits for, or of a master that is gone, and its answer. */
function isDead({ copy, master }: CopyState, message: CopyMessage): boolean {
  if (message.type === 'data.changed') return false;
  if (message.type === 'data.changes' && message.epoch !== master.epoch) return true;
  return copy.pulling.running?.ask !== message.ask;
}

function agree({ copy, master }: CopyState): true | string {
  if (!copy.isUp || copy.filling !== null || master.isPublishing) return 'it is busy';
  if (copy.seen !== master.epoch || copy.pulling.state !== 'current.quiet') return 'the copy is not current';
  const isAlike = copy.database === master.database && copy.n === master.n && copy.stored.n === copy.n;
  return isAlike || `the copy has change ${copy.n}, and the master ${master.n}`;
}

function show({ copy, master }: CopyState): string {
  const shown = copy.isUp ? `${copy.database}/${copy.n} [${copy.rows}] ${copy.pulling.state}` : 'down';
  const filling = copy.filling === null ? '' : `, filling with ${copy.filling.n}`;
  return `master ${master.database}/${master.n}, copy ${shown}${filling}`;
}

/** The system with the rules of the product, or with others. */
export function domainDataSystem(
  other: Partial<CopyRules> = {},
  faults: CopyFaults = usualFaults,
): DataCheck<CopyMessage, CopyState> {
  const rules = { ...copyRules, ...other };
  return {
    name: 'domain-data+copy',
    start: () => startOf(faults),
    deliver: (state, message) => new CopyRun(rules, state).deliver(message),
    isDead,
    actions: (state) => actionsOf(rules, state),
    rules: {
      'the rows of a copy are the rows of the master at its position': ({ copy: { database, n, rows } }) => {
        const expected = rowsAt(database, n).rows;
        return (
          expected.join() === rows.join() || `at ${database}/${n} it shows ${rows}, and the master had ${expected}`
        );
      },
      'a copy that runs does not go back': ({ copy: { n, shown } }) =>
        n >= shown || `it shows change ${n}, and has shown ${shown}`,
      'a copy shows what it has acknowledged': ({ copy: { n, acknowledged } }) =>
        n >= acknowledged || `it shows change ${n}, and has acknowledged ${acknowledged}`,
    },
    agree,
    show,
    inFlight: faults.inFlight,
    bound: { depth: 60, states: 60_000, healedWithinMs: 60_000 },
  };
}
