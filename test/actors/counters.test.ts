/** Counters of what should be rare. */

import { Counters } from '../../src/actors/counters.ts';
import { test } from '../kit/test.ts';

test('an untouched counter is 0, and is not listed', (t) => {
  const counters = new Counters();
  t.is(counters.get('dead_letter.no_route'), 0);
  t.is(counters.all().size, 0);
});

test('counters count by name, and are listed in the order in which they were first met', (t) => {
  const counters = new Counters();
  for (const name of ['b', 'a', 'b', '__proto__', 'b']) counters.add(name);
  t.deepEqual(
    [...counters.all()],
    [
      ['b', 3],
      ['a', 1],
      ['__proto__', 1],
    ],
  );
  t.is(counters.get('b'), 3);
});
