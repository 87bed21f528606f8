/** Closed sessions are remembered as long as they matter, and no more of them than the limits say. */

import { limits } from '../../../src/model/limits.ts';
import { type Stores, StoreUnwritable } from '../../../src/ports/store.ts';
import { noticeMs, SessionFronts, user } from '../../kit/http/session-fronts.ts';
import { test } from '../../kit/test.ts';
import { spoiltStores } from '../../planted/spoiling.ts';

const other = { ...user, id: 'u2' };
const gauge = 'session-changes';

async function started(limit?: number): Promise<SessionFronts> {
  const fronts = new SessionFronts(limit === undefined ? {} : { limit });
  await fronts.wait(noticeMs + 100);
  return fronts;
}

async function opened(fronts: SessionFronts, at: number, who = user): Promise<string> {
  const outcome = await fronts.comes(fronts.sessions(at).open(who, 'd'));
  if (!outcome.ok) throw new Error(outcome.fault.message);
  return outcome.value.id;
}

async function close(fronts: SessionFronts, at: number, id: string): Promise<void> {
  const session = fronts.sessions(at).use(id);
  if (session === undefined) throw new Error('no such session');
  const outcome = await fronts.comes(fronts.sessions(at).close(session));
  if (!outcome.ok) throw new Error(outcome.fault.message);
}

async function openAndClose(fronts: SessionFronts, times: number, who = user): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < times; n += 1) {
    const id = await opened(fronts, 0, who);
    await close(fronts, 0, id);
    ids.push(id);
  }
  return ids;
}

test('another password ends the sessions by the one before, also late; a login that read the user before is refused', async (t) => {
  const fronts = await started();
  const renewed = { ...user, passwordId: 'second' };
  const [before, after] = [await opened(fronts, 0), await opened(fronts, 0, renewed)];
  const notify = (passwords: { passwordId?: string; formerPasswordId: string }) =>
    fronts.sessions(0).handlers['session.user_gone']({ id: user.id, ...passwords });
  const statusOf = async (who: typeof user) =>
    (await fronts.comes(fronts.sessions(0).open(who, 'd'))).ok ? 'opened' : 'refused';
  notify({ passwordId: 'second', formerPasswordId: user.passwordId });
  await fronts.wait(100);
  t.deepEqual([await fronts.accepts(1, before), await fronts.accepts(1, after)], [undefined, 'd']);
  t.deepEqual([await statusOf(user), await statusOf(renewed)], ['refused', 'opened']);
  notify({ formerPasswordId: 'second' });
  await fronts.wait(100);
  t.is(await fronts.accepts(1, after), undefined);
  t.deepEqual([await statusOf(renewed), await statusOf(other)], ['refused', 'opened']);
  t.is(await statusOf({ ...user, passwordId: 'third' }), 'opened', 'a user that was made again with the same id');
});

test('a change of a user that comes late ends no sessions of later passwords', async (t) => {
  const fronts = await started();
  const notify = (body: { passwordId?: string; formerPasswordId?: string; agoMs?: number }) =>
    fronts.sessions(0).handlers['session.user_gone']({ id: user.id, ...body });
  const [first, second] = [await opened(fronts, 0), await opened(fronts, 0, { ...user, passwordId: 'second' })];
  await fronts.wait(30_000);
  const third = await opened(fronts, 0, { ...user, passwordId: 'third' });
  await fronts.wait(30_000);
  notify({ passwordId: 'second', formerPasswordId: user.passwordId, agoMs: 45_000 });
  await fronts.wait(100);
  t.deepEqual([await fronts.accepts(1, first), await fronts.accepts(1, second)], [undefined, 'd']);
  t.is(await fronts.accepts(1, third), 'd');
  notify({ formerPasswordId: 'second', agoMs: 45_000 });
  await fronts.wait(100);
  t.is(await fronts.accepts(1, second), undefined);
  t.is(await fronts.accepts(1, third), 'd', 'of a user that was made again with the same id');
  notify({ passwordId: 'fifth', formerPasswordId: 'fourth', agoMs: 15_000 });
  await fronts.wait(100);
  t.is(await fronts.accepts(1, third), undefined, 'of a password before the former one');
});

test('a front that missed the removal of a user ends a session that is known to it alone with its next comparison', async (t) => {
  const fronts = await started();
  fronts.cut([1, 0, 0]);
  await fronts.wait(noticeMs + 100);
  const id = await opened(fronts, 0);
  fronts.sessions(1).handlers['session.user_gone']({ id: user.id });
  t.is(await fronts.accepts(0, id), 'd');
  fronts.cut([0, 0, 0]);
  await fronts.wait(noticeMs + 2 * limits.sessionSyncMs);
  for (const at of [0, 1, 2]) t.is(await fronts.accepts(at, id), undefined, `front ${at}`);
  await fronts.wait(1);
  // A user who is created with the same id later has sessions.
  t.is(await fronts.accepts(2, await opened(fronts, 2, { ...user, passwordId: 'next' })), 'd');
});

