/** A phone gets the end of its call late: the other party, who has left, may have the next call at once. */
import type { PlacedCall } from '../../../../outside/outside-world.ts';
import type { QuestionAnswer } from '../../../questions.ts';
import { longTextOf, over } from '../../use-cases/calls/call-judges.ts';
import { begin, legAt, type PhoneCall } from '../../use-cases/dialogs/phone-calls.ts';
import {
  call as connect,
  directed,
  directedUsers,
  endCalls,
  limit,
  type SteadyUser,
  uriOf,
} from '../../use-cases/kit/call.ts';
import { expecting, type Item, textOf } from '../../use-cases/kit/use-case.ts';
import { type Drill, drillOf } from '../kit/drill.ts';
import { isOver } from '../kit/known-call.ts';

/** Of BYE and CANCEL to the phone. A call that is over is shown for 3 s at most. */
const slowMs = 6_000;
/** What a client may command in a call of two parties. */
const commands: readonly (readonly [method: string, body: (to: SteadyUser) => Item])[] = [
  ['REFER', ({ number }) => ({ by: 'a', referto: number })],
  ['SWITCHCONF', () => ({})],
  ['NOTIFY', () => ({ to: 'b', event: 'hold' })],
  ['SEND_DTMF', () => ({ to: 'b', dtmf: '1' })],
  ['SETUP_RECORD', () => ({ action: 'start' })],
  ['SETUP_BINDINGS', () => ({ add: ['ends-delayed'] })],
];

export const endsDelayed = drillOf({
  name: 'ends-delayed',
  rule: 'When a phone gets BYE or CANCEL late, the call is shown as ending at each front, and takes no command; a SIP user that may have one call, and has left this one by hanging up, taking it back or a transfer, or was left by a client, calls and is called meanwhile, also by other b2b instances; in the end the call has one record, and the phones are free.',
  exclusions: 'Domains with fewer than three phones that are registered, and whose users limit no calls.',
  sender: '10.6.3.1',
  play: async (drill) => {
    const [x, y, z] = await directedUsers(drill, 3);
    if (x === undefined || y === undefined || z === undefined || !(await limit(drill, [x]))) return;
    const first = drill.drawn;
    for (const [index, end] of endsOf(drill, z).entries())
      await delay(drill, [x, y, z], { ...end, isNextCalled: (first + index) % 2 === 0 });
  },
});

type Three = readonly [SteadyUser, SteadyUser, SteadyUser];

interface End {
  readonly what: string;
  /** Default: x calls. */
  readonly isCalled?: boolean;
  /** Default: y answers. */
  readonly isRinging?: boolean;
  end(leg: PlacedCall, call: PhoneCall): unknown;
}

function endsOf(drill: Drill, z: SteadyUser): readonly End[] {
  const { questions } = drill.context;
  const hangUp = (leg: PlacedCall) => questions.hangUp(leg);
  const remove = (_: PlacedCall, { path }: PhoneCall) => drill.ask(path, { method: 'DELETE', site: drill.there });
  return [
    { what: 'the caller has hung up', end: hangUp },
    { what: 'the callee has hung up', isCalled: true, end: hangUp },
    { what: 'a client has ended', end: remove },
    { what: 'the caller has taken back', isRinging: true, end: hangUp },
    { what: 'the caller has transferred', end: (leg) => questions.transfer(leg, uriOf(drill, z).slice(1, -1)) },
    { what: 'a client has taken back', isRinging: true, end: remove },
  ];
}

async function delay(
  drill: Drill,
  users: Three,
  { what, isCalled, isRinging, isNextCalled, end }: End & { readonly isNextCalled: boolean },
): Promise<void> {
  const { questions } = drill.context;
  const [x, y, z] = users;
  const [caller, callee] = isCalled ? [y, x] : [x, y];
  if (isRinging) questions.behave(drill.domain, y.number, { ringMs: 0 });
  const made = await begin(drill, caller, callee.number, isRinging ? 'forking' : 'dialog');
  questions.behave(drill.domain, y.number, directed);
  if (made === undefined) return;
  const leg = isCalled ? legAt(drill, x, made.bcallid) : made.placed;
  const endpoints = drill.phonesOf(y).map(({ endpoint }) => endpoint);
  await drill.during(
    (faults) => faults.delayOutside(slowMs, { endpoints, direction: 'out', messages: ['BYE', 'CANCEL'] }),
    async () => {
      await end(leg, made);
      const hasLeft = () => drill.callsOf(x).length === 0;
      if (!(await drill.holds(drill.patienceMs, `a call that ${what}, and its phone is free`, hasLeft))) return;
      await drill.everywhere(made.path, endingOrOver);
      const refused = refuses(drill, made, z);
      const numbers = isNextCalled ? { from: z.number, to: x.number } : { from: x.number, to: z.number };
      const next = await connect(drill, numbers, { site: elsewhere(drill, made) });
      drill.expect(`a call of ${numbers.from} to ${numbers.to} beside one that ${what}`, undefined, () =>
        next === undefined ? 'it was not connected' : undefined,
      );
      await refused;
      await endCalls(drill, users);
    },
  );
  await isOver(drill, made.acallid, { users, what: `a call that ${what}` });
}

/** As the interface says of a call whose BYE or CANCEL is under way. */
function endingOrOver(answer: QuestionAnswer | undefined): string | undefined {
  const isRight = [expecting(200, { status: 'ending' }), over].some((judge) => judge(answer) === undefined);
  return isRight ? undefined : `expected a call that is ending, or 404, got ${longTextOf(answer)}`;
}

/** A site with another b2b instance than that of the call, which has the next one then. */
function elsewhere(drill: Drill, { dialogid }: PhoneCall): string {
  const own = drill.ownerOf('b2b', dialogid)?.site;
  return drill.sites.find((site) => site !== own && drill.activeOf('b2b', site).length > 0) ?? drill.there;
}

/** No command is done any more. */
async function refuses(drill: Drill, { path }: PhoneCall, z: SteadyUser): Promise<void> {
  for (const [method, body] of commands) {
    const answer = await drill.ask(path, { method, body: body(z), site: drill.there });
    drill.expect(`${method} of a call that is ending`, answer, () =>
      answer?.status === 409 || answer?.status === 404 ? undefined : `expected 404 or 409, got ${textOf(answer)}`,
    );
  }
}
