/** The way to the phones of a call is slow, and they hold and resume faster than their offers are answered. */
import { connect, endCall, type SteadyUser, steadyUsers } from '../../use-cases/kit/call.ts';
import { dashboards } from '../../use-cases/kit/paths.ts';
import { expecting } from '../../use-cases/kit/use-case.ts';
import { type Drill, drillOf } from '../kit/drill.ts';
import { connectPair, goesOn, type KnownCall } from '../kit/known-call.ts';

/** Of each message, longer than what a party does takes. */
const slowMs = 600;
/** Two offers one after the other, and both once more after they have met. */
const settledMs = 20 * slowMs;

/** A number that leads outside. */
const outside = '4930777175';
const edgeDialogs = `${dashboards}/count`;

export const offersDelayed = drillOf({
  name: 'offers-delayed',
  rule: 'When the way to the phones of a call is slow, and a party holds and resumes at once, or both hold or resume at once, each phone has in the end what both have asked for last, and the call goes on with all its fields; a call to a provider, too, goes on at its edge when the offers of both sides have met.',
  exclusions: 'Domains with fewer than two phones that are registered and answer.',
  sender: '10.6.1.75',
  play: async (drill) => {
    const [x, y] = await steadyUsers(drill, 2);
    if (x === undefined || y === undefined) return;
    const call = await connectPair(drill, [x, y], { label: 'offers-delayed' });
    if (call !== undefined) await offer(drill, call, [x, y]);
    await offerOutside(drill, x);
  },
});

async function offer(drill: Drill, call: KnownCall, [x, y]: readonly [SteadyUser, SteadyUser]): Promise<void> {
  const { questions } = drill.context;
  const sides = [x, y].map((user, index) => ({
    user,
    callid: index === 0 ? call.acallid : call.bcallid,
    endpoint: drill.phonesOf(user)[0]?.endpoint ?? '',
  }));
  const endpoints = sides.map(({ endpoint }) => endpoint);
  /** What the parties do at once, and which of them hold in the end. */
  const rounds: [what: string, done: [side: number, isOn: boolean][], holding: readonly [boolean, boolean]][] = [
    [
      'one holds and resumes',
      [
        [0, true],
        [0, false],
      ],
      [false, false],
    ],
    [
      'the other one holds, resumes and holds',
      [
        [1, true],
        [1, false],
        [1, true],
      ],
      [false, true],
    ],
    ['it resumes', [[1, false]], [false, false]],
    [
      'both hold',
      [
        [0, true],
        [1, true],
      ],
      [true, true],
    ],
    [
      'both resume',
      [
        [0, false],
        [1, false],
      ],
      [false, false],
    ],
  ];
  await drill.during(
    (faults) => faults.delayOutside(slowMs, { endpoints }),
    async () => {
      for (const [what, done, holding] of rounds) {
        for (const [side, isOn] of done) {
          const { endpoint = '', callid = '' } = sides[side] ?? {};
          questions.hold({ endpoint, callid }, isOn);
        }
        const isRight = () =>
          sides.every(({ user, callid }, index) => {
            const own = drill.callsOf(user).find((each) => each.callid === callid);
            return own?.isHolding === holding[index] && own?.isHeld === holding[1 - index];
          });
        await questions.wait(settledMs);
        await drill.holds(0, `${what}, and each phone has what both asked for last`, isRight);
      }
    },
  );
  await goesOn(drill, call);
}

/** Of a call to a provider both sides hold and resume at once: the refusals of their offers do not end it at its edge. */
async function offerOutside(drill: Drill, user: SteadyUser): Promise<void> {
  const { questions, providers, map } = drill.context;
  const asMaster = { domain: map.masterDomain };
  const before = await drill.ask(edgeDialogs, asMaster);
  const call = await connect(drill, { from: user.number, to: outside });
  const phone = drill.phonesOf(user)[0];
  const carriers = providers().flatMap(({ endpoint, calls }) => calls.map(({ callid }) => ({ endpoint, callid })));
  // Other calls at the edges begin and end by themselves.
  if (call === undefined || phone === undefined || carriers.length !== 1) return;
  const sides = [{ endpoint: phone.endpoint, callid: call.acallid }, ...carriers];
  const { dlgcount } = (before?.body ?? {}) as { dlgcount?: number };
  await drill.during(
    (faults) => faults.delayOutside(slowMs, { endpoints: sides.map(({ endpoint }) => endpoint) }),
    async () => {
      for (const isOn of [true, false]) {
        for (const side of sides) questions.hold(side, isOn);
        // The platform has refused an offer, and not repeated its own.
        await questions.wait(slowMs + 100);
        const shown = await drill.ask(edgeDialogs, asMaster);
        drill.expect(
          'the dialogs at the edges while offers meet',
          shown,
          expecting(200, { dlgcount: Number(dlgcount) + 1 }),
        );
        await questions.wait(settledMs);
      }
    },
  );
  await endCall(drill, call);
}
