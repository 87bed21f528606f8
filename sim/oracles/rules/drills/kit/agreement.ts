/** What phones, lists, events and records say of calls, once nothing is broken any more: the same. */
import { boundsOf } from '../../../bounds.ts';
import type { QuestionAnswer } from '../../../questions.ts';
import { isSame, longTextOf } from '../../use-cases/calls/call-judges.ts';
import { type SteadyUser, uriOf } from '../../use-cases/kit/call.ts';
import { calls, records } from '../../use-cases/kit/paths.ts';
import { filterOf, type Item, itemsOf, type Judge, textOf } from '../../use-cases/kit/use-case.ts';
import type { SubscribedEvents } from './call-events.ts';
import type { Drill } from './drill.ts';

interface Leg {
  readonly callid: string;
  readonly remoteuri: string;
}

interface Agreeing {
  readonly subscribers: readonly SubscribedEvents[];
  /** A phone whose b2b instance is lost while it calls waits for an answer for as long as it likes. */
  readonly mayCall?: boolean;
  /** A callstore has crashed: what it has published itself, of calls without a b2b, may not have been sent. */
  readonly mayMiss?: boolean;
}

/**
 * Judges all calls of these users since the subscriptions began. Returns the parties of the live ones, as numbers, or `undefined` where
 * something is wrong.
 */
export async function agree(
  drill: Drill,
  users: readonly SteadyUser[],
  { subscribers, mayCall = false, mayMiss = false }: Agreeing,
): Promise<string[] | undefined> {
  const { orphanedCallMs } = boundsOf(drill.context.map);
  const before = drill.problems.length;
  // What phones have, and what lists show, changes while the rest of a lost call ends.
  const wrong = await drill.context.questions.eventually(orphanedCallMs, async () => differing(drill, users, mayCall));
  drill.context.check();
  drill.report(...wrong.slice(0, 1));
  const live = itemsOf(await drill.ask(calls));
  await ended(drill, { liveIds: live.map(({ inviteid }) => inviteid), subscribers, mayMiss });
  if (drill.problems.length > before) return undefined;
  const own = live.filter(({ legs }) => legsOf(legs, drill, users).length > 0);
  return own.map(({ legs }) =>
    (legs as Leg[])
      .map(({ remoteuri }) => remoteuri.replace(/^<sip:|@.*$/g, ''))
      .toSorted()
      .join(' '),
  );
}

function legsOf(legs: unknown, drill: Drill, users: readonly SteadyUser[]): Leg[] {
  const uris = users.map((user) => uriOf(drill, user));
  return (legs as Leg[]).filter(({ remoteuri }) => uris.includes(remoteuri));
}

/** Where phones and a front differ. */
async function differing(drill: Drill, users: readonly SteadyUser[], mayCall: boolean): Promise<string[]> {
  // A caller whose b2b is lost gives up at its own time, and then waits for the final answer still.
  const waiting = mayCall ? ['calling', 'leaving'] : [];
  const callsOf = (user: SteadyUser) => drill.callsOf(user).filter(({ state }) => !waiting.includes(state));
  const held = users.flatMap((user) =>
    callsOf(user)
      .filter(({ state, isHolding, isHeld }) => state !== 'talking' || isHolding || isHeld)
      .map(({ callid, state, isHolding, isHeld }) =>
        [`${user.number} has ${callid}, ${state}`, isHolding && 'holding', isHeld && 'held'].filter(Boolean).join(' '),
      ),
  );
  if (held.length > 0) return held;
  const atPhones = users.flatMap((user) => callsOf(user).map(({ callid }) => callid)).toSorted();
  const shown = await Promise.all(
    drill.sites.map(async (site) => {
      const answer = await drill.ask(calls, { site });
      if (answer?.status !== 200) return `${site}: expected a list of calls, got ${textOf(answer)}`;
      const own = itemsOf(answer).filter(({ legs }) => legsOf(legs, drill, users).length > 0);
      const callids = own.flatMap(({ legs }) => legsOf(legs, drill, users).map(({ callid }) => callid)).toSorted();
      const unanswered = own.find(({ status }) => status !== 'dialog');
      if (unanswered !== undefined)
        return `${site}: ${String(unanswered['dialogid'])} is ${String(unanswered['status'])}`;
      return isSame(callids, atPhones)
        ? undefined
        : `${site} shows legs ${callids.join() || 'none'}, phones have ${atPhones.join() || 'none'}`;
    }),
  );
  return shown.filter((wrong) => wrong !== undefined);
}

