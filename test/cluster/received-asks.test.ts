/** The asks that an instance remembers. */
import { ReceivedAsks } from '../../src/cluster/instance.ts';
import { limits } from '../../src/model/limits.ts';
import { test } from '../kit/test.ts';

test('the last asks are known, and at most twice as many are remembered', (t) => {
  const received = new ReceivedAsks();
  const ids = Array.from({ length: 2 * limits.receivedAsks + 1 }, (_, number) => `h1.1.${number}`);
  for (const id of ids) t.true(received.isNew(id));
  for (const id of ids.slice(-limits.receivedAsks)) t.false(received.isNew(id), id);
  t.true(received.isNew(ids[0] ?? ''), 'the oldest is forgotten');
});
