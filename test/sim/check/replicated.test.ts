/** Systems of replicated data, and of arbiters that restart: each spoilt version of their rules is found. */

import { type AnyStateMachine, createMachine } from 'xstate';
import { counterText } from '../../../sim/check/kit/report-text.ts';
import { callstoresSystem } from '../../../sim/check/replicated/replicated-callstores.ts';
import { domainDataSystem } from '../../../sim/check/replicated/replicated-data.ts';
import { sessionsSystem } from '../../../sim/check/replicated/replicated-sessions.ts';
import { streamsSystem } from '../../../sim/check/replicated/replicated-streams.ts';
import { exploreExhaustively, type SystemReport } from '../../../sim/check/system/check-system.ts';
import {
  type DataCheck,
  type DataMessage,
  type DataState,
  exploreData,
} from '../../../sim/check/system/data-system.ts';
import { takeoverSystem } from '../../../sim/check/systems/takeover-system.ts';
import { leaseMachine } from '../../../src/machines/cluster/lease.ts';
import { type LogPosition, type Numbered, SequenceLog } from '../../../src/replication/sequence-log.ts';
import { SiteCalls } from '../../../src/roles/callstore/site-calls.ts';
import { type Commit, CopyProgress } from '../../../src/roles/directory/copy-progress.ts';
import { SessionLog } from '../../../src/roles/ws/session-log.ts';
import { touchedSince } from '../../../src/storage/database.ts';
import { isLong } from '../../kit/property.ts';
import { test } from '../../kit/test.ts';

interface Spoilt {
  readonly what: string;
  readonly explore: () => SystemReport;
  /** The rule that it breaks. */
  readonly breaks: RegExp;
}

/** The lease of an arbiter that does not wait when it begins, and of one that takes any side for the holder. */
const { config, implementations } = leaseMachine as AnyStateMachine;
const eagerLease = createMachine({ ...config, initial: 'free' }, implementations as never);
const lenientLease = leaseMachine.provide({ guards: { isHolder: () => true } });
const oneSide = /lets one side act/;

function spoiltTakeover(what: string, lease: AnyStateMachine): Spoilt {
  return {
    what: `quorum+arbiter: ${what}`,
    explore: () => exploreExhaustively(takeoverSystem(lease)),
    breaks: oneSide,
  };
}

function spoilt<M extends DataMessage, S extends DataState<M>>(
  what: string,
  check: DataCheck<M, S>,
  breaks: RegExp,
): Spoilt {
  return { what: `${check.name}: ${what}`, explore: () => exploreData(check), breaks };
}

/** Takes back a session that it knows to be closed. */
class ForgivingLog extends SessionLog {
  override isClosed(): boolean {
    return false;
  }
}

class ForgetfulProgress extends CopyProgress {
  override isPast(): boolean {
    return false;
  }
}

class ProgressWithoutEpoch extends CopyProgress {
  override receive(database: string, commit: Commit): number | undefined {
    return super.receive(this.position?.epoch ?? database, commit);
  }
}

class LogWithoutEpoch extends SequenceLog<Numbered> {
  readonly #epoch: number;

  constructor(epoch: number, limit: number) {
    super(epoch, limit);
    this.#epoch = epoch;
  }

  override page({ n }: LogPosition, most: { readonly count: number; readonly bytes: number }) {
    return super.page({ epoch: this.#epoch, n }, most);
  }
}

const lenientLog: typeof touchedSince = (log, { last, sequence }) =>
  touchedSince(log, { last, sequence: Math.max(sequence, last - log.length) });

/** At the end one shows a call that is over, or does not show one that is live. */
const notAgreed = /deadlock|all parts agree/;

const all: readonly Spoilt[] = [
  spoilt('a front that does not read its store', sessionsSystem({ readsStore: false }), /does not accept/),
  spoilt(
    'a front that accepts before the others have said what is closed',
    sessionsSystem({ meets: false }),
    /reaches/,
  ),
  spoilt('a front that acknowledges before the logout is stored', sessionsSystem({ waitsForStore: false }), /accept/),
  spoilt(
    'a front that takes back a closed session',
    sessionsSystem({ makeLog: (options) => new ForgivingLog(options) }),
    /has acknowledged a logout/,
  ),
  spoilt(
    'a copy that replaces its rows by older ones',
    domainDataSystem({ makeProgress: (options) => new ForgetfulProgress(options) }),
    /rows of a copy|does not go back/,
  ),
  spoilt(
    'a copy that takes changes of any database',
    domainDataSystem({ makeProgress: (options) => new ProgressWithoutEpoch(options) }),
    /all parts agree|rows of a copy/,
  ),
  spoilt(
    'a master that sends what its log has, though it does not reach back far enough',
    domainDataSystem({ touchedSince: lenientLog }),
    /rows of a copy/,
  ),
  spoilt('a member that hands no orphans over', callstoresSystem({ handsOver: false }), notAgreed),
  spoilt(
    'a member that takes no epoch of a b2b for over',
    callstoresSystem({ makeCalls: (options) => new SiteCalls({ ...options, isOver: () => false }) }),
    notAgreed,
  ),
  spoilt(
    'a member that does not ask the b2b for a call that another member has taken for dead',
    callstoresSystem({ makeCalls: (options) => new SiteCalls({ ...options, onDoubt: () => {} }) }),
    notAgreed,
  ),
  spoilt(
    'a consumer that takes any other epoch for the next one',
    streamsSystem({ isNext: (epoch, known) => epoch !== known }),
    /in order, each once/,
  ),
  spoilt(
    'a source that compares numbers of different epochs',
    streamsSystem({ makeLog: (epoch, limit) => new LogWithoutEpoch(epoch, limit) }),
    /none is given up/,
  ),
  spoiltTakeover('an arbiter that grants a lease as soon as it has restarted', eagerLease),
  spoiltTakeover('an arbiter that grants its lease to any side', lenientLease),
];

for (const { what, explore, breaks } of all) {
  test(`${what} is found`, (t) => {
    const { verdict, counterExample } = explore();
    t.is(verdict, 'fail');
    t.regex(counterExample?.rule ?? '', breaks);
    t.true((counterExample?.steps.length ?? 0) > 1);
  });
}

/** Larger bounds, for long runs. */
const large = [
  () => exploreData(callstoresSystem({}, { cuts: 2, crashes: 2 }), { states: 1_000_000 }),
  () =>
    exploreData(
      sessionsSystem({}, { fronts: ['a', 'b', 'c'], losses: 1, crashes: 2, misses: 2, uses: 2, inFlight: 3 }),
    ),
  () => exploreData(streamsSystem({}, { items: 4, losses: 1, duplicates: 1, restarts: 2, misses: 1, inFlight: 3 })),
  () =>
    exploreData(
      domainDataSystem({}, { writes: 3, losses: 1, duplicates: 1, crashes: 1, takeovers: 1, misses: 1, inFlight: 3 }),
    ),
];

if (isLong)
  for (const [index, explore] of large.entries()) {
    test(`large system ${index}: nothing goes wrong within its bound`, (t) => {
      const report = explore();
      t.is(report.counterExample, undefined, counterText(report));
    });
  }
