/** Checks of the machines of a call: leg, dialog, a call that ivr starts, an announcement. */

import { eventsOf } from '../../../src/actors/compiled-machine.ts';
import { announcementDelaysMs, announcementMachine } from '../../../src/machines/call/announcement.ts';
import { dialogMachine } from '../../../src/machines/call/dialog.ts';
import type { DialogCommand, DialogEvent } from '../../../src/machines/call/dialog-events.ts';
import type { FinalFailure, TargetGroup } from '../../../src/machines/call/dialog-forks.ts';
import { ivrCallMachine } from '../../../src/machines/call/ivr-call.ts';
import { type LegEvent, legMachine } from '../../../src/machines/sip/leg.ts';
import { limits } from '../../../src/model/limits.ts';
import type { Pick } from '../kit/choices.ts';
import { type AnyCheck, checkOf, type Here, type Run } from '../machine/machine-check.ts';

const alone = 'the user agent sends only possible events: it checks the state of the leg first';
const begun = 'a leg begins by INVITE, in either direction';

/** Final commands of a leg; the last command to its owner is one of them. */
const legFinals = [
  ...(['report.failed', 'report.withdrawn', 'report.timeout', 'report.rejected', 'report.cancelled'] as const),
  ...(['report.unreached', 'report.ended', 'report.hungup', 'report.lost'] as const),
];

const begins = ['call', 'invite.received'] as const;
const toCaller = ['ring', 'answer', 'reject'] as const;
const wants = ['offer', 'request', 'reply'] as const;
const asCallee = ['cancel.received', 'ack.received', 'ack.missed'] as const;
const invited = ['invite.accepted', 'invite.refused'] as const;
const inviting = ['invite.tried', 'invite.rang', ...invited] as const;
const offered = ['offer.accepted', 'offer.clashed', 'offer.refused'] as const;
const requested = ['request.answered', 'request.lost'] as const;

/** Events that cannot come in a state, because nothing has caused them. */
const impossible: Readonly<Record<string, readonly LegEvent['type'][]>> = {
  calling: [...begins, ...toCaller, ...wants, ...asCallee, 'bye.answered', ...offered, ...requested, 'session.lapsed'],
  proceeding: [
    ...begins,
    ...toCaller,
    ...wants,
    ...asCallee,
    'bye.answered',
    ...offered,
    ...requested,
    'session.lapsed',
  ],
  ringing: [...begins, ...toCaller, 'offer', 'reply', ...asCallee, 'bye.answered', ...offered, 'session.lapsed'],
  withdrawn: [...begins, ...toCaller, ...wants, ...asCallee, 'bye.answered', ...offered, 'session.lapsed'],
  cancelling: [...begins, ...toCaller, ...wants, ...asCallee, 'bye.answered', ...offered, 'session.lapsed'],
  expiring: [...begins, ...toCaller, ...wants, ...asCallee, 'bye.answered', ...offered, 'session.lapsed'],
  clearing: [...begins, ...toCaller, ...wants, ...invited, 'ack.missed', ...offered, 'session.lapsed'],
  incoming: [
    ...begins,
    ...wants,
    ...inviting,
    'ack.received',
    'ack.missed',
    'bye.answered',
    ...offered,
    ...requested,
    'session.lapsed',
  ],
  alerting: [
    ...begins,
    'offer',
    'request',
    ...inviting,
    'ack.received',
    'ack.missed',
    'bye.answered',
    ...offered,
    ...requested,
    'session.lapsed',
  ],
  answering: [...begins, ...toCaller, 'reply', ...inviting, 'bye.answered', ...offered, ...requested, 'session.lapsed'],
  hanging: [...begins, ...toCaller, ...inviting, 'bye.answered', ...offered, 'session.lapsed'],
  confirmed: [...begins, ...toCaller, ...invited, 'bye.answered', ...offered],
  offering: [...begins, ...toCaller, ...invited, 'bye.answered'],
  reoffering: [...begins, ...toCaller, ...invited, 'bye.answered'],
  glare: [...begins, ...toCaller, ...invited, 'bye.answered', ...offered],
  ending: [...begins, ...toCaller, ...invited],
};

