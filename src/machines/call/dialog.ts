/**
 * One call as b2b has it: side a, the targets that it calls at side b, and how it ends. Messages, routes and events are
 * the role's; here are the order of things and the rules: the first 2xx wins, all other forks are cancelled, a call ends once.
 *
 * A call that the platform originates calls X first (`finding`, `reaching`), which then is side a as if it had called Y.
 */
import { assertEvent, assign, emit, enqueueActions, setup } from 'xstate';
import { limits } from '../../model/limits.ts';
import type { Side } from '../../model/protocol/messages/dialog.ts';
import type { DialogCommand, DialogEnd, DialogEvent } from './dialog-events.ts';
import {
  begin,
  callNext,
  expiredIn,
  type FinalFailure,
  type Forks,
  type ForkVerdict,
  hasTimeLeft,
  named,
  noForks,
  settled,
  verdictOf,
  withContacts,
  withExpired,
  withoutContacts,
  withRedirected,
  withRefused,
} from './dialog-forks.ts';

export interface DialogContext {
  readonly isOriginated: boolean;
  /** The caller need not show who it is. */
  readonly isProven: boolean;
  /** Whether the events of the call have begun: its first routes are known, or it has ended. */
  readonly isPublished: boolean;
  readonly forks: Forks;
  readonly hasRung: boolean;
  readonly talkMs: number;
  readonly end: DialogEnd;
}

/** `find`: with room for all asks of a routing. `stop`: between dlg_end and dlg_stop (public). */
export const dialogDelaysMs = { find: 10_000, stop: 3_000 } as const;

const cancelled: FinalFailure = { status: 487, reason: 'Request Terminated' };
const noAnswer: FinalFailure = { status: 408, reason: 'Request Timeout' };
const unavailable: FinalFailure = { status: 480, reason: 'Temporarily Unavailable' };
const tooMany: FinalFailure = { status: 483, reason: 'Too Many Hops' };
const endings = {
  notFound: { type: 'error', status: 503, reason: 'Service Unavailable' },
  tooLong: { type: 'timeout', ...noAnswer },
  talkedOut: { type: 'timeout', status: 0, reason: 'time limit' },
  cancelled: { type: 'cancel', ...cancelled, by: 'a' },
  requested: { type: 'call_terminate', ...unavailable },
  /** A BYE ends an answered call: no status does. */
  disconnected: { type: 'call_terminate', status: 0, reason: '' },
} as const satisfies Record<string, DialogEnd>;

/** The book of forks after an event about one of them. */
function booked(forks: Forks, event: DialogEvent): Forks {
  switch (event.type) {
    case 'fork.refused':
      return withRefused(forks, event.fork, event.failure);
    case 'fork.redirected':
      return forks.redirects < limits.redirects
        ? withRedirected(forks, event.fork)
        : withRefused(forks, event.fork, tooMany);
    case 'contacts.found':
      return withContacts(forks, event.fork, event);
    case 'contacts.failed':
      return withoutContacts(forks, event.fork, event.failure);
    default:
      return forks;
  }
}

function comesTo(verdict: ForkVerdict) {
  return ({ context, event }: { context: DialogContext; event: DialogEvent }) =>
    verdictOf(booked(context.forks, event)) === verdict;
}

