/** The library: a cluster in a test. `import { startCluster } from 'strowger'` (docs/how-to/test-a-client.md). */

export { type StartOptions, startCluster, type TestCluster } from './embed/cluster.ts';
export type { ClusterClock } from './embed/cluster-clock.ts';
export type { ClusterFault, ClusterFaults, FaultOptions } from './embed/cluster-faults.ts';
export type { ClusterJournal, JournalEntry, JournalFilter } from './embed/cluster-journal.ts';
export type { ClusterLoad, ClusterNumbers } from './embed/cluster-numbers.ts';
export type { CallHandler, CallOptions, ClusterPhone, ClusterProvider, PartyCall } from './embed/cluster-party.ts';
export type { ClusterSite, SocketOptions } from './embed/cluster-site.ts';
export type { ClusterSocket } from './embed/cluster-socket.ts';
export type { Duration } from './embed/duration.ts';
export type { Snapshot } from './embed/input.ts';
export type { Recording } from './embed/recording.ts';
export { type EventFields, type Matcher, NotSeen, type Seen, type WaitOptions } from './embed/waiting.ts';
