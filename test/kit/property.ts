/**
 * Properties under a test: what breaks one is shrunk first, then reported with the seed and path that reproduce it. Inside
 * a property use `node:assert`, for a failed assertion of the test itself would end the search at the first one found.
 */
import type { ExecutionContext } from 'ava';
import fc from 'fast-check';

export async function holds<Ts>(
  t: ExecutionContext,
  property: fc.IRawProperty<Ts>,
  { numRuns = 100, examples = [] }: { numRuns?: number; examples?: Ts[] } = {},
): Promise<void> {
  const details = await fc.check(property, { numRuns, examples });
  if (details.failed) t.fail(fc.defaultReportMessage(details));
  else t.pass();
}

/** Whether the environment asks for a long run (`npm run test:long`). */
export const isLong = process.env['TEST_LONG'] !== undefined;

/** So many cases; a hundred times as many in a long run. */
export function runs(usual: number): number {
  return isLong ? usual * 100 : usual;
}

/** How many of something that is no case of a property, such as clients at once. */
export function sized<Size>(usual: Size, long: Size): Size {
  return isLong ? long : usual;
}
