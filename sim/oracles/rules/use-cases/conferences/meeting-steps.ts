/** Steps of use cases of selector meetings. */
import { isSame, refusing } from '../calls/call-judges.ts';
import { endedMs, type SteadyUser } from '../kit/call.ts';
import type { EventClient } from '../kit/event-client.ts';
import { calls, conferences, selectors } from '../kit/paths.ts';
import { expecting, type Item, type UseCase } from '../kit/use-case.ts';
import { foundBy } from './rooms.ts';

export interface MeetingStage {
  readonly useCase: UseCase;
  readonly events: EventClient;
  readonly a: SteadyUser;
  readonly b: SteadyUser;
  readonly c: SteadyUser;
  /** Takes part in a conference only, where there is a fourth user. */
  readonly guest: SteadyUser | undefined;
}

export interface PlannedMeeting {
  readonly id: string;
  readonly path: string;
}

/** A meeting; `undefined`: it could not be planned. */
export async function planMeeting(useCase: UseCase, body: Item, id?: string): Promise<PlannedMeeting | undefined> {
  const timestartutc = '2099-01-01T00:00:00.000Z';
  const planned = { timestartutc, ...body, ...(id !== undefined && { id }) };
  const made = await useCase.make(selectors, planned);
  if (made === undefined) return undefined;
  useCase.expect('POST of a meeting', made.answer, expecting(200, planned));
  return made;
}

/** The id of the participant that was added; the answer does not show its state. */
export async function addTo(
  useCase: UseCase,
  { path }: PlannedMeeting,
  { number }: Pick<SteadyUser, 'number'>,
  fields: Item,
): Promise<string | undefined> {
  const answer = await useCase.ask(`${path}/participants`, { method: 'POST', body: { number, ...fields } });
  if (answer?.status !== 200) return undefined;
  const { id, ext: _, ...rest } = answer.body as Item;
  const { id: __, ...given } = fields;
  const whole = { name: '', mic: true, spk: true, recall: false, video_out: false, video_cell: 0, number, ...given };
  useCase.expect('POST of a participant', answer, () =>
    isSame(rest, whole) ? undefined : `expected ${JSON.stringify(whole)}, got ${JSON.stringify(rest)}`,
  );
  return String(id);
}

/** `hands`: participants that have raised and lowered their hands, in turns. Default: none, in a meeting that was online. */
export async function judgeMeetingEvents(
  { useCase, events }: MeetingStage,
  {
    id,
    confid,
    hands = [],
    states = ['connecting', 'online', 'terminating'],
  }: {
    readonly id: string;
    readonly confid?: string;
    readonly hands?: readonly string[];
    readonly states?: readonly string[];
  },
): Promise<void> {
  const own = () =>
    events
      .eventsOf('m')
      .filter(({ data }) => data['selectorid'] === id && (confid === undefined || data['confid'] === confid));
  await events.holds(() => own().some(({ data }) => data['state'] === '$terminating'), endedMs);
  const named = own().map(({ name, data: { eventid: _, eventts: __, ...rest } }) => ({ name, ...rest }));
  const common = { selectorid: id, confid: confid ?? own()[0]?.data['confid'] };
  const entered = states.map((state) => ({ name: 'selectorevents.state_changed', ...common, state: `$${state}` }));
  const raised = hands.map((participantid, index) => ({
    name: 'selectorevents.hand_changed',
    ...common,
    participantid,
    is_hand_raised: index % 2 === 0,
  }));
  const expected = [...entered.slice(0, -1), ...raised, ...entered.slice(-1)];
  useCase.expect(`events of meeting ${id}`, undefined, () =>
    isSame(named, expected) ? undefined : `expected ${JSON.stringify(expected)}, got ${JSON.stringify(named)}`,
  );
}

export async function confidOf(useCase: UseCase, { id }: SteadyUser): Promise<string> {
  return String((await foundBy(useCase, conferences, { sipuserid: id }))[0]);
}

/** The user has no call. */
export async function isFree(useCase: UseCase, { id }: SteadyUser): Promise<void> {
  const lookup = { method: 'LOOKUP', body: { sipuserid: id } };
  await useCase.everywhere(calls, refusing(404, 'Lookup failed'), endedMs, lookup);
}
