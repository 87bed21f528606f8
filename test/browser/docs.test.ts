/** The page of the interface at `/docs`, in a browser, at a front over real sockets. */
import type { Page } from 'playwright-core';
import { storesIn } from '../../sim/data/stores.ts';
import { LiveWorld } from '../../sim/world/live.ts';
import { ClusterMap } from '../../src/model/cluster/cluster-map.ts';
import { topologySchema } from '../../src/model/topology/schema.ts';
import { oneNode } from '../kit/front.ts';
import { axeProblems, becomes, browserTests, overflow, phone } from '../kit/http/browser.ts';
import { silentLog } from '../kit/quiet.ts';

let world: LiveWorld;
let url = '';

const inBrowser = browserTests(
  async () => {
    const map = new ClusterMap(
      topologySchema.parse({ ...oneNode, secret: 'a secret of enough characters', timings: {} }),
    );
    const stores = storesIn(undefined, silentLog);
    world = new LiveWorld({
      map,
      webApps: () => [],
      log: silentLog,
      host: '127.0.0.1',
      port: 0,
      stores,
      outside: false,
    });
    await world.start();
    url = `${[...world.urls().values()][0]}/docs`;
  },
  () => world.stop(),
);

const filter = (page: Page) => page.getByRole('searchbox');
const shown = (page: Page) => page.locator('main details:not(.hidden)');
const count = (page: Page) => page.getByRole('status').textContent();

inBrowser('the page of the interface lists every operation, with its icon and its document', {}, async (t, page) => {
  const answer = await page.goto(url);
  t.is(answer?.status(), 200);
  t.is(await page.title(), 'Strowger: the interface');
  const all = await shown(page).count();
  t.true(all > 200, String(all));
  t.is(await count(page), `${all} operations`);
  for (const path of ['/favicon.ico', '/openapi.json'])
    t.is((await page.request.get(new URL(path, url).href)).status(), 200);
});

inBrowser('the filter finds operations by method, path and field, and says how many', {}, async (t, page) => {
  await page.goto(url);
  const all = await shown(page).count();
  await filter(page).fill('calls SEND_DTMF');
  for (const text of await shown(page).locator('summary').allTextContents()) t.regex(text, /^SEND_DTMF \S*calls/);
  t.is(await count(page), `${await shown(page).count()} of ${all} operations match`);
  await filter(page).fill('callername');
  const found = await shown(page).locator('summary').allTextContents();
  t.true(found.length > 0 && found.every((text) => /POST|INVITE/.test(text)), found.join());
  t.is(await page.locator('nav li:not(.hidden)').count(), await page.locator('section:not(.hidden)').count());
  await filter(page).fill('no such thing');
  t.is(await count(page), 'No operation matches');
  await filter(page).press('Escape');
  t.is(await shown(page).count(), all);
});

inBrowser('a link to an operation opens it, also where the filter hides it', {}, async (t, page) => {
  await page.goto(`${url}#post_uc_calls`);
  const first = page.locator('#post_uc_calls');
  t.true(await first.evaluate((each) => each.hasAttribute('open')));
  await filter(page).fill('borderrules');
  t.false(await first.isVisible());
  await page.evaluate('location.hash = "#get_uc_calls"');
  await page.locator('#get_uc_calls[open]').waitFor();
  t.is(await filter(page).inputValue(), '');
  await page.getByRole('navigation').getByRole('link', { name: 'uc/sipusers' }).click();
  t.true(await page.locator('#tag-uc-sipusers').isVisible());
});

inBrowser('an operation shows its fields with types, words and sources, and a request to try', {}, async (t, page) => {
  await page.goto(`${url}#post_uc_calls`);
  const row = page.locator('#post_uc_calls tr', { hasText: 'callerid' });
  const cells = await row.locator('td').allTextContents();
  t.is(cells.length, 4);
  t.regex(cells[1] ?? '', /^string, at most \d+ characters/);
  t.deepEqual(cells.slice(2), ['Number shown to X; default: from', 'chosen']);
  const cellsOfAll = await page
    .locator('main tbody tr')
    .evaluateAll((rows) =>
      rows
        .filter((each) => [...each.children].some((cell) => cell.textContent?.trim() === ''))
        .map((each) => each.textContent),
    );
  t.deepEqual(cellsOfAll, []);
  t.regex((await page.locator('#post_uc_calls pre').textContent()) ?? '', /^curl -X POST .* -d '\{"from":"1001"/s);
});

inBrowser(
  'on a phone nothing is wider than the screen, and the filter stays in sight',
  { size: phone },
  async (t, page) => {
    await page.goto(url);
    t.is(await overflow(page), 0);
    t.true(await filter(page).isVisible());
    await page.evaluate('for (const each of document.querySelectorAll("main details")) each.open = true');
    t.is(await overflow(page), 0);
    await page.evaluate('scrollTo(0, document.body.scrollHeight)');
    const box = await filter(page).boundingBox();
    t.true(
      box !== null && box.y >= 0 && box.y + box.height < 200 && box.x + box.width <= phone.width,
      JSON.stringify(box),
    );
    await page.getByText('Sections', { exact: true }).click();
    await page.getByRole('link', { name: 'uc/recordrules', exact: true }).click();
    const head = (await page.locator('header').boundingBox())?.height ?? 0;
    const title = await page.locator('#tag-uc-recordrules').boundingBox();
    t.true(title !== null && title.y >= head && title.y < phone.height, `${JSON.stringify(title)} below ${head}`);
  },
);

inBrowser('the keyboard alone finds and opens an operation', {}, async (t, page) => {
  await page.goto(url);
  await page.keyboard.press('Tab');
  t.is(await page.evaluate('document.activeElement.textContent'), 'Skip to the operations');
  await page.keyboard.press('/');
  await page.keyboard.type('recordrules PATCH');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Enter');
  await page.locator('#patch_uc_recordrules_id[open]').waitFor();
  await page.keyboard.press('Tab');
  t.regex(await page.evaluate('document.activeElement.textContent'), /^Link to PATCH/);
  await page.keyboard.press('Enter');
  await becomes(t, () => page.evaluate('location.hash'), '#patch_uc_recordrules_id');
});

for (const scheme of ['light', 'dark'] as const) {
  inBrowser(`axe finds nothing wrong with the page of the interface, ${scheme}`, { scheme }, async (t, page) => {
    await page.goto(url);
    await filter(page).fill('uc/calls');
    for (const id of ['get_uc_calls', 'post_uc_calls', 'delete_uc_calls_dialogid']) {
      await page.locator(`#${id} summary`).click();
    }
    // What is hidden is not looked at, but would take half a minute.
    await page.evaluate('for (const each of document.querySelectorAll("section.hidden")) each.remove()');
    t.deepEqual(await axeProblems(page), []);
  });
}
