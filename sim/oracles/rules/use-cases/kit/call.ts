/** The phones and calls of a use case. */

import { reactionOf } from '../../../../outside/behaviour.ts';
import { boundsOf } from '../../../bounds.ts';
import { calls, records, sipUsers } from './paths.ts';
import { expecting, type Item, itemsOf, type UseCase } from './use-case.ts';

/** A party that does not answer a BYE is given up after 64 T1 (RFC 3261, 17.1.2.2). */
export const endedMs = 34_000;
/** Enough for a use case, whatever its phones do first. */
const longEnoughSec = 600;
export const unbound = '00000000-0000-0000-0000-000000000000';

/** A SIP user with one phone that answers, and with nothing that ends or refuses its calls. */
export interface SteadyUser {
  readonly number: string;
  readonly id: string;
  readonly login: string;
  /** The user who is bound to it, if one is. */
  readonly iduser: string | undefined;
  /** From the INVITE to its answer. */
  readonly answerMs: number;
}

/** Those of the domain, the quickest first, at most so many. Their calls are ended afterwards. */
export async function steadyUsers(useCase: UseCase, most: number): Promise<SteadyUser[]> {
  const { numbers = {} } = useCase.context.map.domains.get(useCase.domain) ?? {};
  const reactions = (await useCase.willing()).map((number) => [number, reactionOf(number, numbers[number])] as const);
  const quickest = reactions
    .filter(([, { hangupMs, inCallActions }]) => hangupMs === undefined && inCallActions.presses.length === 0)
    .map(([number, { ringMs = 0, answerMs = 0 }]) => ({ number, answerMs: ringMs + answerMs }))
    .toSorted((one, other) => one.answerMs - other.answerMs);
  const users = await steadyAmong(useCase, quickest, { most, marginMs: useCase.quickMs });
  useCase.afterwards(() => endCalls(useCase, users));
  return users;
}

async function steadyAmong(
  useCase: UseCase,
  numbers: readonly Pick<SteadyUser, 'number' | 'answerMs'>[],
  { most, marginMs }: { readonly most: number; readonly marginMs: number },
): Promise<SteadyUser[]> {
  const found: SteadyUser[] = [];
  for (const { number, answerMs } of numbers) {
    if (found.length === most) break;
    const ids = await useCase.ask(sipUsers, { method: 'LOOKUP', body: number });
    const id = String((ids?.body as string[] | undefined)?.[0]);
    const shown = await useCase.ask(`${sipUsers}/${id}`);
    const { login, iduser, opts } = (shown?.body ?? {}) as Item;
    const { dlgtimesec, calltimesec, trunks } = (opts ?? {}) as Record<string, number | undefined>;
    const isSteady =
      shown?.status === 200 &&
      trunks === -1 &&
      (dlgtimesec === 0 || Number(dlgtimesec) >= longEnoughSec) &&
      (calltimesec === 0 || Number(calltimesec) * 1_000 > answerMs + marginMs);
    if (isSteady)
      found.push({
        number,
        id,
        answerMs,
        login: String(login),
        iduser: iduser === unbound ? undefined : String(iduser),
      });
  }
  return found;
}

/** What phones do that a use case directs, until it says otherwise. */
export const directed = { answerMs: 500 } as const;

/** At most so many users, whose phones are directed. Afterwards these react by their number again, and their calls are ended. */
export async function directedUsers(useCase: UseCase, most: number): Promise<SteadyUser[]> {
  const { questions, map } = useCase.context;
  const present = (await useCase.present()).map((number) => ({ number, answerMs: directed.answerMs }));
  const users = await steadyAmong(useCase, present, { most, marginMs: boundsOf(map).promptMs });
  for (const { number } of users) questions.behave(useCase.domain, number, directed);
  useCase.afterwards(async () => {
    for (const { number } of users) questions.behave(useCase.domain, number);
    await endCalls(useCase, users);
  });
  return users;
}

