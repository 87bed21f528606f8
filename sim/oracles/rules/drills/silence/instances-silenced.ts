/** A node does nothing for some seconds, before and after the others notice: what lists over all instances show meanwhile. */
import { exactly, isSame, longTextOf } from '../../use-cases/calls/call-judges.ts';
import { type EdgeEntry, edgesOf } from '../../use-cases/edges/edge-instances.ts';
import { dashboards, logicalRoles, nodes } from '../../use-cases/kit/paths.ts';
import { expecting, filterOf, type Item, itemsOf, type Judge, textOf } from '../../use-cases/kit/use-case.ts';
import { areClocksRight } from '../kit/cut.ts';
import { type Drill, drillOf } from '../kit/drill.ts';
import { inTime, type SilentNode, silentNodes, timed } from '../kit/silence.ts';

const matchers = '/rest/v1/master/audiomatcher';
/** Addresses for documentation (RFC 5737): nothing comes from them. */
const [before, meanwhile] = ['192.0.2.91', '192.0.2.92'];
const expires = 600;
const edgeRoles = ['esg', 'sg', 'ws'] as const;
/** A front waits for nothing else. */
const marginMs = 500;

export const instancesSilenced = drillOf({
  name: 'instances-silenced',
  rule: 'When a node does nothing for some seconds, each list over instances shows those of the node, and no others, as not online, without the fields of instances that are online, in the time that a front waits for an instance, and at once when the others have noticed; totals and selections leave them out. A change in that time is made at the other instances, as its answer says, and at no instance of the node afterwards. When the node goes on, all are online with what they had.',
  exclusions: 'Topologies in which each node has the front that is asked; what crosses a gateway that is silent.',
  sender: '10.6.1.60',
  isOfMaster: true,
  play: async (drill) => {
    // Lists that cross a gateway which is silent are not exact.
    const all = silentNodes(drill).flatMap((each) => {
      const sites = each.isGateway ? each.sites.filter((site) => site === each.node.site) : each.sites;
      return sites.length === 0 ? [] : [{ silent: each, sites }];
    });
    const [chosen] = all.toSorted((one, next) => worthOf(next.silent) - worthOf(one.silent));
    if (chosen === undefined) return;
    const { silent, sites } = chosen;
    for (const site of sites) if ((await drill.ask(nodes, { site }))?.status !== 200) return;
    const lists = new Lists(drill, silent, sites);
    drill.afterwards(() => lists.end());
    if (!(await lists.begin())) return;
    const isExact = await areClocksRight(drill);
    await drill.paused([silent.node.name], () => lists.areWithout());
    await lists.areWhole(isExact);
  },
});

/** How many instances of it are in lists, and whether all lists can be asked. */
function worthOf({ node, isGateway }: SilentNode): number {
  const kinds = new Set(
    node.instances.map(({ role }) => role).filter((role) => ['esg', 'sg', 'ws', 'mware'].includes(role)),
  );
  return 2 * kinds.size + (isGateway ? 0 : 1);
}

type Waiting = 'unnoticed' | 'noticed';

class Lists {
  readonly #drill: Drill;
  readonly #silent: string;
  readonly #site: string;
  readonly #sites: readonly string[];
  /** The part of the cluster that is asked about. */
  readonly #scope: string;
  #rows: readonly Item[] = [];
  #tree: Item = {};
  #level: unknown;

  constructor(drill: Drill, { node, isGateway }: SilentNode, sites: readonly string[]) {
    this.#drill = drill;
    this.#silent = node.name;
    this.#site = node.site;
    this.#sites = sites;
    this.#scope = isGateway ? `site=${node.site}` : '';
  }

  /** Returns whether the drill is possible. */
  async begin(): Promise<boolean> {
    const drill = this.#drill;
    const [site = drill.here] = this.#sites;
    for (const role of ['esg', 'sg'])
      await drill.ask(`${logicalRoles}/${role}/bannedaddrs?${this.#scope}`, {
        site,
        method: 'POST',
        body: { ip: before, expires },
      });
    this.#rows = itemsOf(await drill.ask(nodes, { site }));
    this.#tree = ((await drill.ask(`${dashboards}/info?${this.#scope}`, { site }))?.body ?? {}) as Item;
    this.#level = this.#rows.find(({ name }) => name === this.#silent)?.['maxLogLevel'];
    return this.#rows.length > 0;
  }

