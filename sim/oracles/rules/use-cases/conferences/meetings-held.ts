/** Selector meetings: all that is shown of two at once, from their plan to their removal. */
import { differing, exactly, isSame, over } from '../calls/call-judges.ts';
import { endedMs, steadyUsers, uriOf } from '../kit/call.ts';
import { EventClient } from '../kit/event-client.ts';
import { calls, conferences, groups } from '../kit/paths.ts';
import { expecting, filterOf, type Item, type Judge, listing, textOf, useCaseOf } from '../kit/use-case.ts';
import {
  addTo,
  confidOf,
  isFree,
  judgeMeetingEvents,
  type MeetingStage,
  type PlannedMeeting,
  planMeeting,
} from './meeting-steps.ts';
import { checkTopology } from './meeting-topology.ts';
import { foundBy, isSeenRinging, listingIds } from './rooms.ts';

/** The same meetings by their other path. */
const alias = '/rest/v1/api/selectors';
/** An mware looks at running meetings each second. */
const roundMs = 1_000;
const leadMs = 180_000;
const soonMs = 2_000;
/** Of a meeting: how long a number is called. */
const unansweredSec = 3;
/** A provider does not react to a number with these last digits. (docs/reference/dial-plan.md) */
const silentNumber = '7790312';
/** Of the second meeting: longer than its phone needs to answer. */
const longestSec = 12;
/** From the last call of a participant to the next one. */
const recallMs = 5_000;

export const meetingsHeld = useCaseOf({
  name: 'meetings-held',
  rule: 'In a quiescent cluster, a selector meeting is `waiting` until its time, then it calls its participants, who are shown with their states at each front, hear each other by their types or as its topology says, are called no longer than its calltimeout, are muted, held, removed, called again and raise their hands; one that is planned for the past begins at once, and ends after its longest duration; a meeting ends when it is disabled or removed, and another one with its id begins anew. The events tell the same.',
  exclusions:
    'Domains with fewer than three phones that are registered and answer; calls that phones or other rules end; times in runs in which clocks were set.',
  sender: '10.6.4.2',
  play: async (useCase) => {
    const [a, b, c, guest] = await steadyUsers(useCase, 4);
    if (a === undefined || b === undefined || c === undefined || !useCase.areClocksRight) return;
    const events = await EventClient.open(useCase);
    if (events === undefined) return;
    await events.subscribe({ id: 'm', objects: 'any', events: ['selectorevents.*'] });
    await hold({ useCase, events, a, b, c, guest });
  },
});

