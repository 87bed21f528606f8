/** Calls that phones begin, and what phones have of calls. */

import type { PlacedCall } from '../../../../outside/outside-world.ts';
import type { SteadyUser } from '../kit/call.ts';
import { calls, sipUsers } from '../kit/paths.ts';
import type { Item, UseCase } from '../kit/use-case.ts';

/** A call that a phone has begun, as the interface shows it. */
export interface PhoneCall {
  readonly placed: PlacedCall;
  readonly path: string;
  readonly dialogid: string;
  readonly inviteid: string;
  readonly acallid: string;
  /** The Call-Id of the last leg of side b. */
  readonly bcallid: string;
}

/** The leg of a call that came to the phone of a user. */
export function legAt(useCase: UseCase, user: SteadyUser, callid: string): PlacedCall {
  return { endpoint: useCase.phonesOf(user)[0]?.endpoint ?? '', callid };
}

/** The phone of a user calls a number. */
export function place(useCase: UseCase, { login }: SteadyUser, number: string): PlacedCall | undefined {
  return useCase.context.questions.callBy(`${useCase.domain}/${login}`, number);
}

/** The same, until the call is shown in a status; `undefined` where that does not come. */
export async function begin(
  useCase: UseCase,
  user: SteadyUser,
  number: string,
  status: 'forking' | 'dialog',
): Promise<PhoneCall | undefined> {
  const placed = place(useCase, user, number);
  if (placed === undefined) return undefined;
  let shown: Item | undefined;
  await useCase.context.questions.eventually(15_000 + useCase.patienceMs, async () => {
    const found = await useCase.ask(calls, { method: 'LOOKUP', body: { callid: placed.callid } });
    const [id] = (Array.isArray(found?.body) ? found.body : []) as string[];
    const answer = id === undefined ? undefined : await useCase.ask(`${calls}/${id}`);
    const item = (answer?.status === 200 ? answer.body : undefined) as Item | undefined;
    const isOver = useCase.callsOf(user).every(({ callid }) => callid !== placed.callid);
    if (item?.['status'] === status) shown = item;
    return isOver || shown !== undefined ? [] : [`the call of ${user.number} to ${number} is not ${status}`];
  });
  if (shown === undefined) return undefined;
  const { dialogid, inviteid, callids } = shown as { dialogid: string; inviteid: string; callids: string[] };
  const bcallid = callids.at(-1) ?? '';
  return { placed, path: `${calls}/${dialogid}`, dialogid, inviteid, acallid: placed.callid, bcallid };
}

/** A SIP user may ring for so long, until all is over. Returns whether it is changed. */
export async function limitRinging(useCase: UseCase, id: string, sec: number): Promise<boolean> {
  const path = `${sipUsers}/${id}`;
  const { opts } = ((await useCase.ask(path))?.body ?? {}) as { opts?: Item };
  const set = async (calltimesec: unknown) => {
    const changed = await useCase.ask(path, { method: 'PATCH', body: { opts: { calltimesec } } });
    await useCase.copied();
    return changed?.status === 200;
  };
  useCase.afterwards(() => set(opts?.['calltimesec']));
  return set(sec);
}
