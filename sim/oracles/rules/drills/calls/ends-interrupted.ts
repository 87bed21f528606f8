/** A b2b instance crashes between the end of a call and the answer of the phone that is to leave it. */
import { type SteadyUser, steadyUsers } from '../../use-cases/kit/call.ts';
import { records } from '../../use-cases/kit/paths.ts';
import { eventsAt, type SubscribedEvents } from '../kit/call-events.ts';
import { type Drill, drillOf } from '../kit/drill.ts';
import * as known from '../kit/known-call.ts';
import { connectPair, type KnownCall } from '../kit/known-call.ts';
import { gatesOf, isSpare, sitesWithout } from '../kit/nodes.ts';

const label = 'ends-interrupted';

export const endsInterrupted = drillOf({
  name: 'ends-interrupted',
  rule: 'When a phone has hung up, the other one does not answer BYE, and the b2b instance crashes, alone or with its node, the call is shown, listed and found at no front a moment later; its events end with the one dlg_end that was published before, and it has one record, the same at each front, that says when and by what it ended: type bye, not dead.',
  exclusions:
    'Domains with fewer than two phones that are registered and answer; nodes with the only callstore of their site.',
  sender: '10.6.1.71',
  play: async (drill) => {
    const [a, b] = await steadyUsers(drill, 2);
    if (a === undefined || b === undefined) return;
    const subscribers = await eventsAt(drill, drill.sites);
    // Once with side a as the one that hangs up, once with side b: another b2b may have the call.
    await interrupt(drill, [a, b], { subscribers, hasCalled: true });
    await interrupt(drill, [a, b], { subscribers, hasCalled: false });
  },
});

interface Interrupted {
  readonly subscribers: readonly SubscribedEvents[];
  /** Whether the caller hangs up. */
  readonly hasCalled: boolean;
}

async function interrupt(
  drill: Drill,
  pair: readonly [SteadyUser, SteadyUser],
  { subscribers, hasCalled }: Interrupted,
): Promise<void> {
  const { questions, now } = drill.context;
  const call = await connectPair(drill, pair, { label, site: hasCalled ? drill.here : drill.there });
  if (call === undefined) return;
  const [leaving, staying] = hasCalled ? pair : [pair[1], pair[0]];
  const ends = [drill.phonesOf(leaving)[0]?.endpoint, drill.phonesOf(staying)[0]?.endpoint] as const;
  const callids = hasCalled ? ([call.acallid, call.bcallid] as const) : ([call.bcallid, call.acallid] as const);
  const [endpoint, silent] = ends;
  if (endpoint === undefined || silent === undefined) return;
  const { node } = call.b2b;
  const isWithNode =
    drill.drawn % 2 === 0 && isSpare(drill, node, gatesOf(drill, leaving).concat(gatesOf(drill, staying)));
  const sites = isWithNode ? sitesWithout(drill, node) : drill.sites;
  // What is published of a call just now may be lost with the node.
  await questions.wait(drill.quickMs);
  let isDown = false;
  await drill.during(
    (faults) => {
      const lift = faults.cutOutside({ endpoints: [silent], direction: 'out', messages: ['BYE'] });
      return async () => {
        lift();
        if (isDown) await faults.restartNode(node);
      };
    },
    async () => {
      const hungUpMs = now();
      questions.hangUp({ endpoint, callid: callids[0] });
      const isHeard = () => subscribers.every((each) => each.of(call.inviteid).some(({ name }) => name === 'dlg_end'));
      if (!(await drill.holds(drill.quickMs, `dlg_end of ${call.dialogid} is heard`, isHeard))) return;
      const lost = { call, hungUpMs, crashedMs: now(), sites, isWithNode };
      if (isWithNode) {
        drill.context.faults.crashNode(node);
        isDown = true;
      } else drill.crash(call.b2b);
      await isOver(drill, lost);
    },
  );
  // The phone that knows of no end hangs up as well.
  questions.hangUp({ endpoint: silent, callid: callids[1] });
  await drill.holds(drill.quickMs, `${call.dialogid} is over for its phones`, () => !known.isAtPhone(drill, call));
  await known.isGone(drill, call);
  await known.hasRecord(drill, call, { type: 'bye' });
  await known.heard(drill, call, subscribers, ['dlg_end']);
}

interface Lost {
  readonly call: KnownCall;
  readonly hungUpMs: number;
  readonly crashedMs: number;
  readonly sites: readonly string[];
  readonly isWithNode: boolean;
}

/** Soon after the loss. */
async function isOver(drill: Drill, { call, hungUpMs, crashedMs, sites, isWithNode }: Lost): Promise<void> {
  const { callGoneMs } = drill.context.map.topology.timings;
  const withinMs = callGoneMs + (isWithNode ? drill.noticedMs : drill.quickMs);
  await known.isGone(drill, call, { withinMs, sites });
  await known.hasRecord(drill, call, { type: 'bye' }, { withinMs: drill.quickMs, sites });
  if (!drill.areClocksRight) return;
  const record = await drill.ask(`${records}/${call.inviteid}`, { site: sites[0] ?? drill.here });
  drill.expect(`the end of ${call.inviteid}`, record, (answer) => {
    const { endts } = (answer?.body ?? {}) as { endts?: number };
    return Number(endts) >= hungUpMs - 5 && Number(endts) <= crashedMs
      ? undefined
      : `expected ${hungUpMs} to ${crashedMs}, got ${endts}`;
  });
}
