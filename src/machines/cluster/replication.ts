/**
 * How a consumer keeps up with one source: it pulls what it misses, is current, notices a gap and pulls again; a source that is out
 * of reach for too long is lost. It has no context, so that it can be compiled to a table (`actors/compiled-machine.ts`).
 */
import { emit, setup } from 'xstate';

export type ReplicationEvent =
  /** A source came into reach, or it is another one now: another instance, or its node has started or found this one again. */
  | { type: 'source.found' }
  | { type: 'source.away' }
  /** Something is missing, or may be. */
  | { type: 'gap.noticed' }
  /** The source has sent something by itself. */
  | { type: 'message.received' }
  /** The pull that was commanded last has ended: everything is here, or the source did not answer. */
  | { type: 'pull.completed' }
  | { type: 'pull.failed' };

export type ReplicationCommand =
  | { type: 'pull' }
  /** What the pull under way still brings is not to be used. */
  | { type: 'abort.pull' }
  | { type: 'report.current' }
  | { type: 'report.lost' }
  | { type: 'event.unexpected'; event: string };

/** Defaults; each consumer sets its own (`replication/catch-up.ts`). */
export const replicationDelaysMs = {
  /** How soon a source that did not answer is asked again. */
  retry: 2_000,
  /** How long a source may be silent before it is asked whether something was lost. */
  check: 15_000,
  /** How long a source may be out of reach before it is lost. */
  gone: 30_000,
} as const;

export type ReplicationDelay = keyof typeof replicationDelaysMs;

export const replicationMachine = setup({
  types: { events: {} as ReplicationEvent, emitted: {} as ReplicationCommand },
  actions: {
    pull: emit({ type: 'pull' }),
    abortPull: emit({ type: 'abort.pull' }),
    reportCurrent: emit({ type: 'report.current' }),
    reportLost: emit({ type: 'report.lost' }),
    unexpected: emit(({ event }) => ({ type: 'event.unexpected', event: event.type })),
  },
  delays: replicationDelaysMs,
}).createMachine({
  id: 'replication',
  initial: 'behind',
  on: { '*': { actions: 'unexpected' } },
  states: {
    behind: {
      initial: 'away',
      on: { 'source.found': { target: 'pulling', actions: 'pull' }, 'message.received': {} },
      states: {
        /** No source is in reach. */
        away: {
          after: { gone: { target: '#replication.lost', actions: 'reportLost' } },
          on: { 'source.away': {}, 'gap.noticed': {} },
        },
        /** The source is in reach and did not answer. */
        waiting: {
          after: { retry: { target: '#replication.pulling', actions: 'pull' } },
          on: { 'source.away': 'away', 'gap.noticed': { target: '#replication.pulling', actions: 'pull' } },
        },
      },
    },
    pulling: {
      initial: 'fresh',
      on: { 'source.away': { target: 'behind', actions: 'abortPull' }, 'message.received': {} },
      states: {
        fresh: {
          on: {
            'source.found': 'outdated',
            'gap.noticed': 'outdated',
            'pull.completed': { target: '#replication.current', actions: 'reportCurrent' },
            'pull.failed': '#replication.behind.waiting',
          },
        },
        /** More may be missing than the pull under way was asked for. */
        outdated: {
          on: {
            'source.found': {},
            'gap.noticed': {},
            'pull.completed': { target: 'fresh', actions: 'pull' },
            'pull.failed': { target: 'fresh', actions: 'pull' },
          },
        },
      },
    },
    current: {
      initial: 'quiet',
      on: { 'source.away': 'behind' },
      states: {
        /** The source has sent nothing since the last look. */
        quiet: {
          after: { check: { target: 'checking', actions: 'pull' } },
          on: {
            'source.found': { target: '#replication.pulling', actions: 'pull' },
            'gap.noticed': { target: '#replication.pulling', actions: 'pull' },
            'message.received': 'active',
          },
        },
        active: {
          after: { check: 'quiet' },
          on: {
            'source.found': { target: '#replication.pulling', actions: 'pull' },
            'gap.noticed': { target: '#replication.pulling', actions: 'pull' },
            'message.received': {},
          },
        },
        /** It pulls, though nothing is known to be missing. */
        checking: {
          on: {
            'source.away': { target: '#replication.behind', actions: 'abortPull' },
            'source.found': '#replication.pulling.outdated',
            'gap.noticed': '#replication.pulling.outdated',
            'message.received': {},
            'pull.completed': 'quiet',
            'pull.failed': '#replication.behind.waiting',
          },
        },
      },
    },
    /** The source has been out of reach for too long: what depends on it has ended. */
    lost: {
      on: {
        'source.found': { target: 'pulling', actions: 'pull' },
        'source.away': {},
        'gap.noticed': {},
        /** The source is alive, though the view does not show it. */
        'message.received': 'behind',
      },
    },
  },
});
