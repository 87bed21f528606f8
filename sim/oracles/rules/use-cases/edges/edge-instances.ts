/** The instances of the edge roles as the topology has them, and the scopes that name them. */
import type { QuestionAnswer } from '../../../questions.ts';
import { isSame, longTextOf } from '../calls/call-judges.ts';
import { type Item, itemsOf, type Judge, type UseCase } from '../kit/use-case.ts';

export type EdgeRoleName = 'esg' | 'sg' | 'ws';

export interface EdgeEntry {
  readonly site: string;
  readonly node: string;
  readonly srvidx: number;
  readonly addr: string;
  /** The address of its node. */
  readonly ip: string;
  /** The domains of its site. */
  readonly domains: readonly string[];
}

/** In the order of lists: by site, node and number. */
export function edgesOf({ context }: UseCase, role: string): EdgeEntry[] {
  const { sites } = context.map.topology;
  const all = sites.flatMap(({ name: site, nodes, domains }) =>
    nodes.flatMap(({ name: node, ip, instances }) =>
      instances
        .filter((each) => each.role === role)
        .map(({ srvidx, addr = ip }) => ({ site, node, srvidx, addr, ip, domains })),
    ),
  );
  const keyOf = ({ site, node }: EdgeEntry) => `${site} ${node}`;
  return all.toSorted((one, next) =>
    keyOf(one) === keyOf(next) ? one.srvidx - next.srvidx : keyOf(one) < keyOf(next) ? -1 : 1,
  );
}

export interface EdgeScope {
  readonly query: string;
  readonly isWithin: (entry: EdgeEntry) => boolean;
}

/** Scopes of every kind: one and several, each way to name a server, and none that has the role. */
export function scopesOf(useCase: UseCase, role: EdgeRoleName): EdgeScope[] {
  const all = edgesOf(useCase, role);
  const [first, last] = [all[0], all.at(-1)];
  if (first === undefined || last === undefined) return [];
  const isAt = (entry: EdgeEntry, { site, node }: EdgeEntry) => entry.site === site && entry.node === node;
  const { site, node, srvidx, addr, ip } = last;
  const name = `${role}-${srvidx}`;
  const [b2b] = edgesOf(useCase, 'b2b');
  const scope = (query: string, isWithin: EdgeScope['isWithin']): EdgeScope => ({ query, isWithin });
  return [
    scope('', () => true),
    scope(`site=${site}`, (each) => each.site === site),
    scope(`sites=${site}`, (each) => each.site === site),
    scope(`sites=${site},${first.site}`, (each) => each.site === site || each.site === first.site),
    scope(`server=${srvidx}`, (each) => each.srvidx === srvidx),
    scope(`server=${addr}`, (each) => each.addr === addr || each.ip === addr),
    scope(`server=${ip}`, (each) => each.addr === ip || each.ip === ip),
    scope(`server=${node}`, (each) => isAt(each, last)),
    scope(`server=${node}@${ip}`, (each) => isAt(each, last)),
    scope(`server=${name}`, (each) => each.srvidx === srvidx),
    scope(`server=${name}@${ip}`, (each) => each.srvidx === srvidx),
    scope(`servers=${srvidx}`, (each) => each.srvidx === srvidx),
    scope(
      `servers=${node},${first.srvidx},${srvidx}`,
      (each) => isAt(each, last) || each.srvidx === first.srvidx || each.srvidx === srvidx,
    ),
    ...(b2b === undefined ? [] : [scope(`server=${b2b.srvidx}`, () => false)]),
  ];
}

/** Scopes that are refused. */
export function wrongScopesOf(useCase: UseCase, role: EdgeRoleName): string[] {
  const [{ site, srvidx } = { site: useCase.here, srvidx: 1 }] = edgesOf(useCase, role);
  return [
    ...['site=nowhere', 'site=', `sites=${site},nowhere`, 'server=none', 'server=65000', 'server=192.0.2.1'],
    ...[`servers=${srvidx},none`, `site=${site}&sites=${site}`, `server=${srvidx}&site=${site}`],
    ...[`server=${srvidx}&servers=${srvidx}`, `site=${site}&site=${site}`],
  ];
}

/** The list has exactly these instances, in their order, with these fields besides. */
export function rowsWith(entries: readonly EdgeEntry[], fields: Item = {}): Judge {
  const expected = entries.map(({ site, node, srvidx, addr }) => ({
    site,
    node,
    srvidx,
    addr,
    online: true,
    ...fields,
  }));
  return (answer) =>
    isRows(answer, expected) ? undefined : `expected ${JSON.stringify(expected)}, got ${longTextOf(answer)}`;
}

function isRows(answer: QuestionAnswer | undefined, expected: readonly Item[]): boolean {
  return answer?.status === 200 && Array.isArray(answer.body) && isSame(itemsOf(answer), expected);
}
