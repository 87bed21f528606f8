/** A user's session. */

import { type SessionEvent, sessionMachine } from '../../../src/machines/access/session.ts';
import { limits } from '../../../src/model/limits.ts';
import { machineTable } from '../../kit/machine-table.ts';
import { walk } from '../../kit/machine-walk.ts';
import { test } from '../../kit/test.ts';

const user = { id: 'u1', login: 'user', name: 'User', roles: ['user'], tags: [], passwordId: 'first' };
const record = {
  key: 'k',
  homeDomain: 'root.test',
  domain: 'root.test',
  user,
  openedMs: 0,
  lastUsedMs: 0,
  switchedMs: 0,
};
const input = { record, atMs: 0 };
const used = (atMs: number, usedMs?: number): SessionEvent =>
  usedMs === undefined ? { type: 'session.used', atMs } : { type: 'session.used', atMs, usedMs };
const switched = (atMs: number, domain: string, switchedMs = atMs): SessionEvent => ({
  type: 'session.switched',
  atMs,
  switchedMs,
  domain,
});
const expired = { type: 'session.expired' } as const;
const hourMs = 3_600_000;

machineTable(test, 'a session', {
  machine: sessionMachine,
  events: { 'session.used': true, 'session.switched': true, 'session.closed': true },
  context: input,
  rows: [
    ['active', used(50), 'active', [], { after: { atMs: 50, record: { ...record, lastUsedMs: 50 } } }],
    ['active', used(50, 20), 'active', [], { after: { atMs: 50, record: { ...record, lastUsedMs: 20 } } }],
    [
      'active',
      used(50, 20),
      'active',
      [],
      {
        before: { record: { ...record, lastUsedMs: 30 } },
        after: { atMs: 50, record: { ...record, lastUsedMs: 30 } },
      },
    ],
    [
      'active',
      switched(50, 'acme.root.test'),
      'active',
      [],
      { after: { atMs: 50, record: { ...record, domain: 'acme.root.test', lastUsedMs: 50, switchedMs: 50 } } },
    ],
    [
      'active',
      { ...switched(50, 'acme.root.test', 10), usedMs: 20 } as SessionEvent,
      'active',
      [],
      { after: { atMs: 50, record: { ...record, domain: 'acme.root.test', lastUsedMs: 20, switchedMs: 10 } } },
    ],
    ['active', { type: 'session.closed' }, 'closed', []],
  ],
  input,
  deadlines: [
    [[], 'active', hourMs, 'expired', [expired]],
    [[1_000, used(1_000)], 'active', hourMs, 'expired', [expired]],
    [[1_000, switched(1_000, 'acme.root.test')], 'active', hourMs, 'expired', [expired]],
    // Used elsewhere 400 ms ago: the hour began there.
    [[1_000, used(1_000, 600)], 'active', hourMs - 400, 'expired', [expired]],
    // Used elsewhere before it was last used here: nothing changes.
    [[1_000, used(1_000), 100, used(1_100, 600)], 'active', hourMs - 100, 'expired', [expired]],
  ],
});

test('a session lives an hour since it was last used, and slides as long as it is used', (t) => {
  t.is(limits.sessionMs, hourMs);
  const session = walk(sessionMachine, { input });
  for (let use = 1; use <= 23; use += 1) {
    session.pass(hourMs - 1);
    session.send(used(session.clock.now()));
    t.is(session.state, 'active');
  }
  session.pass(hourMs);
  t.deepEqual([session.state, session.commands], ['expired', [expired]]);
});

test('a session is over a day after its login, however often it is used', (t) => {
  t.is(limits.sessionMaxMs / hourMs, 24);
  const session = walk(sessionMachine, { input });
  for (let use = 1; use <= 47; use += 1) {
    session.pass(hourMs / 2);
    session.send(used(session.clock.now()));
    t.is(session.state, 'active');
  }
  session.pass(hourMs / 2 - 1);
  t.is(session.state, 'active');
  session.pass(1);
  t.deepEqual([session.state, session.commands], ['expired', [expired]]);
});

test('a session that was last used more than an hour ago elsewhere is over as soon as it is known here', (t) => {
  const session = walk(sessionMachine, { input: { record: { ...record, lastUsedMs: -hourMs - 5 }, atMs: 0 } });
  session.pass(0);
  t.deepEqual([session.state, session.commands], ['expired', [expired]]);
});

test('a session that is closed does not expire as well', (t) => {
  const session = walk(sessionMachine, { input });
  session.send({ type: 'session.closed' });
  t.is(session.clock.pending, 0);
  session.pass(2 * hourMs);
  t.deepEqual([session.state, session.commands], ['closed', []]);
});