/** Each of the users may have so many calls at a time, until all is over. Returns whether all are changed. */
export async function limit(useCase: UseCase, users: readonly SteadyUser[], most = 1): Promise<boolean> {
  const set = async (trunks: number) => {
    const request = { method: 'PATCH', body: { opts: { trunks } } };
    const answers = await Promise.all(users.map(({ id }) => useCase.ask(`${sipUsers}/${id}`, request)));
    await useCase.copied();
    return answers.every((answer) => answer?.status === 200);
  };
  useCase.afterwards(() => set(-1));
  return set(most);
}

export interface OwnCall {
  readonly path: string;
  readonly dialogid: string;
  readonly inviteid: string;
  readonly acallid: string;
  readonly bcallid: string;
}

export function uriOf(useCase: UseCase, { number }: SteadyUser): string {
  return `<sip:${number}@${useCase.domain}>`;
}

interface Calling {
  /** Where it is asked; default: `here`. */
  readonly site?: string;
  /** Default: the platform calls both directly. */
  readonly method?: 'INVITE' | 'POST';
}

/** Calls one number from another; `undefined` where that is refused or not answered: phones and rules may. */
export async function call(
  useCase: UseCase,
  body: Item,
  { site = useCase.here, method = 'INVITE' }: Calling = {},
): Promise<Omit<OwnCall, 'inviteid'> | undefined> {
  const started = await useCase.ask(calls, { method, site, body: { response_mode: 3, ...body } });
  const { dialogid, acallid, bcallid, result, last_response: last } = (started?.body ?? {}) as Record<string, string>;
  const isConnected = started?.status === 200 && result === 'ok' && last?.includes(' 200 ') === true;
  if (!isConnected || dialogid === undefined) return undefined;
  return { path: `${calls}/${dialogid}`, dialogid, acallid: String(acallid), bcallid: String(bcallid) };
}

/** Connects two numbers; `undefined` where that fails, or is over already: phones and rules may refuse and end calls. */
export async function connect(useCase: UseCase, body: Item, calling: Calling = {}): Promise<OwnCall | undefined> {
  const called = await call(useCase, body, calling);
  if (called === undefined) return undefined;
  const { path } = called;
  let shown: Item = {};
  // A callstore that has missed the answer fetches it.
  const wrong = await useCase.context.questions.eventually(useCase.patienceMs, async () => {
    const answer = await useCase.ask(path, { site: calling.site ?? useCase.here });
    shown = answer?.status === 200 ? (answer.body as Item) : {};
    return shown['status'] === 'dialog' || answer?.status !== 200 ? [] : [`${path} is ${String(shown['status'])}`];
  });
  useCase.report(...wrong);
  return shown['status'] === 'dialog' ? { ...called, inviteid: String(shown['inviteid']) } : undefined;
}

/** Ends all calls in which only these users are. */
export async function endCalls(useCase: UseCase, users: readonly SteadyUser[]): Promise<void> {
  const uris = users.map((user) => uriOf(useCase, user));
  await useCase.context.questions.eventually(useCase.patienceMs, async () => {
    const listed = await useCase.ask(calls);
    const own = itemsOf(listed).filter((item) => (item['uris'] as string[]).every((uri) => uris.includes(uri)));
    const ids = own.map(({ dialogid }) => String(dialogid));
    for (const id of ids) await useCase.ask(`${calls}/${id}`, { method: 'DELETE' });
    return ids;
  });
}

/**
 * Ends a call at another site, and waits for its record at all fronts. Returns whether a client has ended it: one that a phone or
 * a rule has ended may have been over before it was looked at.
 */
export async function endCall(useCase: UseCase, { dialogid, inviteid, path }: OwnCall): Promise<boolean> {
  const end = await useCase.ask(path, { site: useCase.there, method: 'DELETE' });
  if (end?.status !== 404)
    useCase.expect(`DELETE of the call at ${useCase.there}`, end, expecting(200, { dialogid, result: 'ok' }));
  const record = `${records}/${inviteid}`;
  await useCase.everywhere(record, expecting(200, { inviteid }), endedMs);
  const { type } = ((await useCase.ask(record))?.body ?? {}) as Item;
  return end?.status !== 404 || type === 'call_terminate';
}
