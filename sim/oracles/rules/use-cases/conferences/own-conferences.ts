/** The conferences of a user without administrative rights: what the user sees, and may do there. */
import type { OwnSession } from '../../../questions.ts';
import { exactly, over, refusing } from '../calls/call-judges.ts';
import { endCalls, endedMs, type SteadyUser, steadyUsers } from '../kit/call.ts';
import { EventClient } from '../kit/event-client.ts';
import { conferences } from '../kit/paths.ts';
import { expecting, filterOf, type Item, type Judge, listing, type UseCase, useCaseOf } from '../kit/use-case.ts';
import { bindUser } from '../sessions/own-sessions.ts';
import { notFound } from './conference-lookups.ts';
import { addTo, confidOf, planMeeting } from './meeting-steps.ts';
import { listingIds, type OpenConference, openConference, roomNumberOf } from './rooms.ts';

const own = '/rest/v1/uc/conferences_by_participation';
/** The same by another path. */
const alias = '/rest/v1/user/sip/conferences';
/** Digits of the room: other rooms are those of clients. */
const room = '93';

export const ownConferences = useCaseOf({
  name: 'own-conferences',
  rule: 'In a quiescent cluster, a user without administrative rights sees at each front the conference in which a SIP user takes part that is bound to the user, finds it, adds and removes participants, changes which of them hear each other and ends it, by each of the paths; not a selector meeting of that SIP user, and not the conference after the SIP user has left. A web socket of the user has the events of the own calls only.',
  exclusions:
    'Domains with fewer than three phones that are registered and answer, or without rooms; calls that phones or other rules end.',
  sender: '10.6.4.3',
  play: async (useCase) => {
    const [mine, other, third] = await steadyUsers(useCase, 3);
    const number = roomNumberOf(useCase, room);
    if (mine === undefined || other === undefined || third === undefined || number === undefined) return;
    const user = await bindUser(useCase, 'own-conferences', mine);
    if (user !== undefined)
      await confer({ useCase, session: user.session, mine, other, third, number, userid: user.id });
  },
});

interface Stage {
  readonly useCase: UseCase;
  readonly session: OwnSession;
  /** Bound to the user of the session. */
  readonly mine: SteadyUser;
  readonly other: SteadyUser;
  readonly third: SteadyUser;
  readonly number: string;
  readonly userid: string;
}

async function confer(stage: Stage): Promise<void> {
  const { useCase, session, mine, other, number } = stage;
  const events = await EventClient.open(useCase, { session });
  const body = { id: 'e', objects: 'any', events: ['callevents.*', 'confevents.*', 'registrarevents.*'] };
  await events?.subscribe(body);
  const conference = await openConference(useCase, other, number);
  if (conference === undefined) return;
  const { path, confid, call: first } = conference;
  const see = (target: string, judge: Judge, more: object = {}) =>
    useCase.everywhere(target, judge, useCase.quickMs, { session, ...more });
  await see(`${own}?${filterOf({ confid })}`, exactly(200, []));
  await meetNamesake(stage, conference);
  const added = await useCase.ask(`${path}/participants`, { method: 'POST', body: { to: mine.number } });
  const { participantid = '' } = (added?.body ?? {}) as { participantid?: string };
  const isIn = await useCase.everywhere(
    `${path}/participants/${participantid}`,
    expecting(200, { state: 'active' }),
    mine.answerMs + endedMs,
  );
  if (!isIn) return;
  await seeOwn(stage, conference, participantid);
  // Without its SIP user it is not the user's conference.
  const left = await useCase.ask(`${alias}/${confid}/participants/${participantid}`, { session, method: 'DELETE' });
  useCase.expect('DELETE of the own participant', left, exactly(200, { confid, participantid }));
  await useCase.everywhere(`${own}/${confid}`, over, endedMs, { session });
  await see(own, listing('confid', confid, false));
  await see(own, notFound, { method: 'LOOKUP', body: { confid } });
  await see(path, expecting(200, { confid }));
  await useCase.ask(path, { method: 'DELETE' });
  await useCase.everywhere(path, over, endedMs);
  await meet(stage);
  if (events !== undefined) await judgeEvents(useCase, events, { mine, foreign: first.inviteid });
}

/** A user of another domain with the same number takes part: it is not the user's conference by that. */
async function meetNamesake({ useCase, session, mine }: Stage, { path, confid }: OpenConference): Promise<void> {
  if (useCase.otherDomain === undefined) return;
  const body = { to: `${mine.number}@${useCase.otherDomain}` };
  const added = await useCase.ask(`${path}/participants`, { method: 'POST', body });
  const { participantid = '' } = (added?.body ?? {}) as { participantid?: string };
  if (added?.status !== 200) return;
  const participant = `${path}/participants/${participantid}`;
  await useCase.everywhere(`${own}?${filterOf({ confid })}`, exactly(200, []), 0, { session });
  await useCase.ask(participant, { method: 'DELETE' });
  await useCase.everywhere(participant, over, endedMs);
}