test('closed sessions need no timers, and are forgotten when they could not live any more', async (t) => {
  const fronts = await started();
  await fronts.wait(limits.sessionSyncMs / 2);
  const timers = fronts.timers(0);
  const ids = await openAndClose(fronts, 50);
  await fronts.wait(2 * limits.sessionSyncMs);
  for (const at of [0, 1, 2]) {
    t.is(fronts.gauges(at).get(gauge), 50);
    t.is(fronts.timers(at), timers, `front ${at}`);
  }
  await fronts.wait(limits.sessionMaxMs);
  t.is(fronts.gauges(0).get(gauge), 50, 'a clock of another node may be behind');
  await fronts.wait(limits.clockSkewMs + limits.sessionSyncMs);
  for (const at of [0, 1, 2]) t.is(fronts.gauges(at).get(gauge), 0);
  fronts.crash(0);
  fronts.start(0);
  await fronts.wait(noticeMs + 100);
  t.is(fronts.gauges(0).get(gauge), 0, 'nor are they in the store');
  t.is(await fronts.accepts(0, ids[0] ?? ''), undefined);
});

test('many closed sessions of one user become one time, and none of them comes back', async (t) => {
  const fronts = await started();
  const elsewhere = await opened(fronts, 0, other);
  const [first = ''] = await openAndClose(fronts, 1);
  // Behind the cut, front 2 goes on with a session that is closed here.
  const old = await opened(fronts, 0);
  await fronts.wait(100);
  fronts.cut([0, 0, 1]);
  await fronts.wait(noticeMs + 100);
  t.is(await fronts.accepts(2, old), 'd');
  await close(fronts, 0, old);
  await openAndClose(fronts, limits.closedSessionsPerUser);
  t.true((fronts.gauges(0).get(gauge) ?? 0) <= limits.closedSessionsPerUser);
  const fresh = await opened(fronts, 0);
  await fronts.wait(limits.sessionSyncMs + 100);
  fronts.crash(0);
  fronts.crash(1);
  fronts.start(0);
  fronts.start(1);
  fronts.cut([0, 0, 0]);
  await fronts.wait(noticeMs + 100);
  for (const at of [0, 1, 2]) {
    t.is(await fronts.accepts(at, first), undefined);
    t.is(await fronts.accepts(at, old), undefined);
    t.is(await fronts.accepts(at, elsewhere), 'd', 'sessions of other users go on');
  }
  t.is(await fronts.accepts(2, fresh), undefined, 'only the crashed instances had it in memory');
});

test('a login after many logouts is good at once, also where the clock has not moved', async (t) => {
  const fronts = await started();
  await openAndClose(fronts, limits.closedSessionsPerUser + 1);
  const id = await opened(fronts, 0);
  await fronts.wait(limits.sessionSyncMs);
  for (const at of [0, 1, 2]) t.is(await fronts.accepts(at, id), 'd');
});

test('past its limit a front refuses logins, never logouts, and forgets nothing', async (t) => {
  const fronts = await started(10);
  const closed = await openAndClose(fronts, 5);
  const ids: string[] = [];
  for (let n = 0; n < 5; n += 1) ids.push(await opened(fronts, 0));
  const refused = await fronts.comes(fronts.sessions(0).open(other, 'd'));
  t.false(refused.ok);
  t.is(refused.ok ? undefined : refused.fault.code, 'overloaded');
  for (const id of ids) await close(fronts, 0, id);
  for (const id of [...closed, ...ids]) t.is(await fronts.accepts(0, id), undefined);
  t.false((await fronts.comes(fronts.sessions(0).open(other, 'd'))).ok, 'they matter for a day');
  await fronts.wait(limits.sessionMaxMs + limits.clockSkewMs + limits.sessionSyncMs);
  t.true((await fronts.comes(fronts.sessions(0).open(other, 'd'))).ok);
});

test('while its disk is full a front refuses logouts, and keeps what others close in memory until there is room', async (t) => {
  let isFull = true;
  const full = (stores: Stores) =>
    spoiltStores(stores, (store) => ({
      write: async (changes) => {
        if (isFull) throw new StoreUnwritable('ws', 'no space left');
        return store.write(changes);
      },
    }));
  let made = 0;
  const spoil = (stores: Stores) => {
    made += 1;
    return made === 1 ? full(stores) : stores;
  };
  const fronts = new SessionFronts({ spoil });
  await fronts.wait(noticeMs + 100);
  const [mine, theirs] = [await opened(fronts, 0), await opened(fronts, 1)];
  await fronts.wait(100);
  await t.throwsAsync(close(fronts, 0, mine), { message: /disk is full/ });
  t.is(await fronts.accepts(0, mine), 'd');
  await close(fronts, 1, theirs);
  await fronts.wait(100);
  t.is(await fronts.accepts(0, theirs), undefined);
  isFull = false;
  await fronts.wait(limits.sessionSyncMs + 100);
  fronts.cut([0, 1, 1]);
  fronts.crash(0);
  fronts.start(0);
  await fronts.wait(noticeMs + 100);
  t.is(await fronts.accepts(0, theirs), undefined);
  t.is(fronts.gauges(0).get(gauge), 1, 'it is in the store');
});
