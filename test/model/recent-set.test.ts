import { RecentSet } from '../../src/model/recent-set.ts';
import { test } from '../kit/test.ts';

test('a recent set knows the last items that were added, and what is added again stays where it is', (t) => {
  const set = new RecentSet<string>(2);
  t.deepEqual(
    ['a', 'b', 'a', 'c', 'b', 'a'].map((item) => set.add(item)),
    [true, true, false, true, false, true],
  );
  t.deepEqual(
    ['a', 'b', 'c'].map((item) => set.has(item)),
    [true, false, true],
  );
  set.delete('c');
  t.false(set.has('c'));
});
