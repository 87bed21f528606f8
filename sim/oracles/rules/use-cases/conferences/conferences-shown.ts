/** All that is shown of a conference and its participants, in each state, and what is refused. */
import { differing, exactly, longTextOf, over, refusing } from '../calls/call-judges.ts';
import { call, endedMs, type SteadyUser, steadyUsers, uriOf } from '../kit/call.ts';
import { EventClient } from '../kit/event-client.ts';
import { calls, conferences } from '../kit/paths.ts';
import { expecting, filterOf, type Item, itemsOf, type Judge, type UseCase, useCaseOf } from '../kit/use-case.ts';
import { type Came, judgeEvents, subscribeTo } from './conference-events.ts';
import { findByKeys, listParticipants, lookUp, notFound } from './conference-lookups.ts';
import {
  foundBy,
  isSeenRinging,
  listingIds,
  type OpenConference,
  openConference,
  roomNumberOf,
  takingPart,
} from './rooms.ts';

/** Digits of the rooms: other rooms are those of clients. */
const [room, crowdedRoom] = ['94', '96'];

export const conferencesShown = useCaseOf({
  name: 'conferences-shown',
  rule: 'In a quiescent cluster, a conference is shown and listed with exactly its fields, found by each key of its calls, of its users and of its own, and its participants with exactly theirs while they are called, ring, take part, hold and leave, at each front; lists of participants are filtered, ordered, cut, counted and masked; a number with more digits than a room opens none, and callers who come at once are in one; what is not there or not valid is refused. Its events tell the same, once and in order.',
  exclusions:
    'Domains with fewer than three phones that are registered and answer, or without rooms; calls that phones or other rules end.',
  sender: '10.6.4.1',
  play: async (useCase) => {
    const [a, c, b] = await steadyUsers(useCase, 3);
    const number = roomNumberOf(useCase, room);
    if (a === undefined || b === undefined || c === undefined || number === undefined) return;
    const events = await EventClient.open(useCase, { site: useCase.there });
    if (events === undefined) return;
    await longer(useCase, a, number);
    await meet(useCase, [a, c], roomNumberOf(useCase, crowdedRoom) ?? '');
    await subscribeTo(useCase, events);
    const conference = await openConference(useCase, a, number);
    if (conference !== undefined) await show({ useCase, events, conference, a, b, c });
  },
});

/** Rooms have two digits: a longer number is another one. */
async function longer(useCase: UseCase, user: SteadyUser, number: string): Promise<void> {
  const { questions } = useCase.context;
  const call = questions.callBy(`${useCase.domain}/${user.login}`, `${number}00`);
  if (call === undefined) return;
  await questions.wait(useCase.patienceMs);
  const begun = await useCase.ask(`${conferences}?${filterOf({ uri: `<sip:${number}00@${useCase.domain}>` })}`);
  useCase.expect(`conferences of ${number}00, which is no room`, begun, exactly(200, []));
  questions.hangUp(call);
  await questions.wait(endedMs);
}

/** Callers of a new room come into one conference, also when they come at once. */
async function meet(useCase: UseCase, users: readonly SteadyUser[], number: string): Promise<void> {
  const { questions } = useCase.context;
  const placed = users.map(({ login }) => questions.callBy(`${useCase.domain}/${login}`, number));
  if (placed.every((each) => each !== undefined))
    await useCase.everywhere(
      `${conferences}?${filterOf({ uri: `<sip:${number}@${useCase.domain}>` })}`,
      (answer) => {
        const [only, ...others] = itemsOf(answer);
        const uris = (only?.['uris'] ?? []) as readonly unknown[];
        const isRight = others.length === 0 && users.every((user) => uris.includes(uriOf(useCase, user)));
        return isRight ? undefined : `expected one conference with both callers, got ${longTextOf(answer)}`;
      },
      useCase.patienceMs,
    );
  for (const each of placed) if (each !== undefined) questions.hangUp(each);
  await questions.wait(endedMs);
}

interface Stage {
  readonly useCase: UseCase;
  readonly events: EventClient;
  readonly conference: OpenConference;
  readonly a: SteadyUser;
  readonly b: SteadyUser;
  readonly c: SteadyUser;
}

