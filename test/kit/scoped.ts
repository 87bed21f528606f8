/**
 * `test` with hooks of one file. A worker loads many test files (test/suites), and AVA's own hooks would hold for
 * all of them. The tests run in the order of the file; `before` runs ahead of the first, `after` behind the last.
 */
import type { ExecutionContext } from 'ava';
import { test } from './test.ts';

type Body = (t: ExecutionContext) => void | Promise<void>;

export interface ScopedTest {
  (title: string, body: Body): void;
  before(hook: Body): void;
  beforeEach(hook: Body): void;
  afterEach(hook: Body): void;
  after(hook: () => void | Promise<void>): void;
}

export function scopedTest(): ScopedTest {
  const before: Body[] = [];
  const beforeEach: Body[] = [];
  const afterEach: Body[] = [];
  const after: (() => void | Promise<void>)[] = [];
  let prepared: Promise<void> | undefined;
  let remaining = 0;

  const prepare = async (t: ExecutionContext) => {
    for (const hook of before) await hook(t);
  };
  const run = async (t: ExecutionContext, body: Body) => {
    prepared ??= prepare(t);
    await prepared;
    try {
      for (const hook of beforeEach) await hook(t);
      await body(t);
    } finally {
      for (const hook of afterEach) await hook(t);
    }
  };
  const finish = async () => {
    remaining -= 1;
    if (remaining === 0) for (const hook of after) await hook();
  };

  const declare = (title: string, body: Body) => {
    remaining += 1;
    test(title, async (t) => {
      try {
        await run(t, body);
      } catch (error) {
        // A hook that fails for the same reason must not hide it.
        await finish().catch(() => undefined);
        throw error;
      }
      await finish();
    });
  };
  return Object.assign(declare, {
    before: (hook: Body) => void before.push(hook),
    beforeEach: (hook: Body) => void beforeEach.push(hook),
    afterEach: (hook: Body) => void afterEach.push(hook),
    after: (hook: () => void | Promise<void>) => void after.push(hook),
  });
}
