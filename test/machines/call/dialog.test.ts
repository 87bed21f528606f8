/** A call of b2b: every event in every state, and every deadline. */

import { type DialogContext, dialogMachine } from '../../../src/machines/call/dialog.ts';
import type { DialogCommand, DialogEnd, DialogEvent, Said } from '../../../src/machines/call/dialog-events.ts';
import { type FinalFailure, noForks, type TargetGroup } from '../../../src/machines/call/dialog-forks.ts';
import { limits } from '../../../src/model/limits.ts';
import { machineTable, type Row } from '../../kit/machine-table.ts';
import { test } from '../../kit/test.ts';

type DialogRow = Row<typeof dialogMachine>;

const desk = { key: 'desk', ringMs: 30_000 };
const soft = { key: 'soft', ringMs: 30_000 };
const mobile = { key: 'mobile', ringMs: 10_000 };
const busy: FinalFailure = { status: 486, reason: 'Busy Here' };
const declined: FinalFailure = { status: 603, reason: 'Decline' };
const away: FinalFailure = { status: 503, reason: 'Service Unavailable' };
const terminated: FinalFailure = { status: 487, reason: 'Request Terminated' };
const timeout: FinalFailure = { status: 408, reason: 'Request Timeout' };
const unavailable: FinalFailure = { status: 480, reason: 'Temporarily Unavailable' };
const loop: FinalFailure = { status: 482, reason: 'Loop Detected' };
const tooMany: FinalFailure = { status: 483, reason: 'Too Many Hops' };

const found = (...groups: TargetGroup[]): DialogEvent => ({ type: 'routes.found', groups });
const failed: DialogEvent = { type: 'routes.failed', failure: { status: 404, reason: 'Not Found' } };
const rang: DialogEvent = { type: 'fork.rang', fork: 1, status: 180 };
const answered = (fork: number): DialogEvent => ({ type: 'fork.answered', fork, talkMs: 60_000 });
const refused = (fork: number, failure: FinalFailure): DialogEvent => ({ type: 'fork.refused', fork, failure });
const redirected: DialogEvent = { type: 'fork.redirected', fork: 1 };
const contacts = (...groups: TargetGroup[]): DialogEvent => ({ type: 'contacts.found', fork: 1, groups, restMs: {} });
const noContacts: DialogEvent = { type: 'contacts.failed', fork: 1, failure: away };
const refusal = { status: 407, reason: 'Proxy Authentication Required' };
const unwelcome: DialogEvent = { type: 'caller.refused', refusal };
const cancel: DialogEvent = { type: 'caller.cancelled' };
const left = (side: 'a' | 'b', isLost = false): DialogEvent => ({ type: 'party.left', side, isLost });
const legsGone: DialogEvent = { type: 'legs.gone' };
const end: DialogEvent = { type: 'end.requested' };
const held: Said = { what: 'media', media: 'sendonly' };
const refer: Said = { what: 'refer', referTo: { uri: 'sip:1003@acme.root.test' }, referredBy: undefined };
const says = (said: Said): DialogEvent => ({ type: 'party.said', side: 'a', said });

const publishInvite: DialogCommand = { type: 'publish.invite' };
const init: DialogCommand = { type: 'publish.init' };
const gone: DialogCommand = { type: 'publish.gone' };
const findRoutes = (side: 'a' | 'b'): DialogCommand => ({ type: 'find.routes', side });
const call = (side: 'a' | 'b', ...forks: [number, string][]): DialogCommand => ({
  type: 'call.forks',
  side,
  forks: forks.map(([fork, key]) => ({ fork, key })),
});
const stop = (fork: number, failure: FinalFailure): DialogCommand => ({ type: 'stop.fork', fork, failure });
const cancelForks = (forks: number[], failure = terminated): DialogCommand => ({
  type: 'cancel.forks',
  forks,
  failure,
});
const over = (how: DialogEnd): DialogCommand[] => [
  { type: 'end.legs', end: how },
  { type: 'publish.end', end: how },
];
const isStopped = (how: DialogEnd): DialogCommand => ({ type: 'publish.stop', end: how });

