/** The texts of the OpenAPI document and its page: made in slices, once in a process, the same for every front. */

import { openApiOf } from '../../src/http/openapi/document.ts';
import { pageOf } from '../../src/http/openapi/page.ts';
import { interfaceTexts } from '../../src/http/openapi/texts.ts';
import { routesOf } from '../../src/http/routes.ts';
import type { Clock } from '../../src/ports/clock.ts';
import { FrontCluster } from '../kit/front.ts';
import { test } from '../kit/test.ts';

/** A clock that always shows 0, and how often its timers were set. */
function countingClock(): { readonly clock: Clock; readonly pauses: () => number } {
  let pauses = 0;
  const clock: Clock = {
    now: () => 0,
    setTimer: (_, action) => {
      pauses += 1;
      queueMicrotask(action);
      return { cancel: () => undefined };
    },
  };
  return { clock, pauses: () => pauses };
}

test('texts are made in slices of a few operations, as many for each front, and are shared', async (t) => {
  const routes = routesOf({ webApps: () => [] });
  const [first, second] = [countingClock(), countingClock()];
  const texts = await interfaceTexts(routes, first.clock);
  t.true(first.pauses() >= (2 * routes.length) / 5, `${first.pauses()} pauses`);
  t.is(await interfaceTexts(routes, second.clock), texts);
  t.is(second.pauses(), first.pauses(), 'a virtual run does not depend on those before it');
  const document = openApiOf(routes);
  t.deepEqual(JSON.parse(texts.document), JSON.parse(JSON.stringify(document)));
  t.is(texts.page, pageOf(document));
});

test('a front answers other requests before the page is made', async (t) => {
  const cluster = await FrontCluster.start();
  const order: string[] = [];
  await Promise.all(
    ['/docs', '/healthz'].map(async (path) => {
      const { status } = await cluster.world.request('hq', new Request(`http://hq${path}`));
      order.push(`${path} ${status}`);
    }),
  );
  t.deepEqual(order, ['/healthz 200', '/docs 200']);
});

test('descriptions of operations have the article that the noun needs', (t) => {
  const texts = routesOf({ webApps: () => [] }).map(({ does }) => does);
  for (const text of ['Shows an IVR script.', 'Shows an integration channel.', 'Shows a user.'])
    t.true(texts.includes(text), text);
  for (const text of texts) t.notRegex(text, /\ba (?:[aeio]|IVR)/i, text);
});
