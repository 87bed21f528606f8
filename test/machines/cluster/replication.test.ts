/** How a consumer keeps up with a source: what each event does in each state, and each deadline. */

import { type ReplicationEvent, replicationMachine } from '../../../src/machines/cluster/replication.ts';
import { machineTable, type Row, unexpected } from '../../kit/machine-table.ts';
import { test } from '../../kit/test.ts';

const found: ReplicationEvent = { type: 'source.found' };
const away: ReplicationEvent = { type: 'source.away' };
const gap: ReplicationEvent = { type: 'gap.noticed' };
const received: ReplicationEvent = { type: 'message.received' };
const completed: ReplicationEvent = { type: 'pull.completed' };
const failed: ReplicationEvent = { type: 'pull.failed' };

const pull = { type: 'pull' } as const;
const abort = { type: 'abort.pull' } as const;
const current = { type: 'report.current' } as const;
const lost = { type: 'report.lost' } as const;

/** No pull is under way. */
const idle = (state: string): Row<typeof replicationMachine>[] => [
  [state, completed, state, [unexpected('pull.completed')]],
  [state, failed, state, [unexpected('pull.failed')]],
];

machineTable(test, 'a consumer', {
  machine: replicationMachine,
  events: {
    'source.found': true,
    'source.away': true,
    'gap.noticed': true,
    'message.received': true,
    'pull.completed': true,
    'pull.failed': true,
  },
  context: {},
  input: undefined,
  rows: [
    ['behind.away', found, 'pulling.fresh', [pull]],
    ['behind.away', away, 'behind.away', []],
    ['behind.away', gap, 'behind.away', []],
    ['behind.away', received, 'behind.away', []],
    ...idle('behind.away'),

    ['behind.waiting', found, 'pulling.fresh', [pull]],
    ['behind.waiting', away, 'behind.away', []],
    ['behind.waiting', gap, 'pulling.fresh', [pull]],
    ['behind.waiting', received, 'behind.waiting', []],
    ...idle('behind.waiting'),

    ['pulling.fresh', found, 'pulling.outdated', []],
    ['pulling.fresh', away, 'behind.away', [abort]],
    ['pulling.fresh', gap, 'pulling.outdated', []],
    ['pulling.fresh', received, 'pulling.fresh', []],
    ['pulling.fresh', completed, 'current.quiet', [current]],
    ['pulling.fresh', failed, 'behind.waiting', []],

    ['pulling.outdated', found, 'pulling.outdated', []],
    ['pulling.outdated', away, 'behind.away', [abort]],
    ['pulling.outdated', gap, 'pulling.outdated', []],
    ['pulling.outdated', received, 'pulling.outdated', []],
    ['pulling.outdated', completed, 'pulling.fresh', [pull]],
    ['pulling.outdated', failed, 'pulling.fresh', [pull]],

    ['current.quiet', found, 'pulling.fresh', [pull]],
    ['current.quiet', away, 'behind.away', []],
    ['current.quiet', gap, 'pulling.fresh', [pull]],
    ['current.quiet', received, 'current.active', []],
    ...idle('current.quiet'),

    ['current.active', found, 'pulling.fresh', [pull]],
    ['current.active', away, 'behind.away', []],
    ['current.active', gap, 'pulling.fresh', [pull]],
    ['current.active', received, 'current.active', []],
    ...idle('current.active'),

    ['current.checking', found, 'pulling.outdated', []],
    ['current.checking', away, 'behind.away', [abort]],
    ['current.checking', gap, 'pulling.outdated', []],
    ['current.checking', received, 'current.checking', []],
    ['current.checking', completed, 'current.quiet', []],
    ['current.checking', failed, 'behind.waiting', []],

    ['lost', found, 'pulling.fresh', [pull]],
    ['lost', away, 'lost', []],
    ['lost', gap, 'lost', []],
    ['lost', received, 'behind.away', []],
    ...idle('lost'),
  ],
  deadlines: [
    [[], 'behind.away', 30_000, 'lost', [lost]],
    [[found, failed], 'behind.waiting', 2_000, 'pulling.fresh', [pull]],
    [[found, completed], 'current.quiet', 15_000, 'current.checking', [pull]],
    [[found, completed, received], 'current.active', 15_000, 'current.quiet', []],
    [[found, completed, received, 10_000, received], 'current.active', 5_000, 'current.quiet', []],
  ],
});
