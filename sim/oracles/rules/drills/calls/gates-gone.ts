/** All gates of a site are lost for longer than a call waits for one: the site is cut off, or their nodes crash. */
import { boundsOf } from '../../../bounds.ts';
import { type SteadyUser, steadyUsers } from '../../use-cases/kit/call.ts';
import { siteOf } from '../kit/cut.ts';
import { type Drill, drillOf } from '../kit/drill.ts';
import * as known from '../kit/known-call.ts';
import { connectPair, type KnownCall } from '../kit/known-call.ts';
import { sitesWithout } from '../kit/nodes.ts';

const label = 'gates-gone';
const most = 8;

export const gatesGone = drillOf({
  name: 'gates-gone',
  rule: 'When all gates of a site are lost, calls that other sites have with its phones end after callGoneMs for the phones of these sites, whichever side has called; no list has them, and each has one record. No gate of another site stands in for the lost ones. Calls that need no gate of the site go on.',
  exclusions:
    'Clusters of one site; domains that have no phones that are registered and answer at two sites; while a site loses its gates but not its reach, nodes that have the master data or the only front.',
  sender: '10.6.1.77',
  play: async (drill) => {
    const place = placeOf(drill, await steadyUsers(drill, most));
    if (place === undefined) return;
    const lasting = await lose(drill, place);
    await drill.becomesWhole();
    for (const call of lasting) await known.goesOn(drill, call, { withinMs: drill.patienceMs });
  },
});

interface Place {
  /** The site whose gates are lost. */
  readonly lost: string;
  /** Phones behind its gates, and those of another site, which has the calls. */
  readonly far: readonly SteadyUser[];
  readonly near: readonly SteadyUser[];
  readonly home: string;
}

function placeOf(drill: Drill, users: readonly SteadyUser[]): Place | undefined {
  const { map } = drill.context;
  const isHome = (site: string) => drill.sites.includes(site) && map.serving('mware', site, drill.domain).length > 0;
  const at = (site: string) => users.filter((user) => siteOf(drill, user) === site);
  const all = [...map.sites.keys()].flatMap((lost): Place[] =>
    drill.sites
      .filter((home) => home !== lost && isHome(home))
      .map((home) => ({ lost, home, far: at(lost), near: at(home) })),
  );
  return drill.turned(all.filter(({ far, near }) => far.length > 0 && near.length > 0))[0];
}

/** Returns the calls that go on. */
async function lose(drill: Drill, { lost, home, far, near }: Place): Promise<KnownCall[]> {
  const { map, now } = drill.context;
  const begin = async (x: SteadyUser | undefined, y: SteadyUser | undefined): Promise<KnownCall[]> => {
    const call = x && y && (await connectPair(drill, [x, y], { label, site: home }));
    return call !== undefined && call.b2b.site !== lost ? [call] : [];
  };
  const ends = [...(await begin(near[0], far[0])), ...(await begin(far[1], near[1]))];
  const lasting = await begin(near[2], near[3]);
  if (ends.length === 0) return [];
  // What is published of a call just now may be lost with the nodes.
  await drill.context.questions.wait(drill.quickMs);
  const nodes = nodesToCrash(drill, lost, [...ends, ...lasting]);
  const withinMs = drill.noticedMs + map.topology.timings.callGoneMs;
  const work = (sites: readonly string[]) => async () => {
    for (const call of ends) await isEnded(drill, call, { near, withinMs, sites });
    for (const call of lasting) await known.goesOn(drill, call, { sites });
  };
  if (nodes === undefined) {
    await drill.cutOff(
      lost,
      work(drill.sites.filter((site) => site !== lost && map.serving('mware', site, drill.domain).length > 0)),
    );
  } else {
    // The gateways of the site may be on the same nodes.
    const isInReach = (site: string) => nodes.every((node) => sitesWithout(drill, node).includes(site));
    const sites = drill.sites.filter((site) => site !== lost && isInReach(site));
    await drill.without(nodes, work(sites));
  }
  const lastMs = now() + boundsOf(map).orphanedCallMs;
  for (const call of ends) {
    await known.isGone(drill, call);
    await known.hasRecord(drill, call, {});
    const isOver = () => !known.isAtPhone(drill, call);
    await drill.holds(Math.max(0, lastMs - now()), `${call.dialogid} is over for its phones`, isOver);
  }
  return lasting;
}

/** The nodes with the gates of the site, in one of two runs, where the rest can do without them. */
function nodesToCrash(drill: Drill, lost: string, calls: readonly KnownCall[]): string[] | undefined {
  const { map } = drill.context;
  const nodes = [...new Set(map.instancesOf('sg').flatMap(({ site, node }) => (site === lost ? [node] : [])))];
  const isFree =
    lost !== map.masterSite.name &&
    calls.every(({ b2b }) => !nodes.includes(b2b.node)) &&
    nodes.every((node) => sitesWithout(drill, node).length > 0);
  return isFree && drill.drawn % 2 === 0 ? nodes : undefined;
}

interface Ended {
  readonly near: readonly SteadyUser[];
  readonly withinMs: number;
  readonly sites: readonly string[];
}

/** It ends for the phone that is in reach, and for these sites. */
async function isEnded(drill: Drill, call: KnownCall, { near, withinMs, sites }: Ended): Promise<void> {
  const own = call.pair.filter((user) => near.includes(user));
  const numbers = own.map(({ number }) => number).join();
  await drill.holds(withinMs, `${call.dialogid} is over for ${numbers}`, () => !known.isAtPhone(drill, call, own));
  await known.isGone(drill, call, { sites });
  await known.hasRecord(drill, call, {}, { withinMs: drill.quickMs, sites });
}
