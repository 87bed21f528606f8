/** What the events of a call must be, at each front. */

import { boundsOf } from '../../../bounds.ts';
import { type CallEvent, eventsAt, type SubscribedEvents } from '../../drills/kit/call-events.ts';
import { isSame } from '../calls/call-judges.ts';
import { directedUsers, type SteadyUser, uriOf } from '../kit/call.ts';
import { sipUsers } from '../kit/paths.ts';
import type { Item, UseCase } from '../kit/use-case.ts';

/** An event with exactly these fields beside the common ones. */
export type WantedEvent = readonly [name: string, fields: Item];

export interface PublishedCall {
  readonly inviteid: string;
  readonly acallid: unknown;
  readonly dialogid: unknown;
}

const uuid = /^[\da-f]{8}-[\da-f]{4}-[1-8][\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;
const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
/** dlg_stop comes 3 s after dlg_end. */
const stopMs = 3_000;
const timerMs = 50;

/** Subscriptions at the fronts of all sites that serve the domain. */
export function subscribe(useCase: UseCase): Promise<SubscribedEvents[]> {
  const { map } = useCase.context;
  return eventsAt(
    useCase,
    useCase.sites.filter((site) => map.serving('callstore', site, useCase.domain).length > 0),
  );
}

/** Judges all events of a call that is over, in their order, at each front. */
export async function published(
  useCase: UseCase,
  all: readonly SubscribedEvents[],
  call: PublishedCall,
  wanted: readonly WantedEvent[],
): Promise<void> {
  const { questions, map } = useCase.context;
  const isComplete = (events: SubscribedEvents) =>
    events.hasGap || !events.isConnected || events.of(call.inviteid).some(({ name }) => name === 'dlg_stop');
  const missing = await questions.eventually(boundsOf(map).subscriberCatchUpMs, () =>
    all.every(isComplete) ? [] : ['no dlg_stop'],
  );
  for (const events of all) {
    if (events.hasGap || !events.isConnected) continue;
    useCase.expect(`events of ${wanted.map(([name]) => name).join()} at ${events.site}`, undefined, () =>
      isComplete(events) ? differingEvents(useCase, events.of(call.inviteid), call, wanted) : missing[0],
    );
  }
}

function differingEvents(
  useCase: UseCase,
  events: readonly CallEvent[],
  { inviteid, acallid, dialogid }: PublishedCall,
  wanted: readonly WantedEvent[],
): string | undefined {
  const names = events.map(({ name }) => name);
  if (
    !isSame(
      names,
      wanted.map(([name]) => name),
    )
  )
    return `got ${names.join()}`;
  const invitets = events[0]?.data['invitets'];
  for (const [at, [name, fields]] of wanted.entries()) {
    const { eventid, eventts, ...rest } = events[at]?.data ?? {};
    // `wrongTimes` judges when it was answered; where it was not, there is none.
    const isAnswered = name === 'dlg_end' && names.includes('dlg_start');
    const answered = isAnswered ? { answerts: rest['answerts'] } : {};
    const expected = { acallid, cid: inviteid, inviteid, invitets, dialogid, ...fields, ...answered };
    if (!isSame(expected, rest)) return `${name}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(rest)}`;
    if (isAnswered && !time.test(String(rest['answerts']))) return `${name}: answerts ${String(rest['answerts'])}`;
    if (!uuid.test(String(eventid))) return `${name}: eventid ${String(eventid)}`;
    if (!time.test(String(eventts)) || !time.test(String(invitets)))
      return `${name}: eventts ${String(eventts)}, invitets ${String(invitets)}`;
  }
  if (new Set(events.map(({ data }) => data['eventid'])).size < events.length) return 'an eventid occurs twice';
  return useCase.areClocksRight ? wrongTimes(events, useCase.quickMs) : undefined;
}

/** `routedMs`: how long its routes may take, before a call is announced. */
function wrongTimes(events: readonly CallEvent[], routedMs: number): string | undefined {
  const times = events.map(({ data }) => Date.parse(String(data['eventts'])));
  const [invitems, answerms] = ['invite', 'dlg_start'].map(
    (name) => times[events.findIndex((each) => each.name === name)],
  );
  const endData = events.find(({ name }) => name === 'dlg_end')?.data;
  const [endms = 0, stopms = 0] = times.slice(-2);
  if (times.some((ms, at) => ms < (times[at - 1] ?? 0))) return `times ${times.join()}`;
  if (Math.abs(Date.parse(String(events[0]?.data['invitets'])) - Number(invitems)) > routedMs)
    return `invitets ${String(events[0]?.data['invitets'])}, and invite at ${invitems}`;
  if (Math.abs(stopms - endms - stopMs) > timerMs) return `dlg_stop ${stopms - endms} ms after dlg_end`;
  const answerts = endData?.['answerts'];
  if (answerms !== undefined && Math.abs(Date.parse(String(answerts)) - answerms) > timerMs)
    return `answerts ${String(answerts)}, and dlg_start at ${answerms}`;
  return undefined;
}

export interface NamedUser extends SteadyUser {
  /** Its display name. */
  readonly name: string;
}

/** Directed users with their display names. */
export async function namedUsers(useCase: UseCase, most: number): Promise<NamedUser[]> {
  const users = await directedUsers(useCase, most);
  const shown = await Promise.all(users.map(({ id }) => useCase.ask(`${sipUsers}/${id}`)));
  return users.map((user, at) => ({ ...user, name: String(((shown[at]?.body ?? {}) as Item)['name']) }));
}

export function party(useCase: UseCase, side: 'a' | 'b', { id, login, number }: SteadyUser): Item {
  return { side, kind: 'sipuser', domain: useCase.domain, name: login, id, number };
}

/** The fields of the events of a fork that calls the device of a user. */
export function forkOf(useCase: UseCase, from: NamedUser, to: SteadyUser, more: Item): Item {
  return {
    localuri: uriOf(useCase, from),
    localname: from.name,
    remoteuri: uriOf(useCase, to),
    forkcallednum: to.number,
    forkdir: 'inner',
    side: 'b',
    ...more,
  };
}

/** What the caller has called, and which parties are known then. */
export function inviteOf(useCase: UseCase, from: NamedUser, to: string, participations: readonly Item[]): WantedEvent {
  return ['invite', { from: uriOf(useCase, from), fromname: from.name, to, participations }];
}

/** How the call has ended. */
export function endsOf(how: Item, participations: readonly Item[]): WantedEvent[] {
  return [
    ['dlg_end', { ...how, participations }],
    ['dlg_stop', how],
  ];
}
