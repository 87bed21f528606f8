/** Checks of the machines of users and clients: a session, a ban, a suspect. */
import { banMachine } from '../../../src/machines/access/ban.ts';
import { type SessionContext, sessionMachine } from '../../../src/machines/access/session.ts';
import { suspectMachine } from '../../../src/machines/access/suspect.ts';
import { limits } from '../../../src/model/limits.ts';
import { type AnyCheck, checkOf, type Model } from '../machine/machine-check.ts';

const user = { id: 'u', login: 'u', name: 'U', roles: [], tags: [], passwordId: '' };
const secondMs = 1_000;

/** It expires `limits.sessionMs` after its last use anywhere, and `limits.sessionMaxMs` after its login. */
function sessionModel({ record }: SessionContext): Model<typeof sessionMachine> {
  let { lastUsedMs } = record;
  return ({ event, after, atMs, commands }) => {
    const isUse = event.type === 'session.used' || event.type === 'session.switched';
    if (isUse && 'atMs' in event) lastUsedMs = Math.max(lastUsedMs, event.usedMs ?? event.atMs);
    const endMs = Math.min(lastUsedMs + limits.sessionMs, record.openedMs + limits.sessionMaxMs);
    if (after === 'expired' && atMs < endMs) return `it is over ${endMs - atMs} ms too soon`;
    const isTold = commands.some(({ type }) => type === 'session.expired');
    return isTold === (after === 'expired')
      ? undefined
      : `it is ${after} and its end is ${isTold ? '' : 'not '}reported`;
  };
}

const sessionCheck = checkOf({
  machine: sessionMachine,
  input: (pick, nowMs) => ({
    record: {
      key: 'k',
      homeDomain: 'd',
      domain: 'd',
      user,
      // Some are near the end of their longest life.
      openedMs: nowMs - pick.from([10_000, limits.sessionMaxMs - limits.sessionMs / 2]),
      lastUsedMs: nowMs - pick.from([0, 10]) * secondMs,
      switchedMs: 0,
    },
    atMs: nowMs,
  }),
  events: {
    'session.used': ({ pick, nowMs }) => ({
      atMs: nowMs,
      ...(pick.maybe() && { usedMs: nowMs - pick.integer(0, 90) * secondMs }),
    }),
    'session.switched': ({ pick, nowMs }) => ({ atMs: nowMs, switchedMs: nowMs, domain: pick.from(['d', 'sub.d']) }),
    'session.closed': true,
  },
  stamp: (event, atMs) => ('atMs' in event ? { ...event, atMs } : event),
  once: ['session.expired'],
  last: 'session.expired',
  longestMs: limits.sessionMs,
  rules: {
    'the time of its last use never goes back': ({ steps, last }) => {
      const [, before] = steps.slice(-2).reverse();
      return before === undefined || before.context.record.lastUsedMs <= last.context.record.lastUsedMs;
    },
    'one deadline runs': ({ last }) => last.isOver || last.deadlines.length === 1,
  },
  model: sessionModel,
  finally: { events: [], waitMs: limits.sessionMs, states: ['expired', 'closed'] },
  scenario: () => [],
});

/** It lasts until the latest requested time, to the millisecond. */
function banModel({ untilMs: firstMs }: { readonly untilMs: number }): Model<typeof banMachine> {
  let untilMs = firstMs;
  return ({ event, after, atMs }) => {
    if (event.type === 'ban.extended' && 'untilMs' in event) untilMs = Math.max(untilMs, event.untilMs);
    if (event.type === 'ban.removed') return after === 'lifted' ? undefined : 'it was removed, but is there';
    if (after !== 'lifted') return atMs > untilMs ? `it should have been lifted at ${untilMs} ms` : undefined;
    return atMs === untilMs ? undefined : `it was lifted at ${atMs} ms, and lasts until ${untilMs} ms`;
  };
}

const banCheck = checkOf({
  machine: banMachine,
  input: (pick, nowMs) => ({ atMs: nowMs, untilMs: nowMs + pick.from([60, 600, 1]) * secondMs }),
  events: {
    'ban.extended': ({ pick, nowMs }) => ({ atMs: nowMs, untilMs: nowMs + pick.from([600, 10, 1_200]) * secondMs }),
    'ban.removed': true,
  },
  stamp: (event, atMs) => ('atMs' in event ? { ...event, atMs } : event),
  once: ['ban.lifted'],
  last: 'ban.lifted',
  rules: {
    'a ban is lifted in the end, and its end is reported then': ({ last, count }) =>
      last.isOver === (count('ban.lifted') === 1),
    'one deadline runs': ({ last }) => last.isOver || last.deadlines.length === 1,
  },
  model: banModel,
  finally: { events: [], waitMs: 3_600_000, states: ['lifted'] },
  scenario: () => [],
});

/** The address is banned after this many failures within the window. */
function suspectModel(): Model<typeof suspectMachine> {
  let failuresMs: number[] = [];
  return ({ event, commands, atMs }) => {
    const lastMs = failuresMs.at(-1);
    if (event.type.startsWith('xstate.after') && lastMs !== undefined && atMs < lastMs + limits.loginWindowMs)
      return 'it is forgotten too soon after its last failure';
    if (!('atMs' in event)) return undefined;
    failuresMs = [...failuresMs.filter((failureMs) => event.atMs - failureMs < limits.loginWindowMs), event.atMs];
    const isBanned = commands.some(({ type }) => type === 'ban.address');
    const must = failuresMs.length >= limits.loginFailures;
    return isBanned === must
      ? undefined
      : `after ${failuresMs.length} failures in the window it is ${isBanned ? '' : 'not '}banned`;
  };
}

const suspectCheck = checkOf({
  machine: suspectMachine,
  events: { 'attempt.failed': ({ nowMs }) => ({ atMs: nowMs }), 'suspect.evicted': true },
  stamp: (event, atMs) => ('atMs' in event ? { ...event, atMs } : event),
  once: ['ban.address'],
  last: 'ban.address',
  longestMs: limits.loginWindowMs,
  rules: {
    'it remembers no more failures than it needs': ({ last }) => last.context.failuresMs.length < limits.loginFailures,
    'one deadline runs': ({ last }) => last.isOver || last.deadlines.length === 1,
  },
  model: suspectModel,
  finally: { events: [], waitMs: limits.loginWindowMs, states: ['forgotten'] },
  scenario: () => [],
});

export const userChecks: readonly AnyCheck[] = [sessionCheck, banCheck, suspectCheck];
