/** The library: a cluster in a test. `import { startCluster } from 'strowger'` (docs/how-to/test-a-client.md). */

export type { ClusterClock } from './embed/cluster/cluster-clock.ts';
export type { ClusterFault, ClusterFaults, FaultOptions } from './embed/cluster/cluster-faults.ts';
export type { ClusterJournal, JournalEntry, JournalFilter } from './embed/cluster/cluster-journal.ts';
export type { ClusterLoad, ClusterNumbers } from './embed/cluster/cluster-numbers.ts';
export type {
  CallHandler,
  CallOptions,
  ClusterPhone,
  ClusterProvider,
  PartyCall,
} from './embed/cluster/cluster-party.ts';
export type { ClusterSite, SocketOptions } from './embed/cluster/cluster-site.ts';
export type { ClusterSocket } from './embed/cluster/cluster-socket.ts';
export {
  type AnyEventName,
  type Duration,
  type EventFields,
  type FieldsOf,
  type Matcher,
  NotSeen,
  type Seen,
  type SeenEvent,
  type WaitOptions,
} from './embed/cluster/waiting.ts';
export type { Snapshot } from './embed/recorded/input.ts';
export type { Recording } from './embed/recorded/recording-file.ts';
export {
  type StartOptions,
  type StubAnswer,
  type StubHandler,
  startCluster,
  type TestCluster,
} from './embed/test-cluster.ts';