const chart = setup({
  types: {
    context: {} as DialogContext,
    input: {} as Pick<DialogContext, 'isOriginated' | 'isProven'>,
    events: {} as DialogEvent,
    emitted: {} as DialogCommand,
  },
  actions: {
    list: emit({ type: 'list' }),
    findCaller: emit({ type: 'find.routes', side: 'a' }),
    findCallee: emit({ type: 'find.routes', side: 'b' }),
    refuseCaller: emit(({ event }) => ({
      type: 'refuse.caller',
      refusal: event.type === 'caller.refused' ? event.refusal : unavailable,
    })),
    publishInvite: enqueueActions(({ context: { isPublished }, enqueue }) => {
      if (isPublished) return;
      enqueue.assign({ isPublished: true });
      enqueue.emit({ type: 'publish.invite' });
    }),
    publishInit: enqueueActions(({ context: { forks }, enqueue }) => {
      if (forks.made === forks.fresh.length) enqueue.emit({ type: 'publish.init' });
    }),
    keepRoutes: assign(({ context, event }) =>
      event.type === 'routes.found' ? { forks: begin(context.forks, event.groups) } : {},
    ),
    callNext: assign({ forks: ({ context }) => callNext(context.forks) }),
    callForks: enqueueActions(({ context: { forks }, enqueue }, { side }: { side: Side }) => {
      if (forks.fresh.length > 0) enqueue.emit({ type: 'call.forks', side, forks: forks.fresh });
    }),
    book: assign({ forks: ({ context, event }) => booked(context.forks, event) }),
    stopFork: emit(({ event }) => {
      assertEvent(event, ['fork.refused', 'fork.redirected']);
      const failure = event.type === 'fork.refused' ? event.failure : tooMany;
      return { type: 'stop.fork', fork: event.fork, failure };
    }),
    findContacts: emit(({ event }) => {
      assertEvent(event, 'fork.redirected');
      return { type: 'find.contacts', fork: event.fork };
    }),
    /** Cancels the forks that are still called, except the one that has just answered. */
    cancelForks: enqueueActions(({ context, event, enqueue }, { failure }: { failure: FinalFailure }) => {
      const { open, waiting, redirecting } = context.forks;
      if (open.length + waiting.length + redirecting.length === 0) return;
      const winner = event.type === 'fork.answered' ? event.fork : undefined;
      const forks = open.filter((fork) => fork !== winner);
      if (forks.length > 0) enqueue.emit({ type: 'cancel.forks', forks, failure });
      enqueue.assign({ forks: settled(context.forks) });
    }),
    /** Cancels the forks that have rung for as long as they may. */
    cancelExpired: enqueueActions(({ context: { forks }, enqueue }) => {
      const expired = expiredIn(forks);
      if (expired.length > 0) enqueue.emit({ type: 'cancel.forks', forks: expired, failure: noAnswer });
      enqueue.assign({ forks: withExpired(forks, noAnswer) });
    }),
    ring: emit(({ event }) => {
      const { status = 180, plays = undefined } = event.type === 'fork.rang' ? event : {};
      return { type: 'ring.caller', status, ...(plays !== undefined && { plays }) };
    }),
    keepRung: assign(({ context, event }) => ({
      hasRung: context.hasRung || (event.type === 'fork.rang' && event.status === 180),
    })),
    takeCaller: emit(({ event }) => {
      assertEvent(event, 'fork.answered');
      return { type: 'take.caller', fork: event.fork };
    }),
    limitTalk: assign(({ event }) => (event.type === 'fork.answered' ? { talkMs: event.talkMs } : {})),
    connect: emit(({ event }) => {
      assertEvent(event, 'fork.answered');
      return { type: 'connect', fork: event.fork };
    }),
    passOn: enqueueActions(({ event, enqueue }) => {
      if (event.type !== 'party.said') return;
      enqueue.emit({ type: 'pass.on', to: event.side === 'a' ? 'b' : 'a', said: event.said });
    }),
    refuseRefer: enqueueActions(({ event, enqueue }, { status }: { status: number }) => {
      if (event.type !== 'party.said' || event.said.what !== 'refer') return;
      enqueue.emit({ type: 'refuse.refer', by: event.side, status });
    }),
    end: assign((_, end: DialogEnd) => ({ end })),
    endUnrouted: assign(({ event }) => ({
      end: { type: 'error', ...(event.type === 'routes.failed' ? event.failure : unavailable) },
    })),
    endRefused: assign(({ context }) => ({ end: { type: 'call_final', ...(context.forks.failure ?? unavailable) } })),
    endLeft: assign(({ event }) => {
      if (event.type !== 'party.left') return {};
      const { side: by, isLost } = event;
      return { end: isLost ? { type: 'error', ...noAnswer, by } : { type: 'bye', status: 0, reason: '', by } };
    }),
    endLegs: emit(({ context: { end } }) => ({ type: 'end.legs', end })),
    publishEnd: emit(({ context: { end } }) => ({ type: 'publish.end', end })),
    publishGone: emit({ type: 'publish.gone' }),
    publishStop: emit(({ context: { end } }) => ({ type: 'publish.stop', end })),
    unexpected: emit(({ event }) => ({ type: 'event.unexpected', event: event.type })),
  },
  guards: {
    hasTargets: ({ event }) => event.type === 'routes.found' && named(event.groups).length > 0,
    isStrange: ({ context, event }) => !('fork' in event && context.forks.open.includes(event.fork)),
    isUnasked: ({ context, event }) => !('fork' in event && context.forks.redirecting.includes(event.fork)),
    mayRedirect: ({ context }) => context.forks.redirects < limits.redirects,
    hasTimeLeft: ({ context }) => hasTimeLeft(context.forks),
    isDeclined: comesTo('declined'),
    isNext: comesTo('next'),
    isExhausted: comesTo('exhausted'),
    /** A redirection leads to targets that were not called before. */
    isMoved: ({ context, event }) => booked(context.forks, event).fresh.length > 0,
    /** The caller hears that it rings; only an announcement says more. */
    isRinging: ({ context, event }) => context.hasRung && !(event.type === 'fork.rang' && event.plays !== undefined),
    isOriginated: ({ context }) => context.isOriginated,
    isProven: ({ context }) => context.isProven,
    isCalleeSide: ({ event }) => event.type === 'party.left' && event.side === 'b',
    isLost: ({ event }) => event.type === 'party.left' && event.isLost,
  },
  delays: {
    ...dialogDelaysMs,
    ring: ({ context }) => context.forks.ringMs,
    talk: ({ context }) => context.talkMs,
  },
});

