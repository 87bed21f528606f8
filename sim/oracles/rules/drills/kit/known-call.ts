/** A call of a drill with what was shown of it before something broke, and what each front must show of it afterwards. */
import type { InstanceEntry } from '../../../../../src/model/cluster/cluster-map.ts';
import type { QuestionAnswer } from '../../../questions.ts';
import { exactly, isSame, longTextOf, over, recorded, refusing, talking } from '../../use-cases/calls/call-judges.ts';
import { connect, endedMs, type OwnCall, type SteadyUser } from '../../use-cases/kit/call.ts';
import { calls, records } from '../../use-cases/kit/paths.ts';
import { expecting, filterOf, type Item, itemsOf, type Judge } from '../../use-cases/kit/use-case.ts';
import type { SubscribedEvents } from './call-events.ts';
import type { Drill } from './drill.ts';

type Pair = readonly [SteadyUser, SteadyUser];

export interface KnownCall extends OwnCall {
  readonly pair: Pair;
  readonly site: string;
  readonly startts: number;
  readonly opts: Item;
  /** The instance that has it: the dialogid begins with its number. */
  readonly b2b: InstanceEntry;
  /** Its events until both parties talk. */
  readonly events: readonly string[];
}

const direct = ['invite', 'dlg_init', 'dlg_call', 'fork_start', 'fork_start', 'dlg_start'] as const;
const byIvr = [
  'invite',
  'referring_invite',
  'route_referred',
  'dlg_init',
  'dlg_call',
  'fork_start',
  'dlg_start',
] as const;

interface Begun {
  readonly site?: string;
  readonly method?: 'INVITE' | 'POST';
  readonly label: string;
}

/** Connects a pair; `undefined` where phones or rules refuse that. */
export async function connectPair(drill: Drill, pair: Pair, begun: Begun): Promise<KnownCall | undefined> {
  const { label, ...how } = begun;
  const [x, y] = pair;
  const call = await connect(drill, { from: x.number, to: y.number, label }, how);
  return call && asShown(drill, { ...call, pair, events: how.method === 'POST' ? byIvr : direct });
}

/** Calls until one is right. */
const tries = 4;

/** The same, several times, until the call is right; the others are ended. `undefined`: none is, or phones or rules refuse it. */
export async function connectWhere(
  drill: Drill,
  pair: Pair,
  begun: (count: number) => Begun,
  isRight: (call: KnownCall) => unknown,
): Promise<KnownCall | undefined> {
  for (let count = 0; count < tries; count += 1) {
    const call = await connectPair(drill, pair, begun(count));
    if (call === undefined || isRight(call)) return call;
    await drill.ask(call.path, { method: 'DELETE' });
    await isGone(drill, call, { withinMs: drill.patienceMs });
  }
  return undefined;
}

/** A call with what is shown of it now. */
export async function asShown(
  drill: Drill,
  call: OwnCall & Pick<KnownCall, 'pair' | 'events'>,
): Promise<KnownCall | undefined> {
  const { site, startts, opts } = ((await drill.ask(call.path))?.body ?? {}) as Item;
  const b2b = drill.ownerOf('b2b', call.dialogid);
  if (b2b === undefined || typeof startts !== 'number') return undefined;
  return { ...call, site: String(site), startts, opts: (opts ?? {}) as Item, b2b };
}

/** Whether both phones talk in it. */
export function isTalking(drill: Drill, { pair: [x, y], acallid, bcallid }: KnownCall): boolean {
  const talks = (user: SteadyUser, callid: string) =>
    drill.callsOf(user).some((call) => call.callid === callid && call.state === 'talking');
  return talks(x, acallid) && talks(y, bcallid);
}

/** Whether a phone has it. */
export function isAtPhone(drill: Drill, { pair, acallid, bcallid }: KnownCall, users = pair as readonly SteadyUser[]) {
  return users.some((user) => drill.callsOf(user).some(({ callid }) => callid === acallid || callid === bcallid));
}

/** It is shown with all its fields, as it was. */
export function unchanged(drill: Drill, { dialogid, inviteid, site, startts, opts, ...call }: KnownCall): Judge {
  return talking(drill, call.pair, { dialogid, inviteid, site, startts, opts }, call);
}

interface Shown {
  readonly withinMs?: number;
  readonly sites?: readonly string[];
}

/** Each front shows it as it was, and finds it. */
export async function goesOn(drill: Drill, call: KnownCall, shown: Shown = {}): Promise<void> {
  const { withinMs = drill.quickMs, sites = drill.sites } = shown;
  const { dialogid, bcallid } = call;
  const found: Judge = (answer) =>
    answer?.status === 200 && isSame(answer.body, [dialogid])
      ? undefined
      : `expected ${dialogid}, got ${longTextOf(answer)}`;
  await drill.everywhere(call.path, unchanged(drill, call), withinMs, { sites });
  await drill.everywhere(calls, found, drill.quickMs, { method: 'LOOKUP', body: { callid: bcallid }, sites });
}

