/** Transfers by the phones themselves, and calls that become conferences or join one. */

import type { SubscribedEvents } from '../../drills/kit/call-events.ts';
import { exactly, longTextOf, over, recorded, refusing, talking } from '../calls/call-judges.ts';
import { meetingOf } from '../conferences/rooms.ts';
import { connect, type SteadyUser, uriOf } from '../kit/call.ts';
import { calls, conferences, records } from '../kit/paths.ts';
import { filterOf, type Item, itemsOf, type UseCase, useCaseOf } from '../kit/use-case.ts';
import { begin, legAt, type PhoneCall } from './phone-calls.ts';
import {
  endsOf,
  forkOf,
  inviteOf,
  type NamedUser,
  namedUsers,
  party,
  published,
  subscribe,
  type WantedEvent,
} from './published-events.ts';

type Three = readonly [NamedUser, NamedUser, NamedUser];
type Listeners = readonly SubscribedEvents[];

export const partiesMoved = useCaseOf({
  name: 'parties-moved',
  rule: 'In a quiescent cluster a phone of either side that refers its opponent to a number, or to the party of another call, leaves, and these two have one call, which names the phone that referred; SWITCHCONF moves both parties into a new conference and REFERCONF the opponent into a given one, which ends the call; subscribers at each front get all events of that; a call with a conference is not moved, nor to a conference that is not there.',
  exclusions: 'Domains with fewer than three phones that are registered, and whose users limit no calls.',
  sender: '10.6.0.44',
  play: async (useCase) => {
    const [x, y, z] = await namedUsers(useCase, 3);
    if (x === undefined || y === undefined || z === undefined) return;
    const all = await subscribe(useCase);
    for (const by of ['a', 'b'] as const) if (!(await referred(useCase, all, [x, y, z], by))) return;
    await replaced(useCase, all, [x, y, z]);
    await switched(useCase, [x, y, z]);
  },
});

/** The call of two parties that a transfer has made, and that there is no other one of them. */
async function moved(useCase: UseCase, [from, to, referrer]: Three, sinceMs: number): Promise<Item | undefined> {
  let found: Item | undefined;
  const listed = `${calls}?${filterOf({ localuri: uriOf(useCase, from), remoteuri: uriOf(useCase, to) })}`;
  const isThere = await useCase.everywhere(
    listed,
    (list) => {
      const all = itemsOf(list).filter(
        ({ startts }) => Number(startts) >= Math.floor(sinceMs) || !useCase.areClocksRight,
      );
      const [item, more] = all;
      if (item === undefined || more !== undefined) return `not one call in ${longTextOf(list)}`;
      const [acallid, bcallid] = item['callids'] as unknown[];
      const { 'referred-by': by } = item['opts'] as Item;
      found = item;
      if (by !== uriOf(useCase, referrer).slice(1, -1)) return `referred-by ${String(by)} in ${longTextOf(list)}`;
      return talking(useCase, [from, to], {}, { acallid, bcallid })(list && { ...list, body: item });
    },
    useCase.patienceMs,
  );
  return isThere ? found : undefined;
}

function isFree(useCase: UseCase, user: SteadyUser): void {
  useCase.expect(`the phone of ${user.number} after its transfer`, undefined, () => {
    const left = useCase.callsOf(user);
    return left.length === 0 ? undefined : `has ${JSON.stringify(left)}`;
  });
}

/** Returns whether the phones may call each other. */
async function referred(useCase: UseCase, all: Listeners, [x, y, z]: Three, by: 'a' | 'b'): Promise<boolean> {
  const { questions } = useCase.context;
  const call = await begin(useCase, x, y.number, 'dialog');
  if (call === undefined) return false;
  const sinceMs = useCase.context.now();
  const leg = by === 'a' ? call.placed : legAt(useCase, y, call.bcallid);
  questions.transfer(leg, uriOf(useCase, z).slice(1, -1));
  const [referrer, opponent] = by === 'a' ? [x, y] : [y, x];
  const made = await moved(useCase, [opponent, z, referrer], sinceMs);
  await gone(useCase, call, [x, y], { type: 'bye', status: null });
  isFree(useCase, referrer);
  await published(useCase, all, call, [
    ...talked(useCase, [x, y], call.bcallid),
    ['refer', { by, referto: uriOf(useCase, z) }],
    ...endsOf({ type: 'bye', reason: '', by }, parties(useCase, [x, y])),
  ]);
  if (made === undefined) return false;
  await useCase.ask(`${calls}/${String(made['dialogid'])}`, { method: 'DELETE' });
  const { inviteid, acallid, dialogid, callids } = made as { callids: string[] } & Record<string, string>;
  const [, bcallid = ''] = callids;
  const referredby = { referredby: uriOf(useCase, referrer) };
  const [invite, ...later] = talked(useCase, [opponent, z], bcallid);
  await published(useCase, all, { inviteid: String(inviteid), acallid, dialogid }, [
    invite as WantedEvent,
    ['referring_invite', referredby],
    ['route_referred', referredby],
    ...later,
    ...endsOf({ type: 'call_terminate', reason: '' }, parties(useCase, [opponent, z])),
  ]);
  return true;
}

function parties(useCase: UseCase, [a, b]: readonly [SteadyUser, SteadyUser]): Item[] {
  return [party(useCase, 'a', a), party(useCase, 'b', b)];
}