  /** While the node is silent: at once, and when that is noticed. */
  async areWithout(): Promise<void> {
    const drill = this.#drill;
    await this.#judge('unnoticed');
    const isLost: Judge = (answer) =>
      itemsOf(answer).find(({ name }) => name === this.#silent)?.['status'] === 'unreachable'
        ? undefined
        : textOf(answer);
    for (const site of this.#sites)
      await drill.holds(
        drill.noticedMs,
        `the front of ${site} has noticed the silence of ${this.#silent}`,
        async () => {
          const shown = await timed(drill, nodes, { site });
          return inTime(shown, marginMs, isLost)(shown.answer) === undefined;
        },
      );
    await this.#judge('noticed');
  }

  async areWhole(isExact: boolean): Promise<void> {
    const drill = this.#drill;
    const at = { sites: this.#sites };
    for (const role of ['esg', 'sg', 'ws'] as const) {
      const all = this.#within(role);
      const isLifted = ({ node }: EdgeEntry) => node !== this.#silent;
      const bans = (entry: EdgeEntry) => {
        if (role === 'ws') return undefined;
        if (!isExact) return undefined;
        // What came while the node was silent is too late when it goes on.
        return { [before]: !isLifted(entry), [meanwhile]: isLifted(entry) };
      };
      await drill.everywhere(
        this.#pathOf(role),
        bannedRows(all, () => true, bans),
        drill.noticedMs,
        at,
      );
    }
    await drill.everywhere(
      `${dashboards}/info?${this.#scope}`,
      this.#treeWith(() => true),
      drill.noticedMs,
      at,
    );
    await drill.everywhere(
      nodes,
      this.#rowsWith(() => true),
      drill.noticedMs,
      at,
    );
    if (isExact)
      await drill.everywhere(`${nodes}/${this.#silent}`, expecting(200, { maxLogLevel: this.#level }), 0, at);
    const all = this.#within('mware').map(({ node }) => node);
    await drill.everywhere(`${matchers}/status${this.#matchersIn}`, statusOf(all, []), drill.noticedMs, at);
  }

  async end(): Promise<void> {
    for (const ip of [before, meanwhile])
      for (const role of ['esg', 'sg'])
        await this.#drill.ask(`${logicalRoles}/${role}/bannedaddrs/${ip}`, {
          site: this.#sites[0] as string,
          method: 'DELETE',
        });
    if (this.#level !== undefined)
      await this.#drill.ask(`${nodes}/${this.#silent}`, {
        site: this.#sites[0] as string,
        method: 'PATCH',
        body: { maxLogLevel: this.#level },
      });
  }

  async #judge(waiting: Waiting): Promise<void> {
    for (const [index, site] of this.#sites.entries()) {
      const isWriter = index === 0;
      // All at once, so that the node is silent for all of them before it is noticed.
      await Promise.all([
        ...edgeRoles.map((role) => this.#bans(site, role, waiting)),
        this.#treeAt(site, waiting),
        this.#nodesAt(site, waiting),
        this.#matchersAt(site, waiting),
        ...(isWriter ? [this.#changes(site, waiting)] : []),
      ]);
      if (waiting === 'unnoticed') return;
    }
  }

  async #ask(site: string, path: string, { judge, waiting, ...asked }: Asked): Promise<void> {
    const answered = await timed(this.#drill, path, { site, ...asked });
    const { edgeWaitMs } = this.#drill.context.map.topology.timings;
    const mostMs = marginMs + (waiting === 'unnoticed' ? edgeWaitMs : 0);
    const what = `${asked.method ?? 'GET'} ${path} at ${site} while ${this.#silent} is silent, ${waiting}`;
    this.#drill.expect(what, answered.answer, inTime(answered, mostMs, judge));
  }

  async #bans(site: string, role: 'esg' | 'sg' | 'ws', waiting: Waiting): Promise<void> {
    const all = this.#within(role);
    const isOnline = ({ node }: EdgeEntry) => node !== this.#silent;
    const path = this.#pathOf(role);
    // The ban before is lifted, and the other one is made, in the first round.
    const isKnown = waiting === 'noticed' && role !== 'ws';
    const bans = () => (isKnown ? { [before]: false, [meanwhile]: true } : undefined);
    await this.#ask(site, path, { judge: bannedRows(all, isOnline, bans), waiting });
    const filtered = `${path}&mask=srvidx,online,banned&${filterOf({ online: false })}`;
    const lost = all.filter((each) => !isOnline(each)).map(({ srvidx }) => ({ srvidx, online: false }));
    if (waiting === 'noticed') await this.#ask(site, filtered, { judge: exactly(200, lost), waiting });
    const [own] = all.filter((each) => !isOnline(each));
    if (own === undefined || waiting === 'unnoticed') return;
    const one = `${logicalRoles}/${role}/bannedaddrs?server=${own.srvidx}`;
    await this.#ask(site, one, {
      judge: bannedRows(
        [own],
        () => false,
        () => undefined,
      ),
      waiting,
    });
  }

  async #treeAt(site: string, waiting: Waiting): Promise<void> {
    const isOnline = (node: unknown) => node !== this.#silent;
    await this.#ask(site, `${dashboards}/info?${this.#scope}`, { judge: this.#treeWith(isOnline), waiting });
  }

  async #nodesAt(site: string, waiting: Waiting): Promise<void> {
    if (this.#scope !== '') {
      const judge = this.#rowsWith((row) => row['server'] !== this.#silent);
      return this.#ask(site, `${nodes}?${filterOf({ site: this.#site })}`, { judge, waiting: 'unnoticed' });
    }
    await this.#ask(site, nodes, { judge: this.#rowsWith((row) => row['server'] !== this.#silent), waiting });
    const lost = this.#rows.filter((row) => row['server'] === this.#silent).map(({ name }) => ({ name }));
    if (waiting === 'noticed')
      await this.#ask(site, `${nodes}?mask=name&${filterOf({ status: 'unreachable' })}`, {
        judge: exactly(200, lost),
        waiting,
      });
  }

  async #matchersAt(site: string, waiting: Waiting): Promise<void> {
    const all = this.#within('mware');
    const online = all.filter(({ node }) => node !== this.#silent).map(({ node }) => node);
    const missing = online.length < all.length ? [this.#site] : [];
    await this.#ask(site, `${matchers}/status${this.#matchersIn}`, { judge: statusOf(online, missing), waiting });
  }

  /** Changes at all instances, and at one that is silent. */
  async #changes(site: string, waiting: Waiting): Promise<void> {
    const edges = (['esg', 'sg'] as const).map(async (role) => {
      const judge = madeAt(this.#within(role), ({ node }) => node !== this.#silent);
      const path = `${logicalRoles}/${role}/bannedaddrs`;
      await Promise.all([
        this.#ask(site, `${path}?${this.#scope}`, { method: 'POST', body: { ip: meanwhile, expires }, judge, waiting }),
        this.#ask(site, `${path}/${before}?${this.#scope}`, { method: 'DELETE', judge: expecting(204), waiting }),
      ]);
    });
    const level = this.#level === 'error' ? 'warn' : 'error';
    const silent = `nodes/${this.#silent}`;
    const refused = waiting === 'noticed' ? refusal(503) : refusal(504);
    await Promise.all([
      ...edges,
      this.#ask(site, `/rest/v1/master/${silent}`, {
        method: 'PATCH',
        body: { maxLogLevel: level },
        judge: refused,
        waiting,
      }),
    ]);
  }

  #within(role: string): EdgeEntry[] {
    return edgesOf(this.#drill, role).filter(({ site }) => this.#scope === '' || site === this.#site);
  }

  #pathOf(role: string): string {
    return `${logicalRoles}/${role}/bannedaddrs?${this.#scope}`;
  }

  get #matchersIn(): string {
    return this.#scope === '' ? '' : `?sites=${this.#site}`;
  }

  /** As before, without the instances that are not online. No call goes on. */
  #treeWith(isOnline: (node: unknown) => boolean): Judge {
    type Tree = Item & { sites?: (Item & { servers: Item[] })[] };
    const countless = ({ dlgcount: _, callcount: __, ...rest }: Item) => rest;
    const shape = (tree: Tree) =>
      tree.sites?.map(({ servers, ...site }) => ({ ...countless(site), servers: servers.map(countless) }));
    const expected = (shape(this.#tree as Tree) ?? []).map(({ servers, ...site }) => ({
      ...site,
      servers: servers.map((server) =>
        isOnline(server['node']) ? server : { srvidx: server['srvidx'], node: server['node'], online: false },
      ),
    }));
    return (answer) => {
      const tree = (answer?.body ?? {}) as Tree;
      if (answer?.status !== 200 || !isSame(shape(tree), expected))
        return `expected ${JSON.stringify(expected)}, got ${longTextOf(answer)}`;
      const servers = tree.sites?.flatMap((each) => each.servers) ?? [];
      const wrong = servers.find((server) => 'dlgcount' in server !== server['online']);
      const sum = servers.reduce((total, server) => total + Number(server['dlgcount'] ?? 0), 0);
      return wrong === undefined && sum === tree['dlgcount'] ? undefined : `counts of ${longTextOf(answer)}`;
    };
  }

  /** Those of the silent node are unreachable, all others as before; a standby may have become active. */
  #rowsWith(isOnline: (row: Item) => boolean): Judge {
    const rows = this.#rows.filter(({ site }) => this.#scope === '' || site === this.#site);
    return (answer) => {
      const found = itemsOf(answer).filter(({ site }) => this.#scope === '' || site === this.#site);
      if (found.length !== rows.length) return `expected ${rows.length} nodes, got ${longTextOf(answer)}`;
      for (const [index, row] of found.entries()) {
        const { status, upTimeSec, dtStart, maxLogLevel, ...same } = row;
        const { status: _, upTimeSec: up, dtStart: start, maxLogLevel: level, ...was } = rows[index] ?? {};
        const isRight = isOnline(row)
          ? ['active', 'standby'].includes(String(status)) &&
            dtStart === start &&
            Number(upTimeSec) >= Number(up) &&
            (maxLogLevel === level || row['server'] === this.#silent)
          : status === 'unreachable' && dtStart === null && upTimeSec === null;
        if (!isRight || !isSame(same, was))
          return `expected ${JSON.stringify(rows[index])}, ${isOnline(row) ? '' : 'unreachable, '}got ${JSON.stringify(row)}`;
      }
      return undefined;
    };
  }
}