const error = (failure: FinalFailure): DialogEnd => ({ type: 'error', ...failure });
const final = (failure: FinalFailure): DialogEnd => ({ type: 'call_final', ...failure });
const bye: DialogEnd = { type: 'bye', status: 0, reason: '', by: 'a' };
const lost: DialogEnd = { type: 'error', ...timeout, by: 'a' };
const tookBack: DialogEnd = { type: 'cancel', ...terminated, by: 'a' };
const terminate: DialogEnd = { type: 'call_terminate', ...unavailable };
const disconnect: DialogEnd = { type: 'call_terminate', status: 0, reason: '' };
const noAnswer: DialogEnd = { type: 'timeout', ...timeout };
const notFound: DialogEnd = error({ status: 404, reason: 'Not Found' });

/** Two devices are called, a third is called when neither can be reached. */
const one = { ...noForks, made: 1, open: [1], tried: ['desk'], restMs: { 1: 30_000 }, ringMs: 30_000 };
const two = {
  ...{ ...noForks, made: 2, open: [1, 2], tried: ['desk', 'soft'] },
  ...{ restMs: { 1: 30_000, 2: 30_000 }, ringMs: 30_000 },
};
const inTurn = { ...one, waiting: [[mobile]] };
const redirecting = { ...one, open: [], redirecting: [1], redirects: 1 };
const spent = { ...one, redirects: limits.redirects };
const before = (forks: typeof one | typeof inTurn) => ({ before: { forks } as Partial<DialogContext> });
const noneOpen = { after: { forks: { ...noForks, made: 2, tried: ['desk', 'soft'], ringMs: 30_000 } } };

const everything: readonly DialogEvent[] = [
  unwelcome,
  found([desk]),
  failed,
  rang,
  answered(1),
  refused(1, busy),
  redirected,
  contacts([soft]),
  noContacts,
  cancel,
  left('a'),
  legsGone,
  end,
  says(held),
];

/** The events that a state ignores on purpose. */
function ignored(state: string, ...types: DialogEvent['type'][]): DialogRow[] {
  return everything.filter(({ type }) => types.includes(type)).map((event) => [state, event, state, []]);
}

const forkEvents = ['fork.rang', 'fork.answered', 'fork.refused', 'fork.redirected'] as const;
const contactEvents = ['contacts.found', 'contacts.failed'] as const;
const routeEvents = ['caller.refused', 'routes.found', 'routes.failed'] as const;

/** While X or Y is called: what failures come to. */
function failing(state: 'reaching' | 'forking', side: 'a' | 'b'): DialogRow[] {
  return [
    [state, refused(2, busy), state, []],
    [state, refused(1, busy), 'over.ending', [stop(1, busy), ...over(final(busy))]],
    [state, refused(1, busy), state, [stop(1, busy)], before(two)],
    [state, refused(1, busy), 'over.ending', [stop(1, busy), ...over(final(busy))], before(inTurn)],
    [state, refused(1, away), state, [stop(1, away), call(side, [2, 'mobile'])], before(inTurn)],
    [
      state,
      refused(1, declined),
      'over.ending',
      [stop(1, declined), cancelForks([2]), ...over(final(declined))],
      before(two),
    ],
    [
      state,
      refused(1, { status: 407, reason: 'Proxy Authentication Required' }),
      'over.ending',
      [
        stop(1, { status: 407, reason: 'Proxy Authentication Required' }),
        ...over(final({ status: 403, reason: 'Forbidden' })),
      ],
    ],
    [state, { type: 'fork.redirected', fork: 2 }, state, []],
    [state, redirected, state, [{ type: 'find.contacts', fork: 1 }], { after: { forks: redirecting } }],
    [state, redirected, 'over.ending', [stop(1, tooMany), ...over(final(tooMany))], before(spent)],
    [state, contacts([soft]), state, []],
    [state, { ...contacts([soft]), fork: 2 } as DialogEvent, state, [], before(redirecting)],
    [state, contacts([soft, desk], [mobile]), state, [call(side, [2, 'soft'])], before(redirecting)],
    [state, contacts([desk]), 'over.ending', over(final(loop)), before(redirecting)],
    [state, contacts([desk]), state, [], before({ ...redirecting, open: [1] })],
    [state, noContacts, state, []],
    [state, noContacts, 'over.ending', over(final(away)), before(redirecting)],
    [state, noContacts, state, [call(side, [2, 'mobile'])], before({ ...redirecting, waiting: [[mobile]] })],
    [state, noContacts, state, [], before({ ...redirecting, open: [1] })],
    [state, end, 'over.ending', [cancelForks([1]), ...over(terminate)]],
    [state, says(held), state, []],
    [state, says(refer), state, [{ type: 'refuse.refer', by: 'a', status: 491 }]],
    ...ignored(state, 'legs.gone', ...routeEvents),
  ];
}