/** The events of a call of two phones until it is answered. */
function talked(useCase: UseCase, [a, b]: readonly [NamedUser, NamedUser], bcallid: string): WantedEvent[] {
  const fork = forkOf(useCase, a, b, { forkcallid: bcallid });
  const participations = parties(useCase, [a, b]);
  return [
    inviteOf(useCase, a, uriOf(useCase, b), participations),
    ['dlg_init', { participations }],
    ['dlg_call', {}],
    ['fork_start', fork],
    ['dlg_start', { ...fork, bcallid, participations }],
  ];
}

async function gone(
  useCase: UseCase,
  { path, inviteid, acallid, dialogid }: Omit<PhoneCall, 'placed'>,
  [x, y]: readonly [SteadyUser, SteadyUser],
  end: Item,
) {
  await useCase.everywhere(path, over, useCase.patienceMs);
  const fields = { inviteid, acallid, dialogid, ...end };
  await useCase.everywhere(`${records}/${inviteid}`, recorded(useCase, x, y, fields), useCase.patienceMs);
}

/** Of two calls of x, the opponents. */
async function replaced(useCase: UseCase, all: Listeners, [x, y, z]: Three): Promise<void> {
  const one = await begin(useCase, x, y.number, 'dialog');
  const other = await begin(useCase, x, z.number, 'dialog');
  if (one === undefined || other === undefined) return;
  const sinceMs = useCase.context.now();
  useCase.context.questions.transfer(one.placed, uriOf(useCase, z).slice(1, -1), other.placed.callid);
  const made = await moved(useCase, [y, z, x], sinceMs);
  await gone(useCase, one, [x, y], { type: 'bye', status: null });
  await gone(useCase, other, [x, z], { type: 'bye', status: null });
  isFree(useCase, x);
  await published(useCase, all, other, [
    ...talked(useCase, [x, z], other.bcallid),
    ['replaces_refer', { newinviteid: made?.['inviteid'] }],
    ...endsOf({ type: 'bye', reason: '', by: 'b' }, parties(useCase, [x, z])),
  ]);
  if (made !== undefined) await useCase.ask(`${calls}/${String(made['dialogid'])}`, { method: 'DELETE' });
}

async function switched(useCase: UseCase, [x, y, z]: Three): Promise<void> {
  const call = await connect(useCase, { from: x.number, to: y.number });
  if (call === undefined) return;
  const unknown = await useCase.ask(call.path, { method: 'SWITCHCONF', body: { unknown: 1 } });
  useCase.expect('SWITCHCONF with an unknown field', unknown, refusing(400));
  for (const [body, status] of [
    [{ by: 'a', confid: '999-1' }, 404],
    [{ by: 'c', confid: '999-1' }, 400],
    [{ by: 'a' }, 400],
    [{ confid: '999-1' }, 400],
  ] as const) {
    const answer = await useCase.ask(call.path, { method: 'REFERCONF', body, site: useCase.there });
    useCase.expect(`REFERCONF ${JSON.stringify(body)}`, answer, refusing(status));
  }
  const answer = await useCase.ask(call.path, { method: 'SWITCHCONF', site: useCase.there });
  const { confid } = (answer?.body ?? {}) as Item;
  const isDone = useCase.expect('SWITCHCONF', answer, (it) =>
    typeof confid === 'string'
      ? exactly(200, { dialogid: call.dialogid, result: 'ok', confid })(it)
      : `no confid in ${longTextOf(it)}`,
  );
  if (!isDone) return;
  const path = `${conferences}/${String(confid)}`;
  const isMet = await useCase.everywhere(`${path}/participants`, meetingOf(useCase, [x, y]), useCase.patienceMs);
  await gone(useCase, call, [x, y], { type: 'bye', status: null });
  if (isMet) await joined(useCase, { path, confid }, [x, y, z]);
  const ended = await useCase.ask(path, { method: 'DELETE', site: useCase.there });
  useCase.expect('DELETE of the conference', ended, exactly(200, { confid }));
  await useCase.everywhere(path, refusing(404), useCase.patienceMs);
}

/** Z is moved into the conference of x and y, out of another call of x. */
async function joined(useCase: UseCase, { path, confid }: { path: string; confid: unknown }, [x, y, z]: Three) {
  const call = await connect(useCase, { from: z.number, to: x.number });
  if (call === undefined) return;
  const body = { by: uriOf(useCase, x), confid };
  const answer = await useCase.ask(call.path, { method: 'REFERCONF', body, site: useCase.there });
  useCase.expect('REFERCONF', answer, exactly(200, { dialogid: call.dialogid, result: 'ok', confid }));
  await useCase.everywhere(`${path}/participants`, meetingOf(useCase, [x, y, z]), useCase.patienceMs);
  await gone(useCase, call, [z, x], { type: 'bye', status: null });
  const [own] = itemsOf(await useCase.ask(`${calls}?${filterOf({ localuri: uriOf(useCase, z), status: 'dialog' })}`));
  if (own === undefined) return;
  const inConference = `${calls}/${String(own['dialogid'])}`;
  for (const [method, sent] of [
    ['SWITCHCONF', {}],
    ['REFERCONF', { by: 'a', confid }],
  ] as const) {
    const refused = await useCase.ask(inConference, { method, body: sent });
    useCase.expect(`${method} of a call with a conference`, refused, refusing(409));
  }
}
