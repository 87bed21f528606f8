/**
 * The registration of a provider account with its provider: the five documented states, the chosen transitions
 * (choices, section 6). SIP goes out by orders and comes back as facts; nothing here knows a socket.
 */
import { assign, emit, setup } from 'xstate';

export type RegistrationFact =
  /** A final answer to REGISTER: its status, the expiry granted in seconds, its header lines. */
  | { type: 'response.received'; status: number; expiresSeconds?: number; lines?: readonly string[] }
  | { type: 'link.lost' }
  /** OPTIONS went unanswered for three rounds. */
  | { type: 'ping.failed' }
  | { type: 'account.removed' };

export type RegistrationOrder =
  | { type: 'send.register'; withCredentials: boolean }
  | { type: 'send.unregister' }
  | { type: 'fact.unexpected'; fact: string };

export interface RegistrationContext {
  readonly isRegistering: boolean;
  readonly expiresMs: number;
  readonly retryMs: number;
  readonly hasTriedCredentials: boolean;
  readonly lastResponse: readonly string[];
}

const firstRetryMs = 30_000;
const longestRetryMs = 600_000;
const answerMs = 32_000;

export const registrationMachine = setup({
  types: {
    context: {} as RegistrationContext,
    input: {} as { registration: boolean },
    events: {} as RegistrationFact,
    emitted: {} as RegistrationOrder,
  },
  actions: {
    sendRegister: emit({ type: 'send.register', withCredentials: false }),
    sendCredentials: emit({ type: 'send.register', withCredentials: true }),
    sendUnregister: emit({ type: 'send.unregister' }),
    keepResponse: assign({
      lastResponse: ({ context, event }) =>
        event.type === 'response.received' ? (event.lines ?? []) : context.lastResponse,
    }),
    keepExpiry: assign({
      expiresMs: ({ event }) => (event.type === 'response.received' ? (event.expiresSeconds ?? 3_600) * 1_000 : 0),
      retryMs: firstRetryMs,
      hasTriedCredentials: false,
    }),
    markCredentials: assign({ hasTriedCredentials: true }),
    lengthenRetry: assign({
      retryMs: ({ context }) => Math.min(context.retryMs * 2, longestRetryMs),
      hasTriedCredentials: false,
    }),
    unexpected: emit(({ event }) => ({ type: 'fact.unexpected', fact: event.type })),
  },
  guards: {
    isRegistering: ({ context }) => context.isRegistering,
    isAccepted: ({ event }) => event.type === 'response.received' && event.status >= 200 && event.status < 300,
    isChallenged: ({ context, event }) =>
      event.type === 'response.received' &&
      (event.status === 401 || event.status === 407) &&
      !context.hasTriedCredentials,
  },
  delays: {
    answer: answerMs,
    retry: ({ context }) => context.retryMs,
    refresh: ({ context }) => context.expiresMs * 0.9,
  },
}).createMachine({
  id: 'registration',
  context: ({ input }) => ({
    isRegistering: input.registration,
    expiresMs: 0,
    retryMs: firstRetryMs,
    hasTriedCredentials: false,
    lastResponse: [],
  }),
  initial: 'deciding',
  on: { '*': { actions: 'unexpected' } },
  states: {
    deciding: { always: [{ guard: 'isRegistering', target: 'wait_result' }, { target: 'disabled' }] },
    disabled: {
      on: { 'response.received': {}, 'link.lost': {}, 'ping.failed': {}, 'account.removed': 'detached' },
    },
    wait_result: {
      entry: 'sendRegister',
      after: { answer: { target: 'retry' } },
      on: {
        'response.received': [
          { guard: 'isAccepted', target: 'registered', actions: ['keepResponse', 'keepExpiry'] },
          { guard: 'isChallenged', actions: ['keepResponse', 'markCredentials', 'sendCredentials'] },
          { target: 'retry', actions: 'keepResponse' },
        ],
        'link.lost': 'retry',
        'ping.failed': {},
        'account.removed': { target: 'detached', actions: 'sendUnregister' },
      },
    },
    registered: {
      after: { refresh: 'wait_result' },
      on: {
        'response.received': {},
        'link.lost': 'retry',
        'ping.failed': 'retry',
        'account.removed': { target: 'detached', actions: 'sendUnregister' },
      },
    },
    retry: {
      after: { retry: { target: 'wait_result', actions: 'lengthenRetry' } },
      on: { 'response.received': {}, 'link.lost': {}, 'ping.failed': {}, 'account.removed': 'detached' },
    },
    detached: { type: 'final' },
  },
});
