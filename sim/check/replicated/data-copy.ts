/**
 * A copy of domain data and its master: how the copy takes changes (`roles/directory/copy-progress.ts`), what the master has in its log
 * (`storage/database.ts`), and what both do with it, as `replica.ts`, `mdc.ts` and the store do. Change n sets the row n modulo 2 to n.
 */
import { CopyProgress, type CopyProgressOptions } from '../../../src/roles/directory/copy-progress.ts';
import { type LogEntry, touchedSince } from '../../../src/storage/database.ts';
import type { DataMessage, DataState } from '../system/data-system.ts';
import {
  endPull,
  freeNumber,
  isUsed,
  lookAtSource,
  noteAnswer,
  notice,
  type Pulling,
  passDeadline,
  startPulling,
  waitsFor,
} from './pulling.ts';

const master = 'master';
const copy = 'copy';
const rowCount = 2;

/** The rows of a database at a position: the number of the change that has set each, 0 before. */
export interface Rows {
  /** Which database; 0: none. */
  database: number;
  n: number;
  rows: number[];
}

type Said =
  | { type: 'data.changed'; database: number; n: number }
  | { type: 'data.changes'; ask: number; epoch: number; since: { database: number; n: number } }
  | { type: 'changes'; ask: number; isWhole: boolean; rows: [row: number, n: number][]; database: number; n: number };
export type CopyMessage = DataMessage & Said;

export interface CopyState extends DataState<CopyMessage> {
  master: {
    /** Incarnation of the instance that serves; all share the database. */
    epoch: number;
    database: number;
    n: number;
    /** Number of the first change in the log. */
    logFrom: number;
    /** The last change is durable, and not published. */
    isPublishing: boolean;
  };
  copy: Rows & {
    isUp: boolean;
    /** Incarnation of the master that it has in reach; 0: none. */
    seen: number;
    /** Numbers of changes that wait for others. */
    held: number[];
    /** All rows are being replaced by these. */
    filling: Rows | null;
    pulling: Pulling;
    stored: Rows;
    /** The last change that it has shown, and acknowledged, since it started, of this database. */
    shown: number;
    acknowledged: number;
  };
  writes: number;
  crashes: number;
  takeovers: number;
  misses: number;
}

/** What a spoilt version has otherwise. */
export interface CopyRules {
  readonly makeProgress: (options: CopyProgressOptions) => CopyProgress;
  readonly touchedSince: typeof touchedSince;
}

export const copyRules: CopyRules = {
  makeProgress: (options) => new CopyProgress(options),
  touchedSince,
};

/** Changes that the log of the master holds. */
const logLimit = 1;

export function rowsAt(database: number, n: number): Rows {
  const rows = Array.from({ length: rowCount }, (_, row) => {
    const last = n - ((n - row) % rowCount);
    return n < row ? 0 : Math.max(0, last);
  });
  return { database, n, rows };
}

export function newCopy(stored: Rows): CopyState['copy'] {
  return {
    ...structuredClone(stored),
    isUp: true,
    seen: 0,
    held: [],
    filling: null,
    pulling: startPulling(),
    stored,
    shown: stored.n,
    acknowledged: 0,
  };
}

/** What can happen in a state; it changes that state. */
export class CopyRun {
  readonly #rules: CopyRules;
  readonly #state: CopyState;

  constructor(rules: CopyRules, state: CopyState) {
    this.#rules = rules;
    this.#state = state;
  }

  write(): void {
    this.#state.writes -= 1;
    const { master: its } = this.#state;
    its.n += 1;
    its.logFrom = Math.max(its.logFrom, its.n - logLimit + 1);
    its.isPublishing = true;
  }

  publish(): void {
    const { database, n } = this.#state.master;
    this.#state.master.isPublishing = false;
    this.#send({ from: master, to: copy, type: 'data.changed', database, n });
  }

  /** Another member of the group opens the database; `isNew`: it was lost, and filled anew. */
  takeOver(isNew: boolean): void {
    this.#state.takeovers -= 1;
    const { master: its } = this.#state;
    its.epoch += 1;
    its.isPublishing = false;
    if (isNew) Object.assign(its, { database: its.database + 1, n: 0, logFrom: 1 });
  }

