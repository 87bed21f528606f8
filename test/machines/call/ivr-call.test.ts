/** A call that ivr starts. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type IvrCallContext, type IvrCallEvent, ivrCallMachine } from '../../../src/machines/call/ivr-call.ts';
import type { CallResult } from '../../../src/model/protocol/messages/dialog.ts';
import { machineTable, type Row } from '../../kit/machine-table.ts';
import { walk } from '../../kit/machine-walk.ts';
import { holds, sized } from '../../kit/property.ts';
import { test } from '../../kit/test.ts';

const rang: IvrCallEvent = { type: 'leg.rang' };
const answered: IvrCallEvent = { type: 'leg.answered' };
const failed = (status: number): IvrCallEvent => ({ type: 'leg.failed', status });
const gone: IvrCallEvent = { type: 'leg.gone' };
const refer = (status: number): IvrCallEvent => ({ type: 'refer.answered', status });
const seen: IvrCallEvent = { type: 'call.seen' };
const callee = (status: number): IvrCallEvent => ({ type: 'callee.responded', status });
const lost: IvrCallEvent = { type: 'call.lost' };
const notified = (status: number): IvrCallEvent => ({ type: 'transfer.notified', status });
const due: IvrCallEvent = { type: 'answer.due' };
const end: IvrCallEvent = { type: 'end.requested' };

const reported = (result: CallResult['result']) => ({ type: 'report.result', result }) as const;
const referParty = { type: 'refer.party' } as const;
const back = { type: 'return.party' } as const;
const endLeg = { type: 'end.leg' } as const;
const dropLeg = { type: 'drop.leg' } as const;

type IvrRow = Row<typeof ivrCallMachine>;
type Context = Partial<IvrCallContext>;

const mode = (responseMode: number, more: Context = {}): { before: Context; after: Context } => ({
  before: { responseMode, ...more },
  after: { isReported: true },
});
/** Of which the result is out. */
const old = { before: { isReported: true }, after: { isReported: true } };
const returning = { before: { canReturn: true } };

const ignored = (state: string, ...events: IvrCallEvent[]): IvrRow[] =>
  events.map((event) => [state, event, state, []]);

/** What X says of the transfer, where that matters. */
const notices = (state: string): IvrRow[] => [
  ...ignored(state, notified(100)),
  [state, notified(180), state, [reported('ok')], mode(2)],
  [state, notified(180), state, [], { after: { isReported: false } }],
  [state, notified(180), state, [], old],
  [state, notified(200), 'ending', [reported('ok'), endLeg]],
  [state, notified(200), 'ending', [reported('ok'), endLeg], returning],
  [state, notified(486), 'ending', [reported('ok'), endLeg]],
  [state, notified(486), 'ending', [endLeg], old],
  [state, notified(486), 'returning', [reported('ok'), back], returning],
  [state, notified(302), 'returning', [reported('ok'), back], returning],
];
/** The result is out, and X is still there. */
const waning = (state: string): IvrRow[] => [
  ...ignored(state, rang, answered, refer(202), seen, callee(180), callee(200), lost, notified(180), due),
  [state, failed(487), 'over', []],
  [state, gone, 'over', []],
  [state, notified(200), 'ending', [endLeg]],
  [state, notified(486), 'ending', [endLeg]],
  [state, end, 'ending', [endLeg]],
];

