/**
 * A provider account and its provider: REGISTER and its answers over a lossy transport, with the provider as a small
 * machine.
 */
import { emit, setup } from 'xstate';
import { type RegistrationCommand, registrationMachine } from '../../../src/machines/registration/registration.ts';
import type { PartMessage, SystemCheck, View } from '../system/system-check.ts';

type ProviderEvent =
  | { type: 'register.received'; withCredentials: boolean; round: number }
  | { type: 'unregister.received'; round: number }
  | { type: 'silence' }
  | { type: 'revive' };

type ProviderOrder = { type: 'answer'; status: number; expiresSeconds: number; round: number };

/** The expiry that it grants. */
const grantedSeconds = 120;
const roundOf = (event: ProviderEvent) => ('round' in event ? event.round : 0);

/** A provider that challenges, grants for a while, and may be silent. */
const providerMachine = setup({
  types: { events: {} as ProviderEvent, emitted: {} as ProviderOrder },
  actions: {
    challenge: emit(({ event }) => ({ type: 'answer', status: 401, expiresSeconds: 0, round: roundOf(event) })),
    grant: emit(({ event }) => ({
      type: 'answer',
      status: 200,
      expiresSeconds: grantedSeconds,
      round: roundOf(event),
    })),
    takeBack: emit(({ event }) => ({ type: 'answer', status: 200, expiresSeconds: 0, round: roundOf(event) })),
  },
  guards: { isUnproved: ({ event }) => event.type === 'register.received' && !event.withCredentials },
  delays: { life: grantedSeconds * 1_000 },
}).createMachine({
  id: 'provider',
  type: 'parallel',
  states: {
    registration: {
      initial: 'none',
      states: {
        none: {
          on: {
            'register.received': [
              { guard: 'isUnproved', actions: 'challenge' },
              { target: 'granted', actions: 'grant' },
            ],
            'unregister.received': { actions: 'takeBack' },
          },
        },
        granted: {
          after: { life: 'none' },
          on: {
            'register.received': [
              { guard: 'isUnproved', actions: 'challenge' },
              { target: 'granted', reenter: true, actions: 'grant' },
            ],
            'unregister.received': { target: 'none', actions: 'takeBack' },
          },
        },
      },
    },
    presence: {
      initial: 'present',
      states: { present: { on: { silence: 'silent' } }, silent: { on: { revive: 'present' } } },
    },
  },
});

const round = (view: View) => view.count('account', 'send.register');

function hasIt(provider: string): boolean {
  return provider.includes('granted');
}

export const accountSystem: SystemCheck = {
  name: 'account+provider',
  parts: {
    account: {
      machine: registrationMachine,
      input: { registration: true },
      ownerEvents: [
        { event: { type: 'account.removed' }, times: 1 },
        { event: { type: 'link.lost' }, times: 1 },
        { event: { type: 'ping.failed' }, times: 1 },
      ],
    },
    provider: {
      machine: providerMachine,
      ownerEvents: [
        { event: { type: 'silence' }, times: 1 },
        { event: { type: 'revive' }, times: 1 },
      ],
    },
  },
  onCommand: ({ command, view }) => {
    const given = command as RegistrationCommand | ProviderOrder;
    const toProvider = (event: ProviderEvent): PartMessage => ({ to: 'provider', event });
    if (given.type === 'send.register')
      return [toProvider({ type: 'register.received', withCredentials: given.withCredentials, round: round(view) })];
    if (given.type === 'send.unregister') return [toProvider({ type: 'unregister.received', round: round(view) })];
    if (given.type !== 'answer') return [];
    const { status, expiresSeconds } = given;
    return [
      {
        to: 'account',
        event: { type: 'response.received', status, expiresSeconds, round: given.round } as PartMessage['event'],
      },
    ];
  },
  // An answer to an earlier REGISTER is ignored, and a silent provider receives nothing.
  onArrival: (message, view) => {
    const { round: answered } = message.event as { readonly type: string; readonly round?: number };
    if (message.to === 'provider')
      return view.state('provider').includes('silent') ? [] : [{ ...message, isReliable: true }];
    return answered === round(view) ? [{ ...message, isReliable: true }] : [];
  },
  channel: { losses: 1, duplicates: 1, inFlight: 3, latencyMs: 15_000 },
  rules: {
    'a disabled account has no registration left': (view) =>
      view.state('account') !== 'detached' ||
      view.count('account', 'send.register') === 0 ||
      !hasIt(view.state('provider')) ||
      view.count('account', 'send.unregister') === 1,
    'the registration is removed at most once': (view) => view.count('account', 'send.unregister') <= 1,
  },
  agree: (view) => {
    const [account, provider] = [view.state('account'), view.state('provider')];
    const wanted = account === 'detached' ? !hasIt(provider) : account === 'registered' && hasIt(provider);
    return wanted || `the account is ${account}, the provider ${provider}`;
  },
  mend: [{ to: 'provider', event: { type: 'revive' }, isReliable: true }],
  scenario: (move) => {
    if (move === 'provider is sent silence') return [{ fault: { silence: 'sip.telecom.test' } }];
    if (move === 'provider is sent revive') return [{ fault: { revive: 'sip.telecom.test' } }];
    return move.startsWith('lost: ') ? [{ fault: { loseOutside: { probability: 0.5 } } }] : [];
  },
  relative: { account: { round }, provider: { round } },
  counted: ['account send.unregister'],
  bound: { depth: 16, states: 30_000, healedWithinMs: 1_200_000 },
};
