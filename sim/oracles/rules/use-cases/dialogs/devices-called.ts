/** A SIP user with two devices, of which the one or the other answers. */
import type { Behaviour } from '../../../../../src/model/topology/schema.ts';
import type { CallView } from '../../../../outside/endpoints/endpoint-call.ts';
import { differing, exactly, isSame, longTextOf, recorded, talking } from '../calls/call-judges.ts';
import { makeUser, type OwnSipUser, register } from '../events/own-device.ts';
import { call, directed, directedUsers, endCall, type OwnCall, type SteadyUser, uriOf } from '../kit/call.ts';
import { calls, records } from '../kit/paths.ts';
import { type Item, type UseCase, useCaseOf } from '../kit/use-case.ts';
import { begin, limitRinging } from './phone-calls.ts';

const account = { login: 'devices-called', phonenumber: '779955', lic: { devices: 3 } };
/** Devices, by address. */
const ips = ['10.66.7.1', '10.66.7.2'] as const;
const expires = 600;
/** How long the target of a redirection may ring. */
const briefSec = 3;
/** How long the users of a call may ring that none of them answers: each long enough behind the one before. */
const apart = { briefSec: 5, laterSec: 8, ownSec: 16 } as const;
/** One of them is called so much later than the others. */
const laterMs = 2_000;
/** The device of a third fork. */
const thirdIp = '10.66.21.90';
const pollMs = 100;
/** What the other one does that answers nothing: it rings for as long as it may, or is busy. */
const others: readonly Behaviour[] = [{ ringMs: 0 }, { reject: 486 }];

export const devicesCalled = useCaseOf({
  name: 'devices-called',
  rule: 'In a quiescent cluster, of a SIP user with two devices either may answer, whichever of them was called first, as caller of a call of the platform and as callee: the call is shown, found, published and recorded with the Call-Id of the one that answers, and the other one has no call any more. While one rings, the other one may redirect to a SIP user who may ring for less: that one rings no longer, and the first may answer all the same. Several of which none answers ring each for as long as its own user may, whenever another one began or has rung enough, and are shown with the time that they have left; then the call ends with 408.',
  exclusions: 'Domains without a phone that is registered, and that no sg serves.',
  sender: '10.6.21.12',
  play: async (useCase) => {
    const [phone, brief, later] = await directedUsers(useCase, 3);
    if (phone === undefined) return;
    const opts = { minexpires: 15, maxexpires: expires, calltimesec: apart.ownSec };
    useCase.afterwards(() => useCase.copied());
    const user = await makeUser(useCase, account.login, { ...account, opts });
    if (user === undefined) return;
    for (const [turn, other] of others.entries())
      for (const answering of ips)
        if (!(await called(useCase, { user, phone, answering, other, isCaller: turn === 0 }))) return;
    for (const answering of ips)
      if (!(await called(useCase, { user, phone, answering, other: others[0], isCaller: false }))) return;
    if (brief === undefined) return;
    await outlast(useCase, user, [phone, brief]);
    await ringApart(useCase, { user, phone, brief, later });
  },
});

interface Called {
  readonly user: OwnSipUser;
  readonly phone: SteadyUser;
  /** Of the device that answers. */
  readonly answering: string;
  readonly other: Behaviour | undefined;
  /** Whether the user with two devices calls, and not the other one. */
  readonly isCaller: boolean;
}

