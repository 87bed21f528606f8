/** The way to phones is slow, so that what both parties of a call do meets on its way: an answer and CANCEL, two BYEs, an offer or REFER and BYE. */
import type { PlacedCall } from '../../../../outside/outside-world.ts';
import { begin, legAt, type PhoneCall, place } from '../../use-cases/dialogs/phone-calls.ts';
import { directed, directedUsers, type SteadyUser, uriOf } from '../../use-cases/kit/call.ts';
import { type Drill, drillOf } from '../kit/drill.ts';
import { isOver } from '../kit/known-call.ts';

/** Of each message to or from a phone. */
const slowMs = 600;
/** From the call to its end by the caller: before the callee rings, while its answer is on the way to the platform, and to the caller. */
const cancelledMs = [
  slowMs / 2,
  1.5 * slowMs,
  2 * slowMs + directed.answerMs / 2,
  2 * slowMs + directed.answerMs + slowMs / 4,
  3 * slowMs + directed.answerMs,
  4 * slowMs + directed.answerMs - slowMs / 4,
] as const;

export const messagesCrossed = drillOf({
  name: 'messages-crossed',
  rule: 'When the way to phones is slow, and a caller hangs up at the moment when the callee answers, both parties hang up, one hangs up while the other one holds or refers, or a client ends the call at the same time, both phones are free in the end, no front shows, lists or finds the call, and it has one record, the same at each front.',
  exclusions:
    'Domains with fewer than two phones that are registered, and whose users limit no calls; REFER in those with two.',
  sender: '10.6.1.80',
  play: async (drill) => {
    const users = await directedUsers(drill, 3);
    const [x, y, z] = users;
    if (x === undefined || y === undefined) return;
    const endpoints = users.map((user) => legAt(drill, user, '').endpoint);
    await drill.during(
      (faults) => faults.delayOutside(slowMs, { endpoints }),
      async () => {
        for (const afterMs of cancelledMs) await cancel(drill, [x, y], afterMs);
        for (const crossing of crossings(drill, [x, y], z)) await cross(drill, [x, y], { users, ...crossing });
      },
    );
  },
});

type Pair = readonly [SteadyUser, SteadyUser];

async function cancel(drill: Drill, pair: Pair, afterMs: number): Promise<void> {
  const placed = place(drill, pair[0], pair[1].number);
  if (placed === undefined) return;
  await drill.context.questions.wait(afterMs);
  drill.context.questions.hangUp(placed);
  await isOver(drill, placed.callid, { users: pair, what: `the caller hangs up after ${afterMs} ms` });
}

interface Crossing {
  readonly what: string;
  /** What happens at once. */
  readonly acts: readonly ((a: PlacedCall, b: PlacedCall, call: PhoneCall) => unknown)[];
}

function crossings(drill: Drill, [, y]: Pair, z: SteadyUser | undefined): readonly Crossing[] {
  const { questions } = drill.context;
  const remove = (_: PlacedCall, __: PlacedCall, { path }: PhoneCall) =>
    drill.ask(path, { method: 'DELETE', site: drill.there });
  const [endA, endB] = [(a: PlacedCall) => questions.hangUp(a), (_: PlacedCall, b: PlacedCall) => questions.hangUp(b)];
  const [holdA, holdB] = [
    (a: PlacedCall) => questions.hold(a, true),
    (_: PlacedCall, b: PlacedCall) => questions.hold(b, true),
  ];
  const refer = (a: PlacedCall) => z && questions.transfer(a, uriOf(drill, z).slice(1, -1));
  return [
    { what: 'both hang up', acts: [endA, endB] },
    { what: 'the caller holds and the callee hangs up', acts: [holdA, endB] },
    { what: 'the callee holds and the caller hangs up', acts: [holdB, endA] },
    { what: 'the caller hangs up and a client ends the call', acts: [endA, remove] },
    { what: 'the callee hangs up and a client ends the call', acts: [endB, remove] },
    { what: 'the callee holds and a client ends the call', acts: [holdB, remove] },
    ...(z === undefined ? [] : [{ what: `the caller refers ${y.number} away, who hangs up`, acts: [refer, endB] }]),
  ];
}

async function cross(
  drill: Drill,
  [x, y]: Pair,
  { what, acts, users }: Crossing & { readonly users: readonly SteadyUser[] },
): Promise<void> {
  const call = await begin(drill, x, y.number, 'dialog');
  if (call === undefined) return;
  // The answer and its ACK are on their way.
  await drill.context.questions.wait(3 * slowMs);
  const [a, b] = [legAt(drill, x, call.acallid), legAt(drill, y, call.bcallid)];
  await Promise.all(acts.map((act) => act(a, b, call)));
  await isOver(drill, call.acallid, { users, what });
}
