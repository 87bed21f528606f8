/** Checks of the machines within a call: its transfer, the hold of a party, its recordings. */
import { holdEvents, holdMachine } from '../../../src/machines/call/hold.ts';
import { type Heard, recordingMachine } from '../../../src/machines/call/recording.ts';
import { type Refer, transferDelaysMs, transferMachine } from '../../../src/machines/call/transfer.ts';
import { limits } from '../../../src/model/limits.ts';
import type { Side } from '../../../src/model/protocol/messages/dialog.ts';
import type { Pick } from '../kit/choices.ts';
import { type AnyCheck, checkOf, type Model, type Run } from '../machine/machine-check.ts';

const sides: readonly Side[] = ['a', 'b'];
const refer: Refer = { referTo: { uri: 'sip:1003@acme.root.test' }, referredBy: undefined };
const statuses = [100, 180, 200, 202, 486, 603];

type TransferRun = Run<typeof transferMachine>;

/** Each forwarded REFER of a party is answered once; others are refused at once. */
function answersRefers({ steps, count }: TransferRun): boolean | string {
  const received = steps.filter(({ event }) => event.type === 'refer.received').length;
  const answered = count('accept.refer') + count('refuse.refer');
  const isOpen = steps.at(-1)?.after === 'passing';
  const closed = steps.at(-1)?.after === 'over';
  if (closed) return answered <= received;
  return answered + (isOpen ? 1 : 0) === received || `${received} REFERs came, ${answered} were answered`;
}

/** The sides with an open outcome: a side that leaves has reached its target, and no other is still moving. */
function transferModel(): Model<typeof transferMachine> {
  let open: Side[] = [];
  let arrived: Side | undefined;
  return ({ event, before, after, commands }) => {
    if (event.type === 'refer.requested' && (before === 'idle' || before === 'directing') && !open.includes(event.side))
      open.push(event.side);
    const isOutcome =
      before === 'directing' &&
      ((event.type === 'progress.notified' && event.status >= 200) ||
        (event.type === 'refer.answered' && event.status >= 300));
    if (isOutcome && open.includes(event.side)) {
      if (event.type === 'progress.notified' && event.status < 300) arrived ??= event.side;
      open = open.filter((side) => side !== event.side);
    }
    const left = commands.find((command) => command.type === 'leave');
    if (left !== undefined && left.side !== arrived) return `side ${left.side} leaves, but ${arrived} has arrived`;
    if (after === 'idle') open = [];
    if (before !== 'directing' || after !== 'directing') return undefined;
    return open.length > 0 ? undefined : 'no outcome is open, but it is still directing';
  };
}

const transferCheck = checkOf({
  machine: transferMachine,
  events: {
    'refer.received': ({ pick }) => ({ by: pick.from(sides), refer }),
    'refer.requested': ({ pick }) => ({ side: pick.from(sides), refer }),
    'refer.answered': ({ pick }) => ({ side: pick.from(sides), status: pick.from(statuses) }),
    'progress.notified': ({ pick }) => ({
      side: pick.from(sides),
      status: pick.from(statuses),
      sipfrag: 'SIP/2.0 200 OK',
    }),
    'call.gone': true,
  },
  once: ['leave'],
  longestMs: transferDelaysMs.outcome,
  rules: {
    'every REFER of a party is answered once': answersRefers,
    'a side leaves only after a command has referred it': ({ commands }) =>
      commands.every(
        (command) =>
          command.type !== 'leave' || commands.some((each) => each.type === 'send.refer' && each.side === command.side),
      ),
    'no more than one deadline runs': ({ last }) => last.deadlines.length <= 1,
  },
  model: transferModel,
  finally: { events: [{ type: 'call.gone' }], waitMs: 0, states: ['over'] },
  scenario: ({ type }) => (type === 'call.gone' ? [{ hangUp: 'acme.root.test/1001' }] : []),
});

const holdCheck = checkOf({
  machine: holdMachine,
  events: Object.fromEntries(holdEvents.map(({ type }) => [type, true])) as Record<
    (typeof holdEvents)[number]['type'],
    true
  >,
  rules: {
    'its state is what was reported last': ({ last: { event, after } }) =>
      event.type === 'start' || after.endsWith(`.${event.type.slice('media.'.length)}`),
    'a change is noted, and nothing else': ({ last: { event, before, after, commands } }) =>
      event.type === 'start' || commands.length === (before === after ? 0 : 1),
  },
});

const heardBy = (pick: Pick): Heard => [pick.maybe(), pick.maybe()];

const recordingCheck = checkOf({
  machine: recordingMachine,
  input: () => ({ dialogid: '214-1-1' }),
  events: {
    'rule.matched': ({ pick, nowMs }) => ({ atMs: nowMs, heard: heardBy(pick) }),
    'start.requested': ({ pick, nowMs }) => ({ atMs: nowMs, heard: heardBy(pick) }),
    'stop.requested': ({ nowMs }) => ({ atMs: nowMs }),
    'heard.changed': ({ pick, nowMs }) => ({ atMs: nowMs, heard: heardBy(pick) }),
    'call.gone': true,
  },
  stamp: (event, nowMs) => ('atMs' in event ? { ...event, atMs: nowMs } : event),
  rules: {
    'only the last recording runs, and only while recording is on': ({ last: { context, after } }) => {
      const open = context.recordings.filter(({ endts }) => endts === undefined);
      if (after === 'over') return open.length <= 1;
      return open.length === (after === 'on' ? 1 : 0) && (open.length === 0 || context.recordings.at(-1) === open[0]);
    },
    'they are numbered from 1, up to the limit of a call': ({ last: { context } }) =>
      context.recordings.length <= limits.recordings && context.recordings.every(({ n }, index) => n === index + 1),
    'a recording begins at 0, and notes only changes': ({ last: { context } }) =>
      context.recordings.every(({ heard: [first, ...others] }) => {
        let before = first;
        if (first?.[0] !== 0) return false;
        return others.every((next) => {
          const isNew =
            before !== undefined && (next[1] !== before[1] || next[2] !== before[2]) && next[0] >= before[0];
          before = next;
          return isNew;
        });
      }),
  },
  finally: { events: [{ type: 'call.gone' }], waitMs: 0, states: ['over'] },
  far: [
    Array.from({ length: limits.recordings }, (_, index) => [
      { type: 'start.requested' as const, atMs: index, heard: [true, true] as const },
      { type: 'stop.requested' as const, atMs: index },
    ]).flat(),
  ],
});

export const withinCallChecks: readonly AnyCheck[] = [transferCheck, holdCheck, recordingCheck];
