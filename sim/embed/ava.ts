/** Clusters in tests of AVA: `import { clusterFor } from 'strowger/ava'` (docs/how-to/test-a-client.md). */

import { endOfTest, type FixtureOptions, startForTest } from './fixture.ts';
import type { TestCluster } from './test-cluster.ts';

export type { FixtureOptions } from './fixture.ts';

/** The part of AVA's execution context that is used here. */
export interface AvaTest {
  readonly title: string;
  readonly passed: boolean;
  teardown(work: () => Promise<void>): void;
}

/** Starts a cluster that ends with the test. A failed test leaves a recording, and a broken rule fails the test. */
export async function clusterFor(t: AvaTest, options: FixtureOptions = {}): Promise<TestCluster> {
  const cluster = await startForTest(options);
  t.teardown(() => endOfTest(cluster, { title: t.title, hasPassed: t.passed }, options));
  return cluster;
}
