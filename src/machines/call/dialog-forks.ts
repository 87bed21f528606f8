/**
 * The forks of a call: the targets that are called now and next, and how the failures of many become one answer.
 * Pure bookkeeping of the dialog machine; each change gives a new book.
 */
import { limits } from '../../model/limits.ts';

/** Target to call: what names it (no target is called twice), and how long it may ring. */
export interface Target {
  readonly key: string;
  readonly ringMs: number;
}

/** Targets that are called at once. A later group is called when no target of the one before could be reached (503). */
export type TargetGroup = readonly Target[];

/** Forks are numbered from 1, over the whole call. */
export interface ForkCall {
  readonly fork: number;
  readonly key: string;
}

/** Where a fork is redirected to, and how long the other open forks may still ring. */
export interface Contacts {
  readonly groups: readonly TargetGroup[];
  readonly restMs: RestMs;
}

/** A final SIP answer that is no 2xx. */
export interface FinalFailure {
  readonly status: number;
  readonly reason: string;
}

/** Times (ms) by the number of a fork. */
export type RestMs = Readonly<Record<number, number>>;

export interface Forks {
  readonly made: number;
  /** Forks without a final answer. */
  readonly open: readonly number[];
  /** Forks that the last change has made, to be called now. */
  readonly fresh: readonly ForkCall[];
  readonly tried: readonly string[];
  readonly waiting: readonly TargetGroup[];
  /** Forks that were redirected and whose contacts are being routed; and how many redirections there were. */
  readonly redirecting: readonly number[];
  readonly redirects: number;
  /** How long each open fork may still ring, as of the last time that forks were called or have rung long enough. */
  readonly restMs: RestMs;
  /** The shortest of these. */
  readonly ringMs: number;
  /** The best failure so far. */
  readonly failure: FinalFailure | undefined;
}

export const noForks: Forks = {
  made: 0,
  open: [],
  fresh: [],
  tried: [],
  waiting: [],
  redirecting: [],
  redirects: 0,
  restMs: {},
  ringMs: 0,
  failure: undefined,
};

/**
 * What comes after a change: a fork may still answer (`waiting`), the next group is called, all failed, or one has declined
 * for all (6xx).
 */
export type ForkVerdict = 'waiting' | 'next' | 'exhausted' | 'declined';

export function verdictOf({ made, open, redirecting, waiting, failure }: Forks): ForkVerdict {
  if (failure !== undefined && failure.status >= 600) return 'declined';
  if (open.length > 0 || redirecting.length > 0) return 'waiting';
  const isUnreached = failure === undefined || failure.status === 503;
  return isUnreached && waiting.length > 0 && made < limits.forks ? 'next' : 'exhausted';
}

/** Calls the first group of a new callee. */
export function begin({ made }: Forks, groups: readonly TargetGroup[]): Forks {
  return callNext({ ...noForks, made, waiting: named(groups) });
}

/** The groups that have targets. */
export function named(groups: readonly TargetGroup[]): readonly TargetGroup[] {
  return groups.filter((group) => group.length > 0);
}

/** Calls the group that waits first. */
export function callNext(forks: Forks): Forks {
  const [group = [], ...waiting] = forks.waiting;
  return start({ ...forks, waiting }, group);
}

/** A fork has failed. */
export function withRefused(forks: Forks, fork: number, failure: FinalFailure): Forks {
  return { ...forks, fresh: [], open: without(forks.open, fork), failure: better(forks.failure, failure) };
}

/** A fork was redirected: where to is being found out. */
export function withRedirected(forks: Forks, fork: number): Forks {
  const { redirecting, redirects } = forks;
  const open = without(forks.open, fork);
  return { ...forks, fresh: [], open, redirecting: [...redirecting, fork], redirects: redirects + 1 };
}

/** The open forks that have rung for as long as they may, when `ringMs` has passed. */
export function expiredIn({ open, restMs, ringMs }: Forks): readonly number[] {
  return open.filter((fork) => (restMs[fork] ?? 0) <= ringMs);
}

/** Whether the call goes on when `ringMs` has passed: a fork may ring for longer, or one is redirected of which the target is not known yet. */
export function hasTimeLeft(forks: Forks): boolean {
  const { open, redirecting } = forks;
  return open.length > 0 && (redirecting.length > 0 || expiredIn(forks).length < open.length);
}

