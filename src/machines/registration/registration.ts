/**
 * The registration of a provider account at its provider: the five documented states, the chosen
 * transitions. SIP requests are commands, and responses events.
 */
import { assign, emit, setup } from 'xstate';

export type RegistrationEvent =
  /** A final response to REGISTER: status, granted expiry in seconds, header lines. */
  | { type: 'response.received'; status: number; expiresSeconds?: number; lines?: readonly string[] }
  | { type: 'link.lost' }
  /** OPTIONS was unanswered for three rounds. */
  | { type: 'ping.failed' }
  /** Another instance has registered the account meanwhile: the provider may have that contact, or none. */
  | { type: 'contact.replaced' }
  | { type: 'account.removed' };

export type RegistrationCommand =
  | { type: 'send.register'; withCredentials: boolean }
  | { type: 'send.unregister' }
  | { type: 'event.unexpected'; event: string };

export interface RegistrationContext {
  readonly isRegistering: boolean;
  readonly expiresMs: number;
  readonly retryMs: number;
  readonly hasTriedCredentials: boolean;
  /** The provider may have a registration: it granted one, or a REGISTER was unanswered. */
  readonly mayBeRegistered: boolean;
  readonly lastResponse: readonly string[];
}

const firstRetryMs = 30_000;
const longestRetryMs = 600_000;
const answerMs = 32_000;
/** The requested lifetime, and so the longest that can be granted (RFC 3261, 10.3). */
const askedSeconds = 3_600;
/** The minimum refresh interval, however short the granted lifetime is. */
const shortestRefreshMs = 5_000;

export const registrationMachine = setup({
  types: {
    context: {} as RegistrationContext,
    input: {} as { registration: boolean },
    events: {} as RegistrationEvent,
    emitted: {} as RegistrationCommand,
  },
  actions: {
    sendRegister: emit(({ context }) => ({ type: 'send.register', withCredentials: context.hasTriedCredentials })),
    sendUnregister: emit({ type: 'send.unregister' }),
    keepResponse: assign({
      lastResponse: ({ context, event }) =>
        event.type === 'response.received' ? (event.lines ?? []) : context.lastResponse,
    }),
    keepExpiry: assign({
      expiresMs: ({ event }) => grantedSeconds(event) * 1_000,
      retryMs: firstRetryMs,
      hasTriedCredentials: false,
      mayBeRegistered: true,
    }),
    markDoubt: assign({ mayBeRegistered: true }),
    markRefused: assign({
      mayBeRegistered: ({ context, event }) => context.mayBeRegistered && !isGrantOfNothing(event),
    }),
    markCredentials: assign({ hasTriedCredentials: true }),
    lengthenRetry: assign({
      retryMs: ({ context }) => Math.min(context.retryMs * 2, longestRetryMs),
      hasTriedCredentials: false,
    }),
    unexpected: emit(({ event }) => ({ type: 'event.unexpected', event: event.type })),
  },
  guards: {
    isRegistering: ({ context }) => context.isRegistering,
    mayBeRegistered: ({ context }) => context.mayBeRegistered,
    isAccepted: ({ event }) => isSuccess(event) && grantedSeconds(event) > 0,
    isChallenged: ({ context, event }) =>
      event.type === 'response.received' &&
      (event.status === 401 || event.status === 407) &&
      !context.hasTriedCredentials,
  },
  delays: {
    answer: answerMs,
    retry: ({ context }) => context.retryMs,
    refresh: ({ context }) => Math.max(context.expiresMs * 0.9, shortestRefreshMs),
  },
}).createMachine({
  id: 'registration',
  context: ({ input }) => ({
    isRegistering: input.registration,
    expiresMs: 0,
    retryMs: firstRetryMs,
    hasTriedCredentials: false,
    mayBeRegistered: false,
    lastResponse: [],
  }),
  initial: 'deciding',
  on: { '*': { actions: 'unexpected' } },
  states: {
    deciding: { always: [{ guard: 'isRegistering', target: 'wait_result' }, { target: 'disabled' }] },
    disabled: {
      on: {
        'response.received': {},
        'link.lost': {},
        'ping.failed': {},
        'contact.replaced': {},
        'account.removed': 'detached',
      },
    },
    wait_result: {
      entry: 'sendRegister',
      after: { answer: { target: 'retry', actions: 'markDoubt' } },
      on: {
        'response.received': [
          { guard: 'isAccepted', target: 'registered', actions: ['keepResponse', 'keepExpiry'] },
          {
            guard: 'isChallenged',
            target: 'wait_result',
            reenter: true,
            actions: ['keepResponse', 'markCredentials'],
          },
          { target: 'retry', actions: ['keepResponse', 'markRefused'] },
        ],
        'link.lost': { target: 'retry', actions: 'markDoubt' },
        'ping.failed': {},
        'contact.replaced': {},
        'account.removed': { target: 'detached', actions: 'sendUnregister' },
      },
    },
    registered: {
      after: { refresh: 'wait_result' },
      on: {
        'response.received': {},
        'link.lost': 'retry',
        'ping.failed': 'retry',
        'contact.replaced': 'wait_result',
        'account.removed': { target: 'detached', actions: 'sendUnregister' },
      },
    },
    retry: {
      after: { retry: { target: 'wait_result', actions: 'lengthenRetry' } },
      on: {
        'response.received': {},
        'link.lost': {},
        'ping.failed': {},
        'contact.replaced': {},
        'account.removed': [
          { guard: 'mayBeRegistered', target: 'detached', actions: 'sendUnregister' },
          { target: 'detached' },
        ],
      },
    },
    detached: { type: 'final' },
  },
});

function isSuccess(event: RegistrationEvent): boolean {
  return event.type === 'response.received' && event.status >= 200 && event.status < 300;
}

/** The lifetime that a 2xx grants: at most the requested one; 0 if none is granted. */
function grantedSeconds(event: RegistrationEvent): number {
  const granted = event.type === 'response.received' ? (event.expiresSeconds ?? askedSeconds) : 0;
  return Math.min(Math.max(granted, 0), askedSeconds);
}

/** A 2xx without a lifetime means that there is no registration, like the response to an un-REGISTER. */
function isGrantOfNothing(event: RegistrationEvent): boolean {
  return isSuccess(event) && grantedSeconds(event) === 0;
}
