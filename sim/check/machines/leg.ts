/** The check of the machine of a leg: every state, with the possible ones of the 27 events. */

import { eventsOf } from '../../../src/actors/compiled-machine.ts';
import { type LegEvent, legMachine } from '../../../src/machines/sip/leg.ts';
import { checkOf } from '../machine/machine-check.ts';

const alone = 'the user agent sends only possible events: it checks the state of the leg first';
const begun = 'a leg begins by INVITE, in either direction';

/** Final commands of a leg; the last command to its owner is one of them. */
const legFinals = [
  ...(['report.failed', 'report.withdrawn', 'report.timeout', 'report.rejected', 'report.cancelled'] as const),
  ...(['report.ended', 'report.hungup', 'report.lost'] as const),
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

export const legCheck = checkOf({
  machine: legMachine,
  events: Object.fromEntries(eventsOf(legMachine).map(({ type }) => [type, true])) as Record<LegEvent['type'], true>,
  once: [...legFinals, 'report.answered', 'report.invited', 'send.invite', 'send.cancel', 'send.ok', 'send.bye'],
  longestMs: 660_000,
  rules: {
    'the owner gets one end, only at the end of the leg': ({ last, commands }) =>
      commands.filter(({ type }) => isLegFinal(type)).length === (last.isOver ? 1 : 0),
    'no more than one deadline runs': ({ last }) => last.deadlines.length <= 1,
    'a final answer is given once': ({ count }) =>
      count('send.ok') + count('send.refusal') + count('send.terminated') <= 1,
    'BYE is sent only where there is a dialog': ({ commands }) => {
      const bye = commands.findIndex(({ type }) => type === 'send.bye');
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
