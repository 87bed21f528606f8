/** A server stops gracefully while its ivr has a call, or as the last one with a callstore, and starts again. */
import { connect, endCalls, type OwnCall, type SteadyUser, steadyUsers } from '../../use-cases/kit/call.ts';
import { records } from '../../use-cases/kit/paths.ts';
import { expecting, type Item } from '../../use-cases/kit/use-case.ts';
import { type Drill, drillOf } from '../kit/drill.ts';
import { connectPair, hasOneRecord, hasRecord, isAtPhone, isGone, type KnownCall } from '../kit/known-call.ts';
import { gatesOf, sitesWithout } from '../kit/nodes.ts';

const label = 'servers-stopped';
/** A server that drains lets its calls end by themselves for a second; then it ends them. (docs: b2b) */
const drainedMs = 6_000;
/** An ivr ends its calls at once. An announcement lasts for five seconds. */
const endedMs = 1_000;
const tries = 3;
const number = '7790278';
const components = [
  { name: 'begin', type: 'start', next: 'reply' },
  { name: 'reply', type: 'answer', next: 'digit' },
  { name: 'digit', type: 'menu', seconds: '120', next: 'bye', timeout: 'bye', failed: 'bye' },
  { name: 'bye', type: 'hangup' },
];

export const serversStopped = drillOf({
  name: 'servers-stopped',
  rule: 'When a server stops gracefully, its ivr ends the calls that hear an announcement, or are at a menu of a script, at once by BYE; its b2b ends the others, and each call has one record when the server has started again, also where no other server of the site has a callstore.',
  exclusions:
    'Servers of the master site, those whose front is the only one, and those with neither an ivr nor the only callstore of their site; phones behind a gate of the server.',
  sender: '10.6.1.78',
  play: async (drill) => {
    const place = placeOf(drill, await steadyUsers(drill, 8));
    const to = place && (await announcedNumber(drill));
    if (place !== undefined && to !== undefined) await stop(drill, to, place);
  },
});

/** A number that an ivr answers: of an announcement, in one of two runs of a domain that has one, or of a script. */
async function announcedNumber(drill: Drill): Promise<string | undefined> {
  const { map } = drill.context;
  const prefix = map.domains.get(drill.domain)?.features.find(({ type }) => type === 'ivr')?.prefix;
  if (prefix !== undefined && drill.drawn % 2 === 0) return `${prefix}1`;
  if ((await drill.make('/rest/v1/domain/ivrscripts', { code: label, number, components })) === undefined)
    return undefined;
  await drill.copied();
  return number;
}

interface Place {
  readonly node: string;
  readonly site: string;
  /** Phones that are reached without it, or all where the gates of the site are on it. */
  readonly users: readonly SteadyUser[];
  /** Sites whose front stays. */
  readonly sites: readonly string[];
  readonly isLastStore: boolean;
}

function placeOf(drill: Drill, users: readonly SteadyUser[]): Place | undefined {
  const { map } = drill.context;
  const all = [...map.nodes.values()].flatMap(({ name: node, site, instances }): Place[] => {
    const free = users.filter((user) => gatesOf(drill, user).every((gate) => map.instanceNamed(gate)?.node !== node));
    const sites = sitesWithout(drill, node);
    const has = (role: 'b2b' | 'callstore' | 'ivr') => instances.some((each) => each.role === role);
    const isLastStore =
      has('b2b') &&
      has('callstore') &&
      map.serving('callstore', site, drill.domain).every((each) => each.node === node);
    const isUsed = drill.sites.includes(site) && (isLastStore || has('ivr'));
    if (site === map.masterSite.name || sites.length === 0 || !isUsed || free.length === 0) return [];
    return [{ node, site, users: free, sites, isLastStore }];
  });
  const lasts = all.filter(({ isLastStore }) => isLastStore);
  return drill.turned(lasts.length > 0 ? lasts : all)[0];
}

async function stop(drill: Drill, to: string, { node, site, users, sites, isLastStore }: Place): Promise<void> {
  const { faults, questions, now } = drill.context;
  const [x, y, z = x] = users;
  if (x === undefined) return;
  const talk =
    y === undefined || z === undefined || z === x ? undefined : await callAt(drill, node, { pair: [y, z], site });
  const heard = await connect(drill, { from: x.number, to }, { site });
  if (heard === undefined && talk === undefined) return;
  const stoppedMs = now();
  let overMs: number | undefined;
  await drill.during(
    () => {
      faults.drainNode(node).catch(() => {});
      return () => faults.restartNode(node);
    },
    async () => {
      const isOver = () => !drill.callsOf(x).some(({ callid }) => callid === heard?.acallid);
      await questions.eventually(drainedMs, () => (isOver() ? [] : ['not yet']));
      overMs = now() - stoppedMs;
      if (talk !== undefined) {
        await drill.holds(drainedMs, `${talk.dialogid} is over for its phones`, () => !isAtPhone(drill, talk));
        if (!isLastStore) await isGone(drill, talk, { sites, withinMs: drill.noticedMs });
      }
      // Its drain is over.
      await questions.wait(drainedMs);
    },
  );
  // Another ivr may have it.
  if (heard !== undefined) await drill.ask(heard.path, { method: 'DELETE' });
  if (talk !== undefined) {
    await isGone(drill, talk);
    await hasRecord(drill, talk, { type: 'call_terminate' });
  }
  if (heard !== undefined) await wasHeard(drill, heard, { node, overMs });
}

/** A call of a b2b of the server. */
async function callAt(
  drill: Drill,
  node: string,
  { pair, site }: { readonly pair: readonly [SteadyUser, SteadyUser]; readonly site: string },
): Promise<KnownCall | undefined> {
  for (let count = 0; count < tries; count += 1) {
    const call = await connectPair(drill, pair, { label, site });
    if (call === undefined || call.b2b.node === node) return call;
    await endCalls(drill, pair);
    await drill.context.questions.wait(drill.quickMs);
  }
  return undefined;
}

interface Heard {
  readonly node: string;
  /** From the stop of the server to the end of the call at its phone. */
  readonly overMs: number | undefined;
}

/** It has one record; where an ivr of the server has played, it was ended at once, by that. */
async function wasHeard(drill: Drill, call: OwnCall, { node, overMs }: Heard): Promise<void> {
  const { inviteid, dialogid } = call;
  await isGone(drill, call);
  const path = `${records}/${inviteid}`;
  await drill.everywhere(path, expecting(200, { inviteid, dialogid }), drill.patienceMs);
  await hasOneRecord(drill, { inviteid });
  const record = await drill.ask(path);
  const { participations = [], type } = (record?.body ?? {}) as { participations?: Item[]; type?: string };
  const player = participations.find(({ kind }) => kind === 'ivr');
  if (drill.context.map.instanceNamed(`ivr-${String(player?.['name'])}`)?.node !== node) return;
  drill.expect(`the call ${dialogid} to an ivr of ${node}, which stops`, undefined, () =>
    type === 'bye' && Number(overMs) <= endedMs
      ? undefined
      : `expected its end by bye within ${endedMs} ms, got ${type} after ${overMs} ms`,
  );
}
