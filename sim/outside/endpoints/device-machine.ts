/**
 * The registration of a phone. It registers through the first gate that accepts it and refreshes at 90 % of the granted
 * time. After a failure it tries the next gate with a growing delay. Each refresh, and each request to register, tries the preferred gate first. When
 * the platform ends the registration, the phone registers again a moment later.
 *
 * `registering` and `leaving` have no deadline: the user agent reports a missing answer (408).
 */
import { assign, emit, setup } from 'xstate';

export type DeviceEvent =
  | { type: 'register.wanted' }
  | { type: 'unregister.wanted' }
  /** A final answer to REGISTER. `jitter`, in [0, 1): drawn by the sender of the event, for the wait after a failure. */
  | { type: 'response.received'; status: number; expiresSeconds?: number; jitter: number }
  /** The platform has ended the registration. `jitter` as above. */
  | { type: 'binding.lost'; jitter: number }
  /** A call found no registered device behind the gate. */
  | { type: 'gate.doubted' };

export type DeviceCommand =
  | { type: 'send.register'; gate: number; withCredentials: boolean; seconds: number }
  | { type: 'send.unregister'; gate: number; withCredentials: boolean }
  | { type: 'event.unexpected'; event: string };

export interface DeviceContext {
  readonly gates: number;
  readonly gate: number;
  readonly hasTriedCredentials: boolean;
  /** The registrar granted a registration after the phone had left. */
  readonly isBound: boolean;
  readonly wantedSeconds: number;
  readonly expiresMs: number;
  /** Delay before the next attempt without jitter, and after the last failure. */
  readonly backoffMs: number;
  readonly pauseMs: number;
}

type Response = Extract<DeviceEvent, { type: 'response.received' }>;

const firstBackoffMs = 1_000;
const longestBackoffMs = 60_000;
const usualSeconds = 3_600;
const shortestRefreshMs = 5_000;
/** Permanent refusals: the user or the password is wrong. */
const lasting: ReadonlySet<number> = new Set([403, 404]);

export const deviceMachine = setup({
  types: {
    context: {} as DeviceContext,
    input: {} as { gates: number },
    events: {} as DeviceEvent,
    emitted: {} as DeviceCommand,
  },
  actions: {
    sendRegister: emit(({ context: { gate, hasTriedCredentials: withCredentials, wantedSeconds: seconds } }) => ({
      type: 'send.register',
      gate,
      withCredentials,
      seconds,
    })),
    sendUnregister: emit(({ context: { gate, hasTriedCredentials: withCredentials } }) => ({
      type: 'send.unregister',
      gate,
      withCredentials,
    })),
    beginAnew: assign({ hasTriedCredentials: false }),
    tryCredentials: assign({ hasTriedCredentials: true }),
    preferFirst: assign({ gate: 0 }),
    keepGrant: assign(({ context, event }) => ({
      isBound: true,
      hasTriedCredentials: false,
      backoffMs: firstBackoffMs,
      expiresMs: 1_000 * Math.min(grantedSeconds(event), context.wantedSeconds),
    })),
    giveUpGate: assign(({ context, event }) => afterFailure(context, event)),
    loseBinding: assign(({ event }) => ({
      isBound: false,
      pauseMs: event.type === 'binding.lost' ? firstBackoffMs * (1 - event.jitter / 2) : firstBackoffMs,
    })),
    markLost: assign({ isBound: false }),
    forget: assign({ isBound: false, hasTriedCredentials: false, backoffMs: firstBackoffMs }),
    unexpected: emit(({ event }) => ({ type: 'event.unexpected', event: event.type })),
  },
  guards: {
    isGranted: ({ event }) => isResponse(event) && event.status < 300 && grantedSeconds(event) > 0,
    isChallenged: ({ context, event }) =>
      isResponse(event) && (event.status === 401 || event.status === 407) && !context.hasTriedCredentials,
  },
  delays: {
    refresh: ({ context }) => Math.max(context.expiresMs * 0.9, shortestRefreshMs),
    pause: ({ context }) => context.pauseMs,
  },
}).createMachine({
  id: 'device',
  context: ({ input }) => ({
    gates: input.gates,
    gate: 0,
    hasTriedCredentials: false,
    isBound: false,
    wantedSeconds: usualSeconds,
    expiresMs: 0,
    backoffMs: firstBackoffMs,
    pauseMs: 0,
  }),
  initial: 'off',
  on: { '*': { actions: 'unexpected' } },
  states: {
    off: {
      on: {
        'register.wanted': { target: 'registering', actions: ['preferFirst', 'beginAnew'] },
        'unregister.wanted': {},
        'response.received': {},
        'gate.doubted': {},
        'binding.lost': {},
      },
    },
    registering: {
      entry: 'sendRegister',
      on: {
        'register.wanted': {},
        'gate.doubted': {},
        'binding.lost': { actions: 'markLost' },
        'unregister.wanted': { target: 'leaving', actions: 'beginAnew' },
        'response.received': [
          { guard: 'isGranted', target: 'registered', actions: 'keepGrant' },
          { guard: 'isChallenged', target: 'registering', reenter: true, actions: 'tryCredentials' },
          { target: 'resting', actions: 'giveUpGate' },
        ],
      },
    },
    registered: {
      after: { refresh: { target: 'registering', actions: ['preferFirst', 'beginAnew'] } },
      on: {
        'register.wanted': { target: 'registering', actions: ['preferFirst', 'beginAnew'] },
        'gate.doubted': { target: 'registering', actions: 'beginAnew' },
        'unregister.wanted': { target: 'leaving', actions: 'beginAnew' },
        'binding.lost': { target: 'resting', actions: 'loseBinding' },
        'response.received': {},
      },
    },
    /** Between a failure and the next attempt. */
    resting: {
      after: { pause: { target: 'registering', actions: 'beginAnew' } },
      on: {
        'register.wanted': { target: 'registering', actions: 'beginAnew' },
        'unregister.wanted': { target: 'leaving', actions: 'beginAnew' },
        'response.received': {},
        'gate.doubted': {},
        'binding.lost': { actions: 'markLost' },
      },
    },
    leaving: {
      entry: 'sendUnregister',
      on: {
        'register.wanted': { target: 'registering', actions: 'beginAnew' },
        'unregister.wanted': {},
        'gate.doubted': {},
        'binding.lost': { actions: 'markLost' },
        'response.received': [
          { guard: 'isChallenged', target: 'leaving', reenter: true, actions: 'tryCredentials' },
          { target: 'off', actions: 'forget' },
        ],
      },
    },
  },
});

function isResponse(event: DeviceEvent): event is Response {
  return event.type === 'response.received';
}

function grantedSeconds(event: DeviceEvent): number {
  return isResponse(event) ? (event.expiresSeconds ?? usualSeconds) : 0;
}

/** The next gate, after a delay that jitter shortens by up to a half. A 423 names the minimum expiry. */
function afterFailure(context: DeviceContext, event: DeviceEvent): Partial<DeviceContext> {
  if (!isResponse(event)) return {};
  const { status, expiresSeconds = 0, jitter } = event;
  const isLasting = lasting.has(status);
  const backoffMs = isLasting ? longestBackoffMs : context.backoffMs;
  return {
    gate: (context.gate + 1) % context.gates,
    isBound: context.isBound && !isLasting,
    wantedSeconds: status === 423 ? Math.max(context.wantedSeconds, expiresSeconds) : context.wantedSeconds,
    pauseMs: backoffMs * (1 - jitter / 2),
    backoffMs: Math.min(backoffMs * 2, longestBackoffMs),
  };
}