async function seeOwn(
  { useCase, session, mine, other, third, userid }: Stage,
  { confid, shown, uri, path }: OpenConference,
  participantid: string,
): Promise<void> {
  const uris = [uri, ...[other, mine].map((user) => `<sip:${user.number}@${useCase.domain}>`)];
  const whole = { ...shown, uris };
  const ask = (target: string, request: object) => useCase.ask(target, { session, site: useCase.there, ...request });
  for (const [index, base] of [own, alias].entries()) {
    const sites = [useCase.siteAt(index), useCase.siteAt(index + 1)];
    const see = (target: string, judge: Judge, more: object = {}) =>
      useCase.everywhere(`${base}${target}`, judge, useCase.quickMs, { session, sites, ...more });
    await see('', exactly(200, [whole]));
    await see('?countonly', exactly(200, { count: 1 }));
    await see(`/${confid}`, exactly(200, { ...whole, conftype: 'conference' }));
    await see(`/${confid}/participants?mask=participantid&offset=1`, listingIds([participantid]));
    for (const spelling of ['participants', 'paticipants'])
      await see(`/${confid}/${spelling}/${participantid}`, expecting(200, { participantid, state: 'active' }));
    const keys = [{ confid }, { confuri: uri }, { sipuserlogin: mine.login }, { userid }, { from: mine.number }];
    for (const body of keys) await see('', exactly(200, [confid]), { method: 'LOOKUP', body });
    // The call of another user leads to it too, but is not of this one.
    await see('', notFound, { method: 'LOOKUP', body: { sipuserid: other.id } });
  }
  const heard = await ask(`${own}/${confid}/topology`, { method: 'POST', body: { hears: { [participantid]: [] } } });
  useCase.expect('POST of the own topology', heard, (answer) => {
    const { hears = {} } = (answer?.body ?? {}) as { hears?: Record<string, string[]> };
    const isRight = answer?.status === 200 && hears[participantid]?.length === 0 && Object.keys(hears).length === 2;
    return isRight ? undefined : `got ${JSON.stringify(answer?.body)}`;
  });
  useCase.expect('GET of the own topology', await ask(`${alias}/${confid}/topology`, {}), exactly(200, heard?.body));
  const added = await ask(`${alias}/${confid}/participants`, { method: 'POST', body: { to: third.number } });
  const { participantid: next = '' } = (added?.body ?? {}) as { participantid?: string };
  useCase.expect('POST of a participant', added, exactly(200, { confid, participantid: next }));
  const removed = await ask(`${own}/${confid}/paticipants/${next}`, { method: 'DELETE' });
  useCase.expect('DELETE of a participant', removed, exactly(200, { confid, participantid: next }));
  await useCase.everywhere(`${path}/participants/${next}`, over, endedMs);
  for (const method of ['DELETE', 'POST'])
    useCase.expect(
      `${method} of the conference as of the domain`,
      await ask(method === 'POST' ? `${path}/participants` : path, {
        method,
        ...(method === 'POST' && { body: { to: third.number } }),
      }),
      refusing(403),
    );
}

/** A selector meeting belongs to no user; a conference that the user's SIP user has opened the user may end. */
async function meet(stage: Stage): Promise<void> {
  const { useCase, session, mine } = stage;
  const see = (target: string, judge: Judge, more: object = {}) =>
    useCase.everywhere(target, judge, useCase.quickMs, { session, ...more });
  const timestartutc = new Date(useCase.context.now() - 1_000).toISOString();
  const meeting = await planMeeting(useCase, { topology_mode: 'direct', timestartutc });
  const id = meeting && (await addTo(useCase, meeting, mine, { topology_type: 'speaker' }));
  if (meeting === undefined || id === undefined) return;
  const state = `${meeting.path}/participants/${id}`;
  if (!(await useCase.everywhere(state, expecting(200, { state: 'active' }), mine.answerMs + endedMs))) return;
  const confid = await confidOf(useCase, mine);
  await see(conferences, listing('confid', confid));
  await see(`${conferences}/${confid}`, expecting(200, { confid }));
  await see(own, exactly(200, []));
  await see(`${alias}/${confid}`, over);
  await see(`${own}/${confid}/participants`, over);
  await see(own, notFound, { method: 'LOOKUP', body: { confid } });
  const removed = await useCase.ask(`${own}/${confid}`, { session, method: 'DELETE' });
  useCase.expect('DELETE of a meeting as an own conference', removed, over);
  await useCase.ask(meeting.path, { method: 'DELETE' });
  await endCalls(useCase, [mine]);
  const opened = await openConference(useCase, mine, stage.number);
  if (opened === undefined) return;
  const base = useCase.drawn % 2 === 0 ? own : alias;
  const ended = await useCase.ask(`${base}/${opened.confid}`, { session, site: useCase.there, method: 'DELETE' });
  useCase.expect('DELETE of the own conference', ended, exactly(200, { confid: opened.confid }));
  await useCase.everywhere(opened.path, over, endedMs);
  await useCase.everywhere(opened.call.path, over, endedMs);
}

/** Calls in which the own SIP user takes part, and nothing else. */
async function judgeEvents(
  useCase: UseCase,
  events: EventClient,
  { mine, foreign }: { readonly mine: SteadyUser; readonly foreign: string },
): Promise<void> {
  await events.holds(() => events.eventsOf('e').some(({ name }) => name === 'callevents.dlg_stop'), endedMs);
  const all = events.eventsOf('e');
  const calls = all.filter(({ name }) => name.startsWith('callevents.'));
  const isOwn = (data: Item) => JSON.stringify(data).includes(`sip:${mine.number}@${useCase.domain}`);
  const invites = calls.filter(({ name }) => name === 'callevents.invite').map(({ data }) => data);
  useCase.expect('events of the own calls', undefined, () => {
    if (all.length !== calls.length) return `events of other classes: ${all.map(({ name }) => name).join()}`;
    if (invites.length === 0) return `no invite: ${all.map(({ name }) => name).join()}`;
    if (all.some(({ data }) => data['inviteid'] === foreign)) return `call ${foreign} of another user`;
    const wrong = invites.find((data) => !isOwn(data));
    return wrong && `a call of others: ${JSON.stringify(wrong)}`;
  });
}