/** `ringMs` has passed: forks that have rung long enough have failed, and the others go on. */
export function withExpired(forks: Forks, failure: FinalFailure): Forks {
  const expired = expiredIn(forks);
  const open = forks.open.filter((fork) => !expired.includes(fork));
  const restMs = Object.fromEntries(open.map((fork) => [fork, (forks.restMs[fork] ?? 0) - forks.ringMs]));
  const failed = expired.length === 0 ? forks.failure : better(forks.failure, failure);
  return timed({ ...forks, fresh: [], open, restMs, failure: failed });
}

/**
 * The redirection of a fork leads to other targets; to none but known ones it is a loop. `restMs`: how long the other open forks may
 * still ring.
 */
export function withContacts(forks: Forks, fork: number, { groups, restMs }: Contacts): Forks {
  const untried = groupsWithout(groups, forks.tried);
  const [group, ...later] = untried;
  if (forks.made >= limits.forks) return withoutContacts(forks, fork, { status: 483, reason: 'Too Many Hops' });
  if (group === undefined) return withoutContacts(forks, fork, { status: 482, reason: 'Loop Detected' });
  const redirecting = without(forks.redirecting, fork);
  return start({ ...forks, redirecting, restMs, waiting: [...forks.waiting, ...later] }, group);
}

/** The redirection of a fork leads nowhere. */
export function withoutContacts(forks: Forks, fork: number, failure: FinalFailure): Forks {
  const redirecting = without(forks.redirecting, fork);
  return { ...forks, fresh: [], redirecting, failure: better(forks.failure, failure) };
}

/** No fork is called any more. */
export function settled(forks: Forks): Forks {
  return { ...forks, open: [], fresh: [], restMs: {}, waiting: [], redirecting: [] };
}

function start(forks: Forks, group: TargetGroup): Forks {
  const keys = [...new Set(group.map(({ key }) => key))].slice(0, limits.forks - forks.made);
  const fresh = keys.map((key, index) => ({ fork: forks.made + index + 1, key }));
  const tried = [...forks.tried, ...keys];
  const rings = fresh.map(({ fork, key }) => [fork, group.find((target) => target.key === key)?.ringMs ?? 0]);
  return timed({
    ...forks,
    made: forks.made + fresh.length,
    fresh,
    open: [...forks.open, ...fresh.map(({ fork }) => fork)],
    restMs: { ...forks.restMs, ...Object.fromEntries(rings) },
    tried,
    waiting: groupsWithout(forks.waiting, tried),
  });
}

/** With the time of the open fork that may ring for the shortest; where there is none, that within which a redirection is looked up. */
function timed(forks: Forks): Forks {
  const { open, restMs } = forks;
  const ringMs = open.length === 0 ? limits.ringMs : Math.min(...open.map((fork) => restMs[fork] ?? 0));
  return { ...forks, ringMs };
}

function groupsWithout(groups: readonly TargetGroup[], tried: readonly string[]): readonly TargetGroup[] {
  return named(groups.map((group) => group.filter(({ key }) => !tried.includes(key))));
}

/**
 * Of two failures the one that the caller gets: 6xx before all others, else the lower class (RFC 3261 16.7), within a class
 * what a callee said before what the platform said, and the earlier.
 */
export function better(one: FinalFailure | undefined, other: FinalFailure): FinalFailure {
  const said = withoutChallenge(other);
  return one === undefined || rank(said) < rank(one) ? said : one;
}

const saysLittle: ReadonlySet<number> = new Set([408, 480, 481, 482, 487]);

function rank({ status }: FinalFailure): number {
  if (status >= 600) return 0;
  return Math.floor(status / 100) * 2 + (saysLittle.has(status) ? 1 : 0);
}

/** A challenge of the callee's side is none that the caller could answer. */
function withoutChallenge(failure: FinalFailure): FinalFailure {
  return failure.status === 401 || failure.status === 407 ? { status: 403, reason: 'Forbidden' } : failure;
}

function without(forks: readonly number[], fork: number): readonly number[] {
  return forks.filter((each) => each !== fork);
}
