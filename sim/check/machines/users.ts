/** Checks of the machines of users and of those who are none: a session, a ban, a suspect. */
import { banMachine } from '../../../src/machines/ban.ts';
import { type SessionContext, sessionMachine } from '../../../src/machines/session.ts';
import { suspectMachine } from '../../../src/machines/suspect.ts';
import { limits } from '../../../src/model/limits.ts';
import { type AnyCheck, checkOf, type Model } from '../machine/machine-check.ts';

const user = { id: 'u', login: 'u', name: 'U', roles: [], tags: [] };
const secondMs = 1_000;

/** It is over `limits.sessionMs` after it was used last, wherever that was, and `limits.sessionMaxMs` after its login. */
function sessionModel({ record }: SessionContext): Model<typeof sessionMachine> {
  let { lastUsedMs } = record;
  return ({ fact, after, atMs, orders }) => {
    const isUse = fact.type === 'session.used' || fact.type === 'session.switched';
    if (isUse && 'atMs' in fact) lastUsedMs = Math.max(lastUsedMs, fact.usedMs ?? fact.atMs);
    const endMs = Math.min(lastUsedMs + limits.sessionMs, record.openedMs + limits.sessionMaxMs);
    if (after === 'expired' && atMs < endMs) return `it is over ${endMs - atMs} ms too soon`;
    const isTold = orders.some(({ type }) => type === 'session.expired');
    return isTold === (after === 'expired')
      ? undefined
      : `it is ${after} and ${isTold ? 'told' : 'not told'} to be over`;
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
  facts: {
    'session.used': ({ pick, nowMs }) => ({
      atMs: nowMs,
      ...(pick.maybe() && { usedMs: nowMs - pick.integer(0, 90) * secondMs }),
    }),
    'session.switched': ({ pick, nowMs }) => ({ atMs: nowMs, switchedMs: nowMs, domain: pick.from(['d', 'sub.d']) }),
    'session.closed': true,
  },
  stamp: (fact, atMs) => ('atMs' in fact ? { ...fact, atMs } : fact),
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
  finally: { tell: [], waitMs: limits.sessionMs, states: ['expired', 'closed'] },
  scenario: () => [],
});

/** It lasts until the latest time that anybody has asked for, and not a millisecond less. */
function banModel({ untilMs: firstMs }: { readonly untilMs: number }): Model<typeof banMachine> {
  let untilMs = firstMs;
  return ({ fact, after, atMs }) => {
    if (fact.type === 'ban.extended' && 'untilMs' in fact) untilMs = Math.max(untilMs, fact.untilMs);
    if (fact.type === 'ban.removed') return after === 'lifted' ? undefined : 'it was removed, and is there';
    if (after !== 'lifted') return atMs > untilMs ? `it should have been lifted at ${untilMs} ms` : undefined;
    return atMs === untilMs ? undefined : `it was lifted at ${atMs} ms, and lasts until ${untilMs} ms`;
  };
}

const banCheck = checkOf({
  machine: banMachine,
  input: (pick, nowMs) => ({ atMs: nowMs, untilMs: nowMs + pick.from([60, 600, 1]) * secondMs }),
  facts: {
    'ban.extended': ({ pick, nowMs }) => ({ atMs: nowMs, untilMs: nowMs + pick.from([600, 10, 1_200]) * secondMs }),
    'ban.removed': true,
  },
  stamp: (fact, atMs) => ('atMs' in fact ? { ...fact, atMs } : fact),
  once: ['ban.lifted'],
  last: 'ban.lifted',
  rules: {
    'whoever is banned is let go in the end, and is told so then': ({ last, count }) =>
      last.isOver === (count('ban.lifted') === 1),
    'one deadline runs': ({ last }) => last.isOver || last.deadlines.length === 1,
  },
  model: banModel,
  finally: { tell: [], waitMs: 3_600_000, states: ['lifted'] },
  scenario: () => [],
});

/** So many failures within the window, and the address is banned. */
function suspectModel(): Model<typeof suspectMachine> {
  let failuresMs: number[] = [];
  return ({ fact, orders, atMs }) => {
    const lastMs = failuresMs.at(-1);
    if (fact.type.startsWith('xstate.after') && lastMs !== undefined && atMs < lastMs + limits.loginWindowMs)
      return 'it is forgotten too soon after its last failure';
    if (!('atMs' in fact)) return undefined;
    failuresMs = [...failuresMs.filter((failureMs) => fact.atMs - failureMs < limits.loginWindowMs), fact.atMs];
    const isBanned = orders.some(({ type }) => type === 'ban.address');
    const must = failuresMs.length >= limits.loginFailures;
    return isBanned === must
      ? undefined
      : `after ${failuresMs.length} failures in the window it is ${isBanned ? '' : 'not '}banned`;
  };
}

const suspectCheck = checkOf({
  machine: suspectMachine,
  facts: { 'attempt.failed': ({ nowMs }) => ({ atMs: nowMs }) },
  stamp: (fact, atMs) => ({ ...fact, atMs }),
  once: ['ban.address'],
  last: 'ban.address',
  longestMs: limits.loginWindowMs,
  rules: {
    'no more failures are remembered than are needed': ({ last }) =>
      last.context.failuresMs.length < limits.loginFailures,
    'one deadline runs': ({ last }) => last.isOver || last.deadlines.length === 1,
  },
  model: suspectModel,
  finally: { tell: [], waitMs: limits.loginWindowMs, states: ['forgotten'] },
  scenario: () => [],
});

export const userChecks: readonly AnyCheck[] = [sessionCheck, banCheck, suspectCheck];
