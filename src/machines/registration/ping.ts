/**
 * The connection check of a provider account by OPTIONS, with the three documented states. One round every 30 s; a final
 * response within 5 s is `ok`, else `error` (chosen). `disabled`: no check is made, or the first is not
 * finished.
 */
import { assign, emit, setup } from 'xstate';

export type PingEvent =
  /** A final response to OPTIONS, of any status. */
  | { type: 'response.received' }
  /** The account uses another address of its provider from now on. */
  | { type: 'address.changed' }
  | { type: 'account.removed' };

export type PingCommand =
  | { type: 'send.options' }
  /** Three rounds in a row have failed since the last response or the last such report. */
  | { type: 'report.failed' }
  | { type: 'event.unexpected'; event: string };

const roundMs = 30_000;
const answerMs = 5_000;
const roundsToReport = 3;

export const pingMachine = setup({
  types: {
    context: {} as { readonly isChecking: boolean; readonly failures: number },
    input: {} as { ping: boolean },
    events: {} as PingEvent,
    emitted: {} as PingCommand,
  },
  actions: {
    sendOptions: emit({ type: 'send.options' }),
    reportFailed: emit({ type: 'report.failed' }),
    countFailure: assign({ failures: ({ context }) => context.failures + 1 }),
    forgetFailures: assign({ failures: 0 }),
    unexpected: emit(({ event }) => ({ type: 'event.unexpected', event: event.type })),
  },
  guards: {
    isChecking: ({ context }) => context.isChecking,
    isLimitReached: ({ context }) => context.failures + 1 >= roundsToReport,
  },
  delays: { answer: answerMs, round: roundMs, rest: roundMs - answerMs },
}).createMachine({
  id: 'ping',
  context: ({ input }) => ({ isChecking: input.ping, failures: 0 }),
  initial: 'disabled',
  on: { '*': { actions: 'unexpected' }, 'account.removed': '.gone' },
  states: {
    disabled: {
      initial: 'deciding',
      states: {
        deciding: { always: [{ guard: 'isChecking', target: 'checking' }, { target: 'off' }] },
        off: { on: { 'response.received': {}, 'address.changed': {} } },
        checking: checking(),
      },
    },
    ok: {
      initial: 'resting',
      states: {
        resting: { after: { round: 'checking' }, on: { 'response.received': {}, 'address.changed': 'checking' } },
        checking: checking(),
      },
    },
    error: {
      initial: 'resting',
      states: {
        resting: {
          after: { rest: 'checking' },
          on: { 'response.received': {}, 'address.changed': { target: 'checking', actions: 'forgetFailures' } },
        },
        checking: checking(),
      },
    },
    gone: { type: 'final' },
  },
});

/** A round; only the state after the previous round differs. A round at an address that the account has left is no failure. */
function checking() {
  return {
    entry: 'sendOptions' as const,
    after: {
      answer: [
        {
          guard: 'isLimitReached' as const,
          target: '#ping.error',
          actions: ['reportFailed', 'forgetFailures'] as ('reportFailed' | 'forgetFailures')[],
        },
        { target: '#ping.error', actions: 'countFailure' as const },
      ],
    },
    on: {
      'response.received': { target: '#ping.ok', actions: 'forgetFailures' as const },
      'address.changed': { target: 'checking', reenter: true, actions: 'forgetFailures' as const },
    },
  };
}
