/** Clusters in tests of Vitest: `import { clusterFixture } from 'strowger/vitest'` (docs/how-to/test-a-client.md). */

import { endOfTest, type FixtureOptions, startForTest } from './fixture.ts';
import type { TestCluster } from './test-cluster.ts';

export type { FixtureOptions } from './fixture.ts';

/** The part of Vitest's test context that is used here. */
export interface VitestContext {
  readonly task: { readonly name: string; readonly result?: { readonly state?: string } | undefined };
}

/**
 * A fixture for `test.extend({ cluster: clusterFixture() })`. The cluster ends with the test. A failed test leaves a
 * recording, and a broken rule fails the test.
 */
export function clusterFixture(
  options: FixtureOptions = {},
): (context: VitestContext, use: (cluster: TestCluster) => Promise<void>) => Promise<void> {
  // Vitest reads from the pattern of the first parameter which fixtures are used.
  return async ({ task }, use) => {
    const cluster = await startForTest(options);
    try {
      await use(cluster);
    } finally {
      await endOfTest(cluster, { title: task.name, hasPassed: task.result?.state !== 'fail' }, options);
    }
  };
}