machineTable(test, 'a call of ivr', {
  machine: ivrCallMachine,
  events: {
    'leg.rang': true,
    'leg.answered': true,
    'leg.failed': true,
    'leg.gone': true,
    'refer.answered': true,
    'call.seen': true,
    'callee.responded': true,
    'call.lost': true,
    'transfer.notified': true,
    'answer.due': true,
    'end.requested': true,
  },
  context: {
    responseMode: 3,
    timeoutMs: 30_000,
    canReturn: false,
    hasRung: false,
    isReported: false,
    progress: 'none',
  },
  input: { responseMode: 3, timeoutMs: 30_000, canReturn: true },
  rows: [
    ['reaching', rang, 'reaching', [], { after: { hasRung: true } }],
    ['reaching', answered, 'following', [reported('ok'), referParty], mode(1)],
    ['reaching', answered, 'following', [referParty], { after: { isReported: false } }],
    ['reaching', answered, 'following', [referParty], { before: { responseMode: 0, isReported: true } }],
    ['reaching', failed(486), 'over', [reported('failed')]],
    ['reaching', failed(503), 'over', [reported('failed')], { before: { hasRung: true } }],
    ['reaching', failed(408), 'over', [reported('timeout')], { before: { hasRung: true } }],
    ['reaching', failed(408), 'over', [reported('no_answer')]],
    ['reaching', failed(302), 'over', [reported('redirected')], mode(1)],
    ['reaching', failed(486), 'over', [], old],
    ['reaching', gone, 'over', [reported('no_answer')]],
    ['reaching', gone, 'over', [], old],
    ...ignored('reaching', refer(202), refer(603), seen, callee(180), callee(200), lost, notified(200)),
    ['reaching', due, 'ending', [reported('no_answer'), endLeg]],
    ['reaching', due, 'reaching', [], old],
    ['reaching', end, 'ending', [reported('no_answer'), endLeg]],
    ['reaching', end, 'ending', [endLeg], old],

    ...ignored('following', rang, answered, refer(202)),
    ['following', refer(603), 'ending', [reported('unknown'), endLeg]],
    ['following', refer(603), 'ending', [endLeg], old],
    ['following', refer(603), 'returning', [reported('unknown'), back], returning],
    ['following', seen, 'following', [], { after: { progress: 'seen', isReported: false } }],
    ['following', callee(180), 'following', [reported('ok')], mode(2)],
    ['following', callee(180), 'following', [], { after: { progress: 'seen', isReported: false } }],
    ['following', callee(200), 'finishing', [reported('ok')], mode(3)],
    ['following', callee(200), 'finishing', [reported('ok')], mode(2)],
    ['following', callee(200), 'finishing', [], old],
    ['following', callee(486), 'settling', [reported('ok')], mode(2)],
    ['following', callee(486), 'settling', [], { after: { progress: 'refused', isReported: false } }],
    ['following', lost, 'ending', [reported('unknown'), endLeg]],
    ['following', lost, 'returning', [reported('unknown'), back], returning],
    ['following', lost, 'returning', [back], { before: { canReturn: true, isReported: true } }],
    ...notices('following'),
    ['following', failed(487), 'trailing', []],
    ['following', failed(487), 'over', [], old],
    ['following', gone, 'trailing', []],
    ['following', gone, 'over', [], old],
    ['following', due, 'following', [reported('unknown')], { after: { isReported: true } }],
    ['following', due, 'following', [], old],
    ['following', end, 'ending', [reported('unknown'), endLeg]],
    ['following', end, 'ending', [endLeg], old],

    ...ignored('settling', rang, answered, refer(202), seen),
    ['settling', refer(603), 'ending', [reported('ok'), endLeg]],
    ['settling', refer(603), 'returning', [reported('ok'), back], returning],
    ['settling', callee(180), 'following', [], { before: { progress: 'refused' }, after: { progress: 'seen' } }],
    ['settling', callee(200), 'finishing', [reported('ok')]],
    ['settling', callee(486), 'settling', [], { after: { progress: 'refused', isReported: false } }],
    ['settling', lost, 'ending', [reported('ok'), endLeg]],
    ['settling', lost, 'returning', [reported('ok'), back], returning],
    ...notices('settling'),
    ['settling', failed(487), 'over', [reported('ok')]],
    ['settling', gone, 'over', [reported('ok')]],
    ['settling', gone, 'over', [], old],
    ['settling', due, 'settling', [reported('ok')], { after: { isReported: true } }],
    ['settling', end, 'ending', [reported('ok'), endLeg]],

    ...waning('finishing'),
    ...ignored('finishing', refer(603)),
    ...waning('returning'),
    ['returning', refer(603), 'ending', [endLeg]],

    ...ignored('trailing', rang, answered, failed(487), gone, refer(603), notified(200)),
    ['trailing', seen, 'trailing', [], { after: { progress: 'seen' } }],
    ['trailing', callee(180), 'trailing', [], { after: { progress: 'seen', isReported: false } }],
    ['trailing', callee(180), 'over', [reported('ok')], { before: { responseMode: 2 } }],
    ['trailing', callee(486), 'over', [reported('ok')], { before: { responseMode: 2 } }],
    ['trailing', callee(200), 'over', [reported('ok')]],
    ['trailing', callee(486), 'trailing', [], { after: { progress: 'refused', isReported: false } }],
    ['trailing', lost, 'over', [reported('unknown')]],
    ['trailing', lost, 'over', [reported('ok')], { before: { progress: 'refused' } }],
    ['trailing', due, 'over', [reported('unknown')]],
    ['trailing', end, 'over', [reported('unknown')]],

    ...ignored('ending', rang, answered, refer(202), refer(603), seen, callee(200), lost, notified(200), due, end),
    ['ending', failed(487), 'over', []],
    ['ending', gone, 'over', []],
  ],
  deadlines: [
    [[], 'reaching', 30_000, 'ending', [reported('no_answer'), endLeg]],
    [[10_000, rang], 'reaching', 20_000, 'ending', [reported('timeout'), endLeg]],
    [[answered, 100_000, seen, callee(180)], 'following', 220_000, 'ending', [reported('unknown'), endLeg]],
    [[answered, callee(486), 3_000, callee(486)], 'settling', 5_000, 'returning', [reported('ok'), back]],
    [[answered, notified(486), 1_000, notified(180)], 'returning', 319_000, 'ending', [endLeg]],
    [[answered, callee(200)], 'finishing', 5_000, 'ending', [endLeg]],
    [[answered, gone], 'trailing', 5_000, 'over', [reported('unknown')]],
    [[answered, gone, 4_000, seen], 'trailing', 320_000, 'over', [reported('unknown')]],
    [[answered, gone, seen, callee(486)], 'trailing', 5_000, 'over', [reported('ok')]],
    [[answered, end], 'ending', 40_000, 'over', [dropLeg]],
  ],
});

