/** A SIP user with two devices, of which the one or the other answers. */
import type { Behaviour } from '../../../../../src/model/topology/schema.ts';
import type { CallView } from '../../../../outside/endpoints/endpoint-call.ts';
import { exactly, recorded, talking } from '../calls/call-judges.ts';
import { makeUser, type OwnSipUser, register } from '../events/own-device.ts';
import { call, directed, directedUsers, endCall, type OwnCall, type SteadyUser } from '../kit/call.ts';
import { calls, records, sipUsers } from '../kit/paths.ts';
import { type Item, type UseCase, useCaseOf } from '../kit/use-case.ts';

const account = { login: 'devices-called', phonenumber: '779955', lic: { devices: 2 } };
/** Devices, by address. */
const ips = ['10.66.7.1', '10.66.7.2'] as const;
const expires = 600;
/** How long the target of a redirection may ring. */
const briefSec = 3;
/** What the other one does that answers nothing: it rings for as long as it may, or is busy. */
const others: readonly Behaviour[] = [{ ringMs: 0 }, { reject: 486 }];

export const devicesCalled = useCaseOf({
  name: 'devices-called',
  rule: 'In a quiescent cluster, of a SIP user with two devices either may answer, whichever of them was called first, as caller of a call of the platform and as callee: the call is shown, found, published and recorded with the Call-Id of the one that answers, and the other one has no call any more. While one rings, the other one may redirect to a SIP user who may ring for less: that one rings no longer, and the first may answer all the same.',
  exclusions: 'Domains without a phone that is registered, and that no sg serves.',
  sender: '10.6.21.12',
  play: async (useCase) => {
    const [phone, brief] = await directedUsers(useCase, 2);
    if (phone === undefined) return;
    const opts = { minexpires: 15, maxexpires: expires };
    useCase.afterwards(() => useCase.copied());
    const user = await makeUser(useCase, account.login, { ...account, opts });
    if (user === undefined) return;
    for (const [turn, other] of others.entries())
      for (const answering of ips)
        if (!(await called(useCase, { user, phone, answering, other, isCaller: turn === 0 }))) return;
    for (const answering of ips)
      if (!(await called(useCase, { user, phone, answering, other: others[0], isCaller: false }))) return;
    if (brief !== undefined) await outlast(useCase, user, [phone, brief]);
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
  const path = `${sipUsers}/${brief.id}`;
  const { opts } = ((await useCase.ask(path))?.body ?? {}) as { opts?: Item };
  const set = async (calltimesec: unknown) => {
    const changed = await useCase.ask(path, { method: 'PATCH', body: { opts: { calltimesec } } });
    await useCase.copied();
    return changed?.status === 200;
  };
  useCase.afterwards(() => set(opts?.['calltimesec']));
  if (!(await set(briefSec))) return;
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

function isLeft({ context }: UseCase, answering: string): boolean {
  return ips.some((ip) => ip !== answering && context.questions.callsAt(ip).length > 0);
}
