/** Requests that ask one instance after the other. */

import { withDeadline } from '../../src/cluster/messaging/deadline.ts';
import type { RoleScope } from '../../src/cluster/role.ts';
import { defaultMap } from '../kit/maps.ts';
import { test } from '../kit/test.ts';

test('all asks of a request end when it has to be answered, or at deadlines of their own before it', async (t) => {
  let nowMs = 1_000;
  const deadlines: (number | undefined)[] = [];
  const ask = async (_to: string, _type: string, _body: unknown, options?: { deadlineMs?: number }) =>
    void deadlines.push(options?.deadlineMs);
  const clock = { now: () => nowMs };
  const scope = withDeadline({ map: defaultMap, clock, ask } as unknown as RoleScope);
  const lastMs = nowMs + defaultMap.topology.timings.requestDeadlineMs;
  const asks = (deadlineMs?: number) =>
    scope.ask('hq/h1', 'node.describe', {}, ...(deadlineMs === undefined ? [] : [{ deadlineMs }]));
  await asks();
  nowMs += 3_000;
  await asks();
  await asks(nowMs + 1_000);
  await asks(nowMs + 5_000);
  t.deepEqual(deadlines, [lastMs, lastMs, nowMs + 1_000, lastMs]);
});
