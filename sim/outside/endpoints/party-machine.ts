/**
 * One call at an endpoint outside: it rings, answers or refuses, talks and hangs up, each after its time. The machine
 * has no context, so that it compiles to a table. The reaction of the call (`behaviour.ts`) has the deadlines and
 * answers; a deadline that it lacks never fires.
 *
 * `settling` and `leaving` have no deadline: the user agent always reports an end (RFC 3261 17.1, timers B, F and H).
 */
import { emit, setup } from 'xstate';
import { compile } from '../../../src/actors/compiled-machine.ts';
import type { Secret } from '../../../src/model/sip/digest.ts';
import type { OutgoingCall } from '../../../src/sip/user-agent.ts';

export type PartyEvent =
  /** An incoming call. */
  | { type: 'invited' }
  /** An incoming call that replaces one of its calls. */
  | { type: 'replaced' }
  /** It is to place a call. */
  | { type: 'placed' }
  /** Its call must be made again with credentials. */
  | { type: 'challenged' }
  | { type: 'answered' }
  /** The leg is over, whatever the reason. */
  | { type: 'over' }
  /** Device control: answer, or resume. */
  | { type: 'talk.wanted' }
  | { type: 'hold.wanted' }
  | { type: 'end.wanted' }
  /** It is to refuse a call that it has not answered. */
  | { type: 'reject.wanted' };

export type PartyCommand =
  | { type: 'ring' | 'settle' | 'answer' | 'call' | 'call.again' | 'end' | 'hold' | 'resume' }
  | { type: 'event.unexpected'; event: string };

/** Default durations in milliseconds. `patience`: how long a caller waits for the answer (chosen). */
export const partyDelaysMs = { ring: 0, refuse: 0, answer: 2_000, hangup: 5_000, patience: 180_000 } as const;
export type PartyDelay = keyof typeof partyDelaysMs;

const leaving = { target: 'leaving', actions: 'end' } as const;
const answer = { target: 'settling', actions: 'answer' } as const;
const reject = { target: 'settling', actions: 'settle' } as const;

/** A call begins in `idle`, and ends in `over`. */
export type PartyState = 'idle' | 'pending' | 'ringing' | 'calling' | 'settling' | 'talking' | 'leaving' | 'over';

/** @internal */
export const partyMachine = setup({
  types: { events: {} as PartyEvent, emitted: {} as PartyCommand },
  actions: {
    ring: emit({ type: 'ring' }),
    settle: emit({ type: 'settle' }),
    answer: emit({ type: 'answer' }),
    call: emit({ type: 'call' }),
    callAgain: emit({ type: 'call.again' }),
    end: emit({ type: 'end' }),
    hold: emit({ type: 'hold' }),
    resume: emit({ type: 'resume' }),
    unexpected: emit(({ event }) => ({ type: 'event.unexpected', event: event.type })),
  },
  delays: partyDelaysMs,
}).createMachine({
  id: 'party',
  initial: 'idle',
  on: { '*': { actions: 'unexpected' } },
  states: {
    idle: {
      on: { invited: 'pending', replaced: answer, placed: { target: 'calling', actions: 'call' } },
    },
    pending: {
      after: { ring: { target: 'ringing', actions: 'ring' }, refuse: { target: 'settling', actions: 'settle' } },
      on: { 'talk.wanted': answer, 'hold.wanted': {}, 'end.wanted': leaving, 'reject.wanted': reject, over: 'over' },
    },
    ringing: {
      after: { answer: { target: 'settling', actions: 'settle' } },
      on: { 'talk.wanted': answer, 'hold.wanted': {}, 'end.wanted': leaving, 'reject.wanted': reject, over: 'over' },
    },
    /** The final answer was sent. After a 200, its user agent keeps what is wanted until the ACK. */
    settling: {
      on: {
        answered: 'talking',
        'talk.wanted': { actions: 'resume' },
        'hold.wanted': { actions: 'hold' },
        'end.wanted': leaving,
        'reject.wanted': {},
        over: 'over',
      },
    },
    calling: {
      after: { patience: leaving },
      on: {
        challenged: { actions: 'callAgain' },
        answered: 'talking',
        'talk.wanted': {},
        'hold.wanted': {},
        'end.wanted': leaving,
        'reject.wanted': {},
        over: 'over',
      },
    },
    talking: {
      after: { hangup: leaving },
      on: {
        'talk.wanted': { actions: 'resume' },
        'hold.wanted': { actions: 'hold' },
        'end.wanted': leaving,
        'reject.wanted': {},
        over: 'over',
      },
    },
    leaving: {
      on: { answered: {}, 'talk.wanted': {}, 'hold.wanted': {}, 'end.wanted': {}, 'reject.wanted': {}, over: 'over' },
    },
    over: { type: 'final' },
  },
});

const events: readonly PartyEvent['type'][] = [
  ...(['invited', 'replaced', 'placed', 'challenged', 'answered', 'over'] as const),
  ...(['talk.wanted', 'hold.wanted', 'end.wanted', 'reject.wanted'] as const),
];

/** @internal */
export const partyTable = compile(
  partyMachine,
  events.map((type): PartyEvent => ({ type })),
);

/** Progress of a call that an endpoint makes; `failed` and `ended` are final. */
export type CallProgress =
  | { readonly type: 'rang'; readonly status: number; readonly reason: string }
  | { readonly type: 'answered' }
  | { readonly type: 'failed'; readonly status: number; readonly reason: string }
  | { readonly type: 'ended' };

/** An outgoing call. */
export interface Placing extends Pick<OutgoingCall, 'uri' | 'from' | 'to' | 'hop' | 'replaces' | 'referredBy'> {
  /** Credentials for a challenge. */
  readonly secret?: Secret;
  /** Time from the answer to the hangup; default: never. */
  readonly hangupMs?: number | undefined;
  /** Longest wait for the answer. */
  readonly patienceMs?: number | undefined;
  readonly onProgress?: ((progress: CallProgress) => void) | undefined;
}
