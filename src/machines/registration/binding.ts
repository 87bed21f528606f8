/**
 * A device's registration in one sr instance: registered until it expires or is removed, then a tombstone for as long as an
 * older copy could exist elsewhere, so that no copy restores it.
 */
import { assign, emit, setup } from 'xstate';
import { type Binding, isNewer, outweighsUntilMs } from '../../model/binding.ts';

export type BindingEvent =
  /** The binding was made, refreshed or removed, here or elsewhere; the newer of two copies counts. */
  { type: 'copy.received'; binding: Binding; atMs: number };

export type BindingCommand =
  | { type: 'report.registered' }
  | { type: 'report.refreshed' }
  | { type: 'report.removed' }
  | { type: 'report.expired' }
  | { type: 'event.unexpected'; event: string };

export interface BindingContext {
  readonly binding: Binding;
  /** When the current timer was set. */
  readonly atMs: number;
  /** The longest lifetime that registrations are granted usually. */
  readonly longestMs: number;
}

export const bindingMachine = setup({
  types: {
    context: {} as BindingContext,
    input: {} as BindingContext,
    events: {} as BindingEvent,
    emitted: {} as BindingCommand,
  },
  actions: {
    keep: assign(({ event }) => ({ binding: event.binding, atMs: event.atMs })),
    noteExpiry: assign({ atMs: ({ context }) => Math.max(context.atMs, context.binding.expiresMs) }),
    reportRegistered: emit({ type: 'report.registered' }),
    reportRefreshed: emit({ type: 'report.refreshed' }),
    reportRemoved: emit({ type: 'report.removed' }),
    reportExpired: emit({ type: 'report.expired' }),
    unexpected: emit(({ event }) => ({ type: 'event.unexpected', event: event.type })),
  },
  guards: {
    isRemoved: ({ context }) => context.binding.isRemoved,
    isOver: ({ context }) => context.binding.expiresMs <= context.atMs,
    isOlder: ({ context, event }) => !isNewer(event.binding, context.binding),
    isRemoval: ({ event }) => event.binding.isRemoved,
    isTooLate: ({ event }) => event.binding.expiresMs <= event.atMs,
  },
  delays: {
    life: ({ context }) => context.binding.expiresMs - context.atMs,
    keep: ({ context }) => Math.max(0, outweighsUntilMs(context.binding, context.longestMs) - context.atMs),
  },
}).createMachine({
  id: 'binding',
  context: ({ input }) => input,
  initial: 'deciding',
  on: { '*': { actions: 'unexpected' } },
  states: {
    deciding: {
      always: [
        { guard: 'isRemoved', target: 'removed' },
        { guard: 'isOver', target: 'expired' },
        { target: 'registered', actions: 'reportRegistered' },
      ],
    },
    registered: {
      after: { life: { target: 'expired', actions: ['noteExpiry', 'reportExpired'] } },
      on: {
        'copy.received': [
          { guard: 'isOlder' },
          { guard: 'isRemoval', target: 'removed', actions: ['keep', 'reportRemoved'] },
          { guard: 'isTooLate', target: 'expired', actions: ['keep', 'reportExpired'] },
          { target: 'registered', reenter: true, actions: ['keep', 'reportRefreshed'] },
        ],
      },
    },
    /** Tombstones: not listed, but they outweigh older copies. */
    expired: {
      after: { keep: 'gone' },
      on: {
        'copy.received': [
          { guard: 'isOlder' },
          { guard: 'isRemoval', target: 'removed', actions: 'keep' },
          { guard: 'isTooLate', target: 'expired', reenter: true, actions: 'keep' },
          { target: 'registered', actions: ['keep', 'reportRegistered'] },
        ],
      },
    },
    removed: {
      after: { keep: 'gone' },
      on: {
        'copy.received': [
          { guard: 'isOlder' },
          { guard: 'isRemoval', target: 'removed', reenter: true, actions: 'keep' },
          { guard: 'isTooLate', target: 'expired', actions: 'keep' },
          { target: 'registered', actions: ['keep', 'reportRegistered'] },
        ],
      },
    },
    gone: { type: 'final' },
  },
});
