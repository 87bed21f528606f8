/** A user's session in one ws instance: active while it is used; ended by logout or expiry. */
import { assign, emit, setup } from 'xstate';
import { limits } from '../../model/limits.ts';
import type { SessionRecord } from '../../model/protocol/messages/session.ts';

export type SessionEvent =
  /** `usedMs`: when it was used, if elsewhere and earlier. */
  | { type: 'session.used'; atMs: number; usedMs?: number }
  | { type: 'session.switched'; atMs: number; usedMs?: number; switchedMs: number; domain: string }
  | { type: 'session.closed' };

export type SessionCommand = { type: 'session.expired' } | { type: 'event.unexpected'; event: string };

export interface SessionContext {
  readonly record: SessionRecord;
  /** When the current timer was set. */
  readonly atMs: number;
}

/** When an unused session expires: a while after its last use, and at the latest after its maximum lifetime. */
export function endOf({ lastUsedMs, openedMs }: SessionRecord): number {
  return Math.min(lastUsedMs + limits.sessionMs, openedMs + limits.sessionMaxMs);
}

export const sessionMachine = setup({
  types: {
    context: {} as SessionContext,
    input: {} as SessionContext,
    events: {} as SessionEvent,
    emitted: {} as SessionCommand,
  },
  actions: {
    prolong: assign(({ context, event }) => {
      if (event.type === 'session.closed') return context;
      const lastUsedMs = Math.max(context.record.lastUsedMs, event.usedMs ?? event.atMs);
      return { atMs: event.atMs, record: { ...context.record, lastUsedMs } };
    }),
    switchDomain: assign(({ context, event }) => {
      if (event.type !== 'session.switched') return {};
      const { domain, switchedMs } = event;
      return { record: { ...context.record, domain, switchedMs } };
    }),
    reportExpired: emit({ type: 'session.expired' }),
    unexpected: emit(({ event }) => ({ type: 'event.unexpected', event: event.type })),
  },
  delays: { idle: ({ context }) => endOf(context.record) - context.atMs },
}).createMachine({
  id: 'session',
  context: ({ input }) => input,
  initial: 'active',
  on: { '*': { actions: 'unexpected' } },
  states: {
    active: {
      after: { idle: 'expired' },
      on: {
        'session.used': { target: 'active', reenter: true, actions: 'prolong' },
        'session.switched': { target: 'active', reenter: true, actions: ['prolong', 'switchDomain'] },
        'session.closed': 'closed',
      },
    },
    expired: { type: 'final', entry: 'reportExpired' },
    closed: { type: 'final' },
  },
});
