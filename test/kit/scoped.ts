/**
 * AVA's `test` with hooks of one file. A worker loads many test files (test/suites), and AVA's own hooks would hold for
 * all of them. The tests run in series, in the order of the file; `before` runs ahead of the first, `after` behind the last.
 */
import ava, { type ExecutionContext } from 'ava';

type Body = (t: ExecutionContext) => void | Promise<void>;

export interface ScopedTest {
  serial(title: string, body: Body): void;
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

  return {
    serial(title, body) {
      remaining += 1;
      ava.serial(title, async (t) => {
        try {
          await run(t, body);
        } catch (error) {
          // A hook that fails for the same reason must not hide it.
          await finish().catch(() => undefined);
          throw error;
        }
        await finish();
      });
    },
    before: (hook) => void before.push(hook),
    beforeEach: (hook) => void beforeEach.push(hook),
    afterEach: (hook) => void afterEach.push(hook),
    after: (hook) => void after.push(hook),
  };
}
