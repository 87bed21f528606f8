/**
 * Properties under a test: what breaks one is shrunk first, then told with the seed and path that bring it back. Inside
 * a property use `node:assert`, for a failed assertion of the test itself would end the search at the first one found.
 */
import type { ExecutionContext } from 'ava';
import fc from 'fast-check';

export async function holds<Ts>(
  t: ExecutionContext,
  property: fc.IRawProperty<Ts>,
  { numRuns = 100 }: { numRuns?: number } = {},
): Promise<void> {
  const details = await fc.check(property, { numRuns });
  if (details.failed) t.fail(fc.defaultReportMessage(details));
  else t.pass();
}

/** So many cases; a hundred times as many where the environment asks for a long run (`npm run test:long`). */
export function runs(usual: number): number {
  return process.env['TEST_LONG'] === undefined ? usual : usual * 100;
}