async function hold(stage: MeetingStage): Promise<void> {
  const { useCase, a, b, c } = stage;
  const { now, questions } = useCase.context;
  const first = await planMeeting(useCase, { topology_mode: 'topology', enabled: false });
  if (first === undefined) return;
  const people: string[] = [];
  for (const [user, type] of [
    [a, 'speaker'],
    [b, 'listener'],
  ] as const) {
    const id = await addTo(useCase, first, user, { topology_type: type });
    if (id === undefined) return;
    people.push(id);
  }
  // Now it has a time, and its participants.
  const timestartutc = new Date(now() + leadMs).toISOString();
  const set = await useCase.ask(`${alias}/${first.id}`, { method: 'PATCH', body: { enabled: true, timestartutc } });
  if (set?.status !== 200) return;
  await useCase.everywhere(first.path, expecting(200, { state: 'waiting', enabled: true, timestartutc }), 1_000);
  const [ofA = '', ofB = ''] = people;
  const one = (id: string, { path } = first) => `${path}/participants/${id}`;
  const waiting = { state: 'waiting', hold: false, is_hand_raised: false };
  await useCase.everywhere(one(ofA), expecting(200, waiting), 1_000);
  await ringTooLong(stage);
  await reactNever(stage);
  await second(stage);
  // Answers may be slow: its time comes when the others are over.
  const startMs = Math.floor(now() + soonMs);
  const moved = new Date(startMs).toISOString();
  const again = await useCase.ask(first.path, { method: 'PATCH', body: { timestartutc: moved }, site: useCase.there });
  useCase.expect('PATCH of the time', again, expecting(200, { timestartutc: moved }));
  await questions.wait(Math.max(0, startMs - now()));
  const ringMs = a.answerMs + b.answerMs + 2 * roundMs + useCase.quickMs + endedMs;
  await useCase.everywhere(one(ofA), expecting(200, { ...waiting, state: 'active', number: a.number }), ringMs);
  await useCase.everywhere(one(ofB), expecting(200, { ...waiting, state: 'active', number: b.number }), ringMs);
  for (const path of [first.path, `${alias}/${first.id}`])
    await useCase.everywhere(path, expecting(200, { id: first.id, state: 'online', enabled: true }));
  const confid = await confidOf(useCase, a);
  const conference = await useCase.ask(`${conferences}/${confid}`);
  useCase.expect('the conference of a meeting', conference, (answer) => {
    const { site: _, startts, uris, uri, ...rest } = (answer?.body ?? {}) as Item;
    const own = `<sip:conf-${confid}@${useCase.domain}>`;
    const isInTime = Number(startts) >= startMs && Number(startts) <= startMs + 2 * roundMs + useCase.quickMs;
    const parties = [own, ...[a, b].map((each) => uriOf(useCase, each))];
    const isRight =
      isInTime &&
      uri === own &&
      isSame((uris as string[]).toSorted(), parties.toSorted()) &&
      isSame(rest, { confid, confroomnum: '', confnumber: '', confuri: own, conftype: 'conference' });
    return isRight ? undefined : `it starts at ${startMs}, got ${JSON.stringify(answer?.body)}`;
  });
  await useCase.everywhere(conferences, listing('confid', confid));
  const room = `${conferences}/${confid}`;
  const third = await addTo(useCase, first, c, { topology_type: 'assistant', recall: true, name: 'Third' });
  if (third === undefined) return;
  await useCase.everywhere(one(third), expecting(200, { ...waiting, state: 'active', recall: true }), ringMs);
  const guest = await invite(stage, room);
  await checkTopology({ useCase, path: first.path, conference: room, guest: guest?.user }, [
    [a, ofA],
    [b, ofB],
    [c, third],
  ]);
  if (guest !== undefined) await useCase.ask(guest.path, { method: 'DELETE' });
  await holdAndRaise(stage, one(ofB), { confid, participantid: ofB });
  await recall(stage, one(third));
  await createAgain(stage, first, third);
  const removed = await useCase.ask(one(ofB), { site: useCase.there, method: 'DELETE' });
  useCase.expect('DELETE of a participant', removed, expecting(204));
  await useCase.everywhere(one(ofB), expecting(404, { error_code: 1404 }));
  await isFree(useCase, b);
  await useCase.everywhere(`${first.path}/participants?countonly`, exactly(200, { count: 2 }));
  const disabled = await useCase.ask(first.path, { method: 'PATCH', body: { enabled: false } });
  useCase.expect('PATCH of enabled', disabled, expecting(200, { enabled: false }));
  await useCase.everywhere(`${conferences}/${confid}`, over, endedMs);
  for (const user of [a, c]) await isFree(useCase, user);
  await useCase.everywhere(first.path, expecting(200, { state: 'waiting', enabled: false }));
  await judgeMeetingEvents(stage, { id: first.id, confid, hands: [ofB, ofB, third] });
  await beginAgain(stage, first);
}

/** The guest is called into the conference, and takes part; `undefined` where it does not. */
async function invite({ useCase, guest: user }: MeetingStage, room: string) {
  if (user === undefined) return undefined;
  const added = await useCase.ask(`${room}/participants`, { method: 'POST', body: { to: user.number } });
  const { participantid } = (added?.body ?? {}) as Item;
  if (added?.status !== 200 || participantid === undefined) return undefined;
  const path = `${room}/participants/${String(participantid)}`;
  const isThere = await useCase.everywhere(
    path,
    expecting(200, { state: 'active' }),
    user.answerMs + useCase.patienceMs,
  );
  return isThere ? { user, path } : undefined;
}

/** A phone that rings for longer than the meeting allows is not called any more; without another participant the meeting is over. */
async function ringTooLong(stage: MeetingStage): Promise<void> {
  const { useCase, b } = stage;
  if (!isSeenRinging(useCase, b)) return;
  const timestartutc = new Date(useCase.context.now()).toISOString();
  const meeting = await planMeeting(useCase, { topology_mode: 'direct', calltimeout: 1, timestartutc });
  const id = meeting && (await addTo(useCase, meeting, b, { topology_type: 'speaker' }));
  if (meeting === undefined || id === undefined) return;
  await useCase.everywhere(meeting.path, expecting(404), endedMs);
  await isFree(useCase, b);
  await judgeMeetingEvents(stage, { id: meeting.id, states: ['connecting', 'terminating'] });
}