const context: DialogContext = {
  isOriginated: false,
  isProven: false,
  isPublished: true,
  forks: one,
  hasRung: false,
  talkMs: 60_000,
  end: { type: 'error', status: 0, reason: '' },
};
const unbegun = { forks: noForks } as const;
const unproven = { ...unbegun, isPublished: false } as const;
const known = { isPublished: true } as const;

/** Y has two devices, of which the second one may ring for a shorter time. */
const abreast = [found([desk]), answered(1), found([soft, mobile])];

machineTable(test, 'a call', {
  machine: dialogMachine,
  events: {
    'caller.refused': true,
    'routes.found': true,
    'routes.failed': true,
    'fork.rang': true,
    'fork.answered': true,
    'fork.refused': true,
    'fork.redirected': true,
    'contacts.found': true,
    'contacts.failed': true,
    'caller.cancelled': true,
    'party.left': true,
    'legs.gone': true,
    'end.requested': true,
    'party.said': true,
  },
  context,
  rows: [
    [
      'finding',
      found([desk, soft], [mobile]),
      'reaching',
      [publishInvite, init, call('a', [1, 'desk'], [2, 'soft'])],
      { before: unproven, after: known },
    ],
    [
      'finding',
      found([], []),
      'over.ending',
      [publishInvite, ...over(error(unavailable))],
      { before: unproven, after: known },
    ],
    ['finding', failed, 'over.ending', [publishInvite, ...over(notFound)], { before: unproven, after: known }],
    ['finding', end, 'over.ending', [publishInvite, ...over(terminate)], { before: unproven, after: known }],
    ['finding', says(refer), 'finding', [{ type: 'refuse.refer', by: 'a', status: 491 }]],
    ...ignored(
      'finding',
      'caller.refused',
      'caller.cancelled',
      'party.left',
      'legs.gone',
      ...forkEvents,
      ...contactEvents,
    ),

    ...failing('reaching', 'a'),
    ['reaching', answered(2), 'reaching', []],
    ['reaching', answered(1), 'routing', [{ type: 'take.caller', fork: 1 }, findRoutes('b')]],
    [
      'reaching',
      answered(2),
      'routing',
      [{ type: 'take.caller', fork: 2 }, cancelForks([1]), findRoutes('b')],
      { ...before(two), ...noneOpen },
    ],
    ...ignored('reaching', 'fork.rang', 'caller.cancelled', 'party.left'),

    ['routing', found([desk]), 'forking', [init, call('b', [1, 'desk'])], { before: unbegun }],
    ['routing', found([desk]), 'forking', [call('b', [2, 'desk'])]],
    [
      'routing',
      found([desk]),
      'forking',
      [publishInvite, init, call('b', [1, 'desk'])],
      { before: unproven, after: known },
    ],
    ['routing', failed, 'over.ending', [publishInvite, ...over(notFound)], { before: unproven, after: known }],
    ['routing', cancel, 'over.ending', [publishInvite, ...over(tookBack)], { before: unproven, after: known }],
    ['routing', found(), 'over.ending', over(error(unavailable)), { before: unbegun }],
    ['routing', failed, 'over.ending', over(notFound), { before: unbegun }],
    ['routing', unwelcome, 'stopped', [{ type: 'refuse.caller', refusal }], { before: unbegun }],
    ['routing', unwelcome, 'routing', [], { before: { isOriginated: true } }],
    ['routing', cancel, 'over.ending', over(tookBack), { before: unbegun }],
    ['routing', left('a'), 'over.ending', over(tookBack), { before: unbegun }],
    ['routing', left('a', true), 'over.ending', over(lost), { before: unbegun }],
    ['routing', left('b'), 'routing', []],
    ['routing', end, 'over.ending', over(terminate), { before: unbegun }],
    ['routing', says(held), 'routing', []],
    ['routing', says(refer), 'routing', [{ type: 'refuse.refer', by: 'a', status: 491 }]],
    ...ignored('routing', 'legs.gone', ...forkEvents, ...contactEvents),

    ...failing('forking', 'b'),
    ['forking', rang, 'forking', [{ type: 'ring.caller', status: 180 }], { after: { hasRung: true } }],
    ['forking', rang, 'forking', [], { before: { hasRung: true } }],
    [
      'forking',
      { type: 'fork.rang', fork: 1, status: 183 },
      'forking',
      [{ type: 'ring.caller', status: 183 }],
      { after: { hasRung: false } },
    ],
    ['forking', { type: 'fork.rang', fork: 1, status: 183 }, 'forking', [], { before: { hasRung: true } }],
    [
      'forking',
      { type: 'fork.rang', fork: 1, status: 183, plays: 'busy.wav' },
      'forking',
      [{ type: 'ring.caller', status: 183, plays: 'busy.wav' }],
      { before: { hasRung: true }, after: { hasRung: true } },
    ],
    ['forking', { type: 'fork.rang', fork: 2, status: 180 }, 'forking', []],
    ['forking', answered(2), 'forking', []],
    ['forking', answered(1), 'talking', [{ type: 'connect', fork: 1 }]],
    [
      'forking',
      answered(2),
      'talking',
      [{ type: 'connect', fork: 2 }, cancelForks([1])],
      { ...before(two), ...noneOpen },
    ],
    ['forking', cancel, 'over.ending', [cancelForks([1]), ...over(tookBack)]],
    ['forking', left('a'), 'over.ending', [cancelForks([1]), ...over(tookBack)]],
    ['forking', left('a', true), 'over.ending', [cancelForks([1]), ...over(lost)]],
    ['forking', left('b', true), 'forking', []],

    ['talking', left('a'), 'over.ending', over(bye), { before: unbegun }],
    ['talking', left('b'), 'over.ending', over({ ...bye, by: 'b' }), { before: unbegun }],
    ['talking', left('b', true), 'over.ending', over({ ...lost, by: 'b' }), { before: unbegun }],
    ['talking', end, 'over.ending', over(disconnect), { before: unbegun }],
    ['talking', says(held), 'talking', [{ type: 'pass.on', to: 'b', said: held }]],
    ['talking', { type: 'party.said', side: 'b', said: refer }, 'talking', [{ type: 'pass.on', to: 'a', said: refer }]],
    ...ignored('talking', 'caller.cancelled', 'legs.gone', ...routeEvents, ...forkEvents, ...contactEvents),

    ['over.ending', legsGone, 'over.closing', [gone]],
    ['over.closing', legsGone, 'over.closing', []],
    ...['over.ending', 'over.closing'].flatMap((state) => [
      ...ignored(state, 'caller.cancelled', 'party.left', 'end.requested', 'party.said'),
      ...ignored(state, ...routeEvents, ...forkEvents, ...contactEvents),
    ]),
  ],
  input: { isOriginated: true, isProven: true },
  deadlines: [
    [[], 'finding', 10_000, 'over.ending', [publishInvite, ...over(error(away))]],
    [[found([desk])], 'reaching', 30_000, 'over.ending', [cancelForks([1], timeout), ...over(noAnswer)]],
    [[found([desk]), answered(1)], 'routing', 10_000, 'over.ending', over(error(away))],
    [
      [found([desk]), answered(1), found([mobile]), 10_000 - 1],
      'forking',
      1,
      'over.ending',
      [cancelForks([2], timeout), ...over(noAnswer)],
    ],
    [
      [found([desk]), answered(1), found([mobile], [soft]), 9_000, refused(2, away)],
      'forking',
      30_000,
      'over.ending',
      [cancelForks([3], timeout), ...over(noAnswer)],
    ],
    [[...abreast], 'forking', 10_000, 'forking', [cancelForks([3], timeout)]],
    [[...abreast, 10_000], 'forking', 20_000, 'over.ending', [cancelForks([2], timeout), ...over(noAnswer)]],
    [[...abreast, refused(2, busy)], 'forking', 10_000, 'over.ending', [cancelForks([3], timeout), ...over(noAnswer)]],
    [[...abreast, refused(3, busy)], 'forking', 10_000, 'forking', []],
    [[...abreast, { type: 'fork.redirected', fork: 2 }], 'forking', 10_000, 'forking', [cancelForks([3], timeout)]],
    [
      [found([desk]), answered(1), found([mobile]), answered(2)],
      'talking',
      60_000,
      'over.ending',
      over({ type: 'timeout', status: 0, reason: 'time limit' }),
    ],
    [[failed], 'over.ending', 3_000, 'stopped', [gone, isStopped(notFound)]],
    [[failed, 2_000, legsGone], 'over.closing', 1_000, 'stopped', [isStopped(notFound)]],
  ],
});