async function show(stage: Stage): Promise<void> {
  const { useCase, events, conference, a, b, c } = stage;
  const { path, confid, call: first } = conference;
  const came: Came[] = [];
  useCase.afterwards(() => useCase.ask(path, { method: 'DELETE' }));
  await events.subscribe({ id: 'own', qid: 'o', objects: [confid], events: ['confevents.part_stop'] });
  await events.subscribe({ id: 'room', objects: [conference.number], events: ['confevents.conf_stop'] });
  await seeConference(stage);
  await findByKeys(useCase, conference, a);
  const own = await useCase.ask(`${path}/participants?mask=participantid`);
  const [participantid] = ((own?.body ?? []) as Item[]).map((item) => String(item['participantid']));
  if (participantid === undefined) return;
  const ofA = { participantid, callid: first.bcallid, luri: conference.uri, ruri: uriOf(useCase, a) };
  await useCase.everywhere(`${path}/participants/${participantid}`, takingPart({ ...ofA, state: 'active' }));
  came.push({ ...ofA, direction: 'in', isJoined: true, left: { type: 'conf_terminate', by: 'api' } });
  const joined = await addAndHold(stage);
  if (joined === undefined) return;
  came.push({ ...joined, direction: 'out', isJoined: true, left: { type: 'bye', reason: 'removed', by: 'api' } });
  const third = await call(useCase, { from: c.number, to: `conf-${confid}` });
  useCase.expect(`a call of ${c.number} to conf-${confid}`, undefined, () => (third ? undefined : 'is not answered'));
  if (third === undefined) return;
  const list = await useCase.ask(`${path}/participants`);
  const last = ((list?.body ?? []) as Item[]).at(-1);
  const ofC = { participantid: String(last?.['participantid']), callid: third.bcallid, luri: conference.uri };
  came.push({
    ...ofC,
    ruri: uriOf(useCase, c),
    direction: 'in',
    isJoined: true,
    left: { type: 'bye', reason: 'left', by: uriOf(useCase, c) },
  });
  const ids = [participantid, joined.participantid, ofC.participantid];
  await useCase.everywhere(`${path}/participants`, listingIds(ids));
  const people = [a, b, c].map((user, index) => ({ id: ids[index] ?? '', ruri: uriOf(useCase, user) }));
  await listParticipants(useCase, conference, people);
  await useCase.everywhere(
    path,
    expecting(200, { uris: [conference.uri, ...[a, b, c].map((each) => uriOf(useCase, each))] }),
  );
  await hear(stage, ids);
  await refuse(stage, participantid);
  const stranger = await addUnknown(stage);
  if (stranger !== undefined) came.push(stranger);
  await useCase.everywhere(`${path}/participants?countonly`, expecting(200, { count: 3 }), endedMs);
  const removed = await useCase.ask(`${path}/paticipants/${joined.participantid}`, { method: 'DELETE' });
  useCase.expect('DELETE of a participant', removed, exactly(200, { confid, participantid: joined.participantid }));
  await useCase.everywhere(`${path}/participants/${joined.participantid}`, over, endedMs);
  await useCase.ask(third.path, { method: 'DELETE' });
  await useCase.everywhere(`${path}/participants`, listingIds([participantid]), endedMs);
  const ringing = await endWhileRinging(stage);
  if (ringing !== undefined) came.push(ringing);
  await judgeEvents(useCase, events, { conference, came });
}

async function seeConference({ useCase, conference }: Stage): Promise<void> {
  const { confid, path, shown } = conference;
  const { site: _, ...rest } = shown;
  const conftype = 'conference';
  await useCase.everywhere(path, exactly(200, { ...shown, conftype }));
  const see = async (target: string, judge: Judge) =>
    useCase.expect(`GET ${target}`, await useCase.ask(target, { site: useCase.there }), judge);
  const own = (fields: Item) => `${conferences}?${filterOf({ confid, ...fields })}`;
  await see(`${path}?mask=confid,conftype,uris`, exactly(200, { confid, conftype, uris: shown['uris'] }));
  await see(`${own({})}&mask=confid,conftype,participants,confroomnum`, exactly(200, [{ confid, confroomnum: room }]));
  await see(own({ conftype }), exactly(200, [shown]));
  await see(own({ conftype: 'videoconference' }), exactly(200, []));
  await see(`${own(rest)}&countonly=true`, exactly(200, { count: 1 }));
  await see(`${own({})}&offset=1`, exactly(200, []));
  await see(`${conferences}?limit=-1`, refusing(400, 'limit'));
  await see(`${conferences}/${confid}1`, over);
  await see(`${conferences}/none`, over);
}

/** Adds a participant, and has its phone hold and go on. Returns it when it is active. */
async function addAndHold({ useCase, conference, b }: Stage) {
  const { path, confid, uri } = conference;
  const request = { site: useCase.there, method: 'POST', body: { to: b.number } };
  const added = await useCase.ask(`${path}/paticipants`, request);
  const { participantid } = (added?.body ?? {}) as { participantid?: string };
  if (!useCase.expect('POST of a participant', added, exactly(200, { confid, participantid }))) return undefined;
  const own = `${path}/participants/${participantid}`;
  const shown = await useCase.ask(own);
  const { callid } = (shown?.body ?? {}) as { callid?: string };
  const same = { participantid: String(participantid), callid: String(callid), luri: uri, ruri: uriOf(useCase, b) };
  useCase.expect('a participant that is called', shown, (answer) =>
    ['calling', 'ringing'].includes(String((answer?.body as Item | undefined)?.['state']))
      ? differing(same, answer)
      : `state of ${JSON.stringify(answer?.body)}`,
  );
  if (isSeenRinging(useCase, b))
    await useCase.everywhere(own, takingPart({ ...same, state: 'ringing' }), b.answerMs - 1_500);
  if (!(await useCase.everywhere(own, takingPart({ ...same, state: 'active' }), b.answerMs + endedMs)))
    return undefined;
  const [dialogid] = await foundBy(useCase, calls, { callid });
  for (const [event, state] of [
    ['hold', 'held'],
    ['talk', 'active'],
  ] as const) {
    await useCase.ask(`${calls}/${dialogid}`, { method: 'NOTIFY', body: { to: 'b', event } });
    await useCase.everywhere(own, takingPart({ ...same, state }), endedMs);
    await useCase.everywhere(`${path}/participants?${filterOf({ state, callid })}`, listingIds([participantid]));
  }
  return same;
}

