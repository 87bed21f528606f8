/** What a user without administrative rights does with the calls of the own SIP user, and what phones have of it. */

import type { OwnSession } from '../../../questions.ts';
import { differing, exactly, longTextOf, refusing } from '../calls/call-judges.ts';
import { directedUsers, type SteadyUser, unbound } from '../kit/call.ts';
import { calls, sipUsers } from '../kit/paths.ts';
import { type Item, type Judge, type UseCase, useCaseOf } from '../kit/use-case.ts';
import { bindUser } from '../sessions/own-sessions.ts';
import { begin } from './phone-calls.ts';

const branches = ['/rest/v1/uc/calls_by_participation', '/rest/v1/user/sip/calls'] as const;
/** Until a phone has done what its call was changed to, also where a message was lost. */
const doneMs = 5_000;

type Three = readonly [SteadyUser, SteadyUser, SteadyUser];

export const ownCallsControlled = useCaseOf({
  name: 'own-calls-controlled',
  rule: 'In a quiescent cluster a user without administrative rights starts calls of which the own SIP user is X or Y, and no others, by both paths of own calls; finds, labels, holds and ends own calls, and sends digits, as the phones have it; may not replace a leg of the calls of others; and has no own calls when the SIP user is bound to the user no longer.',
  exclusions: 'Domains with fewer than three phones that are registered, and whose users limit no calls.',
  sender: '10.6.21.8',
  play: async (useCase) => {
    const [x, y, z] = await directedUsers(useCase, 3);
    if (x === undefined || y === undefined || z === undefined) return;
    const user = await bindUser(useCase, 'own-calls', x);
    if (user !== undefined) await control(useCase, user.session, [x, y, z]);
  },
});

async function control(useCase: UseCase, session: OwnSession, [x, y, z]: Three): Promise<void> {
  const [own, alias] = branches;
  for (const [method, base] of [
    ['INVITE', own],
    ['POST', alias],
  ] as const) {
    const body = { from: y.number, to: z.number, response_mode: 0 };
    useCase.expect(`${method} of others at ${base}`, await useCase.ask(base, { session, method, body }), refusing(403));
  }
  const foreign = await begin(useCase, y, z.number, 'dialog');
  for (const [base, body] of [
    [own, { from: x.login, mode: 'sipuser', to: y.number }],
    [alias, { from: y.number, to: x.number }],
  ] as const) {
    const started = await useCase.ask(base, { session, method: 'INVITE', body: { ...body, response_mode: 3 } });
    const { dialogid, acallid, bcallid } = (started?.body ?? {}) as Record<string, string>;
    const isStarted = useCase.expect(`INVITE at ${base}`, started, (it) =>
      differing({ result: 'ok', last_response: 'SIP/2.0 200 OK' }, it),
    );
    if (!isStarted) return;
    const path = `${base === own ? alias : own}/${dialogid}`;
    await useCase.everywhere(path, shown({ dialogid, acallid }), useCase.patienceMs, { session });
    await useCase.everywhere(`${base}?mask=dialogid`, exactly(200, [{ dialogid }]), useCase.patienceMs, { session });
    await useCase.everywhere(base, exactly(200, [dialogid]), useCase.patienceMs, {
      session,
      method: 'LOOKUP',
      body: { callid: bcallid },
    });
    const [caller, callee] = base === own ? [x, y] : [y, x];
    const legs = { a: [caller, String(acallid)], b: [callee, String(bcallid)] } as const;
    await command(useCase, { session, path, dialogid: String(dialogid) }, legs);
    if (foreign !== undefined) {
      const replace = { by: 'a', dialogid: foreign.dialogid };
      const refused = await useCase.ask(path, { session, method: 'REFERREPLACES', body: replace });
      useCase.expect('REFERREPLACES with a call of others', refused, refusing(404));
    }
    const end = await useCase.ask(path, { session, method: 'DELETE', site: useCase.there });
    useCase.expect('DELETE of an own call', end, exactly(200, { dialogid, result: 'ok' }));
    await useCase.everywhere(path, refusing(404), useCase.patienceMs, { session });
  }
  await leave(useCase, session, x, y);
}

function shown(fields: Item): Judge {
  return (answer) => differing({ ...fields, status: 'dialog' }, answer);
}

/** The user of each side, and its leg. */
type Legs = Readonly<Record<'a' | 'b', readonly [SteadyUser, string]>>;
type Own = { readonly session: OwnSession; readonly path: string; readonly dialogid: string };

/** Each command, and what the phones of both sides have of it. */
async function command(useCase: UseCase, { session, path, dialogid }: Own, legs: Legs): Promise<void> {
  const viewOf = (side: 'a' | 'b') => {
    const [user, leg] = legs[side];
    return useCase.callsOf(user).find(({ callid }) => callid === leg);
  };
  const send = async (method: string, body: Item, more: Item = {}) => {
    const answer = await useCase.ask(path, { session, method, body, site: useCase.there });
    useCase.expect(`${method} ${JSON.stringify(body)}`, answer, exactly(200, { dialogid, result: 'ok', ...more }));
  };
  const comes = async (what: string, isTrue: () => boolean) => {
    const wrong = await useCase.context.questions.eventually(doneMs, () => (isTrue() ? [] : [what]));
    useCase.expect(what, undefined, () =>
      wrong.length === 0 ? undefined : `a ${JSON.stringify(viewOf('a'))}, b ${JSON.stringify(viewOf('b'))}`,
    );
  };
  for (const dtmf of ['7', '#', 'D']) await send('SEND_DTMF', { to: 'b', dtmf });
  await send('SEND_DTMF', { to: 'a', dtmf: '*' });
  await comes('digits', () => viewOf('b')?.digits === '7#D' && viewOf('a')?.digits === '*');
  for (const [side, other] of [
    ['a', 'b'],
    ['b', 'a'],
  ] as const) {
    await send('NOTIFY', { to: side, event: 'hold' });
    await comes(`hold of side ${side}`, () => viewOf(side)?.isHolding === true && viewOf(other)?.isHeld === true);
    await send('NOTIFY', { to: side, event: 'talk' });
    await comes(`talk of side ${side}`, () => viewOf(side)?.isHolding === false && viewOf(other)?.isHeld === false);
  }
  await send('SETUP_BINDINGS', { add: ['own'] }, { bindings: ['own'] });
}

/** The SIP user is bound to the user no longer. */
async function leave(useCase: UseCase, session: OwnSession, x: SteadyUser, other: SteadyUser): Promise<void> {
  const call = await begin(useCase, x, other.number, 'dialog');
  const unbind = await useCase.ask(`${sipUsers}/${x.id}`, { method: 'PATCH', body: { iduser: unbound } });
  await useCase.copied();
  if (unbind?.status !== 200) return;
  for (const base of branches) await useCase.everywhere(base, exactly(200, []), useCase.quickMs, { session });
  if (call === undefined) return;
  const path = `${branches[0]}/${call.dialogid}`;
  await useCase.everywhere(path, refusing(404), useCase.quickMs, { session });
  const still = await useCase.ask(`${calls}/${call.dialogid}`);
  useCase.expect('the call of the user who was bound', still, (it) =>
    it?.status === 200 || it?.status === 404 ? undefined : longTextOf(it),
  );
}
