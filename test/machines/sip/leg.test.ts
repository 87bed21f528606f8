/** One SIP leg, in both directions: every event in every state, and every deadline. */

import { type LegCommand, type LegEvent, type LegState, legMachine } from '../../../src/machines/sip/leg.ts';
import { type Deadline, machineTable, type Row, unexpected } from '../../kit/machine-table.ts';
import { walk } from '../../kit/machine-walk.ts';
import { test } from '../../kit/test.ts';

type EventType = LegEvent['type'];
type CommandType = Exclude<LegCommand['type'], 'event.unexpected'>;
type State = Exclude<LegState, 'ended'>;
type Decision = readonly [next: State | 'ended', ...commands: CommandType[]];

interface StateTable {
  /** What changes something, or commands something. */
  readonly does: Partial<Record<EventType, Decision>>;
  /** What is ignored on purpose; whatever is in neither is unexpected. */
  readonly ignores?: readonly EventType[];
}

const events: Record<EventType, true> = {
  ...{ call: true, ring: true, answer: true, reject: true, end: true, drop: true },
  ...{ offer: true, request: true, reply: true },
  ...{ 'invite.received': true, 'invite.tried': true, 'invite.rang': true },
  ...{ 'invite.accepted': true, 'invite.refused': true, 'cancel.received': true },
  ...{ 'ack.received': true, 'ack.missed': true, 'bye.received': true, 'bye.answered': true },
  ...{ 'offer.received': true, 'offer.accepted': true, 'offer.clashed': true, 'offer.refused': true },
  ...{ 'request.received': true, 'request.answered': true, 'request.lost': true, 'session.lapsed': true },
  'remote.lost': true,
};

/** Requests of an unknown dialog. */
const unknownRequests = (state: State) =>
  ({ 'request.received': [state, 'refuse.request'], 'offer.received': [state, 'refuse.request'] }) as const;
const withdrawn: Decision = ['ended', 'report.withdrawn'];
const timedOut: Decision = ['ended', 'report.timeout'];
const crossed: Decision = ['clearing', 'send.ack', 'send.bye'];
const lost: Decision = ['ended', 'send.bye', 'report.lost'];
const hungup: Decision = ['ended', 'report.hungup'];
const unreached: Decision = ['ended', 'report.unreached'];
const unreachedCallee: Decision = ['ended', 'send.cancel', 'report.unreached'];
const outOfReach: Decision = ['ended', 'repeat.bye', 'report.lost'];

const calling = (state: State) => ({
  ...unknownRequests(state),
  'invite.accepted': ['confirmed', 'send.ack', 'report.answered'] as Decision,
  'invite.refused': ['ended', 'report.failed'] as Decision,
  drop: withdrawn,
  'remote.lost': unreached,
  'bye.received': timedOut,
});
const called = (state: State) => ({
  ...unknownRequests(state),
  ring: ['alerting', 'send.ringing'] as Decision,
  answer: ['answering', 'send.ok'] as Decision,
  reject: ['ended', 'send.refusal', 'report.rejected'] as Decision,
  end: ['ended', 'send.refusal', 'report.rejected'] as Decision,
  drop: ['ended', 'report.rejected'] as Decision,
  'remote.lost': ['ended', 'send.refusal', 'report.unreached'] as Decision,
  'cancel.received': ['ended', 'send.terminated', 'report.cancelled'] as Decision,
  'bye.received': ['ended', 'send.terminated', 'report.cancelled'] as Decision,
});
const talking = (state: State) => ({
  end: ['ending', 'send.bye'] as Decision,
  drop: hungup,
  'remote.lost': outOfReach,
  request: [state, 'send.request'] as Decision,
  reply: [state, 'send.reply'] as Decision,
  'request.received': [state, 'take.request'] as Decision,
  'request.answered': [state, 'settle.request'] as Decision,
  'request.lost': lost,
  'session.lapsed': lost,
  'ack.missed': lost,
  'bye.received': ['ended', 'report.ended'] as Decision,
});
const late: readonly EventType[] = ['invite.tried', 'invite.rang', 'cancel.received', 'ack.received'];

const unsettled = ['request.answered', 'request.lost'] as const;

