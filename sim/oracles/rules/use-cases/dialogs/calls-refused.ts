/** How call requests are answered, and what their records say, where X or Y refuses, does not react, redirects or leads to nothing. */

import type { Behaviour } from '../../../../../src/model/topology/schema.ts';
import { differing, exactly, isSame, longTextOf } from '../calls/call-judges.ts';
import { directed, directedUsers, type SteadyUser, uriOf } from '../kit/call.ts';
import { calls, records } from '../kit/paths.ts';
import { filterOf, type Item, type UseCase, useCaseOf } from '../kit/use-case.ts';
import { limitRinging } from './phone-calls.ts';
import { party } from './published-events.ts';

/** Of X, in seconds. */
const timeout = 2;
/** Where none is given. */
const defaultSec = 30;
/** An answer that waits for X comes so soon after that. */
const lateMs = 3_000;

interface Refusal {
  readonly x?: Behaviour;
  readonly y?: Behaviour;
  readonly body?: Item;
  /** What the answer has beside the ids. */
  readonly answer: Item;
  /** The ids that it has as well; of IVR, also `ivrcallid`. */
  readonly ids?: readonly string[];
  /** How the record of the call says that it ended, and its parties at side b, if it knows them. */
  readonly end: Item;
  readonly callee?: SteadyUser;
  /** Whether X is none: its URI is `from` of `end`. */
  readonly isOfNone?: boolean;
}

const talked = ['acallid', 'dialogid'];
const called = [...talked, 'bcallid'];
const timedOut = { type: 'timeout', status: 408, reason: 'Request Timeout' };
const lost = { type: 'error', status: 404, reason: 'Not Found' };

export const callsRefused = useCaseOf({
  name: 'calls-refused',
  rule: 'In a quiescent cluster a call request by IVR or without it is answered with the specified result, the ids and the last response of its response_mode where X refuses, rings or is silent for too long, or is not there, and where Y refuses, declines, redirects, redirects to itself or to nothing, or leads to nothing, and by default after 30 s or when X answers; and the call has a record of how it ended, with its parties.',
  exclusions: 'Domains with fewer than three phones that are registered, and whose users limit no calls.',
  sender: '10.6.0.41',
  play: async (useCase) => {
    const [x, y, z] = await directedUsers(useCase, 3);
    if (x === undefined || y === undefined || z === undefined) return;
    const all = refusals(useCase, y, z);
    for (const method of ['INVITE', 'POST'] as const)
      for (const refusal of all) if (!(await refused(useCase, method, [x, y], refusal))) return;
    await ringByDefault(useCase, [x, y]);
    await answerByDefault(useCase, [x, y]);
  },
});

function refusals({ domain, otherDomain }: UseCase, y: SteadyUser, z: SteadyUser): Refusal[] {
  const refused = (status: number, reason: string) => ({
    answer: { result: 'ok', last_response: `SIP/2.0 ${status} ${reason}` },
    end: { type: 'call_final', status, reason },
    ids: called,
    callee: y,
  });
  const none = otherDomain === undefined ? undefined : `none-of-it@${otherDomain}`;
  return [
    { y: { reject: 486 }, ...refused(486, 'Busy Here') },
    { y: { reject: 603 }, ...refused(603, 'Decline') },
    { y: { ringMs: 0, answerMs: 300, reject: 480 }, ...refused(480, 'Temporarily Unavailable') },
    { y: { redirect: y.number }, ...refused(482, 'Loop Detected') },
    { y: { redirect: z.number }, ...refused(200, 'OK'), end: {} },
    { y: { reject: 486 }, body: { response_mode: 2 }, ...refused(486, 'Busy Here'), ids: talked },
    { x: { reject: 486 }, answer: { result: 'failed' }, end: { type: 'call_final', status: 486, reason: 'Busy Here' } },
    { x: { ringMs: 0 }, answer: { result: 'timeout' }, end: timedOut },
    { x: { silent: true }, answer: { result: 'no_answer' }, end: timedOut },
    {
      body: { mode: 'sipuser', from: 'none-of-it' },
      answer: { result: 'failed' },
      end: { ...lost, from: `<sip:none-of-it@${domain}>` },
      isOfNone: true,
    },
    ...(none === undefined
      ? []
      : [
          { y: { redirect: none }, ...refused(404, 'Not Found') },
          {
            body: { to: none },
            answer: { result: 'ok', last_response: 'SIP/2.0 404 Not Found' },
            ids: talked,
            end: { ...lost, to: `<sip:${none}>` },
          },
          {
            body: { from: none },
            answer: { result: 'failed' },
            end: { ...lost, from: `<sip:${none}>` },
            isOfNone: true,
          },
        ]),
  ];
}

/** Without a timeout X may ring for 30 s, also where its user may ring for longer. */
async function ringByDefault(useCase: UseCase, [x, y]: readonly [SteadyUser, SteadyUser]): Promise<void> {
  const { questions, now } = useCase.context;
  if (!(await limitRinging(useCase, x.id, 2 * defaultSec))) return;
  questions.behave(useCase.domain, x.number, { ringMs: 0 });
  const sentMs = now();
  const answer = await useCase.ask(calls, { method: 'INVITE', body: { from: x.number, to: y.number } });
  const tookMs = now() - sentMs;
  useCase.expect('INVITE of a phone that rings', answer, exactly(200, { result: 'timeout' }));
  useCase.expect('its default timeout', undefined, () =>
    tookMs >= defaultSec * 1_000 && tookMs <= defaultSec * 1_000 + lateMs ? undefined : `${Math.round(tookMs)} ms`,
  );
}

