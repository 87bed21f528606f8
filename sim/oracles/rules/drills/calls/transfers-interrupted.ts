/** Something is lost while a call is transferred. */
import type { InstanceEntry } from '../../../../../src/model/cluster/cluster-map.ts';
import type { QuestionAnswer } from '../../../questions.ts';
import { longTextOf } from '../../use-cases/calls/call-judges.ts';
import { connect, type OwnCall, type SteadyUser, steadyUsers } from '../../use-cases/kit/call.ts';
import type { Item, Judge } from '../../use-cases/kit/use-case.ts';
import { agree, endAll } from '../kit/agreement.ts';
import { eventsAt, type SubscribedEvents } from '../kit/call-events.ts';
import { type Drill, drillOf } from '../kit/drill.ts';
import { gatesOf } from '../kit/nodes.ts';

const verbs = ['REFER', 'REFERREPLACES', 'SWITCHCONF'] as const;
const losses = ['callstore', 'mware', 'b2b', 'gate', 'messages'] as const;
const results: ReadonlySet<unknown> = new Set(['ok', 'failed', 'redirected', 'timeout', 'no_answer', 'unknown']);
/** So long messages are lost. */
const lossMs = 2_000;
/** From the request to the loss, at most: meanwhile the parties are called. */
const laterMs = 1_500;
/** The request is with ivr by then. */
const begunMs = 500;

export const transfersInterrupted = drillOf({
  name: 'transfers-interrupted',
  rule: 'When a callstore, an mware, the b2b instance of the call, the gate of the target, or messages are lost while REFER, REFERREPLACES or SWITCHCONF is carried out, it is answered with a specified result; afterwards no party holds, rings or is held, each front shows the calls that the phones have, and each other call has one end in its events and one record. Without an mware or a callstore, REFER connects the opponent with the target all the same.',
  exclusions: 'Domains with fewer than three phones that are registered and answer, and whose users limit no calls.',
  sender: '10.6.1.11',
  play: async (drill) => {
    const users = await steadyUsers(drill, 4);
    const [x, y, z] = [users[0], users[1], users.at(-1)];
    if (x === undefined || y === undefined || z === undefined || users.length < 3) return;
    const first = drill.drawn;
    let mayCall = false;
    for (const turn of [first, first + 1]) {
      const verb = verbs[turn % verbs.length] ?? 'REFER';
      const loss = losses[Math.floor(turn / 2) % losses.length] ?? 'b2b';
      // A caller whose b2b was lost gives up at its own time.
      mayCall ||= loss === 'b2b';
      // Each time others: what one of them may miss is not missing in the next turn.
      const subscribers = await eventsAt(drill, drill.sites);
      await interrupt(drill, { verb, loss, parties: [x, y, z], subscribers, mayCall, waitMs: (turn * 370) % laterMs });
      await endAll(drill, users);
      for (const subscriber of subscribers) await subscriber.close();
      if (drill.problems.length > 0) return;
    }
  },
});

interface Interrupted {
  readonly verb: (typeof verbs)[number];
  readonly loss: (typeof losses)[number];
  readonly parties: readonly [SteadyUser, SteadyUser, SteadyUser];
  readonly subscribers: readonly SubscribedEvents[];
  readonly mayCall: boolean;
  readonly waitMs: number;
}