type Asked = Omit<NonNullable<Parameters<Drill['ask']>[1]>, 'site' | 'sites'> & {
  readonly judge: Judge;
  readonly waiting: Waiting;
};

/** Exactly these rows, in their order; where they are online, whether they list an address. */
function bannedRows(
  entries: readonly EdgeEntry[],
  isOnline: (entry: EdgeEntry) => boolean,
  bans: (entry: EdgeEntry) => Readonly<Record<string, boolean>> | undefined,
): Judge {
  const expected = entries.map((entry) => rowOf(entry, isOnline(entry)));
  return (answer) => {
    const found = itemsOf(answer);
    const rows = found.map(({ banned: _, ...row }) => row);
    if (answer?.status !== 200 || !isSame(rows, expected))
      return `expected ${JSON.stringify(expected)}, got ${longTextOf(answer)}`;
    const wrong = entries.findIndex((entry, index) => {
      const banned = found[index]?.['banned'] as { ip: string }[] | undefined;
      if ((banned !== undefined) !== isOnline(entry)) return true;
      return Object.entries(bans(entry) ?? {}).some(
        ([ip, isThere]) => banned !== undefined && banned.some((each) => each.ip === ip) !== isThere,
      );
    });
    return wrong < 0
      ? undefined
      : `bans of ${entries[wrong]?.srvidx}: expected ${JSON.stringify(bans(entries[wrong] as EdgeEntry))}, got ${JSON.stringify(found[wrong])}`;
  };
}

function madeAt(entries: readonly EdgeEntry[], isOnline: (entry: EdgeEntry) => boolean): Judge {
  return exactly(
    200,
    entries.map((entry) => ({ ...rowOf(entry, isOnline(entry)), ...(isOnline(entry) && { result: true }) })),
  );
}

function rowOf({ site, node, srvidx, addr }: EdgeEntry, online: boolean): Item {
  return { site, node, srvidx, addr, online };
}

/** The matchers of these nodes, and the sites of the nodes that do not answer. */
function statusOf(names: readonly string[], missing: readonly string[]): Judge {
  return (answer) => {
    const bySite = (answer?.body ?? {}) as Record<string, { node: string }[]>;
    const found = Object.values(bySite).flatMap((list) => list.map(({ node }) => node));
    const header = answer?.headers.get('x-missing-sites') ?? '';
    const isRight = answer?.status === 200 && isSame(found, names) && header === missing.join();
    return isRight
      ? undefined
      : `expected the matchers of ${names.join()} without ${missing.join()}, got ${textOf(answer)} without ${header}`;
  };
}

/** Refused: it surely was not done (503), or it may have been (504). */
function refusal(status: number): Judge {
  return expecting(status, { error_code: 1_000 + status });
}
