/** The page of a run, in a browser, opened from disk: one that failed with faults and repeated steps, and one that passed. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { htmlReport } from '../../sim/report/html/page.ts';
import { Recorder } from '../../sim/report/html/recorder.ts';
import { readScenario } from '../../sim/scenario/load-scenario.ts';
import type { RunContext } from '../../sim/scenario/run/context.ts';
import { runScenario } from '../../sim/scenario/run/runner.ts';
import { loadTopology } from '../../sim/topology/load-topology.ts';
import { VirtualWorld } from '../../sim/world/virtual.ts';
import { axeProblems, becomes, browserTests, overflow, phone } from '../kit/http/browser.ts';

const head = (name: string) => `
name: ${name}
why: The page must fit a phone whatever a scenario is called, and say what differed.
topology: default
sessions:
  acme: { through: north, domain: acme.root.test, login: admin, pwd: admin }
steps:
  - request: { through: north, as: acme, method: INVITE, path: /rest/v1/uc/calls, body: { from: '1001', to: '1002', response_mode: 3 }, save: { call: dialogid } }
    expect: { status: 200 }
  - every: 1s
    times: 21
    request: { through: north, as: acme, path: /rest/v1/uc/calls/$call }
    expect: { status: 200 }
`;
const name = 'a-name-that-is-far-too-long-for-one-line-of-a-phone-and-has-no-blank-at-which-it-could-break';
const failing = `${head(name)}
  - fault: { delay: { from: north, by: 250ms, messages: [sip, stream.read, peer.ping] }, name: slow }
  - wait: 3s
  - fault: { cut: { from: south }, name: lines }
  - wait: 3s
  - request: { through: north, as: acme, path: /rest/v1/uc/calls/$call }
    expect: { status: 200, body: { status: dialog, legs: [{ side: a }, { side: a }] } }
`;

const folder = mkdtempSync(join(tmpdir(), 'strowger-page-'));

async function written(text: string, file: string): Promise<void> {
  const scenario = readScenario({ file, text }, () => loadTopology('default'));
  const world = new VirtualWorld({ map: scenario.map, webApps: scenario.webApps, seed: 1 });
  const recorder = new Recorder(world);
  let readyMs = 0;
  const onReady = (stage: RunContext) => {
    readyMs = world.now() - stage.atMs;
  };
  const onEnd = () => recorder.end();
  const report = await runScenario(scenario.scenario, world, { seed: 1, onReady, onEnd });
  const data = recorder.finish(scenario, { report, readyMs, maker: 'test' });
  writeFileSync(join(folder, `${file}.html`), await htmlReport(data));
}

const inBrowser = browserTests(
  async () => {
    await written(failing, 'failed');
    await written(head('short'), 'passed');
  },
  async () => rmSync(folder, { recursive: true }),
);

const open = (page: Page, file: 'failed' | 'passed', hash = '') =>
  page.goto(`${pathToFileURL(join(folder, `${file}.html`)).href}${hash}`);

inBrowser('the page of a failed run says what failed, and marks where the answer differs', {}, async (t, page) => {
  await open(page, 'failed');
  const failed = page.locator('.failed');
  t.regex((await failed.textContent()) ?? '', /step 7: GET .*body\.legs\[1\]\.side: expected "a", got "b"/s);
  const marks = await failed.locator('mark').allTextContents();
  t.deepEqual(
    marks.map((text) => text.trim()),
    ['"side": "a"', '"side": "b"'],
  );
  const actual = failed.getByRole('group', { name: 'actual' });
  t.regex((await actual.textContent()) ?? '', /"inviteid": "[0-9a-f-]{36}"/, 'the whole body is there');
  await becomes(t, () => actual.evaluate(isMarkInSight), true);
  t.is(await page.locator('link[rel=icon]').count(), 1);
});

/** Runs in the page. */
function isMarkInSight(element: unknown): boolean {
  const box = element as { getBoundingClientRect(): Box; querySelector(name: string): typeof box };
  const [outer, mark] = [box.getBoundingClientRect(), box.querySelector('mark').getBoundingClientRect()];
  return mark.top >= outer.top && mark.bottom <= outer.bottom;
}
interface Box {
  readonly top: number;
  readonly bottom: number;
}