const legCheck = checkOf({
  machine: legMachine,
  events: Object.fromEntries(eventsOf(legMachine).map(({ type }) => [type, true])) as Record<LegEvent['type'], true>,
  once: [
    ...legFinals,
    'report.answered',
    'report.invited',
    'send.invite',
    'send.cancel',
    'send.ok',
    'send.bye',
    'repeat.bye',
  ],
  longestMs: 660_000,
  rules: {
    'the owner gets one end, only at the end of the leg': ({ last, commands }) =>
      commands.filter(({ type }) => isLegFinal(type)).length === (last.isOver ? 1 : 0),
    'no more than one deadline runs': ({ last }) => last.deadlines.length <= 1,
    'a final answer is given once': ({ count }) =>
      count('send.ok') + count('send.refusal') + count('send.terminated') <= 1,
    'BYE is sent only where there is a dialog': ({ commands }) => {
      const bye = commands.findIndex(({ type }) => type === 'send.bye' || type === 'repeat.bye');
      return bye < 0 || commands.slice(0, bye + 1).some(({ type }) => type === 'send.ack' || type === 'send.ok');
    },
  },
  finally: { events: [{ type: 'end' }, { type: 'drop' }], waitMs: 700_000, states: ['idle', 'ended'] },
  undecided: {
    idle: { events: '*', why: begun },
    ...Object.fromEntries(Object.entries(impossible).map(([state, events]) => [state, { events, why: alone }])),
  },
  scenario: ({ type }) => {
    if (type === 'call') return [{ dial: { from: 'acme.root.test/1001', to: '1005' } }];
    if (type === 'end') return [{ hangUp: 'acme.root.test/1001' }];
    if (type === 'bye.received') return [{ hangUp: 'acme.root.test/1005' }];
    return [];
  },
});

function isLegFinal(type: string): boolean {
  return (legFinals as readonly string[]).includes(type);
}

const keys = ['desk', 'soft', 'mobile', 'home'] as const;
const targetGroups: readonly (readonly TargetGroup[])[] = [
  groupsOf(['desk']),
  groupsOf(['desk', 'soft']),
  groupsOf(['desk'], ['soft']),
  [],
  groupsOf(['mobile', 'home'], ['desk']),
  groupsOf([], ['home']),
];
const failures: readonly FinalFailure[] = [486, 503, 603, 404, 407, 408].map((status) => ({
  status,
  reason: `${status}`,
}));

function groupsOf(...groups: (typeof keys)[number][][]): TargetGroup[] {
  return groups.map((group) => group.map((key) => ({ key, ringMs: key === 'mobile' ? 5_000 : 30_000 })));
}

type DialogHere = Here<typeof dialogMachine>;

/** A fork that is being called, or one that is not. */
function calledFork({ pick, context }: DialogHere): number {
  const { open } = context.forks;
  return open.length === 0 || pick.integer(0, 7) === 7 ? pick.integer(1, 6) : pick.from(open);
}

function redirectedFork({ pick, context }: DialogHere): number {
  const { redirecting } = context.forks;
  return redirecting.length === 0 || pick.integer(0, 7) === 7 ? pick.integer(1, 6) : pick.from(redirecting);
}

/** Events of both sides: media, a digit, a transfer. */
const said: readonly Extract<DialogEvent, { type: 'party.said' }>['said'][] = [
  { what: 'media', media: 'sendonly' },
  { what: 'refer', referTo: { uri: 'sip:1003@acme.root.test' }, referredBy: undefined },
  { what: 'dtmf', dtmf: '5' },
  { what: 'plays', plays: 'wait.wav' },
];

type DialogRun = Run<typeof dialogMachine>;

/** Forks that were called, and forks that ended, in the order of the commands. */
function forksOf(commands: readonly DialogCommand[]): { called: number[]; ended: number[] } {
  const called: number[] = [];
  const ended: number[] = [];
  for (const command of commands) {
    if (command.type === 'call.forks') called.push(...command.forks.map(({ fork }) => fork));
    else if (command.type === 'cancel.forks') ended.push(...command.forks);
    else if ('fork' in command) ended.push(command.fork);
  }
  return { called, ended };
}

function endsEachForkOnce({ commands, last }: DialogRun): boolean | string {
  const { called, ended } = forksOf(commands);
  const strange = ended.find((fork) => !called.includes(fork));
  if (strange !== undefined) return `fork ${strange} was ended and never called`;
  if (new Set(ended).size < ended.length) return `a fork was ended twice: ${ended.join(', ')}`;
  const left = called.filter((fork) => !ended.includes(fork));
  return last.after.startsWith('over') && left.length > 0 ? `fork ${left.join(', ')} has no end` : true;
}