interface Judged {
  readonly liveIds: readonly unknown[];
  readonly subscribers: readonly SubscribedEvents[];
  readonly mayMiss: boolean;
}

/** Each call that is over has one end in its events, and one record, the same at each front. */
async function ended(drill: Drill, { liveIds, subscribers, mayMiss }: Judged): Promise<void> {
  for (const subscriber of subscribers)
    drill.expect(`the subscription at ${subscriber.site}`, undefined, () =>
      subscriber.hasGap && !mayMiss ? 'it has a gap' : undefined,
    );
  for (const subscriber of subscribers) await subscriber.resume();
  const wrong = await drill.context.questions.eventually(drill.patienceMs, () => eventsOf(liveIds, subscribers));
  drill.context.check();
  drill.report(...wrong.slice(0, 1));
  const ids = [...new Set(subscribers.flatMap(({ inviteids }) => inviteids))].filter((id) => !liveIds.includes(id));
  if (ids.length === 0) return;
  let first: QuestionAnswer | undefined;
  const judge: Judge = (answer) => {
    const found = itemsOf(answer);
    const had = found.map(({ inviteid }) => String(inviteid)).toSorted();
    if (!isSame(had, ids.toSorted()))
      return `expected a record of each of ${ids.join()}, got ${had.join() || textOf(answer)}`;
    first ??= answer;
    if (!isSame(byId(found), byId(itemsOf(first))))
      return `fronts differ: ${longTextOf(first)} and ${longTextOf(answer)}`;
    const odd = found.find(({ inviteid, type }) => type !== endOf(subscribers, String(inviteid)));
    return (
      odd &&
      `the record of ${String(odd['inviteid'])} has type ${String(odd['type'])}, its events say ${endOf(subscribers, String(odd['inviteid']))}`
    );
  };
  await drill.everywhere(`${records}?${filterOf(['in', ['property', 'inviteid'], ids])}`, judge, drill.patienceMs);
}

function byId(found: readonly Item[]): Item[] {
  return found.toSorted((one, other) => (String(one['inviteid']) < String(other['inviteid']) ? -1 : 1));
}

/** How a call has ended, as its events say. */
function endOf(subscribers: readonly SubscribedEvents[], inviteid: string): string | undefined {
  const events = subscribers[0]?.of(inviteid) ?? [];
  const end = events.find(({ name }) => name === 'dlg_end') ?? events.find(({ name }) => name === 'dlg_dead');
  return end && String(end.data['type']);
}

const lasts: readonly string[] = ['dlg_end', 'dlg_stop', 'dlg_dead'];
const once: readonly string[] = ['invite', 'dlg_init', 'dlg_call', 'dlg_start', 'dlg_end', 'dlg_stop', 'dlg_dead'];

/** What is wrong with the events of calls: each subscriber has the same, no event twice, and those of a call that is over end. */
function eventsOf(liveIds: readonly unknown[], subscribers: readonly SubscribedEvents[]): string[] {
  const [first] = subscribers;
  const all = [...new Set(subscribers.flatMap(({ inviteids }) => inviteids))];
  return all.flatMap((id) =>
    subscribers.flatMap((subscriber) => {
      const names = subscriber.of(id).map(({ name }) => name);
      const what = `events of ${id} at ${subscriber.site}: ${names.join()}`;
      const eventids = new Set(subscriber.of(id).map(({ data }) => data['eventid']));
      const other = first?.of(id).map(({ name }) => name);
      if (!isSame(names, other)) return `${what}; at ${first?.site}: ${other?.join()}`;
      const isTwice =
        eventids.size < names.length || once.some((name) => names.indexOf(name) !== names.lastIndexOf(name));
      if (isTwice) return `${what}: one is there twice`;
      if (names[0] !== 'invite') return `${what}: the first is missing`;
      // One whose b2b instance is lost after its end has no dlg_stop.
      const isOver = lasts.includes(names.at(-1) ?? '');
      return isOver === liveIds.includes(id) ? `${what}, and the call is ${isOver ? '' : 'not '}listed` : [];
    }),
  );
}

/** Ends all calls in which one of these users is. */
export async function endAll(drill: Drill, users: readonly SteadyUser[]): Promise<void> {
  await drill.context.questions.eventually(drill.patienceMs, async () => {
    const own = itemsOf(await drill.ask(calls)).filter(({ legs }) => legsOf(legs, drill, users).length > 0);
    const ids = own.map(({ dialogid }) => String(dialogid));
    for (const id of ids) await drill.ask(`${calls}/${id}`, { method: 'DELETE' });
    return ids;
  });
}
