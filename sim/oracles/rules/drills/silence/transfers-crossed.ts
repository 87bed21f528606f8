/** The way to phones is slow, so that a REFER of one party meets another one, or a command of a client, on its way. */
import type { QuestionAnswer } from '../../../questions.ts';
import { legAt } from '../../use-cases/dialogs/phone-calls.ts';
import { connect, directed, directedUsers, type OwnCall, type SteadyUser, uriOf } from '../../use-cases/kit/call.ts';
import { expecting, type Item, textOf } from '../../use-cases/kit/use-case.ts';
import { agree, endAll } from '../kit/agreement.ts';
import { eventsAt, type SubscribedEvents } from '../kit/call-events.ts';
import { type Drill, drillOf } from '../kit/drill.ts';

/** Of each message to or from a phone. */
const slowMs = 600;
/** Two REFERs one after the other, and the calls that result from them. */
const settledMs = 20 * slowMs;
const busy = { reject: 486 } as const;

export const transfersCrossed = drillOf({
  name: 'transfers-crossed',
  rule: 'When the way to phones is slow, and both parties of a call refer each other at once to a number that refuses, the call goes on, and after that each of them can transfer the other one; and where one meets a REFER or SWITCHCONF of a client, no party holds, rings or is held in the end, each front shows the calls that the phones have, and each other call has one end in its events and one record.',
  exclusions: 'Domains with fewer than three phones that are registered, and whose users limit no calls.',
  sender: '10.6.3.2',
  play: async (drill) => {
    const [x, y, z] = await directedUsers(drill, 3);
    if (x === undefined || y === undefined || z === undefined) return;
    const users = [x, y, z] as const;
    const subscribers = await eventsAt(drill, drill.sites);
    const endpoints = users.map((user) => legAt(drill, user, '').endpoint);
    await drill.during(
      (faults) => faults.delayOutside(slowMs, { endpoints }),
      async () => {
        for (const crossing of crossings(drill, users)) {
          await cross(drill, { users, subscribers, ...crossing });
          await endAll(drill, users);
          if (drill.problems.length > 0) return;
        }
      },
    );
  },
});

type Three = readonly [SteadyUser, SteadyUser, SteadyUser];
type Side = 'a' | 'b';

interface Crossing {
  readonly what: string;
  /** What happens at once. */
  readonly acts: readonly ((call: OwnCall) => unknown)[];
  /** The target refuses, so that the call goes on; then this side refers alone. */
  readonly againBy?: Side;
  /** The parties in the end; default: whichever. */
  readonly talking?: readonly SteadyUser[];
}

function crossings(drill: Drill, [x, y, z]: Three): readonly Crossing[] {
  const [a, b] = [by(drill, 'a', [x, y, z]), by(drill, 'b', [x, y, z])];
  const command =
    (method: string, body: Item) =>
    async ({ path }: OwnCall) =>
      drill.expect(method, await drill.ask(path, { method, body, site: drill.there }), doneOrRefused);
  const refer = command('REFER', { by: 'b', referto: z.number });
  const switchOver = command('SWITCHCONF', {});
  return [
    { what: 'both refer', acts: [a, b], againBy: 'a', talking: [y, z] },
    { what: 'both refer', acts: [b, a], againBy: 'b', talking: [x, z] },
    { what: 'the caller refers and a client transfers', acts: [a, refer] },
    { what: 'the caller refers and a client makes a conference', acts: [a, switchOver] },
    { what: 'a client makes a conference and the callee refers', acts: [switchOver, b] },
  ];
}

/** A side refers the other one to z. */
function by(drill: Drill, side: Side, [x, y, z]: Three): (call: OwnCall) => void {
  const target = uriOf(drill, z).slice(1, -1);
  return ({ acallid, bcallid }) =>
    drill.context.questions.transfer(side === 'a' ? legAt(drill, x, acallid) : legAt(drill, y, bcallid), target);
}

interface Crossed extends Crossing {
  readonly users: Three;
  readonly subscribers: readonly SubscribedEvents[];
}

async function cross(drill: Drill, { what, acts, againBy, talking, users, subscribers }: Crossed): Promise<void> {
  const { questions } = drill.context;
  const [x, y, z] = users;
  const made = await connect(drill, { from: x.number, to: y.number });
  if (made === undefined) return;
  // The answer and its ACK are on their way.
  await questions.wait(3 * slowMs);
  if (againBy !== undefined) questions.behave(drill.domain, z.number, busy);
  await Promise.all(acts.map((act) => act(made)));
  await questions.wait(settledMs);
  questions.behave(drill.domain, z.number, directed);
  if (againBy !== undefined) {
    const isThere = () =>
      [x, y].every((user) => drill.callsOf(user).filter(({ state }) => state === 'talking').length === 1);
    drill.expect(`${what} to a number that refuses`, undefined, () =>
      isThere() ? undefined : 'they do not talk any more',
    );
    await drill.everywhere(made.path, expecting(200, { status: 'dialog' }));
    by(drill, againBy, users)(made);
    await questions.wait(settledMs);
  }
  const found = await agree(drill, users, { subscribers });
  if (talking === undefined || found === undefined) return;
  const expected = talking.map(({ number }) => number).toSorted();
  drill.expect(`${what}${againBy === undefined ? '' : ` in vain, then side ${againBy} alone`}`, undefined, () =>
    found.join() === expected.join(' ') ? undefined : `${found.join() || 'none'} talk, not ${expected.join(' and ')}`,
  );
}

/** By the interface: it is done, or the call is in no state for it. */
function doneOrRefused(answer: QuestionAnswer | undefined): string | undefined {
  return [200, 404, 409].includes(answer?.status ?? 0) ? undefined : `expected 200, 404 or 409, got ${textOf(answer)}`;
}
