/** Requests that come at once are served in turns of the event loop: as many in each as it has time for. */
import { HttpTurns } from '../../../src/adapters/http-server/http-guard.ts';
import { limits } from '../../../src/model/limits.ts';
import { test } from '../../kit/test.ts';

const untilNextTurn = () => new Promise((resolve) => setImmediate(resolve));

function takeTime(ms: number): void {
  for (const untilMs = performance.now() + ms; performance.now() < untilMs; );
}

test('short requests that have queued behind a long one share turns, each after the promises of the one before', async (t) => {
  const turns = new HttpTurns();
  const events: string[] = [];
  const inTurn: number[] = [];
  let turn = 0;
  turns.take('client', () => takeTime(limits.sliceMs + 1));
  for (let n = 0; n < 50; n++) {
    turns.take('client', () => {
      inTurn.push(turn);
      events.push(`begun ${n}`);
      Promise.resolve()
        .then(() => {})
        .then(() => events.push(`answered ${n}`));
    });
  }
  t.deepEqual(events, []);
  for (; inTurn.length < 50; turn++) await untilNextTurn();
  t.true(new Set(inTurn).size < 50);
  t.deepEqual(events, Array.from({ length: 50 }, (_each, n) => [`begun ${n}`, `answered ${n}`]).flat());
});

test('queued requests of two clients are served by turns', async (t) => {
  const turns = new HttpTurns();
  const served: string[] = [];
  turns.take('one', () => takeTime(limits.sliceMs + 1));
  for (const client of ['one', 'one', 'one', 'other']) turns.take(client, () => served.push(client));
  while (served.length < 4) await untilNextTurn();
  t.deepEqual(served, ['one', 'other', 'one', 'one']);
});
