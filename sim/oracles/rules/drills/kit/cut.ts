/** The two sides of a cut, and what an answer on one of them must be. */
import type { RoleName } from '../../../../../src/model/cluster/roles.ts';
import { slewedSpeed } from '../../../../faults/skewed-clock.ts';
import { boundsOf } from '../../../bounds.ts';
import type { OwnCall, SteadyUser } from '../../use-cases/kit/call.ts';
import { current, nodes } from '../../use-cases/kit/paths.ts';
import { type Item, itemsOf, type Judge, textOf } from '../../use-cases/kit/use-case.ts';
import type { Drill } from './drill.ts';

type Asked = Omit<NonNullable<Parameters<Drill['ask']>[1]>, 'site' | 'sites'>;

/** Sites that reach each other while the others are out of reach. */
export class CutSide {
  /** In the order of the topology. */
  readonly sites: readonly string[];
  readonly hasMaster: boolean;
  readonly #drill: Drill;

  constructor(drill: Drill, sites: readonly string[]) {
    this.#drill = drill;
    this.sites = sites;
    this.hasMaster = sites.includes(drill.context.map.masterSite.name);
  }

  /** The sites whose front is open. */
  get fronts(): readonly string[] {
    return this.sites.filter((site) => this.#drill.sites.includes(site));
  }

  /** The sites that have instances of a role which serve the domain. */
  serving(role: RoleName): readonly string[] {
    const { context, domain } = this.#drill;
    return this.sites.filter((site) => context.map.serving(role, site, domain).length > 0);
  }

  /** Whether a site of this side reads the data of the domain, from the master or from its own copy. */
  reads(site: string): boolean {
    return this.hasMaster || this.serving('sdc').includes(site);
  }

  /** A front at a site that serves the domain itself. */
  get home(): string | undefined {
    const serving = this.serving('mware');
    return this.fronts.find((site) => serving.includes(site));
  }

  /** The users whose phones are at a site of this side. */
  usersOf(users: readonly SteadyUser[]): readonly SteadyUser[] {
    return users.filter((user) => this.sites.includes(siteOf(this.#drill, user) ?? ''));
  }

  /** Judges what each of its fronts answers. Returns whether all are right. */
  async everywhere(path: string, judgeAt: (site: string) => Judge, withinMs = 0, asked: Asked = {}): Promise<boolean> {
    let areRight = true;
    for (const site of this.fronts)
      areRight = (await this.#drill.everywhere(path, judgeAt(site), withinMs, { ...asked, sites: [site] })) && areRight;
    return areRight;
  }
}

/** Which of the frames between a site and the others are dropped: all, those from it, or those to it. */
const directions = ['all', 'all', 'from', 'to'] as const;

export interface Cut {
  /** The site that is cut off. */
  readonly site: string;
  readonly direction: (typeof directions)[number];
  readonly inside: CutSide;
  readonly outside: CutSide;
  readonly sides: readonly [CutSide, CutSide];
  /** The side with the master site, and the other one. */
  readonly master: CutSide;
  readonly other: CutSide;
}

/** What a cut of a site separates, by default of the one where the drill asks; `undefined`: that cannot be looked at from both sides. */
export async function cutOf(drill: Drill, site = drill.here): Promise<Cut | undefined> {
  const { map } = drill.context;
  const all = [...map.sites.keys()];
  const inside = new CutSide(drill, [site]);
  const outside = new CutSide(
    drill,
    all.filter((each) => each !== site),
  );
  if (inside.fronts.length === 0 || outside.fronts.length === 0) return undefined;
  // Behind the cut a front can ask no other one about a session that it does not know.
  for (const domain of [drill.domain, map.masterDomain])
    for (const front of drill.sites)
      if ((await drill.ask(current, { site: front, domain }))?.status !== 200) return undefined;
  const [master, other] = inside.hasMaster ? [inside, outside] : [outside, inside];
  const [direction = 'all'] = drill.turned(directions);
  return { site, direction, inside, outside, sides: [inside, outside], master, other };
}

/** Cuts the site off, perhaps in one direction only, which both sides must notice as well, and works when both sides have noticed. Resolves when all sites have again what they missed. */
export async function acrossCut(drill: Drill, cut: Cut, work: (cutMs: number) => Promise<void>): Promise<void> {
  const { questions, now } = drill.context;
  const places = [cut.inside.sites, cut.outside.sites];
  const [from = [], to = []] = cut.direction === 'to' ? places.toReversed() : places;
  const oneWay = cut.direction !== 'all';
  const cutOff: Parameters<Drill['during']>[0] = (faults) => faults.cut({ from: [...from], to: [...to], oneWay });
  await drill.during(cutOff, async () => {
    const cutMs = now();
    if (!(await isNoticed(drill, cut))) return;
    await judgeAges(drill, cut, cutMs);
    await work(cutMs);
  });
  // While the clock of a node is slewed, the first message after a cut may come too late, and what it asked for comes with the next.
  await questions.wait(2 * drill.quickMs);
}

/** Waits until the fronts of both sides show the other one as out of reach. */
async function isNoticed(drill: Drill, { sides }: Cut): Promise<boolean> {
  const { masterDomain: domain } = drill.context.map;
  for (const side of sides)
    if (!(await side.everywhere(nodes, () => seeing(side.sites), drill.noticedMs, { domain }))) return false;
  // A standby of a group waits before it serves, and legs whose hop is lost end.
  await drill.context.questions.wait(drill.quickMs);
  return true;
}

/** The age of a copy counts from when it was current last, also where nothing has changed for long. */
async function judgeAges(drill: Drill, { other }: Cut, cutMs: number): Promise<void> {
  const sites = other.fronts.filter((site) => other.reads(site));
  const aged = fromCopy(drill, cutMs, (answer) => (answer?.status === 200 ? undefined : textOf(answer)));
  if (sites.length > 0) await drill.everywhere('/rest/v1/uc/chatcampaigns?limit=1', aged, 0, { sites });
}

/** What a front says of the time of its clock is coarser. */
const clockGrainMs = 2_000;

/** Whether the clocks of the fronts are right: after a fault of a clock it is slewed for minutes. */
export async function areClocksRight(drill: Drill): Promise<boolean> {
  for (const site of drill.sites) {
    const listed = await drill.ask(nodes, { site, domain: drill.context.map.masterDomain });
    const [{ dtStart, upTimeSec } = {} as Item] = itemsOf(listed).filter(({ status }) => status === 'active');
    const clockMs = Date.parse(String(dtStart)) + Number(upTimeSec) * 1_000;
    if (!(Math.abs(clockMs - drill.context.now()) < clockGrainMs)) return false;
  }
  return true;
}

/** Nodes of these sites run, and no other one is in reach. */
export function seeing(sites: readonly string[]): Judge {
  return (answer) => {
    const rows = itemsOf(answer);
    const isRight = ({ site, status, type, dtStart, upTimeSec }: Item) =>
      sites.includes(String(site))
        ? (status === 'active' || (status === 'standby' && type === 'role')) && typeof upTimeSec === 'number'
        : status === 'unreachable' && dtStart === null && upTimeSec === null;
    const wrong = rows.find((row) => !isRight(row));
    if (wrong !== undefined) return `expected only ${sites.join()} in reach, got ${JSON.stringify(wrong)}`;
    return rows.length > 0 ? undefined : `expected nodes, got ${textOf(answer)}`;
  };
}

/** Nothing was done, as one of these roles is out of reach, and the client may try again. */
export function without(...roles: readonly string[]): Judge {
  return (answer) => {
    const { error_code, error_message } = (answer?.body ?? {}) as Item;
    const again = Number(answer?.headers.get('retry-after'));
    const isRight =
      answer?.status === 503 &&
      error_code === 1_503 &&
      roles.some((role) => String(error_message).includes(`${role} `)) &&
      String(error_message).includes('not reachable') &&
      again >= 1;
    return isRight
      ? undefined
      : `expected 503 without ${roles.join(' or ')}, got ${textOf(answer)}, again after ${again}`;
  };
}

/** The answer comes from the master, and is right. */
export function fromMaster(judge: Judge): Judge {
  return (answer) => {
    const age = answer?.headers.get('x-data-age');
    return judge(answer) ?? (age === null || answer === undefined ? undefined : `expected no X-Data-Age, got ${age}`);
  };
}

/** The answer comes from a copy, and says how old it may be: it has followed the master until `cutMs`. */
export function fromCopy(drill: Drill, cutMs: number, judge: Judge): Judge {
  return (answer) => {
    const age = answer?.headers.get('x-data-age') ?? '';
    const sinceMs = drill.context.now() - cutMs;
    // The clock of the copy may be slewed, since a fault has ended.
    const isAge = /^\d+$/.test(age) && Number(age) >= Math.floor((sinceMs * slewedSpeed) / 1_000) - 1;
    const isRecent = Number(age) * 1_000 <= sinceMs + boundsOf(drill.context.map).copiedMs;
    if (!isAge || !isRecent) return `expected X-Data-Age of about ${sinceMs} ms, got ${age} of ${textOf(answer)}`;
    return judge(answer);
  };
}

/** The answer lacks what these sites have, and says so. */
export function lacking(sites: readonly string[], judge: Judge): Judge {
  return (answer) => {
    const named = answer?.headers.get('x-missing-sites');
    const missing = named ? named.split(',').toSorted() : [];
    const isRight = missing.join() === sites.toSorted().join();
    return isRight ? judge(answer) : `expected X-Missing-Sites ${sites.join()}, got ${named} of ${textOf(answer)}`;
  };
}

/** The site of the gate of a user's phone. */
export function siteOf(drill: Drill, user: SteadyUser): string | undefined {
  return drill.context.map.instanceNamed(drill.phonesOf(user)[0]?.gate ?? '')?.site;
}

/** The site whose b2b has a call. */
export function homeOf(drill: Drill, { dialogid }: OwnCall): string | undefined {
  return drill.ownerOf('b2b', dialogid)?.site;
}
