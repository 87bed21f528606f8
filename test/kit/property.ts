/**
 * Properties under a test: what breaks one is shrunk first, then reported with the seed and path that reproduce it. Inside
 * a property use `node:assert`, for a failed assertion of the test itself would end the search at the first one found.
 */
import type { ExecutionContext } from 'ava';
import fc from 'fast-check';

/** How often the cases of a property are drawn again, at most, for what they must cover. */
const mostDraws = 30;

/**
 * `uncovered` names what the cases so far have not met and must meet. Cases are drawn until it is empty, as a draw of few
 * may miss it by chance (after QuickCheck's `checkCoverage`).
 */
export async function holds<Ts>(
  t: ExecutionContext,
  property: fc.IRawProperty<Ts>,
  {
    numRuns = sized(25, 100),
    examples = [],
    uncovered = () => [],
  }: { numRuns?: number; examples?: Ts[]; uncovered?: () => readonly unknown[] } = {},
): Promise<void> {
  for (let draw = 0; draw === 0 || (draw < mostDraws && uncovered().length > 0); draw++) {
    const details = await fc.check(property, { numRuns, examples });
    if (details.failed) return t.fail(fc.defaultReportMessage(details));
  }
  t.deepEqual(uncovered(), [], `not met in ${mostDraws * numRuns} cases`);
}

/** Whether the environment asks for a long run (`npm run test:long`). */
export const isLong = process.env['TEST_LONG'] !== undefined;

/** So many cases; four hundred times as many in a long run. */
export function runs(usual: number): number {
  return isLong ? usual * 400 : usual;
}

/** How many of something that is no case of a property, such as clients at once. */
export function sized<Size>(usual: Size, long: Size): Size {
  return isLong ? long : usual;
}