const tooManyIsNoDecline = 'a redirection beyond the limit, or a loop, counts as 482 or 483, which is no 6xx';
const tooManyIsFinal =
  'a redirection beyond the limit, or a loop, counts as 482 or 483, and the next group is called on 503 only';

/** A callee that is redirected as often as allowed, each time to a new one. */
const redirectedTooOften: readonly DialogEvent[] = [
  { type: 'routes.found', groups: groupsOf(['desk', 'soft']) },
  ...Array.from({ length: limits.redirects }, (_, index): DialogEvent[] => {
    const fork = index === 0 ? 1 : index + 2;
    const groups = [[{ key: `elsewhere ${index}`, ringMs: 30_000 }]];
    return [
      { type: 'fork.redirected', fork },
      { type: 'contacts.found', fork, groups, restMs: {} },
    ];
  }).flat(),
];

/** A callee, ringing or not, is redirected to contacts that cannot be reached: the next group is called. */
const redirectedToNoContact = (rings: readonly DialogEvent[]): readonly DialogEvent[] => [
  { type: 'routes.found', groups: groupsOf(['desk'], ['soft']) },
  ...rings,
  { type: 'fork.redirected', fork: 1 },
  { type: 'contacts.failed', fork: 1, failure: { status: 503, reason: 'Service Unavailable' } },
];

const dialogCheck = checkOf({
  machine: dialogMachine,
  input: (pick) => ({ isOriginated: pick.maybe(), isProven: pick.maybe() }),
  events: {
    'caller.refused': () => ({ refusal: { status: 407, reason: 'Proxy Authentication Required' } }),
    'routes.found': ({ pick }) => ({ groups: pick.from(targetGroups) }),
    'routes.failed': ({ pick }) => ({ failure: pick.from(failures) }),
    'fork.rang': (here) => ({ fork: calledFork(here), status: here.pick.from([180, 183]) }),
    'fork.answered': (here) => ({ fork: calledFork(here), talkMs: here.pick.from([60_000, 5_000]) }),
    'fork.refused': (here) => ({ fork: calledFork(here), failure: here.pick.from(failures) }),
    'fork.redirected': (here) => ({ fork: calledFork(here) }),
    'contacts.found': (here) => ({
      fork: redirectedFork(here),
      groups: here.pick.from(targetGroups),
      restMs: here.context.forks.restMs,
    }),
    'contacts.failed': (here) => ({ fork: redirectedFork(here), failure: here.pick.from(failures) }),
    'caller.cancelled': true,
    'party.left': ({ pick }) => ({ side: pick.from(['a', 'b'] as const), isLost: pick.maybe() }),
    'legs.gone': true,
    'end.requested': true,
    'party.said': ({ pick }) => ({ side: pick.from(['a', 'b'] as const), said: pick.from(said) }),
  },
  once: [
    'publish.invite',
    'publish.init',
    'take.caller',
    'connect',
    'end.legs',
    'publish.end',
    'publish.gone',
    'publish.stop',
    'refuse.caller',
  ],
  longestMs: Math.max(limits.talkMs, limits.ringMs),
  rules: {
    'every called fork has one end': endsEachForkOnce,
    'the INVITE of a call is published before all its other events': ({ commands }) => {
      const types = commands.map(({ type }) => type);
      const later = (type: string) => type.startsWith('publish.') && type !== 'publish.invite';
      const first = types.findIndex((type) => later(type) || type === 'call.forks');
      return first < 0 || types.slice(0, first).includes('publish.invite');
    },
    'no fork is called before the routes are known, and none after the end of the call': ({ commands }) => {
      const types = commands.map(({ type }) => type);
      const [first, init, end] = [
        types.indexOf('call.forks'),
        types.indexOf('publish.init'),
        types.indexOf('publish.end'),
      ];
      if (first >= 0 && (init < 0 || init > first)) return 'call.forks comes before publish.init';
      return end < 0 || types.lastIndexOf('call.forks') < end;
    },
    'no callee is called twice for one side': ({ commands }) =>
      (['a', 'b'] as const).every((side) => {
        const called = commands.flatMap((command) =>
          command.type === 'call.forks' && command.side === side ? command.forks : [],
        );
        return new Set(called.map(({ key }) => key)).size === called.length;
      }),
    'the first reported end is the last one': ({ commands }) => {
      const ends = commands.flatMap((command) => ('end' in command ? [JSON.stringify(command.end)] : []));
      return new Set(ends).size <= 1;
    },
    'no more than one deadline runs': ({ last }) => last.deadlines.length <= 1,
  },
  finally: { events: [{ type: 'end.requested' }, { type: 'legs.gone' }], waitMs: 3_000, states: ['stopped'] },
  far: [
    redirectedTooOften,
    redirectedToNoContact([]),
    redirectedToNoContact([{ type: 'fork.rang', fork: 1, status: 180 }]),
  ],
  unreachable: Object.fromEntries(
    (['reaching', 'forking'] as const).flatMap((state) => [
      [`${state} × fork.redirected [isDeclined] → over`, tooManyIsNoDecline],
      [`${state} × fork.redirected [isNext] → ${state}`, tooManyIsFinal],
      [`${state} × contacts.found [isDeclined] → over`, tooManyIsNoDecline],
      [`${state} × contacts.found [isNext] → ${state}`, tooManyIsFinal],
    ]),
  ),
  scenario: (event) => {
    switch (event.type) {
      case 'routes.found':
        return [{ dial: { from: 'acme.root.test/1001', to: '1005' } }];
      case 'caller.cancelled':
        return [{ hangUp: 'acme.root.test/1001' }];
      case 'party.left':
        return [{ hangUp: event.side === 'a' ? 'acme.root.test/1001' : 'acme.root.test/1005' }];
      default:
        return [];
    }
  },
});

