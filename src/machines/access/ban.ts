/** A banned address in the network filter of one edge instance: present until the ban expires or is lifted. */
import { assign, emit, setup } from 'xstate';

export type BanEvent =
  /** Asked again: the ban lasts at least until then. */
  { type: 'ban.extended'; atMs: number; untilMs: number } | { type: 'ban.removed' };

export type BanCommand = { type: 'ban.lifted' } | { type: 'event.unexpected'; event: string };

export interface BanContext {
  /** When the current timer was set. */
  atMs: number;
  untilMs: number;
}

export const banMachine = setup({
  types: {
    context: {} as BanContext,
    input: {} as BanContext,
    events: {} as BanEvent,
    emitted: {} as BanCommand,
  },
  actions: {
    extend: assign(({ context, event }) =>
      event.type === 'ban.extended' ? { atMs: event.atMs, untilMs: event.untilMs } : context,
    ),
    reportLifted: emit({ type: 'ban.lifted' }),
    unexpected: emit(({ event }) => ({ type: 'event.unexpected', event: event.type })),
  },
  guards: {
    isLater: ({ context, event }) => event.type === 'ban.extended' && event.untilMs > context.untilMs,
  },
  delays: { rest: ({ context }) => context.untilMs - context.atMs },
}).createMachine({
  id: 'ban',
  context: ({ input }) => input,
  initial: 'present',
  on: { '*': { actions: 'unexpected' } },
  states: {
    present: {
      after: { rest: 'lifted' },
      on: {
        'ban.extended': [{ guard: 'isLater', target: 'present', reenter: true, actions: 'extend' }, {}],
        'ban.removed': 'lifted',
      },
    },
    lifted: { type: 'final', entry: 'reportLifted' },
  },
});