/** A number that does not react at all is not called any more after the time of the meeting, not before; a provider has such a number. */
async function reactNever(stage: MeetingStage): Promise<void> {
  const { useCase } = stage;
  const { map, now } = useCase.context;
  if ((map.domains.get(useCase.domain)?.providers ?? []).length === 0) return;
  const timestartutc = new Date(now()).toISOString();
  const meeting = await planMeeting(useCase, { topology_mode: 'direct', calltimeout: unansweredSec, timestartutc });
  const added = meeting && (await addTo(useCase, meeting, { number: silentNumber }, { topology_type: 'speaker' }));
  if (meeting === undefined || added === undefined) return;
  const own = `${meeting.path}/participants/${added}`;
  await useCase.context.questions.wait(roundMs);
  // The account of the provider may be out of service.
  const isCalled = expecting(200, { state: 'calling' })(await useCase.ask(own)) === undefined;
  const withinMs = (unansweredSec + 4) * roundMs + useCase.quickMs;
  await useCase.everywhere(meeting.path, expecting(404), isCalled ? withinMs : endedMs);
  await judgeMeetingEvents(stage, { id: meeting.id, states: ['connecting', 'terminating'] });
  const states = stage.events.eventsOf('m').filter(({ data }) => data['selectorid'] === meeting.id);
  const [beganMs, endMs] = [states[0], states.at(-1)].map((each) => Date.parse(String(each?.data['eventts'])));
  const lastedMs = Number(endMs) - Number(beganMs);
  useCase.expect('how long a number is called that does not react', undefined, () =>
    !isCalled || (lastedMs >= unansweredSec * 1_000 && lastedMs <= unansweredSec * 1_000 + 4 * roundMs)
      ? undefined
      : `${lastedMs} ms, calltimeout ${unansweredSec} s`,
  );
}

/** A meeting of the past begins at once, and ends after its longest duration. */
async function second(stage: MeetingStage): Promise<void> {
  const { useCase, c } = stage;
  const { now } = useCase.context;
  const past = new Date(now() - 3_600_000).toISOString();
  const body = { topology_mode: 'direct', calldurationsec: longestSec, timestartutc: past, default_mic: false };
  const meeting = await planMeeting(useCase, body);
  if (meeting === undefined) return;
  const beginMs = now();
  await useCase.everywhere(meeting.path, expecting(200, { state: 'initing' }), roundMs);
  const id = await addTo(useCase, meeting, c, { topology_type: 'listener', mic: false });
  if (id === undefined) return;
  const own = `${meeting.path}/participants/${id}`;
  const isOnline = await useCase.everywhere(own, expecting(200, { state: 'active', mic: false }), c.answerMs + endedMs);
  await useCase.everywhere(meeting.path, expecting(200, { state: 'online', calldurationsec: longestSec }));
  if (!isOnline) return;
  const confid = await confidOf(useCase, c);
  const shown = (await useCase.ask(`${conferences}/${confid}`))?.body as Item | undefined;
  const startMs = Number(shown?.['startts']);
  useCase.expect('it begins at once', undefined, () =>
    startMs - beginMs <= 2 * roundMs ? undefined : `${startMs - beginMs} ms later`,
  );
  await useCase.everywhere(meeting.path, expecting(404), Math.max(0, startMs + longestSec * 1_000 - now()) + endedMs);
  await isFree(useCase, c);
  await judgeMeetingEvents(stage, { id: meeting.id, confid });
  const states = stage.events.eventsOf('m').filter(({ data }) => data['confid'] === confid);
  const lastedMs = Date.parse(String(states.at(-1)?.data['eventts'])) - startMs;
  useCase.expect('its duration', undefined, () =>
    lastedMs >= longestSec * 1_000 && lastedMs <= longestSec * 1_000 + 2 * roundMs + 500
      ? undefined
      : `${lastedMs} ms, longest ${longestSec} s`,
  );
}

/** The phone holds, and asks to speak; its digits come by the conference. */
async function holdAndRaise({ useCase, b }: MeetingStage, own: string, names: Item): Promise<void> {
  const [dialogid] = await foundBy(useCase, calls, { sipuserid: b.id });
  const path = `${calls}/${dialogid}`;
  const notify = async (event: string, state: string) => {
    await useCase.ask(path, { method: 'NOTIFY', body: { to: 'b', event } });
    await useCase.everywhere(own, expecting(200, { state, hold: state === 'held' }), endedMs);
  };
  const press = async (digits: string, isRaised: boolean) => {
    for (const dtmf of digits) await useCase.ask(path, { method: 'SEND_DTMF', body: { to: 'a', dtmf } });
    await useCase.everywhere(own, expecting(200, { is_hand_raised: isRaised }), endedMs);
  };
  await notify('hold', 'held');
  await notify('talk', 'active');
  await press('9*9', true);
  await press('1*', true);
  await press('#9', false);
  useCase.expect('a participant', await useCase.ask(own), (answer) =>
    differing({ id: names['participantid'] }, answer),
  );
}

