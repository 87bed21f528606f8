/** Addresses that fail to identify themselves: every failure counts, also where as many are watched as there is room for. */

import { VirtualClock } from '../../../sim/ports/virtual-clock.ts';
import { Counters } from '../../../src/actors/counters.ts';
import type { RoleScope } from '../../../src/cluster/role.ts';
import { limits } from '../../../src/model/limits.ts';
import { Intruders } from '../../../src/roles/intruders.ts';
import type { NetworkFilter } from '../../../src/roles/network-filter.ts';
import { test } from '../../kit/test.ts';

function watching(limit: number) {
  const clock = new VirtualClock(1_000);
  const banned: string[] = [];
  const counters = new Counters();
  const scope = {
    clock,
    counters,
    map: { topology: { bans: true } },
    crash: (error: unknown) => {
      throw error;
    },
  } as unknown as RoleScope;
  const filter = { isBanned: () => false, ban: (ip: string) => banned.push(ip) } as unknown as NetworkFilter;
  const intruders = new Intruders(scope, filter, limit);
  const watched = () => counters.gauges().get('entities.suspect') ?? 0;
  return { clock, banned, intruders, watched };
}

test('past the limit a new address is watched and banned all the same, and the oldest one is evicted', (t) => {
  const { banned, intruders, watched } = watching(3);
  for (const ip of ['a', 'b', 'c']) intruders.failed(ip);
  for (let failure = 0; failure < limits.loginFailures; failure += 1) intruders.failed('d');
  t.deepEqual([banned, watched()], [['d'], 2]);
});

test('an address that is evicted is counted anew', (t) => {
  const { banned, intruders, watched } = watching(2);
  for (let failure = 1; failure < limits.loginFailures; failure += 1) intruders.failed('a');
  intruders.failed('b');
  intruders.failed('c');
  intruders.failed('a');
  t.deepEqual([banned, watched()], [[], 2]);
});

test('a window without a failure and the address is forgotten', (t) => {
  const { clock, intruders, watched } = watching(2);
  intruders.failed('a');
  clock.advanceTo(clock.now() + limits.loginWindowMs);
  t.is(watched(), 0);
});
