/** A selector meeting is enabled just after another change, which its mware looks at already. */
import { steadyUsers } from '../kit/call.ts';
import { expecting, type Item, type Judge, textOf, type UseCase, useCaseOf } from '../kit/use-case.ts';
import { addTo, isFree, type PlannedMeeting, planMeeting } from './meeting-steps.ts';

/** After a change an mware waits for others for 10 ms, then it reads the meetings, and compares them with the conferences. */
const laterMs = [22, 26, 28, 29, 30, 31, 32, 33, 34, 38];
const mode = { topology_mode: 'direct' } as const;
/** An mware looks at a running meeting each second. */
const roundMs = 1_000;

export const meetingsCrossed = useCaseOf({
  name: 'meetings-crossed',
  rule: 'In a quiescent cluster a selector meeting that is enabled when its time has come calls its participants at once, also where another meeting has changed just before; it ends when it is disabled, and is enabled again.',
  exclusions: 'Domains without a phone that is registered and answers; calls that phones or other rules end.',
  sender: '10.6.21.25',
  play: async (useCase) => {
    const [a] = await steadyUsers(useCase, 1);
    if (a === undefined) return;
    const meeting = await planMeeting(useCase, { ...mode, timestartutc: '2000-01-01T00:00:00.000Z', enabled: false });
    const other = await planMeeting(useCase, mode);
    if (meeting === undefined || other === undefined) return;
    if ((await addTo(useCase, meeting, a, { topology_type: 'speaker' })) === undefined) return;
    await useCase.copied();
    for (const ms of laterMs) {
      if (!(await cross(useCase, { meeting, other, ms }))) return;
      await isFree(useCase, a);
    }
  },
});

interface Crossed {
  readonly meeting: PlannedMeeting;
  readonly other: PlannedMeeting;
  readonly ms: number;
}

/** Returns whether it began in time. */
async function cross(useCase: UseCase, { meeting, other, ms }: Crossed): Promise<boolean> {
  const { questions } = useCase.context;
  const patch = (path: string, body: Item) => useCase.ask(path, { method: 'PATCH', body });
  const changing = patch(other.path, { timestartutc: `2099-01-01T00:00:${ms}.000Z` });
  await questions.wait(ms);
  const enabled = await patch(meeting.path, { enabled: true });
  await changing;
  useCase.expect('PATCH of enabled', enabled, expecting(200, { enabled: true }));
  if (enabled?.status !== 200) return false;
  const isBegun = await useCase.everywhere(meeting.path, begun, 3 * roundMs + useCase.quickMs);
  const disabled = await patch(meeting.path, { enabled: false });
  useCase.expect('PATCH of enabled', disabled, expecting(200, { enabled: false }));
  return isBegun && disabled?.status === 200;
}

const begun: Judge = (answer) => {
  const { state } = (answer?.body ?? {}) as Item;
  return state === 'connecting' || state === 'online'
    ? undefined
    : `expected a meeting that runs, got ${textOf(answer)}`;
};