const table: Record<State, StateTable> = {
  idle: {
    does: {
      call: ['calling', 'send.invite'],
      'invite.received': ['incoming', 'send.trying', 'report.invited'],
    },
  },

  calling: {
    does: {
      ...calling('calling'),
      'invite.tried': ['proceeding'],
      'invite.rang': ['ringing', 'report.rang'],
      end: ['withdrawn'],
    },
  },
  proceeding: {
    does: {
      ...calling('proceeding'),
      'invite.rang': ['ringing', 'report.rang'],
      end: ['cancelling', 'send.cancel'],
      'remote.lost': unreachedCallee,
    },
    ignores: ['invite.tried'],
  },
  ringing: {
    does: {
      ...calling('ringing'),
      'invite.rang': ['ringing', 'report.rang'],
      end: ['cancelling', 'send.cancel'],
      'remote.lost': unreachedCallee,
      request: ['ringing', 'send.request'],
      'request.answered': ['ringing', 'settle.request'],
    },
    ignores: ['invite.tried', 'request.lost'],
  },
  withdrawn: {
    does: {
      ...unknownRequests('withdrawn'),
      'invite.tried': ['cancelling', 'send.cancel'],
      'invite.rang': ['cancelling', 'send.cancel'],
      'invite.accepted': crossed,
      'invite.refused': withdrawn,
      drop: withdrawn,
      'remote.lost': unreached,
      'bye.received': withdrawn,
    },
    ignores: ['end', ...unsettled],
  },
  cancelling: {
    does: {
      ...unknownRequests('cancelling'),
      'invite.accepted': crossed,
      'invite.refused': withdrawn,
      drop: withdrawn,
      'remote.lost': unreached,
      'bye.received': withdrawn,
    },
    ignores: ['invite.tried', 'invite.rang', 'end', ...unsettled],
  },
  expiring: {
    does: {
      ...unknownRequests('expiring'),
      'invite.accepted': crossed,
      'invite.refused': timedOut,
      drop: timedOut,
      'remote.lost': unreached,
      'bye.received': timedOut,
    },
    ignores: ['invite.tried', 'invite.rang', 'end', ...unsettled],
  },
  clearing: {
    does: {
      ...unknownRequests('clearing'),
      drop: withdrawn,
      'remote.lost': ['ended', 'repeat.bye', 'report.unreached'],
      'bye.received': withdrawn,
      'bye.answered': withdrawn,
    },
    ignores: [...late, 'end', ...unsettled],
  },

  incoming: { does: called('incoming') },
  alerting: {
    does: {
      ...called('alerting'),
      'request.received': ['alerting', 'take.request'],
      reply: ['alerting', 'send.reply'],
    },
  },
  answering: {
    does: {
      ...unknownRequests('answering'),
      offer: ['answering', 'keep.operation'],
      request: ['answering', 'keep.operation'],
      'ack.received': ['confirmed', 'report.answered'],
      'bye.received': ['ended', 'report.ended'],
      end: ['hanging'],
      drop: hungup,
      'remote.lost': outOfReach,
    },
    ignores: ['ack.missed', 'cancel.received'],
  },
  hanging: {
    does: {
      ...unknownRequests('hanging'),
      'ack.received': ['ending', 'send.bye'],
      'bye.received': ['ended', 'report.ended'],
      drop: hungup,
      'remote.lost': outOfReach,
    },
    ignores: [
      ...(['ack.missed', 'cancel.received'] as const),
      ...(['end', 'offer', 'request', 'reply', 'request.answered', 'request.lost'] as const),
    ],
  },

  confirmed: {
    does: {
      ...talking('confirmed'),
      offer: ['offering', 'send.offer'],
      'offer.received': ['confirmed', 'accept.offer'],
    },
    ignores: late,
  },
  offering: {
    does: {
      ...talking('offering'),
      offer: ['reoffering'],
      'offer.received': ['offering', 'refuse.offer'],
      'offer.accepted': ['confirmed', 'send.ack', 'report.settled'],
      'offer.refused': ['confirmed', 'report.settled'],
      'offer.clashed': ['glare'],
    },
    ignores: late,
  },
  reoffering: {
    does: {
      ...talking('reoffering'),
      'offer.received': ['reoffering', 'refuse.offer'],
      'offer.accepted': ['offering', 'send.ack', 'report.settled', 'send.offer'],
      'offer.refused': ['offering', 'report.settled', 'send.offer'],
      'offer.clashed': ['glare'],
    },
    ignores: [...late, 'offer'],
  },
  glare: {
    does: { ...talking('glare'), 'offer.received': ['glare', 'accept.offer'] },
    ignores: [...late, 'offer'],
  },
  ending: {
    does: {
      ...unknownRequests('ending'),
      drop: hungup,
      'remote.lost': outOfReach,
      'bye.received': hungup,
      'bye.answered': hungup,
      'offer.accepted': ['ending', 'send.ack'],
    },
    ignores: [
      ...late,
      ...(['ack.missed', 'offer.refused', 'offer.clashed', 'session.lapsed'] as const),
      ...(['end', 'offer', 'request', 'reply', 'request.answered', 'request.lost'] as const),
    ],
  },
};

