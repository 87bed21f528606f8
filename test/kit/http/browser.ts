/**
 * Pages in a real browser: Chromium, driven by playwright-core. Without a Chromium these tests are skipped, unless
 * STROWGER_BROWSER is `required`, as in the gate. CHROMIUM names another one than the system's.
 */
import { existsSync } from 'node:fs';
import type { ExecutionContext } from 'ava';
import axe from 'axe-core';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { scopedTest } from '../scoped.ts';
import { test } from '../test.ts';

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const executablePath = process.env['CHROMIUM'] ?? places.find((place) => existsSync(place)) ?? '';
const isSkipped = executablePath === '' && process.env['STROWGER_BROWSER'] !== 'required';

const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export const phone = { width: 390, height: 844 };
export const desktop = { width: 1400, height: 900 };

interface View {
  readonly size?: typeof phone;
  readonly scheme?: 'light' | 'dark';
}

/** A test in a page of its own. The page must log no error, and ask for nothing at another origin. */
export type InBrowser = (title: string, view: View, body: (t: ExecutionContext, page: Page) => Promise<void>) => void;

/** The tests of a file: starts what they need, with a browser, and ends it, only where they run. */
export function browserTests(start: () => Promise<void>, end: () => Promise<void>): InBrowser {
  if (isSkipped) {
    return (title) => test.skip(`${title} (no Chromium: apt-get install chromium, or name it in CHROMIUM)`, () => {});
  }
  const scoped = scopedTest();
  let browser: Promise<Browser> | undefined;
  scoped.before(start);
  scoped.after(async () => {
    await (await browser)?.close();
    await end();
  });
  return (title, { size = desktop, scheme = 'light' }, body) =>
    scoped(title, async (t) => {
      t.timeout(110_000);
      if (executablePath === '') throw new Error(`no Chromium: expected one of ${places.join(', ')}, or CHROMIUM`);
      browser ??= chromium.launch({ args, executablePath });
      const context = await (await browser).newContext({ viewport: size, colorScheme: scheme });
      try {
        const page = await context.newPage();
        const problems = watched(context, page);
        await body(t, page);
        t.deepEqual(problems(), []);
      } finally {
        await context.close();
      }
    });
}

function watched(context: BrowserContext, page: Page): () => string[] {
  const asked = new Set<string>();
  const errors: string[] = [];
  context.on('request', (request) => asked.add(request.url()));
  page.on('pageerror', (error) => errors.push(`error ${error.message}`));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) errors.push(`console ${message.text()}`);
  });
  return () => {
    const home = page.url();
    const isOwn = (url: string) => url.startsWith('data:') || beginning(url) === beginning(home);
    return [...errors, ...[...asked].filter((url) => !isOwn(url)).map((url) => `request ${url}`)];
  };
}

/** The origin of an address; of a file its folder. */
function beginning(url: string): string {
  return url.startsWith('file:') ? (url.split('#')[0] ?? '').replace(/[^/]*$/, '') : new URL(url).origin;
}

/** What axe finds wrong with the page as it is. */
export async function axeProblems(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    const run = (globalThis as unknown as { axe: { run(): Promise<Found> } }).axe;
    const { violations } = await run.run();
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 150)).join(' | ')}`);
  });
}

interface Found {
  readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[];
}

/** How much wider than the window the page is, in px. */
export function overflow(page: Page): Promise<number> {
  return page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
}

/** A value in the page, when it is as wanted. */
export async function becomes<T>(t: ExecutionContext, read: () => Promise<T>, wanted: T): Promise<void> {
  const end = Date.now() + 10_000;
  let value = await read();
  while (JSON.stringify(value) !== JSON.stringify(wanted) && Date.now() < end) value = await read();
  t.deepEqual(value, wanted);
}