/** No front shows, lists or finds it any more. */
export async function isGone(drill: Drill, call: OwnCall, shown: Shown = {}): Promise<void> {
  const { withinMs = drill.quickMs, sites = drill.sites } = shown;
  const { path, dialogid, inviteid, acallid, bcallid } = call;
  if (!(await drill.everywhere(path, over, withinMs, { sites }))) return;
  const listed = `${calls}?countonly&${filterOf({ inviteid })}`;
  await drill.everywhere(listed, expecting(200, { count: 0 }), drill.quickMs, { sites });
  for (const body of [{ dialogid }, { inviteid }, { callid: acallid }, { callid: bcallid }])
    await drill.everywhere(calls, refusing(404, 'Lookup failed'), drill.quickMs, { method: 'LOOKUP', body, sites });
}

/** It has one record with these fields, the same at each front. */
export async function hasRecord(drill: Drill, call: KnownCall, fields: Item, shown: Shown = {}): Promise<void> {
  const { withinMs = drill.patienceMs, sites = drill.sites } = shown;
  const { inviteid, dialogid, acallid, site, startts, pair } = call;
  const judge = recorded(drill, ...pair, { inviteid, dialogid, acallid, site, startts, ...fields });
  let last: (QuestionAnswer | undefined)[] = [];
  const note: Judge = (answer) => {
    last = [...last, answer].slice(-sites.length);
    return judge(answer);
  };
  if (!(await drill.everywhere(`${records}/${inviteid}`, note, withinMs, { sites }))) return;
  drill.expect(`the record of ${inviteid}`, undefined, () => {
    const other = last.find((answer) => !isSame(answer?.body, last[0]?.body));
    return other && `fronts differ: ${longTextOf(last[0])} and ${longTextOf(other)}`;
  });
  await hasOneRecord(drill, { inviteid }, { sites });
}

/** Each front lists one record of the call, with these fields. */
export async function hasOneRecord(
  drill: Drill,
  { inviteid, ...fields }: Item & Pick<OwnCall, 'inviteid'>,
  { withinMs = drill.quickMs, sites = drill.sites }: Shown = {},
): Promise<void> {
  const once: Judge = (answer) => {
    const [record, more] = itemsOf(answer);
    const isRight = record !== undefined && Object.keys(fields).every((name) => record[name] === fields[name]);
    return isRight && more === undefined
      ? undefined
      : `expected one record of ${inviteid} ${JSON.stringify(fields)}, got ${longTextOf(answer)}`;
  };
  await drill.everywhere(`${records}?${filterOf({ inviteid })}`, once, withinMs, { sites });
}

/** Each subscriber has all its events, each once and in order: until both talk, and then these. */
export async function heard(
  drill: Drill,
  { inviteid, dialogid, events }: Pick<KnownCall, 'inviteid' | 'dialogid' | 'events'>,
  subscribers: readonly SubscribedEvents[],
  then: readonly string[],
  withinMs = drill.quickMs,
): Promise<void> {
  const expected = [...events, ...then];
  const wrongAt = (subscriber: SubscribedEvents): string | undefined => {
    if (subscriber.hasGap) return 'the subscription has a gap';
    const had = subscriber.of(inviteid);
    const names = had.map(({ name }) => name);
    if (!isSame(names, expected)) return `expected ${expected.join()}, got ${names.join()}`;
    const wrong = had.find(({ data }) => data['dialogid'] !== dialogid);
    if (wrong !== undefined) return `${wrong.name} has dialogid ${String(wrong.data['dialogid'])}`;
    return new Set(had.map(({ data }) => data['eventid'])).size === had.length ? undefined : 'two have one eventid';
  };
  for (const subscriber of subscribers) {
    const isResumed = await subscriber.resume();
    if (!isResumed && !(await subscriber.hasSession())) continue;
    await drill.context.questions.eventually(withinMs, () => [wrongAt(subscriber) ?? []].flat());
    drill.expect(`events of ${inviteid} at ${subscriber.site}`, undefined, () =>
      isResumed ? wrongAt(subscriber) : 'the subscription cannot be resumed',
    );
  }
}

interface Over {
  readonly users: readonly SteadyUser[];
  readonly what: string;
}

/** The phones are free, no front lists or finds the call that begins with the leg `acallid`, and it has one record. */
export async function isOver(drill: Drill, acallid: string, { users, what }: Over): Promise<void> {
  const areFree = () => users.every((user) => drill.callsOf(user).length === 0);
  await drill.holds(endedMs, `${what}, and the phones are free`, areFree);
  const own = filterOf({ acallid });
  await drill.everywhere(`${calls}?countonly&${own}`, exactly(200, { count: 0 }), drill.patienceMs);
  await drill.everywhere(calls, expecting(404), drill.quickMs, { method: 'LOOKUP', body: { callid: acallid } });
  await drill.everywhere(`${records}?countonly&${own}`, exactly(200, { count: 1 }), drill.patienceMs);
}