  see(): void {
    const { copy: its, master: of } = this.#state;
    its.seen = of.epoch;
    lookAtSource(its.pulling, true, this.#effects);
  }

  miss(): void {
    this.#state.misses -= 1;
    this.#state.copy.seen = 0;
    lookAtSource(this.#state.copy.pulling, false, this.#effects);
  }

  crash(): void {
    this.#state.crashes -= 1;
    this.#state.copy = { ...newCopy(this.#state.copy.stored), isUp: false };
  }

  start(): void {
    this.#state.copy = newCopy(this.#state.copy.stored);
  }

  /** What it shows is in its store as well. */
  written(): void {
    const { database, n, rows } = this.#state.copy;
    this.#state.copy.stored = { database, n, rows: [...rows] };
  }

  filled(): void {
    const { copy: its } = this.#state;
    const { filling } = its;
    if (filling === null) return;
    this.#progress((progress) => {
      progress.stopFilling();
      its.filling = null;
      its.stored = structuredClone(filling);
      if (filling.database !== its.database) Object.assign(its, { shown: 0, acknowledged: 0 });
      Object.assign(its, structuredClone(filling));
      progress.resetTo(positionOf(filling));
    });
    this.#acknowledge(filling);
    endPull(its.pulling, true, this.#effects);
  }

  timeOut(): void {
    endPull(this.#state.copy.pulling, false, this.#effects);
  }

  passTime(): void {
    for (const deadline of ['retry', 'check']) passDeadline(this.#state.copy.pulling, deadline, this.#effects);
  }

  deliver(message: CopyMessage): void {
    if (message.type === 'data.changes') return this.#answer(message);
    if (!this.#state.copy.isUp) return;
    if (message.type === 'changes') return this.#take(message);
    const { database, n } = message;
    let upTo: number | undefined;
    this.#progress(
      (progress) => {
        upTo = progress.receive(String(database), { n, changes: [] });
      },
      database === this.#state.copy.database ? n : undefined,
    );
    if (upTo !== undefined) this.#acknowledge({ database, n: upTo });
  }

  #answer({ ask, epoch, since }: CopyMessage & { type: 'data.changes' }): void {
    const { master: its } = this.#state;
    if (its.epoch !== epoch) return;
    const { database, n } = its;
    const log = Array.from({ length: n + 1 - its.logFrom }, (_, index) => entryOf(its.logFrom + index));
    const recent =
      since.database === database ? this.#rules.touchedSince(log, { last: n, sequence: since.n }) : undefined;
    const now = rowsAt(database, n).rows;
    const touched = recent?.map(({ id }) => Number(id)) ?? now.map((_, row) => row);
    const rows = touched.map((row): [number, number] => [row, now[row] ?? 0]);
    const isWhole = recent === undefined;
    this.#send({ from: master, to: copy, type: 'changes', ask, isWhole, rows, database, n });
  }

  #take({ ask, isWhole, rows, database, n }: CopyMessage & { type: 'changes' }): void {
    const { copy: its } = this.#state;
    if (!waitsFor(its.pulling, ask)) return;
    if (!isUsed(its.pulling)) return endPull(its.pulling, false, this.#effects);
    const position = positionOf({ database, n });
    let isFilling = false;
    this.#progress((progress) => {
      if (progress.isPast(position)) return;
      if (isWhole) {
        progress.startFilling();
        noteAnswer(its.pulling);
        isFilling = true;
        its.filling = { database, n, rows: rows.map(([, value]) => value) };
        return;
      }
      for (const [row, value] of rows) its.rows[row] = value;
      this.#show(n);
      progress.moveTo(position);
    });
    if (isFilling) return;
    this.#acknowledge({ database, n });
    endPull(its.pulling, true, this.#effects);
  }

  #acknowledge({ database, n }: { database: number; n: number }): void {
    const { copy: its } = this.#state;
    if (database === its.database) its.acknowledged = Math.max(its.acknowledged, n);
  }

  #show(n: number): void {
    this.#state.copy.n = n;
    this.#state.copy.shown = Math.max(this.#state.copy.shown, n);
  }

  /** Works with what the copy knows; `arrived`: the number of a change that is given to it. */
  #progress(work: (progress: CopyProgress) => void, arrived?: number): void {
    const { copy: its } = this.#state;
    let isKnown = false;
    let gaps = 0;
    const progress = this.#rules.makeProgress({
      onCommit: ({ n }) => {
        its.rows[n % rowCount] = n;
        this.#show(n);
      },
      onGap: () => {
        gaps += isKnown ? 1 : 0;
      },
    });
    const before = its.database;
    if (before !== 0) progress.moveTo(positionOf(its));
    for (const n of its.held) progress.receive(String(before), { n, changes: [] });
    if (its.filling !== null) progress.startFilling();
    isKnown = true;
    const wasFilling = its.filling !== null;
    work(progress);
    const given = arrived === undefined || wasFilling ? its.held : [...its.held, arrived];
    const n = progress.position?.n ?? 0;
    its.held = its.database === before ? [...new Set(given)].filter((each) => each > n).sort() : [];
    if (gaps > 0) notice(its.pulling, 'gap.noticed', this.#effects);
  }

  readonly #effects = {
    ask: () => {
      const { messages, copy: its } = this.#state;
      const ask = freeNumber(messages, copy, master);
      const since = { database: its.database, n: its.n };
      this.#send({ from: copy, to: master, type: 'data.changes', ask, epoch: its.seen, since });
      return ask;
    },
  };

  #send(message: CopyMessage): void {
    this.#state.messages.push(message);
  }
}

function positionOf({ database, n }: { database: number; n: number }) {
  return { database: String(database), sequence: n };
}

function entryOf(sequence: number): LogEntry {
  return { sequence, touched: [{ kind: 'row', domain: 'd', id: String(sequence % rowCount) }] };
}