/** Returns whether the call was made. */
async function called(useCase: UseCase, { user, phone, answering, other, isCaller }: Called): Promise<boolean> {
  const { questions } = useCase.context;
  const { id, login } = user;
  const own: SteadyUser = { number: account.phonenumber, id, login, iduser: undefined, answerMs: directed.answerMs };
  for (const ip of ips) {
    const behaviour = ip === answering ? directed : (other ?? directed);
    const { status } = await register(useCase, user, { ip, expires, behaviour });
    if (status !== 200) return false;
  }
  await questions.wait(useCase.quickMs);
  const pair = isCaller ? ([own, phone] as const) : ([phone, own] as const);
  const [from, to] = pair.map(({ number }) => number);
  const made = await call(useCase, { from, to });
  if (made === undefined) return false;
  const side = isCaller ? 'a' : 'b';
  // Its ACK may be on its way.
  const talkingIn = (all: readonly CallView[]) => all.find(({ state }) => state === 'talking')?.callid;
  const legsNow = () => [talkingIn(questions.callsAt(answering)), talkingIn(useCase.callsOf(phone))];
  await questions.eventually(useCase.quickMs, () => (legsNow().includes(undefined) ? ['no ACK'] : []));
  const [atDevice, atPhone] = legsNow();
  const [acallid, bcallid] = isCaller ? [atDevice, atPhone] : [atPhone, atDevice];
  const what = `the call in which side ${side} answers at ${answering}`;
  useCase.expect(what, undefined, () =>
    made.acallid === acallid && made.bcallid === bcallid
      ? undefined
      : `expected ${acallid} and ${bcallid}, got ${made.acallid} and ${made.bcallid}`,
  );
  const { dialogid, path } = made;
  const legs = { acallid, bcallid };
  const isShown = await useCase.everywhere(path, talking(useCase, pair, { dialogid }, legs), useCase.patienceMs);
  for (const callid of Object.values(legs))
    await useCase.everywhere(calls, exactly(200, [dialogid]), useCase.patienceMs, {
      method: 'LOOKUP',
      body: { callid },
    });
  const inviteid = String(((await useCase.ask(path))?.body as Item | undefined)?.['inviteid']);
  await useCase.context.questions.eventually(useCase.patienceMs, () => (isLeft(useCase, answering) ? ['busy'] : []));
  useCase.expect(`${what}: the other device`, undefined, () =>
    isLeft(useCase, answering) ? 'it has a call still' : undefined,
  );
  if (!isShown) return false;
  const ended: OwnCall = { ...made, inviteid };
  if (!(await endCall(useCase, ended))) return false;
  const record = recorded(useCase, ...pair, { inviteid, dialogid, acallid });
  await useCase.everywhere(`${records}/${inviteid}`, record, useCase.patienceMs);
  return true;
}

/** One device redirects to a user who may ring briefly; the other one answers when that is over. */
async function outlast(
  useCase: UseCase,
  user: OwnSipUser,
  [phone, brief]: readonly [SteadyUser, SteadyUser],
): Promise<void> {
  const { questions } = useCase.context;
  if (!(await limitRinging(useCase, brief.id, briefSec))) return;
  questions.behave(useCase.domain, brief.number, { ringMs: 0 });
  const [redirecting, ringing] = ips;
  for (const [ip, behaviour] of [
    [redirecting, { redirect: brief.number }],
    [ringing, { answerMs: 2 * briefSec * 1_000 }],
  ] as const)
    if ((await register(useCase, user, { ip, expires, behaviour })).status !== 200) return;
  await questions.wait(useCase.quickMs);
  const made = call(useCase, { from: phone.number, to: account.phonenumber });
  await questions.wait(briefSec * 1_000);
  const hasRung = useCase.callsOf(brief).length > 0;
  await questions.wait((briefSec / 2) * 1_000);
  // It may not have been called: a rule of its own may refuse that.
  if (hasRung)
    useCase.expect(`${brief.number} rings no longer than ${briefSec} s`, undefined, () =>
      useCase.callsOf(brief).length === 0 ? undefined : 'it has a call',
    );
  const answered = await made;
  const [atDevice] = questions.callsAt(ringing);
  useCase.expect('a call whose other fork rings no longer', undefined, () => {
    if (answered === undefined) return 'it was not connected';
    return answered.bcallid === atDevice?.callid ? undefined : `${answered.bcallid} is not at the device that answers`;
  });
  if (answered !== undefined) await useCase.ask(answered.path, { method: 'DELETE', site: useCase.there });
}

interface Ringing {
  readonly user: OwnSipUser;
  readonly phone: SteadyUser;
  readonly brief: SteadyUser;
  readonly later: SteadyUser | undefined;
}

/** What a fork of a call rings at, as long as it is seen to. */
interface RingingFork {
  readonly uri: string;
  /** For how long it may ring. */
  readonly sec: number;
  calls(): readonly CallView[];
  callid?: string;
  beganMs?: number;
  endedMs?: number;
}