type LegRow = Row<typeof legMachine>;

function rowsOf(state: State): LegRow[] {
  const { does, ignores = [] } = table[state];
  return (Object.keys(events) as EventType[]).map((type): LegRow => {
    if (ignores.includes(type)) return [state, { type }, state, []];
    const [next, ...commands] = does[type] ?? [];
    if (next === undefined) return [state, { type }, state, [unexpected(type)]];
    return [state, { type }, next, commands.map((command) => ({ type: command }))];
  });
}

const path = (...types: EventType[]): LegEvent[] => types.map((type) => ({ type }));
const commands = (...types: CommandType[]): LegCommand[] => types.map((type) => ({ type }));
const offered = path('call', 'invite.accepted', 'offer');

const deadlines: Deadline<typeof legMachine>[] = [
  [path('call', 'invite.tried'), 'proceeding', 660_000, 'expiring', commands('send.cancel')],
  [path('call', 'invite.rang'), 'ringing', 660_000, 'expiring', commands('send.cancel')],
  [
    [...path('call', 'invite.rang'), 600_000, ...path('invite.rang')],
    'ringing',
    660_000,
    'expiring',
    commands('send.cancel'),
  ],
  [path('call', 'end', 'invite.rang'), 'cancelling', 32_000, 'ended', commands('report.withdrawn')],
  [[...path('call', 'invite.rang'), 660_000], 'expiring', 32_000, 'ended', commands('report.timeout')],
  [path('invite.received'), 'incoming', 600_000, 'ended', commands('send.refusal', 'report.rejected')],
  [path('invite.received', 'ring'), 'alerting', 600_000, 'ended', commands('send.refusal', 'report.rejected')],
  [path('invite.received', 'answer'), 'answering', 32_000, 'ended', commands('send.bye', 'report.lost')],
  [path('invite.received', 'answer', 'end'), 'hanging', 32_000, 'ending', commands('send.bye')],
  [[...offered, ...path('offer.clashed')], 'glare', 2_000, 'offering', commands('send.offer')],
];

machineTable(test, 'a leg', {
  machine: legMachine,
  events,
  context: {},
  rows: (Object.keys(table) as State[]).flatMap(rowsOf),
  input: undefined,
  deadlines,
});

/** Sends a leg these events; returns the names of its commands. */
function commandsAfter(...types: EventType[]): string[] {
  const leg = walk(legMachine, { input: undefined });
  for (const type of types) leg.send({ type });
  leg.stop();
  return leg.commands.map(({ type }) => type);
}

test('a call that is taken back at once sends CANCEL only when a provisional answer has come', (t) => {
  t.deepEqual(commandsAfter('call', 'end'), ['send.invite']);
  t.deepEqual(commandsAfter('call', 'end', 'invite.tried', 'invite.rang'), ['send.invite', 'send.cancel']);
});

test('a 200 that crosses CANCEL is acknowledged and ended by BYE, and the call is reported as taken back', (t) => {
  t.deepEqual(commandsAfter('call', 'invite.tried', 'end', 'invite.accepted', 'bye.answered'), [
    ...['send.invite', 'send.cancel', 'send.ack', 'send.bye', 'report.withdrawn'],
  ]);
});

test('a leg that its owner ends before the ACK sends BYE only after it', (t) => {
  t.deepEqual(commandsAfter('invite.received', 'answer', 'end').at(-1), 'send.ok');
  t.deepEqual(commandsAfter('invite.received', 'answer', 'end', 'ack.received').at(-1), 'send.bye');
});
