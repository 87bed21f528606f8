/** Participants that a selector meeting calls while it runs: later than others, again and again, and with another time to ring. */
import { legAt } from '../dialogs/phone-calls.ts';
import { directedUsers, endedMs, type SteadyUser } from '../kit/call.ts';
import { expecting, type UseCase, useCaseOf } from '../kit/use-case.ts';
import { addTo, isFree, type PlannedMeeting, planMeeting } from './meeting-steps.ts';

/** An mware looks at a running meeting each second. */
const roundMs = 1_000;
/** From the last call of a participant to the next one. */
const recallMs = 5_000;
/** How long a participant may ring, first and then; the phone answers in between, or never. */
const [longSec, briefSec] = [9, 4];
const lateMs = 3_500;
const pollMs = 100;

export const meetingsCalled = useCaseOf({
  name: 'meetings-called',
  rule: 'In a quiescent cluster a participant that is added to a selector meeting which has run for longer than its calltimeout, one that is called again after it has left, and one that was removed and is added again, each ring for as long as the calltimeout says from their own call on: a phone that answers before is called once, and takes part. When the calltimeout of the running meeting is changed, the next call rings for as long as that, and no longer; one that has not answered is called again, until it shall not.',
  exclusions:
    'Domains with fewer than two phones that are registered, and whose users limit calls; times in runs in which clocks were set.',
  sender: '10.6.22.2',
  play: async (useCase) => {
    const [a, b] = await directedUsers(useCase, 2);
    if (a === undefined || b === undefined || !useCase.areClocksRight) return;
    const meeting = await planMeeting(useCase, {
      topology_mode: 'direct',
      calltimeout: longSec,
      timestartutc: new Date(useCase.context.now() - 1_000).toISOString(),
    });
    const first = meeting && (await addTo(useCase, meeting, a, { topology_type: 'speaker' }));
    if (meeting === undefined || first === undefined) return;
    const isOn = await useCase.everywhere(meeting.path, expecting(200, { state: 'online' }), endedMs);
    if (isOn) await call(useCase, meeting, b);
    await useCase.ask(meeting.path, { method: 'DELETE', site: useCase.there });
    for (const user of [a, b]) await isFree(useCase, user);
  },
});

async function call(useCase: UseCase, meeting: PlannedMeeting, user: SteadyUser): Promise<void> {
  const { questions } = useCase.context;
  await questions.wait((longSec + 1) * 1_000);
  const behave = (answerMs: number | undefined) =>
    questions.behave(useCase.domain, user.number, { ringMs: 0, ...(answerMs !== undefined && { answerMs }) });
  behave(lateMs);
  const fields = { topology_type: 'listener', recall: true };
  const added = async () => {
    const id = await addTo(useCase, meeting, user, fields);
    return id === undefined ? undefined : `${meeting.path}/participants/${id}`;
  };
  const patch = async (path: string, body: object) => {
    const answer = await useCase.ask(path, { method: 'PATCH', body, site: useCase.there });
    useCase.expect(`PATCH ${JSON.stringify(body)}`, answer, expecting(200, { ...body }));
    await useCase.copied();
    return answer?.status === 200;
  };
  const joins = async (what: string, begin: () => Promise<string | undefined>, soonMs: number) => {
    const invited = questions.invited([legAt(useCase, user, '').endpoint]);
    const own = await begin();
    if (own !== undefined)
      await useCase.everywhere(own, expecting(200, { state: 'active' }), soonMs + lateMs + 3 * roundMs + endedMs);
    invited.stop();
    const { length } = invited.uris;
    useCase.expect(`${what}, which answers after ${lateMs} ms of ${longSec} s`, undefined, () =>
      length === 1 || own === undefined ? undefined : `is called ${length} times`,
    );
    return length === 1 ? own : undefined;
  };
  const leave = () => {
    const [own] = useCase.callsOf(user);
    if (own !== undefined) questions.hangUp(legAt(useCase, user, own.callid));
  };
  const own = await joins('a participant that is added later', added, 0);
  if (own === undefined) return;
  const again = async () => {
    leave();
    await questions.wait(useCase.quickMs);
    return own;
  };
  if ((await joins('a participant that is called again', again, recallMs)) === undefined) return;
  if (!(await patch(meeting.path, { calltimeout: briefSec }))) return;
  behave(undefined);
  leave();
  for (const what of ['a participant that does not answer', 'the same when it is called again']) {
    const rangMs = await ringing(useCase, user);
    useCase.expect(`how long ${what} rings, with a calltimeout of ${briefSec} s`, undefined, () => {
      if (rangMs === undefined) return 'it is not called';
      // It is called before its phone rings.
      const isRight =
        rangMs >= briefSec * 1_000 - useCase.quickMs && rangMs <= (briefSec + 4) * 1_000 + useCase.quickMs;
      return isRight ? undefined : `${Math.round(rangMs)} ms`;
    });
    if (rangMs === undefined) return;
  }
  if (!(await patch(own, { recall: false }))) return;
  // It may be called already.
  await questions.wait((briefSec + 2) * 1_000 + useCase.quickMs + roundMs);
  const silent = questions.invited([legAt(useCase, user, '').endpoint]);
  await questions.wait(recallMs + 3 * roundMs);
  silent.stop();
  useCase.expect('a participant without recall', undefined, () =>
    silent.uris.length === 0 ? undefined : 'it is called again',
  );
  const removed = await useCase.ask(own, { method: 'DELETE' });
  useCase.expect('DELETE of a participant', removed, expecting(204));
  if (removed?.status !== 204 || !(await patch(meeting.path, { calltimeout: longSec }))) return;
  behave(lateMs);
  await joins('a participant that is added again', added, 0);
}

/** How long the phone rings in its next call; `undefined`: it is not called in time. */
async function ringing(useCase: UseCase, user: SteadyUser): Promise<number | undefined> {
  const { questions, now } = useCase.context;
  const rings = () => useCase.callsOf(user).some(({ state }) => state === 'ringing');
  const until = async (is: boolean, withinMs: number) => {
    const untilMs = now() + withinMs;
    while (rings() !== is && now() < untilMs) await questions.wait(pollMs);
    return now();
  };
  const beganMs = await until(true, recallMs + 3 * roundMs + useCase.quickMs + useCase.patienceMs);
  if (!rings()) return undefined;
  return (await until(false, 10 * briefSec * 1_000)) - beganMs;
}