/** Devices redirect to users who may ring for less, one of them a moment later, and none answers. */
async function ringApart(useCase: UseCase, { user, phone, brief, later }: Ringing): Promise<void> {
  const { questions, now } = useCase.context;
  const [first, own] = ips;
  const limited = await Promise.all([
    limitRinging(useCase, brief.id, apart.briefSec),
    later === undefined || limitRinging(useCase, later.id, apart.laterSec),
  ]);
  if (limited.includes(false)) return;
  for (const each of [brief, later])
    if (each !== undefined) questions.behave(useCase.domain, each.number, { ringMs: 0 });
  const devices: readonly (readonly [string, Behaviour])[] = [
    [first, { redirect: brief.number }],
    [own, { ringMs: 0 }],
    ...(later === undefined ? [] : [[thirdIp, { ringMs: 0, answerMs: laterMs, redirect: later.number }] as const]),
  ];
  for (const [ip, behaviour] of devices)
    if ((await register(useCase, user, { ip, expires, behaviour })).status !== 200) return;
  await questions.wait(useCase.quickMs);
  const forkOf = (to: SteadyUser, sec: number): RingingFork => ({
    uri: uriOf(useCase, to),
    sec,
    calls: () => useCase.callsOf(to),
  });
  const forks: RingingFork[] = [
    forkOf(brief, apart.briefSec),
    ...(later === undefined ? [] : [forkOf(later, apart.laterSec)]),
    { uri: `<sip:${account.phonenumber}@${useCase.domain}>`, sec: apart.ownSec, calls: () => questions.callsAt(own) },
  ];
  const untilMs = now() + 2 * apart.ownSec * 1_000;
  const watched = watch(useCase, forks, untilMs);
  const made = await begin(useCase, phone, account.phonenumber, 'forking');
  const ringMs = now() + useCase.patienceMs;
  while (made !== undefined && now() < ringMs && !forks.some(({ beganMs }) => beganMs !== undefined))
    await questions.wait(pollMs);
  if (made !== undefined) await showForks(useCase, made.path, forks);
  await watched;
  for (const fork of forks) judgeRinging(useCase, fork);
  if (made === undefined) return;
  const end = { type: 'timeout', status: 408, reason: 'Request Timeout', answerts: null, talkms: 0 };
  await useCase.everywhere(`${records}/${made.inviteid}`, (it) => differing(end, it), useCase.patienceMs);
}

/** Notes when each fork begins and ends to ring, until all have. */
async function watch({ context }: UseCase, forks: readonly RingingFork[], untilMs: number): Promise<void> {
  const { questions, now } = context;
  while (now() < untilMs && forks.some(({ endedMs }) => endedMs === undefined)) {
    for (const fork of forks) {
      const rings = fork.calls().find(({ state }) => state === 'ringing');
      if (rings !== undefined && fork.beganMs === undefined)
        Object.assign(fork, { beganMs: now(), callid: rings.callid });
      if (rings === undefined && fork.beganMs !== undefined) fork.endedMs ??= now();
    }
    await questions.wait(pollMs);
  }
}

/** The legs that ring now, each with the time that it has left. */
async function showForks(useCase: UseCase, path: string, forks: readonly RingingFork[]): Promise<void> {
  const { now } = useCase.context;
  await useCase.everywhere(
    path,
    (answer) => {
      const { legs = [] } = (answer?.body ?? {}) as { legs?: Item[] };
      const ringing = forks.filter(({ beganMs, endedMs }) => beganMs !== undefined && endedMs === undefined);
      const called = legs.filter(({ side }) => side === 'b');
      const got = called.map(({ callid, remoteuri }) => `${callid} ${remoteuri}`).toSorted();
      if (!isSame(got, ringing.map(({ callid, uri }) => `${callid} ${uri}`).toSorted()))
        return ringing.length === 0 ? undefined : `expected ${JSON.stringify(ringing)}, got ${longTextOf(answer)}`;
      const odd = called.find(({ callid, expirets }) => {
        const { sec, beganMs = 0 } = ringing.find((fork) => fork.callid === callid) ?? { sec: 0 };
        return Math.abs(Number(expirets) - (beganMs + sec * 1_000 - now())) > useCase.quickMs;
      });
      return odd === undefined || !useCase.areClocksRight ? undefined : `expirets of ${JSON.stringify(odd)}`;
    },
    useCase.patienceMs,
  );
}

function judgeRinging(useCase: UseCase, { uri, sec, beganMs, endedMs = Number.POSITIVE_INFINITY }: RingingFork): void {
  // It may not have been called: a rule of its own may refuse that.
  if (beganMs === undefined) return;
  useCase.expect(`${uri}, who may ring for ${sec} s`, undefined, () => {
    const rungMs = endedMs - beganMs;
    const isRight =
      Math.abs(rungMs - sec * 1_000) <= useCase.quickMs || (!useCase.areClocksRight && Number.isFinite(endedMs));
    return isRight ? undefined : `it rings for ${Math.round(rungMs)} ms`;
  });
}

function isLeft({ context }: UseCase, answering: string): boolean {
  return ips.some((ip) => ip !== answering && context.questions.callsAt(ip).length > 0);
}