async function hear({ useCase, conference }: Stage, [a = '', b = '', c = '']: readonly string[]): Promise<void> {
  const path = `${conference.path}/topology`;
  const set = async (hears: Item, judge: Judge, site = useCase.here) =>
    useCase.expect(
      `POST of ${JSON.stringify(hears)}`,
      await useCase.ask(path, { site, method: 'POST', body: { hears } }),
      judge,
    );
  const all = { [a]: [b, c], [b]: [a, c], [c]: [a, b] };
  await useCase.everywhere(path, exactly(200, { hears: all }));
  const changed = { ...all, [a]: [c], [c]: [] };
  await set({ [a]: [c], [c]: [] }, exactly(200, { hears: changed }), useCase.there);
  await set({ [a]: [a] }, refusing(400, `hears.${a}`));
  await set({ [a]: ['none'] }, refusing(400, 'hears'));
  await set({ none: [a] }, refusing(400, 'hears'));
  await set({ [b]: [], none: [] }, refusing(400, 'hears'));
  await useCase.everywhere(path, exactly(200, { hears: changed }));
  await set({ [a]: [b, c] }, exactly(200, { hears: { ...changed, [a]: [b, c] } }));
}

async function refuse({ useCase, conference }: Stage, participantid: string): Promise<void> {
  const { path, confid } = conference;
  const participants = `${path}/participants`;
  const refused = async (method: string, target: string, judge: Judge, body?: unknown) =>
    useCase.expect(`${method} ${target} ${JSON.stringify(body)}`, await useCase.ask(target, { method, body }), judge);
  for (const body of [{}, { to: '' }, { to: '1 2' }, { to: 'x'.repeat(129) }, { to: '1', name: 'x' }, { to: 1 }])
    await refused('POST', participants, refusing(400), body);
  for (const method of ['GET', 'DELETE']) await refused(method, `${participants}/${confid}-none`, over);
  await refused('POST', `${conferences}/none/participants`, over, { to: '1' });
  await refused('DELETE', `${conferences}/none`, over);
  await refused('GET', `${conferences}/none/topology`, over);
  await refused('PATCH', path, refusing(405), {});
  await refused('PUT', `${participants}/${participantid}`, refusing(405), {});
}

/** Calls a number that leads to nothing: rooms of other domains use no provider. */
async function addUnknown({ useCase, conference }: Stage): Promise<Came | undefined> {
  const domain = useCase.otherDomain;
  if (domain === undefined) return undefined;
  const to = `no-such-number@${domain}`;
  const { path, uri: luri } = conference;
  const added = await useCase.ask(`${path}/participants`, { method: 'POST', body: { to } });
  const { participantid = '' } = (added?.body ?? {}) as { participantid?: string };
  await useCase.everywhere(`${path}/participants/${participantid}`, over, endedMs);
  const ruri = `<sip:${to}>`;
  const left = { type: 'call_final', reason: '404 Not Found', by: ruri };
  return { participantid, luri, ruri, direction: 'out', isJoined: false, left };
}

/** Ends the conference while a participant is called; returns that one. */
async function endWhileRinging({ useCase, conference, b }: Stage): Promise<Came | undefined> {
  const { path, confid, uri: luri, call: first } = conference;
  const added = await useCase.ask(`${path}/participants`, { method: 'POST', body: { to: b.number } });
  const { participantid = '' } = (added?.body ?? {}) as { participantid?: string };
  const ended = await useCase.ask(path, { site: useCase.there, method: 'DELETE' });
  useCase.expect('DELETE of the conference', ended, exactly(200, { confid }));
  await useCase.everywhere(path, over, endedMs);
  await useCase.everywhere(`${path}/participants`, over);
  await useCase.everywhere(`${conferences}?${filterOf({ confid })}`, exactly(200, []));
  await lookUp(useCase, { confid }, notFound, 1);
  await useCase.everywhere(first.path, over, endedMs);
  const free = { method: 'LOOKUP', body: { sipuserid: b.id } };
  await useCase.everywhere(calls, notFound, endedMs, free);
  const isJoined = isSeenRinging(useCase, b) ? false : undefined;
  const left = { type: 'conf_terminate', reason: 'ended by command', by: 'api' };
  return { participantid, luri, ruri: uriOf(useCase, b), direction: 'out', isJoined, left };
}
