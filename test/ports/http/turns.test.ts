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

test('the answers of a turn are sent at its end, each followed by its promises, and before queued requests', async (t) => {
  const turns = new HttpTurns();
  const events: string[] = [];
  const send = (name: string) => () => {
    events.push(`sent ${name}`);
    Promise.resolve()
      .then(() => {})
      .then(() => events.push(`written ${name}`));
    return name;
  };
  turns.take('client', () => events.push('served'));
  const answers = [turns.atEnd(send('one')), turns.atEnd(send('other'))];
  turns.take('client', () => takeTime(limits.sliceMs + 1));
  turns.take('client', () => events.push('served late'));
  t.deepEqual(events, ['served']);
  t.deepEqual(await Promise.all(answers), ['one', 'other']);
  await untilNextTurn();
  t.deepEqual(events, ['served', 'sent one', 'written one', 'sent other', 'written other', 'served late']);
});

test('answers that take long are sent in several turns', async (t) => {
  const turns = new HttpTurns();
  const inTurn: number[] = [];
  let turn = 0;
  turns.take('client', () => {});
  for (let n = 0; n < 3; n++) {
    turns.atEnd(() => {
      inTurn.push(turn);
      takeTime(limits.sliceMs + 1);
    });
  }
  for (; inTurn.length < 3; turn++) await untilNextTurn();
  t.is(new Set(inTurn).size, 3);
});

test('an answer in a turn that serves no request is sent at once', (t) => {
  t.is(
    new HttpTurns().atEnd(() => 'answer'),
    'answer',
  );
});
