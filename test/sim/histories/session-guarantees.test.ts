/** The session guarantees of Terry et al. (Session Guarantees for Weakly Consistent Replicated Data, 1994), by their examples. */

import type { Operation } from '../../../sim/histories/operation.ts';
import {
  brokenGuarantees,
  type RegisterInput,
  type RegisterOutput,
} from '../../../sim/histories/session-guarantees.ts';
import { test } from '../../kit/test.ts';

type Row = readonly [client: string, input: RegisterInput, output: RegisterOutput, calledAt: number];

/** Operations in sequence, each returned before the next is called. */
function history(...rows: readonly Row[]): Operation<RegisterInput, RegisterOutput>[] {
  return rows.map(([client, input, output, calledAt]) => {
    return { client, input, output, calledAt, returnedAt: calledAt + 0.5 };
  });
}

const w = (write: string) => ({ write });

for (const [name, broken, rows] of [
  [
    'a changed password is refused at a server that has the old one',
    ['read your writes'],
    [
      ['u', w('old'), '', 1],
      ['u', w('new'), '', 2],
      ['u', 'read', 'old', 3],
    ],
  ],
  [
    'another user may still see the old password',
    [],
    [
      ['u', w('old'), '', 1],
      ['u', w('new'), '', 2],
      ['v', 'read', 'old', 3],
    ],
  ],
  [
    'a calendar shows an appointment, and then does not',
    ['monotonic reads'],
    [
      ['a', w('meeting'), '', 1],
      ['u', 'read', 'meeting', 2],
      ['u', 'read', null, 3],
    ],
  ],
  [
    'a calendar shows ever newer appointments',
    [],
    [
      ['a', w('m1'), '', 1],
      ['u', 'read', null, 2],
      ['a', w('m2'), '', 3],
      ['u', 'read', 'm1', 4],
      ['u', 'read', 'm2', 5],
    ],
  ],
  [
    'a reply to an article is seen, and then only the article: writes follow reads',
    ['monotonic reads'],
    [
      ['a', w('article'), '', 1],
      ['b', 'read', 'article', 2],
      ['b', w('reply'), '', 3],
      ['u', 'read', 'reply', 4],
      ['u', 'read', 'article', 5],
    ],
  ],
] as readonly (readonly [string, readonly string[], readonly Row[]])[]) {
  test(name, (t) => {
    t.deepEqual(
      brokenGuarantees(history(...rows)).map(({ guarantee }) => guarantee),
      [...broken] as never,
    );
  });
}

test('writes that overlap are in no order, until a client has read one before it writes the other', (t) => {
  const a = { client: 'a', input: w('1'), output: '', calledAt: 1, returnedAt: 5 };
  const b = { client: 'b', input: w('2'), output: '', calledAt: 3, returnedAt: 6 };
  const reads = history(['u', 'read', '2', 7], ['u', 'read', '1', 8]);
  t.deepEqual(brokenGuarantees([a, b, ...reads]), []);
  const seen = { client: 'b', input: 'read', output: '1', calledAt: 2, returnedAt: 2.5 } as const;
  t.deepEqual(
    brokenGuarantees([a, seen, b, ...reads]).map(({ guarantee }) => guarantee),
    ['monotonic reads'],
  );
});

test('a write without an answer is known since it was first read', (t) => {
  const lost = { client: 'a', input: w('1'), output: undefined, calledAt: 1, returnedAt: Number.POSITIVE_INFINITY };
  const rows = history(['u', 'read', '1', 2], ['u', w('2'), '', 3], ['u', 'read', '1', 4]);
  t.deepEqual(
    brokenGuarantees([lost, ...rows]).map(({ guarantee }) => guarantee),
    ['read your writes'],
  );
});
