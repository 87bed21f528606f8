/** What a user sees and controls of calls and conferences: those of the user's own SIP users. */
import type { OwnSession, QuestionAnswer } from '../../../questions.ts';
import { roomNumberOf } from '../conferences/rooms.ts';
import { connect, endCall, endedMs, type OwnCall } from '../kit/call.ts';
import { calls, ownConferences, sipUsers } from '../kit/paths.ts';
import { expecting, filterOf, type Item, itemsOf, listing, textOf, type UseCase, useCaseOf } from '../kit/use-case.ts';
import { bindUser } from '../sessions/own-sessions.ts';

const ownCalls = '/rest/v1/uc/calls_by_participation';
const ownRecords = '/rest/v1/journal/calls_by_participation';
/** Digits of the room: other rooms are those of clients. */
const room = '96';

export const ownBranch = useCaseOf({
  name: 'own-branch',
  rule: 'In a quiescent cluster, a user without administrative rights sees at each front the calls of the SIP users that are bound to the user, and the records and recordings of these; of other calls, of conferences in which none of them takes part, and of calls with the same number in another domain, 404.',
  exclusions:
    'Domains with fewer than three phones that are registered and answer; calls that rules or limits of time end.',
  sender: '10.6.0.5',
  play: async (useCase) => {
    const [own, other, third, fourth, second] = await useCase.willing();
    if (own === undefined || other === undefined || third === undefined) return;
    const [sipUser] = itemsOf(await useCase.ask(`${sipUsers}?${filterOf({ phonenumber: own })}`));
    if (sipUser === undefined) return;
    const user = await bindUser(useCase, 'own-branch', { id: String(sipUser['id']), iduser: sipUser['iduser'] });
    if (user === undefined) return;
    const { session, id } = user;
    await look(useCase, session, { own, other, third, fourth });
    if (second !== undefined && fourth !== undefined)
      await withSecond(useCase, session, { own, other, second, fourth, userid: id });
  },
});

interface Numbers {
  readonly own: string;
  readonly other: string;
  readonly third: string;
  readonly fourth: string | undefined;
}

async function look(useCase: UseCase, session: OwnSession, { own, other, third, fourth }: Numbers): Promise<void> {
  const before = useCase.problems.length;
  const mine = await connect(useCase, { from: own, to: other });
  const foreign = await foreignCall(useCase, { own, third });
  let isRecorded = false;
  if (mine !== undefined && foreign !== undefined) {
    isRecorded = await startRecording(useCase, mine);
    await startRecording(useCase, foreign);
    await seeCalls(useCase, session, { mine, foreign });
    if (fourth !== undefined) await leaveConferences(useCase, session, { own, fourth });
  }
  for (const call of [mine, foreign]) {
    // One that has ended by itself may have done so before it was looked at.
    if (call !== undefined && !(await endCall(useCase, call))) useCase.problems.length = before;
  }
  if (mine === undefined || foreign === undefined || useCase.problems.length > before) return;
  const record = (call: OwnCall) => `${ownRecords}/${call.inviteid}`;
  await useCase.everywhere(record(mine), expecting(200, { inviteid: mine.inviteid }), 0, { session });
  await useCase.everywhere(record(foreign), expecting(404, { error_code: 1404 }), 0, { session });
  await useCase.everywhere(ownRecords, listing('inviteid', foreign.inviteid, false), 0, { session });
  if (isRecorded) await hear(useCase, session, { mine, foreign });
}

/** Returns whether a recording has begun, besides those of record rules, which storage rules may end. */
async function startRecording(useCase: UseCase, { path }: OwnCall): Promise<boolean> {
  const { opts } = ((await useCase.ask(path))?.body ?? {}) as { readonly opts?: Item };
  if (opts?.['recording'] === true) return false;
  const started = await useCase.ask(path, { method: 'SETUP_RECORD', body: { action: 'start' } });
  return started?.status === 200;
}

