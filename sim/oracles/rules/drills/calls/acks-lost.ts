/** ACKs are lost between phones and the platform, and the parties of the call go on: they hold, resume and hang up. */

import { begin, legAt, type PhoneCall } from '../../use-cases/dialogs/phone-calls.ts';
import { directedUsers, endCalls, endedMs, type SteadyUser } from '../../use-cases/kit/call.ts';
import { expecting } from '../../use-cases/kit/use-case.ts';
import { type Drill, drillOf } from '../kit/drill.ts';
import { asShown, goesOn, hasRecord, isGone, type KnownCall } from '../kit/known-call.ts';

/** What an offer takes to the other phone and back, with messages that are sent again. */
const heldMs = 4_000;
/** After 64 T1 without an ACK a call is lost (RFC 3261, 13.3.1.4). */
const missedMs = 35_000;
const directions = ['in', 'out'] as const;

export const acksLost = drillOf({
  name: 'acks-lost',
  rule: 'When the ACKs of the phones of a call, or those to them, are lost, each party holds, resumes and presses digits with effect at both phones, and what a client sends into the call is accepted, and done when the ACK has come; the call goes on with all its fields, also after 64 T1; one in which a phone hangs up before its ACK has come is over at both, and has a record of that.',
  exclusions: 'Domains with fewer than two phones that are registered, and whose users limit no calls.',
  sender: '10.6.1.79',
  play: async (drill) => {
    const [x, y] = await directedUsers(drill, 2);
    if (x === undefined || y === undefined) return;
    for (const direction of drill.turned(directions)) {
      if (!(await holds(drill, [x, y], direction))) return;
      await keeps(drill, [x, y], direction);
      await presses(drill, [x, y], direction);
      await hangsUp(drill, [x, y], direction);
    }
  },
});

type Pair = readonly [SteadyUser, SteadyUser];

/** No ACK passes to or from these phones. */
function withoutAcks(
  drill: Drill,
  users: Pair,
  direction: (typeof directions)[number],
  work: () => Promise<void>,
): Promise<void> {
  const endpoints = users.map((user) => legAt(drill, user, '').endpoint);
  return drill.during((faults) => faults.cutOutside({ endpoints, direction, messages: ['ACK'] }), work);
}

/** Begins a call, and works while its ACKs are lost. Returns whether one was possible; it goes on then. */
async function lasts(
  drill: Drill,
  pair: Pair,
  direction: (typeof directions)[number],
  { work, after }: { work(call: PhoneCall): Promise<void>; after?(call: PhoneCall): Promise<void> },
): Promise<boolean> {
  let call: (KnownCall & PhoneCall) | undefined;
  await withoutAcks(drill, pair, direction, async () => {
    const begun = await begin(drill, pair[0], pair[1].number, 'dialog');
    const shown = begun && (await asShown(drill, { ...begun, pair, events: [] }));
    if (begun === undefined || shown === undefined) return;
    call = { ...begun, ...shown };
    await work(begun);
  });
  if (call === undefined) return false;
  await after?.(call);
  await goesOn(drill, call);
  await drill.context.questions.wait(missedMs);
  await goesOn(drill, call);
  await endCalls(drill, pair);
  await isGone(drill, call, { withinMs: endedMs });
  return true;
}

/** Each party holds and resumes: the platform accepts it, and passes it on. */
function holds(drill: Drill, pair: Pair, direction: (typeof directions)[number]): Promise<boolean> {
  return lasts(drill, pair, direction, {
    work: async (call) => {
      for (const side of [0, 1] as const)
        for (const isOn of [true, false]) await offers(drill, { call, pair, side, isOn });
    },
  });
}

/** What is said to a party whose ACK has not come is said when it comes. */
async function keeps(drill: Drill, pair: Pair, direction: (typeof directions)[number]): Promise<void> {
  const pressed = { a: '5', b: '6' } as const;
  await lasts(drill, pair, direction, {
    work: async ({ path }) => {
      for (const [to, dtmf] of Object.entries(pressed)) {
        const sent = await drill.ask(path, { method: 'SEND_DTMF', body: { to, dtmf }, site: drill.there });
        drill.expect(`SEND_DTMF to side ${to} without ACKs`, sent, expecting(200));
      }
    },
    after: (call) => hear(drill, { call, pair, pressed }),
  });
}

/** A party that goes on in the call has had the answer, whatever has become of its ACK. */
async function presses(drill: Drill, pair: Pair, direction: (typeof directions)[number]): Promise<void> {
  const pressed = { a: '8', b: '7' } as const;
  await lasts(drill, pair, direction, {
    work: async (call) => {
      const { questions } = drill.context;
      questions.press(legAt(drill, pair[0], call.acallid), pressed.b);
      await questions.wait(drill.quickMs);
      questions.press(legAt(drill, pair[1], call.bcallid), pressed.a);
      await hear(drill, { call, pair, pressed });
      await questions.wait(missedMs);
    },
  });
}

interface Heard {
  readonly call: PhoneCall;
  readonly pair: Pair;
  readonly pressed: Readonly<Record<'a' | 'b', string>>;
}

/** The phones have these digits. */
async function hear(drill: Drill, { call, pair: [x, y], pressed }: Heard): Promise<void> {
  const digitsOf = (user: SteadyUser, callid: string) =>
    drill.callsOf(user).find((each) => each.callid === callid)?.digits;
  await drill.holds(
    heldMs,
    `sides a and b have the digits ${pressed.a} and ${pressed.b}`,
    () => digitsOf(x, call.acallid) === pressed.a && digitsOf(y, call.bcallid) === pressed.b,
  );
}

interface Offer {
  readonly call: PhoneCall;
  readonly pair: Pair;
  readonly side: 0 | 1;
  readonly isOn: boolean;
}

async function offers(drill: Drill, { call, pair, side, isOn }: Offer): Promise<void> {
  const callids = [call.acallid, call.bcallid];
  const legOf = (at: number) => {
    const user = pair[at];
    return user && drill.callsOf(user).find(({ callid }) => callid === callids[at]);
  };
  drill.context.questions.hold(legAt(drill, pair[side], callids[side] ?? ''), isOn);
  const what = `side ${'ab'[side]} ${isOn ? 'holds' : 'resumes'} without ACKs, as both phones know`;
  await drill.holds(heldMs, what, () => legOf(side)?.isHolding === isOn && legOf(1 - side)?.isHeld === isOn);
}

/** Each party in one of the calls. */
async function hangsUp(drill: Drill, pair: Pair, direction: (typeof directions)[number]): Promise<void> {
  for (const side of [0, 1] as const) {
    let call: KnownCall | undefined;
    await withoutAcks(drill, pair, direction, async () => {
      const begun = await begin(drill, pair[0], pair[1].number, 'dialog');
      if (begun === undefined) return;
      call = await asShown(drill, { ...begun, pair, events: [] });
      drill.context.questions.hangUp(legAt(drill, pair[side], side === 0 ? begun.acallid : begun.bcallid));
      const what = `the call of ${pair[0].number} is over after side ${'ab'[side]} has hung up without ACKs`;
      await drill.holds(endedMs, what, () => pair.every((user) => drill.callsOf(user).length === 0));
    });
    if (call === undefined) return;
    await isGone(drill, call);
    await hasRecord(drill, call, { type: 'bye' });
  }
}
