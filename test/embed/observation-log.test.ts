/** What a served cluster keeps for its journal is bounded in observations and in letters. */

import { ObservationLog } from '../../sim/embed/recorded/observation-log.ts';
import type { Observation } from '../../sim/observation/observation.ts';
import type { World } from '../../sim/world/world.ts';
import { test } from '../kit/test.ts';

/** The log of a world, and what hands it an observation. */
function logOf(most?: number): { readonly log: ObservationLog; readonly observe: (observation: Observation) => void } {
  const listeners: ((observation: never) => void)[] = [];
  const world: Pick<World, 'observe'> = {
    observe: (listener) => {
      listeners.push(listener);
      return () => {};
    },
  };
  const log = new ObservationLog(world, most);
  return { log, observe: (observation) => listeners[0]?.(observation as never) };
}

const sent = (body: unknown): Observation => ({
  kind: 'envelope.sent',
  atMs: 1,
  node: 'n1',
  envelope: { id: '1', kind: 'tell', type: 'file.write', from: 'a', to: 'b', hops: 0, body },
});

test('a long text in a message is cut in the log, and not in the message itself', (t) => {
  const { log, observe } = logOf();
  const body = { content: 'c', index: 3, piece: 'x'.repeat(175_000), more: [{ texts: ['y'.repeat(10_000), 'short'] }] };
  observe(sent(body));
  const [kept] = log.all;
  t.like(kept, { envelope: { type: 'file.write', body: { content: 'c', index: 3 } } });
  const text = JSON.stringify(kept);
  t.true(text.includes(`"piece":"${'x'.repeat(200)}… (175000 characters)"`));
  t.true(text.includes('… (10000 characters)","short"]'));
  t.is(body.piece.length, 175_000);
});

test('a message without a long text is kept as it was sent', (t) => {
  const { log, observe } = logOf();
  const observation = sent({ rows: ['a', { b: 'c' }] });
  observe(observation);
  t.is(log.all[0], observation);
});

test('beyond its limits the oldest are dropped: observations, and letters of their texts', (t) => {
  const few = logOf(10);
  for (let n = 0; n < 11; n++) few.observe(sent({ n }));
  t.is(few.log.all.length + few.log.dropped, 11);
  t.true(few.log.all.length <= 10);
  t.like(few.log.all.at(-1), { envelope: { body: { n: 10 } } });

  const large = logOf();
  const texts = Array.from({ length: 100 }, (_, n) => `${n}`.padEnd(8_000));
  for (let n = 0; n < 100; n++) large.observe(sent({ n, texts }));
  t.true(large.log.dropped > 0);
  t.true(JSON.stringify(large.log.all).length < 40 * 1024 * 1024);
  t.like(large.log.all.at(-1), { envelope: { body: { n: 99 } } });
});

test('the texts of requests and answers are shortened alike', (t) => {
  const { log, observe } = logOf();
  const request = { id: 1, site: 's', method: 'POST', target: '/x', client: '' };
  observe({ kind: 'request.received', atMs: 1, ...request, sent: 'z'.repeat(9_000) });
  observe({
    kind: 'request.answered',
    atMs: 2,
    ...request,
    status: 200,
    tookMs: 1,
    body: 'z'.repeat(9_000),
    ageS: undefined,
  });
  t.true(log.all.every((each) => JSON.stringify(each).includes('… (9000 characters)')));
});
