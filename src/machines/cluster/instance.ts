/**
 * The lifecycle of a role instance. An active-active instance is active as soon as it has started; of a group, one is
 * elected. The machine has no context, so that it can be compiled to a table: every envelope passes the instance's actor.
 */
import { emit, setup } from 'xstate';

export type InstanceEvent =
  | { type: 'started' }
  | { type: 'elected' }
  | { type: 'deposed' }
  | { type: 'drain.requested' }
  | { type: 'drained' };

export type InstanceCommand =
  | { type: 'serve' }
  | { type: 'stand.by' }
  | { type: 'drain' }
  | { type: 'event.unexpected'; event: string };

export function instanceMachine(redundancy: 'active-active' | 'active-passive') {
  const isElected = redundancy === 'active-passive';
  return setup({
    types: { events: {} as InstanceEvent, emitted: {} as InstanceCommand },
    actions: {
      serve: emit({ type: 'serve' }),
      standBy: emit({ type: 'stand.by' }),
      drain: emit({ type: 'drain' }),
      unexpected: emit(({ event }) => ({ type: 'event.unexpected', event: event.type })),
    },
  }).createMachine({
    id: 'instance',
    initial: 'starting',
    on: { '*': { actions: 'unexpected' } },
    states: {
      starting: { on: { started: isElected ? 'standby' : 'active', 'drain.requested': 'stopped' } },
      ...(isElected && { standby: { on: { elected: 'active', deposed: {}, 'drain.requested': 'draining' } } }),
      active: {
        entry: 'serve',
        on: {
          elected: {},
          ...(isElected && { deposed: { target: 'standby', actions: 'standBy' as const } }),
          'drain.requested': 'draining',
        },
      },
      draining: {
        entry: 'drain',
        on: { drained: 'stopped', elected: {}, deposed: {}, 'drain.requested': {} },
      },
      stopped: { type: 'final' },
    },
  });
}

export const instanceEvents: readonly InstanceEvent[] = [
  { type: 'started' },
  { type: 'elected' },
  { type: 'deposed' },
  { type: 'drain.requested' },
  { type: 'drained' },
];
