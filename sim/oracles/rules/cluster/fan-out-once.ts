/** One answer for each instance in scope. */
import type { ClusterMap, InstanceEntry } from '../../../../src/model/cluster/cluster-map.ts';
import type { RoleName } from '../../../../src/model/cluster/roles.ts';
import type { ObservationListeners, OracleMaker } from '../../oracle.ts';

/** Lists with a row for each instance in scope; with `site`: the ws instances of the site that answers. */
const lists =
  /^\/rest\/v1\/master\/logicalroles\/(esg|sg|ws)\/(?:bannedaddrs(?:\/(?!site$)[^/]+|(\/site))?|dashboards\/info)$/;
/** Parameters that select rows. */
const picking = ['filter', 'limit', 'offset', 'countonly', 'flat'];
/** A disk that has room again is written by then. */
const writableMs = 10_000;
const masterList = (role: string) => `/rest/v1/master/logicalroles/${role}/bannedaddrs`;

export const fanOutOnce: OracleMaker = {
  name: 'fan-out-once',
  rule: 'Every instance in scope appears exactly once in the answer to a fan-out request; one that has answered that it is to ban an address has banned it, unless a disk is full.',
  make: ({ map, questions, check, fail }) => {
    /** Faults that fill disks, and when a disk was full last. */
    const full = new Set<number>();
    let fullMs = Number.NEGATIVE_INFINITY;
    const listeners: ObservationListeners = {
      'fault.inflicted': ({ fault, verb }) => {
        if (verb === 'fillStore') full.add(fault);
      },
      'fault.mended': ({ fault, verb, atMs }) => {
        if (full.size > 0) fullMs = atMs;
        if (verb === 'mend') full.clear();
        else full.delete(fault);
      },
      'request.answered': ({ site, method, target, status, body, atMs }) => {
        if (status !== 200 || body === undefined || !target.includes('/logicalroles/')) return;
        const url = new URL(target, 'http://front');
        const found = lists.exec(url.pathname);
        if (found === null || picking.some((name) => url.searchParams.has(name))) return;
        const rows: unknown = JSON.parse(body);
        if (!Array.isArray(rows)) return;
        const ownSite = found[2] === undefined ? undefined : site;
        const wanted = inScope(map, found[1] as RoleName, ownSite === undefined ? url.searchParams : ownSite);
        const wrong = differences(wanted, rows as Row[]);
        check();
        if (wrong.length > 0) fail(`${method} ${target} at ${site}: ${wrong.join('; ')}`);
        const other = (rows as Row[]).find(({ result }) => result === false);
        if (other !== undefined && full.size === 0 && atMs - fullMs > writableMs)
          fail(`${method} ${target} at ${site}: ${other['node']}/${other['srvidx']} has not done it`);
      },
    };
    /** Requests every list once through each front, to exercise the rule in every run. */
    const atQuiescence = async () => {
      for (const site of questions.sites) {
        for (const role of ['esg', 'sg', 'ws']) {
          await questions.ask({ site, domain: map.masterDomain, path: masterList(role) });
        }
      }
    };
    return { listeners, atQuiescence };
  },
};

type Row = Readonly<Record<string, unknown>>;

/** The instance of a row, as far as the mask shows it. */
const names = ['site', 'node', 'srvidx'] as const;

function differences(wanted: readonly InstanceEntry[], rows: readonly Row[]): string[] {
  const shown = names.filter((name) => rows.every((row) => row[name] !== undefined));
  const counts = new Map<string, number>();
  for (const instance of wanted) tally(counts, shown.map((name) => instance[name]).join('/'), 1);
  for (const row of rows) tally(counts, shown.map((name) => row[name]).join('/'), -1);
  return [...counts].flatMap(([name, count]) => {
    if (count === 0) return [];
    return count > 0 ? [`${name || 'a row'} is missing`] : [`${name || 'a row'} appears ${-count} times too often`];
  });
}

function tally(counts: Map<string, number>, name: string, by: number): void {
  counts.set(name, (counts.get(name) ?? 0) + by);
}

function inScope(map: ClusterMap, role: RoleName, scope: URLSearchParams | string): InstanceEntry[] {
  const all = map.instancesOf(role);
  if (typeof scope === 'string') return all.filter(({ site }) => site === scope);
  const texts = (name: string) =>
    scope
      .get(name)
      ?.split(',')
      .map((text) => text.trim());
  const sites = texts('sites') ?? texts('site');
  const servers = texts('servers') ?? texts('server');
  return all.filter(({ site, node, name, srvidx, addr }) => {
    if (sites !== undefined) return sites.includes(site);
    const { ip } = map.node(node);
    const own = [node, name, String(srvidx), addr, ip, `${name}@${ip}`, `${node}@${ip}`, `${site}/${node}`];
    return servers === undefined || servers.some((server) => own.includes(server));
  });
}
