/** The way to phones is slow, so that a REFER of one party meets another one, or a command of a client, on its way. */
import type { QuestionAnswer } from '../../../questions.ts';
import { over, refusing } from '../../use-cases/calls/call-judges.ts';
import { meetingOf } from '../../use-cases/conferences/rooms.ts';
import { legAt } from '../../use-cases/dialogs/phone-calls.ts';
import {
  connect,
  directed,
  directedUsers,
  limit,
  type OwnCall,
  type SteadyUser,
  uriOf,
} from '../../use-cases/kit/call.ts';
import { conferences } from '../../use-cases/kit/paths.ts';
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
  rule: 'When the way to phones is slow, and both parties of a call refer each other at once to a number that refuses, the call goes on, and after that each of them can transfer the other one; and where one meets a REFER or SWITCHCONF of a client, no party holds, rings or is held in the end, each front shows the calls that the phones have, and each other call has one end in its events and one record. When the way to one phone of a call is slow, and SWITCHCONF moves a party that has its only trunk in another call, it does not follow: whichever party is done first, the call ends, the other party is alone in the conference, and a REFERCONF of the one that has failed is refused while the other one is on its way.',
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
    for (const [index, slow] of (['x', 'y'] as const).entries()) {
      if (drill.problems.length > 0) return;
      await part(drill, { users, subscribers, slow, isFlipped: (drill.drawn + index) % 2 === 1 });
      await endAll(drill, users);
    }
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

/** The party whose phone is slow: the other one is done first. */
type Slow = 'x' | 'y';

interface Parted extends Pick<Crossed, 'users' | 'subscribers'> {
  readonly slow: Slow;
  /** Y calls x. */
  readonly isFlipped: boolean;
}

/** SWITCHCONF moves x, and y cannot follow: its only trunk is that of its call with z. */
async function part(drill: Drill, { users, subscribers, slow, isFlipped }: Parted): Promise<void> {
  const [x, y, z] = users;
  const what = `SWITCHCONF when side ${isFlipped ? 'a' : 'b'} has no trunk, and the phone of ${slow} is slow`;
  const [from, to] = isFlipped ? [y, x] : [x, y];
  const other = await connect(drill, { from: z.number, to: y.number });
  const made = other && (await connect(drill, { from: from.number, to: to.number }));
  if (made === undefined || !(await limit(drill, [y]))) return;
  let confid: unknown;
  const { endpoint } = legAt(drill, slow === 'x' ? x : y, '');
  await drill.during(
    (faults) => faults.delayOutside(slowMs, { endpoints: [endpoint] }),
    async () => {
      const answer = await drill.ask(made.path, { method: 'SWITCHCONF', site: drill.there });
      if (!drill.expect(what, answer, expecting(200, { result: 'ok' }))) return;
      ({ confid } = (answer?.body ?? {}) as Item);
      await drill.context.questions.wait(slowMs);
      if (slow === 'x') {
        const body = { by: uriOf(drill, x), confid };
        const refused = await drill.ask(made.path, { method: 'REFERCONF', body });
        drill.expect(`REFERCONF after ${what}`, refused, (it) => refusing(409)(it) && over(it));
      }
      await drill.context.questions.wait(settledMs);
    },
  );
  await limit(drill, [y], -1);
  if (confid === undefined || !(await drill.everywhere(made.path, over, drill.patienceMs))) return;
  await drill.everywhere(`${conferences}/${String(confid)}/participants`, meetingOf(drill, [x]), drill.patienceMs);
  const found = await agree(drill, users, { subscribers });
  drill.expect(`after ${what}`, undefined, () =>
    found === undefined || found.length === 2 ? undefined : `there are the calls of ${found.join()}`,
  );
}

/** By the interface: it is done, or the call is in no state for it. */
function doneOrRefused(answer: QuestionAnswer | undefined): string | undefined {
  return [200, 404, 409].includes(answer?.status ?? 0) ? undefined : `expected 200, 404 or 409, got ${textOf(answer)}`;
}