/** The recording of an own call; those of others are not there. */
async function hear(
  useCase: UseCase,
  session: OwnSession,
  { mine, foreign }: { readonly mine: OwnCall; readonly foreign: OwnCall },
): Promise<void> {
  const files = `${ownRecords}/${mine.inviteid}/attachments`;
  const nameIn = (answer: QuestionAnswer | undefined) => {
    const [entry, more] = itemsOf(answer);
    const [file, other] = (entry?.['files'] ?? []) as { readonly name: string }[];
    return more === undefined && other === undefined ? file?.name : undefined;
  };
  const listed = (answer: QuestionAnswer | undefined) =>
    nameIn(answer) !== undefined ? undefined : `expected one file, got ${textOf(answer)}`;
  if (!(await useCase.everywhere(files, listed, useCase.patienceMs, { session }))) return;
  const name = nameIn(await useCase.ask(files, { session }));
  if (name === undefined) return;
  const request = { session, headers: { range: 'bytes=0-3' } };
  const begins = (answer: QuestionAnswer | undefined) =>
    answer?.status === 206 && answer.body === 'RIFF' ? undefined : `expected 206 RIFF, got ${textOf(answer)}`;
  await useCase.everywhere(`${files}/${name}`, begins, useCase.quickMs, request);
  const foreignFiles = `${ownRecords}/${foreign.inviteid}/attachments`;
  for (const path of [foreignFiles, `${foreignFiles}/${name}`, `${files}/none.wav`])
    await useCase.everywhere(path, expecting(404, { error_code: 1404 }), 0, { session });
}

/** A call of the third phone: with the same number of another domain if it answers there, else with a room. */
async function foreignCall(
  useCase: UseCase,
  { own, third }: Pick<Numbers, 'own' | 'third'>,
): Promise<OwnCall | undefined> {
  const domain = useCase.otherDomain;
  const isThere = domain !== undefined && (await useCase.willing(domain)).includes(own);
  const call = isThere ? await connect(useCase, { from: third, to: `${own}@${domain}` }) : undefined;
  return call ?? connect(useCase, { from: third, to: roomNumberOf(useCase, room) ?? room });
}

/** With a second SIP user: the calls of both are the user's own. */
async function withSecond(
  useCase: UseCase,
  session: OwnSession,
  { own, other, second, fourth, userid }: Record<'own' | 'other' | 'second' | 'fourth', string> & { userid: unknown },
): Promise<void> {
  const [sipUser] = itemsOf(await useCase.ask(`${sipUsers}?${filterOf({ phonenumber: second })}`));
  const path = `${sipUsers}/${String(sipUser?.['id'])}`;
  const bound = await useCase.ask(path, { method: 'PATCH', body: { iduser: userid } });
  if (bound?.status !== 200) return;
  await useCase.copied();
  const before = useCase.problems.length;
  const live: OwnCall[] = [];
  for (const [from, to] of [
    [own, other],
    [second, fourth],
  ]) {
    const call = await connect(useCase, { from, to });
    if (call !== undefined) live.push(call);
  }
  const ids = live.map(({ dialogid }) => dialogid).toSorted();
  if (live.length === 2) {
    await useCase.everywhere(`${ownCalls}?countonly`, expecting(200, { count: 2 }), useCase.quickMs, { session });
    for (const [path, by] of [
      [ownCalls, { session }],
      [calls, {}],
    ] as const)
      await useCase.everywhere(
        path,
        (answer) => {
          const found = Array.isArray(answer?.body) ? answer.body.toSorted() : [];
          return JSON.stringify(found) === JSON.stringify(ids)
            ? undefined
            : `expected ${ids.join()}, got ${textOf(answer)}`;
        },
        useCase.quickMs,
        { method: 'LOOKUP', body: { userid }, ...by },
      );
  }
  // One that has ended by itself may have done so before it was looked at.
  for (const call of live) if (!(await endCall(useCase, call))) useCase.problems.length = before;
  await useCase.ask(path, { method: 'PATCH', body: { iduser: sipUser?.['iduser'] } });
}