test('without a call-back the call ends when X has not reported in time that Y refused', (t) => {
  const walked = walk(ivrCallMachine, { input: { responseMode: 3, timeoutMs: 30_000, canReturn: false } });
  walked.send(answered);
  walked.send(callee(486));
  walked.pass(4_999);
  t.deepEqual(walked.commands, [referParty]);
  walked.pass(1);
  t.deepEqual(walked.commands.slice(1), [reported('ok'), endLeg]);
  walked.stop();
});

const status = fc.constantFrom(100, 180, 183, 200, 302, 408, 486, 603);
const event = fc.oneof(
  fc.constantFrom(rang, answered, gone, seen, lost, due, refer(202), refer(603), failed(408), failed(302)),
  { weight: 3, arbitrary: status.chain((code) => fc.constantFrom(callee(code), notified(code))) },
);
/** Most have an X that answers. */
const beginnings = fc.oneof({ weight: 3, arbitrary: fc.constant([rang, answered]) }, fc.constant<IvrCallEvent[]>([]));
const calls = fc.record({
  input: fc.record({
    responseMode: fc.integer({ min: 0, max: 3 }),
    timeoutMs: fc.constantFrom(1_000, 30_000),
    canReturn: fc.boolean(),
  }),
  steps: fc
    .tuple(
      beginnings,
      fc.array(fc.oneof({ weight: 4, arbitrary: event }, fc.constantFrom(0, 500, 4_000, 50_000)), { maxLength: 20 }),
    )
    .map(([first, then]) => [...first, ...then]),
});

test('every call ends by itself with exactly one result, and X is returned once at most', async (t) => {
  let returned = 0;
  await holds(
    t,
    fc.property(calls, ({ input, steps }) => {
      const walked = walk(ivrCallMachine, { input });
      let answeredAt = -1;
      for (const step of steps) {
        if (typeof step === 'number') walked.pass(step);
        else {
          if (walked.state === 'reaching' && step === answered) answeredAt = walked.commands.length;
          walked.send(step);
        }
        assert.notEqual(walked.status, 'error');
      }
      walked.pass(1_000_000);
      assert.equal(walked.state, 'over');
      assert.equal(walked.clock.pending, 0);
      const ofType = (type: string) => walked.commands.filter((command) => command.type === type);
      const results = walked.commands.flatMap((command) => (command.type === 'report.result' ? [command.result] : []));
      assert.equal(results.length, 1);
      if (input.responseMode === 0) assert.deepEqual(walked.commands[0], reported('ok'));
      // X that has not answered can't have been connected.
      else if (answeredAt < 0) assert.notEqual(results[0], 'ok');
      assert.equal(ofType('refer.party').length, answeredAt < 0 ? 0 : 1);
      assert.ok(ofType('return.party').length <= (input.canReturn && answeredAt >= 0 ? 1 : 0));
      assert.ok(ofType('end.leg').length <= 1);
      returned += ofType('return.party').length;
    }),
    { numRuns: sized(125, 500), uncovered: () => (returned > 10 ? [] : ['return.party']) },
  );
});

test('a call that is ended is over within the time of a BYE', async (t) => {
  await holds(
    t,
    fc.property(calls, ({ input, steps }) => {
      const walked = walk(ivrCallMachine, { input });
      for (const step of steps) if (typeof step !== 'number') walked.send(step);
      walked.send(end);
      assert.equal(walked.commands.filter(({ type }) => type === 'report.result').length, 1);
      walked.pass(40_000);
      assert.equal(walked.state, 'over');
    }),
  );
});
