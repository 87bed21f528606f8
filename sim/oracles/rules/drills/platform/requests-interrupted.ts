/** A server crashes and is back before others notice, while a client waits for what an instance of it does. */
import { directedUsers, type SteadyUser } from '../../use-cases/kit/call.ts';
import { calls } from '../../use-cases/kit/paths.ts';
import { type Item, textOf } from '../../use-cases/kit/use-case.ts';
import { type Drill, drillOf } from '../kit/drill.ts';
import { timed } from '../kit/silence.ts';

const label = 'requests-interrupted';
/** So long the call may ring. */
const timeout = 120;

export const requestsInterrupted = drillOf({
  name: label,
  rule: 'When the server of an ivr crashes and starts again before another node takes it for lost, a client that waits for the ivr to connect a call is answered soon after the server is back: that the call has failed, or 503 or 504.',
  exclusions:
    'Domains with fewer than two phones that are registered, and whose users limit no calls; sites with a front on the server of their ivr.',
  sender: '10.6.1.95',
  play: async (drill) => {
    const [x, y] = await directedUsers(drill, 2);
    if (x === undefined || y === undefined) return;
    for (const site of drill.sites) {
      const [ivr, more] = drill.activeOf('ivr', site);
      const isFronts = drill.activeOf('ws', site).some(({ node }) => node === ivr?.node);
      if (ivr === undefined || more !== undefined || isFronts) continue;
      return interrupt(drill, [x, y], { site, node: ivr.node });
    }
  },
});

async function interrupt(
  drill: Drill,
  [x, y]: readonly [SteadyUser, SteadyUser],
  { site, node }: { readonly site: string; readonly node: string },
): Promise<void> {
  const { questions, faults, map, now } = drill.context;
  questions.behave(drill.domain, y.number, { ringMs: 0 });
  const body = { from: x.number, to: y.number, response_mode: 3, timeout, label };
  const asked = timed(drill, calls, { method: 'POST', site, body });
  const isRinging = () => drill.callsOf(y).some(({ state }) => state === 'ringing');
  const missing = await questions.eventually(x.answerMs + drill.patienceMs, () => (isRinging() ? [] : [label]));
  // Its registration is just being renewed.
  if (missing.length > 0) return;
  faults.crashNode(node);
  await faults.restartNode(node);
  const backMs = now();
  const { answer } = await asked;
  const lateMs = now() - backMs;
  const { result } = (answer?.body ?? {}) as Item;
  const isRight = answer?.status === 503 || answer?.status === 504 || (answer?.status === 200 && result !== 'ok');
  drill.expect(`POST whose ivr was lost with ${node}`, answer, () => (isRight ? undefined : textOf(answer)));
  drill.expect(`the time of its answer after ${node} was back`, undefined, () =>
    lateMs <= map.topology.timings.pingIntervalMs + drill.patienceMs ? undefined : `${Math.round(lateMs)} ms`,
  );
}