async function seeCalls(
  useCase: UseCase,
  session: OwnSession,
  { mine, foreign }: { mine: OwnCall; foreign: OwnCall },
): Promise<void> {
  const see = (path: string, judge: Parameters<UseCase['everywhere']>[1]) =>
    useCase.everywhere(path, judge, useCase.quickMs, { session });
  const refuse = async (method: string, path: string, status: number, body?: object) => {
    const answer = await useCase.ask(path, { site: useCase.there, session, method, ...(body && { body }) });
    useCase.expect(`${method} ${path} of another's call at ${useCase.there}`, answer, expecting(status));
  };
  await see(`${ownCalls}/${mine.dialogid}`, expecting(200, { dialogid: mine.dialogid, inviteid: mine.inviteid }));
  await see(ownCalls, listing('inviteid', mine.inviteid));
  await see(ownCalls, listing('inviteid', foreign.inviteid, false));
  await see(`${ownCalls}?countonly`, expecting(200, { count: 1 }));
  await see(`${ownCalls}/${foreign.dialogid}`, expecting(404));
  await see(calls, listing('inviteid', foreign.inviteid));
  await refuse('LOOKUP', ownCalls, 404, { inviteid: foreign.inviteid });
  await refuse('DELETE', `${ownCalls}/${foreign.dialogid}`, 404);
  await refuse('SETUP_BINDINGS', `${ownCalls}/${foreign.dialogid}`, 404, { add: ['mine'] });
  await refuse('DELETE', foreign.path, 403);
  await useCase.everywhere(foreign.path, expecting(200, { dialogid: foreign.dialogid }));
}

/** A conference of another user. */
async function leaveConferences(
  useCase: UseCase,
  session: OwnSession,
  { own, fourth }: { own: string; fourth: string },
): Promise<void> {
  const { there: site } = useCase;
  const inRoom = await connect(useCase, { from: fourth, to: roomNumberOf(useCase, room) ?? room });
  const conferences = '/rest/v1/uc/conferences';
  const [conference] = itemsOf(await useCase.ask(`${conferences}?${filterOf({ confroomnum: room })}`));
  const confid = conference?.['confid'];
  if (confid !== undefined) {
    const path = `${ownConferences}/${String(confid)}`;
    await addFromElsewhere(useCase, `${conferences}/${String(confid)}`, own);
    const refused = async (method: string, target: string, body?: object) => {
      const answer = await useCase.ask(target, { site, session, method, ...(body && { body }) });
      useCase.expect(`${method} ${target}, a conference of others, at ${site}`, answer, expecting(404));
    };
    await useCase.everywhere(`${ownConferences}?countonly`, expecting(200, { count: 0 }), useCase.quickMs, { session });
    await refused('GET', path);
    await refused('GET', `${path}/participants`);
    await refused('POST', `${path}/participants`, { to: '1' });
    await refused('LOOKUP', ownConferences, { confid });
    await refused('DELETE', path);
    await useCase.everywhere(`${conferences}/${String(confid)}`, expecting(200, { confid }));
  }
  if (inRoom !== undefined) await endCall(useCase, inRoom);
  if (confid === undefined) return;
  // The participant from the other domain may be in it still.
  await useCase.ask(`${conferences}/${String(confid)}`, { method: 'DELETE' });
  await useCase.everywhere(`${conferences}/${String(confid)}`, expecting(404), endedMs);
}

/** The user of another domain who has the same number is not one's own. */
async function addFromElsewhere(useCase: UseCase, conference: string, own: string): Promise<void> {
  const domain = useCase.otherDomain;
  if (domain === undefined || !(await useCase.willing(domain)).includes(own)) return;
  const body = { to: `${own}@${domain}` };
  await useCase.ask(`${conference}/participants`, { method: 'POST', body });
  // Until its phone has answered, or refused.
  await useCase.context.questions.wait(useCase.quickMs);
}
