/** Calls between users of two domains: where they are shown, who may transfer them, and which user a refused transfer returns to. */

import { coverOf } from '../../../../../src/model/domain-tree.ts';
import { differing, exactly, longTextOf, over } from '../calls/call-judges.ts';
import { connect, directedUsers, type OwnCall, type SteadyUser, uriOf } from '../kit/call.ts';
import { calls, records } from '../kit/paths.ts';
import { expecting, filterOf, type Item, itemsOf, type Judge, type UseCase, useCaseOf } from '../kit/use-case.ts';

const label = 'domains-crossed';
/** Its device or its provider refuses it. */
const refusedNumber = '7*486';

/** A user of one of the domains. */
interface Party {
  readonly of: UseCase;
  readonly user: SteadyUser;
}

export const domainsCrossed = useCaseOf({
  name: label,
  rule: 'In a quiescent cluster a call of users of two domains is shown in both, and found by the number and the login of its party in each, and not by the login of the other party, which may be that of another user there; each administrator may transfer and end it: a transfer connects the opponent with the number as the domain of the request dials it, a refused one connects it with the user who transferred it, in the domain of that user; its record is in both.',
  exclusions:
    'Clusters with fewer than two domains with phones that are registered, and whose users limit no calls; two domains that no b2b serves together.',
  sender: '10.6.21.16',
  play: async (useCase) => {
    const { otherDomain } = useCase;
    if (otherDomain === undefined || !areServedTogether(useCase, otherDomain)) return;
    const other = useCase.elsewhere(otherDomain);
    const [x, z] = await directedUsers(useCase, 2);
    const others = await directedUsers(other, 2);
    // Users of two domains may have the same login, which says less.
    const y = others.find(({ login }) => login !== x?.login) ?? others[0];
    if (x === undefined || y === undefined || z === undefined) return;
    const [own, far, third] = [party(useCase, x), party(other, y), party(useCase, z)] as const;
    useCase.afterwards(() => endAll([own, far, third]));
    await shown(own, far);
    await returned(own, far);
    await transferred(own, far, third);
  },
});

/** Whether a b2b serves both domains: another one would hide a call from one of them. */
export function areServedTogether({ context, domain }: UseCase, otherDomain: string): boolean {
  const all = context.map.instancesOf('b2b');
  return all.some(({ domains }) => [domain, otherDomain].every((each) => coverOf(each, domains) !== undefined));
}

const party = (of: UseCase, user: SteadyUser): Party => ({ of, user });
const nameOf = ({ of, user }: Party) => uriOf(of, user);
const dialled = ({ of, user }: Party) => `${user.number}@${of.domain}`;

function begin(own: Party, far: Party): Promise<OwnCall | undefined> {
  return connect(own.of, { from: own.user.number, to: dialled(far), label });
}

/** It is shown in both domains, and over in both when the other administrator has ended it. */
async function shown(own: Party, far: Party): Promise<void> {
  const call = await begin(own, far);
  if (call === undefined) return;
  const { path, dialogid, inviteid } = call;
  const [from, to] = [nameOf(own), nameOf(far)];
  for (const { of, user } of [own, far]) {
    await of.everywhere(path, (it) => differing({ dialogid, localuri: from, remoteuri: to, status: 'dialog' }, it));
    const listed: Judge = (it) =>
      itemsOf(it).some((item) => item['dialogid'] === dialogid) ? undefined : `no ${dialogid} in ${longTextOf(it)}`;
    await of.everywhere(calls, listed);
    const logins = [own, far].map((each) => each.user.login);
    for (const body of [{ sipuserphonenumber: user.number }, ...logins.map((sipuserlogin) => ({ sipuserlogin }))]) {
      // The same login is another user in the other domain.
      const isFound = !('sipuserlogin' in body) || body.sipuserlogin === user.login;
      await of.everywhere(
        calls,
        isFound ? exactly(200, [dialogid]) : expecting(404, { error_code: 1404 }),
        of.quickMs,
        { method: 'LOOKUP', body },
      );
    }
  }
  const ended = await far.of.ask(path, { method: 'DELETE', site: far.of.there });
  far.of.expect('DELETE by the other domain', ended, (it) => differing({ dialogid, result: 'ok' }, it));
  for (const { of } of [own, far]) {
    await of.everywhere(path, over, of.patienceMs);
    const record = { inviteid, from, to, type: 'call_terminate' };
    await of.everywhere(`${records}/${inviteid}`, (it) => differing(record, it), of.patienceMs);
  }
}

/** Each administrator has the user of the other domain transfer its opponent to a number that refuses: they talk again. */
async function returned(own: Party, far: Party): Promise<void> {
  for (const { by, initiator, opponent } of [
    { by: 'b', initiator: far, opponent: own },
    { by: 'a', initiator: own, opponent: far },
  ]) {
    const { of } = opponent;
    const call = await begin(own, far);
    if (call === undefined) return;
    const body = { by, referto: refusedNumber, response_mode: 3 };
    const answer = await of.ask(call.path, { method: 'REFER', body, site: of.there });
    // The platform could not reach the party that is to be referred.
    if ((answer?.body as Item | undefined)?.['result'] === 'failed') return;
    const isTalking = await talk(of, [opponent, initiator], call.dialogid);
    if (!isTalking) return;
    await of.everywhere(call.path, over, of.patienceMs);
    await endAll([opponent, initiator]);
  }
}

/** The user of the other domain transfers its opponent to a third one. */
async function transferred(own: Party, far: Party, third: Party): Promise<void> {
  for (const { by, opponent, of, referto } of [
    { by: 'b', opponent: own, of: own.of, referto: third.user.number },
    { by: 'a', opponent: far, of: far.of, referto: dialled(third) },
  ]) {
    const call = await begin(own, far);
    if (call === undefined) return;
    const answer = await of.ask(call.path, { method: 'REFER', body: { by, referto, response_mode: 3 } });
    const right = { dialogid: call.dialogid, result: 'ok', last_response: 'SIP/2.0 200 OK' };
    if (!of.expect(`REFER by ${by} to ${referto}`, answer, (it) => differing(right, it))) return;
    await talk(of, [opponent, third], call.dialogid);
    await endAll([opponent, third]);
  }
}

/** Two parties have one call, another one than before. Returns whether that comes. */
function talk(of: UseCase, [x, y]: readonly [Party, Party], before: string): Promise<boolean> {
  const judge: Judge = (list) => {
    const [item, more] = itemsOf(list);
    if (item === undefined || more !== undefined) return `not one call in ${longTextOf(list)}`;
    return item['dialogid'] === before ? 'the same dialog' : undefined;
  };
  const between = { localuri: nameOf(x), remoteuri: nameOf(y), status: 'dialog' };
  return of.everywhere(`${calls}?${filterOf(between)}`, judge, of.patienceMs + x.user.answerMs + y.user.answerMs);
}

/** Ends all calls in which only these are, as the first one's administrator. */
async function endAll(parties: readonly [Party, ...Party[]]): Promise<void> {
  const names = parties.map(nameOf);
  const [{ of }] = parties;
  await of.context.questions.eventually(of.patienceMs, async () => {
    const all = itemsOf(await of.ask(calls)).filter(({ uris }) =>
      (uris as string[]).every((uri) => names.includes(uri)),
    );
    for (const { dialogid } of all) await of.ask(`${calls}/${String(dialogid)}`, { method: 'DELETE' });
    return all.map(({ dialogid }) => String(dialogid));
  });
}