const requested = { target: 'over', actions: { type: 'end', params: endings.requested } } as const;
const disconnected = { target: 'over', actions: { type: 'end', params: endings.disconnected } } as const;
const unrouted = { target: 'over', actions: 'endUnrouted' } as const;
const unfound = { target: 'over', actions: { type: 'end', params: endings.notFound } } as const;
const withdrawn = { target: 'over', actions: { type: 'end', params: endings.cancelled } } as const;
const left = { target: 'over', actions: 'endLeft' } as const;
/** A caller who hangs up before there is a callee takes the call back, as CANCEL does. */
const callerLeft = [{ guard: 'isCalleeSide' }, { guard: 'isLost', ...left }, withdrawn] as const;

/** Events that come too late, or of a side that is not there yet: ignored on purpose. */
const noRoutes = { 'caller.refused': {}, 'routes.found': {}, 'routes.failed': {} } as const;
const noForking = {
  'fork.rang': {},
  'fork.answered': {},
  'fork.refused': {},
  'fork.redirected': {},
  'contacts.found': {},
  'contacts.failed': {},
} as const;
const noCaller = { 'caller.cancelled': {}, 'party.left': {} } as const;
/** There is no other party yet: a REFER has to wait (RFC 3261 21.4.27). */
const alone = { 'party.said': { actions: { type: 'refuseRefer', params: { status: 491 } } }, 'legs.gone': {} } as const;

const stopOthers = { type: 'cancelForks', params: { failure: cancelled } } as const;
const stopAll = { type: 'cancelForks', params: { failure: noAnswer } } as const;
const tooLong = { target: 'over', actions: [stopAll, { type: 'end', params: endings.tooLong }] } as const;
const strange = { guard: 'isStrange' } as const;
const unasked = { guard: 'isUnasked' } as const;
const exhausted = { target: 'over', actions: ['book', 'endRefused'] } as const;
const allRefused = { target: 'over', actions: ['stopFork', 'book', 'endRefused'] } as const;

const callX = { type: 'callForks', params: { side: 'a' } } as const;
const callY = { type: 'callForks', params: { side: 'b' } } as const;
const nextX = { guard: 'isNext', target: 'reaching', reenter: true } as const;
const nextY = { guard: 'isNext', target: 'forking', reenter: true } as const;

/** Y rings anew where it is redirected to; X not for longer than the request says. */
const movedX = {} as const;
const movedY = { target: 'forking', reenter: true } as const;

/** While forks are called: the verdict on their failures. `next` calls the group that waits, and `moved` where a fork is redirected to, by `call`. */
function failing<
  N extends typeof nextX | typeof nextY,
  M extends typeof movedX | typeof movedY,
  C extends typeof callX | typeof callY,
