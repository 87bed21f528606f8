/**
 * A registration of a device as one sr instance has it: registered until its time is over or it is removed, then a
 * tombstone for as long as an older copy could live elsewhere, so that none brings it back.
 */
import { assign, emit, setup } from 'xstate';
import { type Binding, isNewer } from '../model/binding.ts';

export type BindingEvent =
  /** It was made, refreshed or removed, here or elsewhere; of two copies the newer counts. */
  { type: 'copy.received'; binding: Binding; atMs: number };

export type BindingCommand =
  | { type: 'tell.registered' }
  | { type: 'tell.refreshed' }
  | { type: 'tell.removed' }
  | { type: 'tell.expired' }
  | { type: 'event.unexpected'; event: string };

export interface BindingContext {
  readonly binding: Binding;
  /** When the running timer was set. */
  readonly atMs: number;
  /** The longest life that a registration is granted anywhere. */
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
    tellRegistered: emit({ type: 'tell.registered' }),
    tellRefreshed: emit({ type: 'tell.refreshed' }),
    tellRemoved: emit({ type: 'tell.removed' }),
    tellExpired: emit({ type: 'tell.expired' }),
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
    keep: ({ context }) => Math.max(0, context.binding.changedMs + context.longestMs - context.atMs),
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
        { target: 'registered', actions: 'tellRegistered' },
      ],
    },
    registered: {
      after: { life: { target: 'expired', actions: ['noteExpiry', 'tellExpired'] } },
      on: {
        'copy.received': [
          { guard: 'isOlder' },
          { guard: 'isRemoval', target: 'removed', actions: ['keep', 'tellRemoved'] },
          { guard: 'isTooLate', target: 'expired', actions: ['keep', 'tellExpired'] },
          { target: 'registered', reenter: true, actions: ['keep', 'tellRefreshed'] },
        ],
      },
    },
    /** Tombstones: nobody sees them, but they outweigh older copies. */
    expired: {
      after: { keep: 'gone' },
      on: {
        'copy.received': [
          { guard: 'isOlder' },
          { guard: 'isRemoval', target: 'removed', actions: 'keep' },
          { guard: 'isTooLate', target: 'expired', reenter: true, actions: 'keep' },
          { target: 'registered', actions: ['keep', 'tellRegistered'] },
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
          { target: 'registered', actions: ['keep', 'tellRegistered'] },
        ],
      },
    },
    gone: { type: 'final' },
  },
});