async function interrupt(
  drill: Drill,
  { verb, loss, parties, subscribers, mayCall, waitMs }: Interrupted,
): Promise<void> {
  const [x, y, z] = parties;
  const call = await connect(drill, { from: x.number, to: y.number });
  const other =
    verb === 'REFERREPLACES' ? await connect(drill, { from: x.number, to: z.number }, { site: drill.there }) : call;
  if (call === undefined || other === undefined) return;
  const { questions, now } = drill.context;
  const body: Item =
    verb === 'REFER'
      ? { by: 'a', referto: z.number, response_mode: 3 }
      : verb === 'REFERREPLACES'
        ? { by: 'a', dialogid: other.dialogid }
        : {};
  const askedMs = now();
  const answering = drill.ask(call.path, { method: verb, body, site: drill.there });
  await questions.wait(waitMs);
  const lost = lostBy(drill, { loss, call, target: z });
  if (loss === 'messages') {
    const node = drill.ownerOf('b2b', call.dialogid)?.node ?? '';
    await drill.during(
      (faults) => faults.lose({ from: node }, 0.5),
      () => questions.wait(lossMs),
    );
  } else for (const each of lost) drill.crash(each);
  const answer = await answering;
  const what = `${verb} while ${loss} is lost after ${waitMs} ms`;
  const longestMs = x.answerMs + y.answerMs + z.answerMs + drill.noticedMs + drill.patienceMs;
  drill.expect(what, answer, specified(verb));
  // The answer itself may be lost: its deadline is that of a call that rings.
  const isLost = loss === 'messages' && answer?.status === 504;
  drill.expect(`${what}: time until its answer`, undefined, () =>
    now() - askedMs > longestMs && !isLost ? `${Math.round(now() - askedMs)} ms` : undefined,
  );
  await drill.becomesWhole();
  await questions.wait(z.answerMs);
  const mayMiss = lost.some(({ role }) => role === 'callstore');
  const talking = await agree(drill, parties, { subscribers, mayCall, mayMiss });
  if (talking === undefined) {
    drill.report(`after ${what}, ${longTextOf(answer)}`);
    return;
  }
  if (!isConnected(drill, { verb, loss, waitMs, answer, lost })) return;
  drill.expect(what, answer, (given) =>
    talking.join() === [y.number, z.number].toSorted().join(' ')
      ? undefined
      : `${talking.join() || 'none'} talk, not ${y.number} with ${z.number}, after ${longTextOf(given)}`,
  );
}

interface Outcome extends Pick<Interrupted, 'verb' | 'loss' | 'waitMs'> {
  readonly answer: QuestionAnswer | undefined;
  readonly lost: readonly InstanceEntry[];
}

/** Whether the opponent certainly talks to the target: the answer says so, or what is lost takes no part any more. */
function isConnected(drill: Drill, { verb, loss, waitMs, answer, lost }: Outcome): boolean {
  if (verb !== 'REFER') return false;
  const { result, last_response, referdialogid } = (answer?.body ?? {}) as Item;
  if (loss === 'mware') return answer?.status === 504 && waitMs >= begunMs;
  if (result !== 'ok' || last_response !== 'SIP/2.0 200 OK') return false;
  const b2b = drill.ownerOf('b2b', String(referdialogid));
  return b2b !== undefined && !lost.includes(b2b) && loss !== 'gate';
}

function lostBy(
  drill: Drill,
  { loss, call, target }: { loss: string; call: OwnCall; target: SteadyUser },
): InstanceEntry[] {
  const b2b = drill.ownerOf('b2b', call.dialogid);
  if (b2b === undefined) return [];
  if (loss === 'b2b') return [b2b];
  if (loss === 'callstore') return [...drill.activeOf('callstore', b2b.site)];
  if (loss === 'mware') return [...drill.activeOf('mware', drill.there)];
  return gatesOf(drill, target).flatMap((gate) => drill.context.map.instanceNamed(gate) ?? []);
}

/** A result of the interface, or that it is not carried out, or may not be. */
function specified(verb: string): Judge {
  return (answer) => {
    const { result, error_code, confid } = (answer?.body ?? {}) as Item;
    const isRefused =
      [404, 409, 503, 504].includes(answer?.status ?? 0) && error_code === 1_000 + (answer?.status ?? 0);
    const isDone =
      answer?.status === 200 && results.has(result) && (verb !== 'SWITCHCONF' || typeof confid === 'string');
    return isRefused || isDone ? undefined : `got ${longTextOf(answer)}`;
  };
}