>(next: N, moved: M, call: C) {
  const refused = [
    { guard: 'isDeclined', ...allRefused },
    { ...next, actions: ['stopFork', 'book', 'callNext', call] },
    { guard: 'isExhausted', ...allRefused },
    { actions: ['stopFork', 'book'] },
  ] as const;
  const lost = [
    { guard: 'isDeclined', ...exhausted },
    { ...next, actions: ['book', 'callNext', call] },
    { guard: 'isExhausted', ...exhausted },
  ] as const;
  return {
    'fork.refused': [strange, ...refused],
    'fork.redirected': [strange, { guard: 'mayRedirect', actions: ['book', 'findContacts'] }, ...refused],
    'contacts.found': [unasked, ...lost, { guard: 'isMoved', ...moved, actions: ['book', call] }, { actions: 'book' }],
    'contacts.failed': [unasked, ...lost, { actions: 'book' }],
  } as const;
}

export const dialogMachine = chart.createMachine({
  id: 'dialog',
  context: ({ input: { isOriginated, isProven } }) => {
    const end: DialogEnd = { type: 'error', status: 0, reason: '' };
    return { isOriginated, isProven, isPublished: false, forks: noForks, hasRung: false, talkMs: 0, end };
  },
  initial: 'beginning',
  on: { '*': { actions: 'unexpected' } },
  states: {
    beginning: {
      always: [
        { guard: 'isOriginated', target: 'finding', actions: 'list' },
        { guard: 'isProven', target: 'routing', actions: 'list' },
        { target: 'routing' },
      ],
    },

    finding: {
      entry: 'findCaller',
      after: { find: unfound },
      on: {
        ...noForking,
        ...noCaller,
        ...alone,
        'caller.refused': {},
        'routes.found': [
          { guard: 'hasTargets', target: 'reaching', actions: ['publishInvite', 'keepRoutes', 'publishInit', callX] },
          unrouted,
        ],
        'routes.failed': unrouted,
        'end.requested': requested,
      },
    },
    reaching: {
      after: { ring: tooLong },
      on: {
        ...noRoutes,
        ...noCaller,
        ...alone,
        ...failing(nextX, movedX, callX),
        'fork.rang': {},
        'fork.answered': [strange, { target: 'routing', actions: ['takeCaller', stopOthers] }],
        'end.requested': requested,
      },
    },
    routing: {
      entry: 'findCallee',
      after: { find: unfound },
      on: {
        ...noForking,
        ...alone,
        'caller.refused': [{ guard: 'isOriginated' }, { target: 'stopped', actions: 'refuseCaller' }],
        'routes.found': [
          { guard: 'hasTargets', target: 'forking', actions: ['publishInvite', 'keepRoutes', 'publishInit', callY] },
          unrouted,
        ],
        'routes.failed': unrouted,
        'caller.cancelled': withdrawn,
        'party.left': callerLeft,
        'end.requested': requested,
      },
    },
    forking: {
      after: {
        ring: [{ guard: 'hasTimeLeft', target: 'forking', reenter: true, actions: 'cancelExpired' }, tooLong],
      },
      on: {
        ...noRoutes,
        ...alone,
        ...failing(nextY, movedY, callY),
        'fork.rang': [strange, { guard: 'isRinging' }, { actions: ['ring', 'keepRung'] }],
        'fork.answered': [strange, { target: 'talking', actions: ['limitTalk', 'connect', stopOthers] }],
        'caller.cancelled': withdrawn,
        'party.left': callerLeft,
        'end.requested': requested,
      },
    },
    talking: {
      after: { talk: { target: 'over', actions: { type: 'end', params: endings.talkedOut } } },
      on: {
        ...noRoutes,
        ...noForking,
        'caller.cancelled': {},
        'legs.gone': {},
        'party.said': { actions: 'passOn' },
        'party.left': left,
        'end.requested': disconnected,
      },
    },
    /** Its end is published. The ends of its legs and a delay remain. */
    over: {
      entry: [stopOthers, 'publishInvite', 'endLegs', 'publishEnd'],
      initial: 'ending',
      after: { stop: { target: 'stopped', actions: 'publishStop' } },
      on: { ...noRoutes, ...noForking, ...noCaller, 'party.said': {}, 'end.requested': {} },
      states: {
        // It is left when all legs are gone, or when the call is forgotten without that (`stop`).
        ending: { exit: 'publishGone', on: { 'legs.gone': 'closing' } },
        closing: { on: { 'legs.gone': {} } },
      },
    },

    stopped: { type: 'final' },
  },
});