/** What a final or provisional answer may be. */
const statusOf = (pick: Pick) => ({ status: pick.from([180, 200, 486, 100]) });

const ivrCallCheck = checkOf({
  machine: ivrCallMachine,
  input: (pick) => ({
    responseMode: pick.integer(0, 3),
    timeoutMs: pick.from([30_000, 5_000]),
    canReturn: pick.maybe(),
  }),
  events: {
    'leg.rang': true,
    'leg.answered': true,
    'leg.failed': ({ pick }) => ({ status: pick.from([486, 302, 408]) }),
    'leg.gone': true,
    'refer.answered': ({ pick }) => ({ status: pick.from([202, 403]) }),
    'call.seen': true,
    'callee.responded': ({ pick }) => statusOf(pick),
    'call.lost': true,
    'transfer.notified': ({ pick }) => statusOf(pick),
    'answer.due': true,
    'end.requested': true,
  },
  once: ['report.result', 'refer.party', 'return.party', 'end.leg', 'drop.leg'],
  longestMs: limits.longestRingMs + 20_000,
  rules: {
    'the requester gets the result before the end of the call': ({ last, count }) =>
      !last.isOver || count('report.result') === 1,
    'X is referred only when it has answered': ({ steps, count }) =>
      count('refer.party') === 0 || steps.some(({ event }) => event.type === 'leg.answered'),
    'a leg that remains is ended first': ({ count }) => count('drop.leg') <= count('end.leg'),
  },
  finally: {
    events: [{ type: 'end.requested' }, { type: 'leg.gone' }],
    waitMs: limits.ringMs + 70_000,
    states: ['over'],
  },
  scenario: ({ type }) => (type === 'leg.gone' ? [{ hangUp: 'acme.root.test/1001' }] : []),
});

const announcementCheck = checkOf({
  machine: announcementMachine,
  events: { 'leg.answered': true, 'leg.gone': true, 'end.requested': true },
  once: ['end.leg', 'drop.leg'],
  last: 'drop.leg',
  longestMs: announcementDelaysMs.leave,
  rules: {
    'no more than one deadline runs': ({ last }) => last.deadlines.length <= 1,
    'its leg is gone or dropped at the end': ({ last, steps, count }) =>
      !last.isOver || count('drop.leg') === 1 || steps.some(({ event }) => event.type === 'leg.gone'),
  },
  finally: { events: [], waitMs: 90_000, states: ['over'] },
});

export const callChecks: readonly AnyCheck[] = [legCheck, dialogCheck, ivrCallCheck, announcementCheck];