/** Without a response_mode the answer comes when X has answered, and shows no call to Y. */
async function answerByDefault(useCase: UseCase, [x, y]: readonly [SteadyUser, SteadyUser]): Promise<void> {
  const { questions, now } = useCase.context;
  for (const { number } of [x, y]) questions.behave(useCase.domain, number, directed);
  const sentMs = now();
  const answer = await useCase.ask(calls, { method: 'POST', body: { from: x.number, to: y.number } });
  const tookMs = now() - sentMs;
  const { ivrcallid } = (answer?.body ?? {}) as Item;
  useCase.expect('POST without a response_mode', answer, exactly(200, { result: 'ok', ivrcallid }));
  useCase.expect('its time', undefined, () =>
    tookMs >= directed.answerMs ? undefined : `${Math.round(tookMs)} ms, X answers after ${directed.answerMs} ms`,
  );
}

/** Returns whether the phones may call each other. */
async function refused(
  useCase: UseCase,
  method: 'INVITE' | 'POST',
  [x, y]: readonly [SteadyUser, SteadyUser],
  { x: caller, y: callee, body, answer: wanted, ids = [], end, callee: known, isOfNone = false }: Refusal,
): Promise<boolean> {
  const { questions } = useCase.context;
  questions.behave(useCase.domain, x.number, caller ?? directed);
  questions.behave(useCase.domain, y.number, callee ?? directed);
  const sent = { from: x.number, to: y.number, response_mode: 3, timeout, ...body };
  const sentMs = useCase.context.now();
  const answer = await useCase.ask(calls, { method, body: sent });
  const tookMs = useCase.context.now() - sentMs;
  const what = `${method} ${JSON.stringify({ ...sent, x: caller, y: callee })}`;
  const given = (answer?.body ?? {}) as Item;
  const names = [...Object.keys(wanted), ...ids, ...(method === 'POST' ? ['ivrcallid'] : [])].toSorted();
  const isRight = useCase.expect(what, answer, (it) => {
    const wrong = differing(wanted, it);
    if (wrong !== undefined) return wrong;
    // X may tell IVR of the refusal before b2b does, which alone knows the ids: that of the leg to Y, or all.
    const late: readonly string[][] = [[], ...(method === 'POST' ? [['bcallid'], called] : [])];
    const isKnown = late.some((absent) =>
      isSame(
        Object.keys(given).toSorted(),
        names.filter((name) => !absent.includes(name)),
      ),
    );
    return isKnown ? undefined : `expected ${names.join()}, got ${longTextOf(it)}`;
  });
  if (caller !== undefined && caller.reject === undefined)
    useCase.expect(`the time of ${what}`, undefined, () =>
      tookMs >= timeout * 1_000 && tookMs <= timeout * 1_000 + lateMs ? undefined : `${Math.round(tookMs)} ms`,
    );
  if (given['last_response'] === 'SIP/2.0 200 OK') {
    const path = `${calls}/${String(given['dialogid'])}`;
    const judge = exactly(200, { dialogid: given['dialogid'], result: 'ok' });
    let ended = await useCase.ask(path, { method: 'DELETE', site: useCase.there });
    // The other site may not know it yet, or the phone has ended it.
    await useCase.context.questions.eventually(useCase.patienceMs, async () => {
      if (ended?.status === 404) ended = await useCase.ask(path, { method: 'DELETE', site: useCase.there });
      return ended?.status === 404 ? ['it is not known'] : [];
    });
    useCase.expect('its DELETE', ended, (answer) => (answer?.status === 404 ? undefined : judge(answer)));
    return true;
  }
  if (!isRight || end['type'] === undefined) return true;
  const { acallid, dialogid } = given;
  // IVR calls X by a call of its own.
  if (acallid === undefined && (method === 'POST' || !useCase.areClocksRight)) return true;
  const parties = [...(isOfNone ? [] : [party(useCase, 'a', x)]), ...(known ? [party(useCase, 'b', known)] : [])];
  const times = { answerts: null, talkms: 0, recordings: 0 };
  const uris = { from: isOfNone ? end['from'] : uriOf(useCase, x), to: uriOf(useCase, y) };
  const record = { ...uris, ...times, participations: parties, domains: [useCase.domain], ...end };
  const filter = acallid === undefined ? filterOf(since(Math.floor(sentMs), record['from'])) : filterOf({ acallid });
  await useCase.everywhere(
    `${records}?${filter}`,
    (list) => {
      const [item, more] = (list?.body ?? []) as Item[];
      if (item === undefined || more !== undefined) return `not one record in ${longTextOf(list)}`;
      const ofIt = acallid === undefined ? record : { ...record, acallid, dialogid };
      return differing(ofIt, list && { ...list, body: item });
    },
    useCase.patienceMs,
  );
  return true;
}

/** Records of calls of a party that have begun by then. */
function since(ms: number, from: unknown): unknown {
  return ['&&', ['>=', ['property', 'startts'], ms], ['==', ['property', 'from'], from]];
}