/** One with `recall` is called again after it has left, not before its time. */
async function recall({ useCase, c }: MeetingStage, own: string): Promise<void> {
  const [dialogid] = await foundBy(useCase, calls, { sipuserid: c.id });
  const ended = await useCase.ask(`${calls}/${dialogid}`, { method: 'DELETE' });
  if (ended?.status !== 200 || dialogid === undefined) return;
  const withinMs = recallMs + c.answerMs + 2 * roundMs + endedMs;
  const isAnother: Judge = (answer) => {
    const ids = answer?.status === 200 ? (answer.body as string[]) : [];
    return ids.length > 0 && !ids.includes(dialogid) ? undefined : `it is not called again: ${textOf(answer)}`;
  };
  await useCase.everywhere(calls, isAnother, withinMs, { method: 'LOOKUP', body: { sipuserid: c.id } });
  await useCase.everywhere(own, expecting(200, { state: 'active' }), withinMs);
}

/** A participant that is removed and created again at once has nothing of the former one, and is called. */
async function createAgain({ useCase, c }: MeetingStage, meeting: PlannedMeeting, id: string): Promise<void> {
  const own = `${meeting.path}/participants/${id}`;
  const [dialogid] = await foundBy(useCase, calls, { sipuserid: c.id });
  for (const dtmf of '*9') await useCase.ask(`${calls}/${dialogid}`, { method: 'SEND_DTMF', body: { to: 'a', dtmf } });
  await useCase.everywhere(own, expecting(200, { is_hand_raised: true }), endedMs);
  await useCase.ask(own, { method: 'DELETE' });
  if ((await addTo(useCase, meeting, c, { id, topology_type: 'speaker' })) === undefined) return;
  await useCase.everywhere(own, expecting(200, { is_hand_raised: false, recall: false }), 1_000);
  await useCase.everywhere(own, expecting(200, { state: 'active' }), c.answerMs + 2 * roundMs + endedMs);
  const isAnother: Judge = (answer) =>
    isSame(answer?.body, [dialogid]) ? `it is still in the call of the former one: ${textOf(answer)}` : undefined;
  await useCase.everywhere(calls, isAnother, endedMs, { method: 'LOOKUP', body: { sipuserid: c.id } });
}

/** A meeting with the id of one that has ended runs; removed, it ends. */
async function beginAgain(stage: MeetingStage, { id, path }: PlannedMeeting): Promise<void> {
  const { useCase, a, b } = stage;
  await useCase.ask(path, { site: useCase.there, method: 'DELETE' });
  await useCase.everywhere(path, expecting(404));
  const past = new Date(useCase.context.now() - 1_000).toISOString();
  const members = [a.number, `${b.number}@${useCase.domain}`];
  if ((await useCase.make(groups, { code: 'meetings-held', members })) === undefined) return;
  await useCase.copied();
  const again = await planMeeting(useCase, { topology_mode: 'abonent', timestartutc: past, default_recall: true }, id);
  const body = { number: 'group#meetings-held', topology_type: 'speaker' };
  const added = again && (await useCase.ask(`${path}/participants`, { method: 'POST', body }));
  useCase.expect('POST of a group', added, expecting(200, { ...body, recall: true, mic: true, spk: true }));
  const own = `${path}/participants/${String((added?.body as Item | undefined)?.['id'])}`;
  await useCase.everywhere(own, expecting(200, { state: 'active' }), a.answerMs + endedMs);
  await useCase.everywhere(path, expecting(200, { state: 'online' }));
  const confid = await confidOf(useCase, a);
  const uris = [a, b].map((user) => uriOf(useCase, user));
  await useCase.everywhere(
    `${conferences}/${confid}/participants?${filterOf({ state: 'active' })}`,
    listingIds(uris, 'ruri'),
    b.answerMs + endedMs,
  );
  await useCase.everywhere(`${path}/participants?countonly`, exactly(200, { count: 1 }));
  await useCase.ask(path, { site: useCase.there, method: 'DELETE' });
  await useCase.everywhere(path, expecting(404));
  await useCase.everywhere(`${conferences}/${confid}`, over, endedMs);
  for (const user of [a, b]) await isFree(useCase, user);
  await judgeMeetingEvents(stage, { id, confid });
}