inBrowser('rounds of a repeated step are one row with count, first and last time, which opens', {}, async (t, page) => {
  await open(page, 'passed');
  const rows = page.locator('.summary table').first().locator('tbody tr');
  t.is(await rows.count(), 2);
  t.is(await page.locator('h2').first().textContent(), '2 steps (22 times)');
  t.regex((await rows.nth(1).textContent()) ?? '', /^2\d+\.\d{3} s to 2\d\.\d{3} sok.*21 times$/);
  const opener = page.getByRole('button', { name: '21 times' });
  t.is(await opener.getAttribute('aria-expanded'), 'false');
  await opener.focus();
  await page.keyboard.press('Enter');
  t.is(await rows.count(), 23);
  t.regex((await rows.nth(22).textContent()) ?? '', /\(round 21\)$/);
  t.is(await opener.getAttribute('aria-expanded'), 'true');
  t.true(await opener.evaluate((each) => each === each.ownerDocument.activeElement), 'the focus stays');
});

inBrowser('a call has a ladder, whose messages can be filtered and read', {}, async (t, page) => {
  await open(page, 'failed');
  await page.getByRole('tab', { name: /^Calls/ }).click();
  const calls = page.getByRole('grid', { name: 'calls' }).locator('tbody tr');
  t.true((await calls.count()) > 0);
  await calls.first().click();
  t.true((await page.locator('.ladder .arrow').count()) >= 8);
  await page.getByRole('searchbox').fill('no such number');
  await becomes(t, () => calls.count(), 0);
  await page.getByRole('searchbox').fill('1002');
  await becomes(t, async () => (await calls.count()) > 0, true);
  await page.getByRole('tab', { name: 'Messages' }).click();
  await page.locator('.ladder .arrow').first().click();
  t.regex((await page.locator('aside').textContent()) ?? '', /\d s/);
});

inBrowser('a link to a moment opens the page there, and a failure leads to its moment', {}, async (t, page) => {
  await open(page, 'failed', '#states@10.000');
  t.is(await page.getByRole('tab', { selected: true }).textContent(), 'States');
  t.regex((await page.locator('.hint').textContent()) ?? '', /10\.000 s/);
  await page.getByRole('button', { name: 'messages then' }).click();
  await becomes(t, () => page.getByRole('tab', { selected: true }).textContent(), 'Messages');
  await becomes(t, async () => new URL(page.url()).hash.replace(/\d+\.\d{3}$/, 'S'), '#messages@S');
  const link = page.url();
  await page.goto('about:blank');
  await page.goto(link);
  t.is(await page.getByRole('tab', { selected: true }).textContent(), 'Messages');
});

inBrowser(
  'on a phone neither headline, failure, fault labels nor any tab is wider than the screen',
  { size: phone },
  async (t, page) => {
    for (const file of ['failed', 'passed'] as const) {
      await open(page, file);
      for (const tab of ['Messages', 'Calls', 'States', 'Steps and oracles']) {
        await page.getByRole('tab', { name: tab }).click();
        t.is(await overflow(page), 0, `${file} ${tab}`);
      }
      const wide = await page
        .locator('h1, .failed, .hint, svg.timeline text')
        .evaluateAll((all) =>
          all
            .filter((each) => each.getBoundingClientRect().right > 391 || each.getBoundingClientRect().left < 0)
            .map((each) => each.textContent),
        );
      t.deepEqual(wide, [], file);
    }
  },
);

inBrowser('the keyboard alone goes through tabs, calls and messages', {}, async (t, page) => {
  await open(page, 'failed');
  await page.getByRole('tab', { selected: true }).focus();
  for (const tab of ['Messages', 'Calls']) {
    await page.keyboard.press('ArrowRight');
    t.regex((await page.getByRole('tab', { selected: true }).textContent()) ?? '', new RegExp(`^${tab}`));
  }
  const chosen = page.getByRole('grid', { name: 'calls' }).locator('[aria-selected=true]');
  for (let i = 0; i < 20 && !(await chosen.evaluate((each) => each === each.ownerDocument.activeElement)); i += 1)
    await page.keyboard.press('Tab');
  t.true(await chosen.evaluate((each) => each === each.ownerDocument.activeElement));
  await page.keyboard.press('Home');
  await page.keyboard.press('Enter');
  t.true((await page.locator('.ladder .arrow').count()) > 0);
});

for (const scheme of ['light', 'dark'] as const) {
  inBrowser(`axe finds nothing wrong with any tab of the page of a run, ${scheme}`, { scheme }, async (t, page) => {
    await open(page, 'failed');
    for (const tab of ['Steps and oracles', 'Messages', 'Calls', 'States']) {
      await page.getByRole('tab', { name: tab }).click();
      t.deepEqual(await axeProblems(page), [], tab);
    }
  });
}
