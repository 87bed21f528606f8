/** Requests to edge roles address the instances that their scope names. */
import { isDeepStrictEqual } from 'node:util';
import type { InstanceEntry } from '../../../../../src/model/cluster/cluster-map.ts';
import {
  expecting,
  filterOf,
  type Item,
  itemsOf,
  type Judge,
  textOf,
  type UseCase,
  useCaseOf,
} from '../kit/use-case.ts';

const roles = ['esg', 'sg', 'ws'] as const;
type Role = (typeof roles)[number];
const rolePath = (role: Role) => `/rest/v1/master/logicalroles/${role}/bannedaddrs`;
/** Addresses for documentation (RFC 5737): nothing comes from them. */
const [one, other] = ['198.51.100.77', '198.51.100.78'] as const;

export const scopesSelected = useCaseOf({
  name: 'scopes-selected',
  rule: 'In a quiescent cluster, the list of bans of an edge role has exactly the instances in scope, by site, node and number: all of the role, those of a site or of several, or those of servers by address, number or name; it is filtered, ordered, cut, counted and masked; a ban and its removal reach these only; several scopes and unknown names are refused with 400.',
  sender: '10.6.20.8',
  isOfMaster: true,
  play: async (useCase) => {
    for (const role of roles) await list(useCase, role);
    await query(useCase);
    for (const role of ['esg', 'sg'] as const) await change(useCase, role);
    await look(useCase);
    await refuse(useCase);
  },
});

type Fields = Pick<InstanceEntry, 'site' | 'node' | 'srvidx'>;

function compared(a: Fields, b: Fields): number {
  const byText = (one: string, next: string) => (one === next ? 0 : Number(one > next) * 2 - 1);
  return byText(a.site, b.site) || byText(a.node, b.node) || a.srvidx - b.srvidx;
}

/** In the order of lists. */
function instancesOf({ context: { map } }: UseCase, role: Role): readonly InstanceEntry[] {
  return map.instancesOf(role).toSorted(compared);
}

/** The names of a server: its address, its number, and its names. */
function namesOf({ addr, ip, srvidx, node, site, name }: InstanceEntry): string[] {
  return [addr, ip, String(srvidx), node, `${site}/${node}`, name];
}

async function list(useCase: UseCase, role: Role): Promise<void> {
  const all = instancesOf(useCase, role);
  const { sites } = useCase.context.map;
  const [first, last] = [all[0], all.at(-1)];
  if (first === undefined || last === undefined) return;
  const ask = async (scope: string, isInScope: (instance: InstanceEntry) => boolean, index: number) => {
    const site = useCase.siteAt(index);
    const path = `${rolePath(role)}${scope}`;
    const wanted = all.filter(isInScope);
    useCase.expect(`GET ${path} at ${site}`, await useCase.ask(path, { site }), rowsOf(wanted));
  };
  await ask('', () => true, 0);
  for (const [index, name] of [...sites.keys()].entries())
    await ask(`?site=${name}`, ({ site }) => site === name, index);
  const [most, rest] = [[...sites.keys()].slice(1), [...sites.keys()].slice(0, 1)];
  if (most.length > 0) await ask(`?sites=${most.join()}`, ({ site }) => most.includes(site), 1);
  await ask(`?sites=${rest.join()}`, ({ site }) => rest.includes(site), 2);
  for (const [index, name] of namesOf(last).entries())
    await ask(`?server=${encodeURIComponent(name)}`, (each) => namesOf(each).includes(name), index);
  const several = [String(first.srvidx), last.name];
  await ask(`?servers=${several.join()}`, (each) => several.some((name) => namesOf(each).includes(name)), 0);
}

async function query(useCase: UseCase): Promise<void> {
  const all = instancesOf(useCase, 'sg');
  const path = rolePath('sg');
  const numbers = all.map(({ srvidx }) => srvidx);
  const listed = async (search: string, wanted: readonly number[]) => {
    const answer = await useCase.ask(`${path}?${search}`, { site: useCase.there });
    const got = itemsOf(answer).map(({ srvidx }) => srvidx);
    useCase.expect(`GET ${path}?${decodeURIComponent(search)}`, answer, () =>
      isDeepStrictEqual(got, wanted) ? undefined : `expected ${wanted.join()}, got ${got.join() || textOf(answer)}`,
    );
  };
  const [first = 0] = numbers;
  await listed('offset=1', numbers.slice(1));
  await listed('limit=1', [first]);
  await listed('offset=1&limit=1', numbers.slice(1, 2));
  await listed(
    'order=[{"srvidx":"desc"}]',
    numbers.toSorted((a, b) => b - a),
  );
  await listed(filterOf({ srvidx: first }), [first]);
  await listed(filterOf(['!=', ['property', 'srvidx'], first]), numbers.slice(1));
  await listed(filterOf({ online: false }), []);
  const { here } = useCase;
  const there = all.filter(({ site }) => site !== here).map(({ srvidx }) => srvidx);
  await listed(filterOf(['!=', ['property', 'site'], here]), there);
  const count = await useCase.ask(`${path}?countonly=true&limit=1`);
  useCase.expect('the count', count, expecting(200, { count: numbers.length }));
  const masked = await useCase.ask(`${path}?mask=srvidx,site,none&limit=1&flat=true`);
  useCase.expect('the mask', masked, (answer) =>
    isDeepStrictEqual(
      answer?.body,
      all.slice(0, 1).map(({ site, srvidx }) => ({ site, srvidx })),
    )
      ? undefined
      : textOf(answer),
  );
}

/** A ban at one site, and its removal at one instance. */
async function change(useCase: UseCase, role: 'esg' | 'sg'): Promise<void> {
  const path = rolePath(role);
  const all = instancesOf(useCase, role);
  const last = all.at(-1);
  if (last === undefined) return;
  const ofSite = all.filter(({ site }) => site === last.site);
  const ask = (method: string, target: string, body?: Item) =>
    useCase.ask(target, { site: useCase.there, method, ...(body !== undefined && { body }) });
  for (const ip of [one, other]) {
    const made = await ask('POST', `${path}?site=${last.site}`, { ip, expires: 600 });
    useCase.expect(`POST ${path} at ${last.site}`, made, rowsOf(ofSite, true));
  }
  await useCase.everywhere(path, banned(one, ofSite));
  const lifted = await ask('DELETE', `${path}/${one}?sites=${last.site}`);
  useCase.expect(`DELETE of ${one} at ${last.site}`, lifted, expecting(204));
  await useCase.everywhere(path, banned(one, []));
  await useCase.everywhere(path, banned(other, ofSite));
  const cleared = await ask('DELETE', `${path}?server=${last.srvidx}`);
  useCase.expect(`DELETE of all at ${last.srvidx}`, cleared, expecting(204));
  const rest = ofSite.filter(({ srvidx }) => srvidx !== last.srvidx);
  await useCase.everywhere(path, banned(other, rest));
  if (rest.length > 0) await ask('DELETE', `${path}/${other}?servers=${rest.map(({ srvidx }) => srvidx).join()}`);
  await useCase.everywhere(path, banned(other, []));
}

/** Dashboards have the same scopes. */
async function look(useCase: UseCase): Promise<void> {
  const all = instancesOf(useCase, 'esg');
  const last = all.at(-1);
  if (last === undefined) return;
  const info = '/rest/v1/master/logicalroles/esg/dashboards/info';
  const scopes = [
    { scope: `?site=${last.site}`, wanted: all.filter(({ site }) => site === last.site) },
    { scope: `?server=${last.srvidx}`, wanted: [last] },
    { scope: '', wanted: all },
  ];
  for (const { scope, wanted } of scopes)
    await useCase.everywhere(`${info}${scope}`, (answer) => {
      const { sites = [] } = (answer?.body ?? {}) as { readonly sites?: readonly Item[] };
      const got = sites.flatMap(({ site, servers }) => (servers as Item[]).map(({ srvidx }) => `${site}/${srvidx}`));
      const names = wanted.map(({ site, srvidx }) => `${site}/${srvidx}`);
      return isDeepStrictEqual(got.toSorted(), names.toSorted()) ? undefined : `expected ${names}, got ${got}`;
    });
}

async function refuse(useCase: UseCase): Promise<void> {
  const [site = ''] = useCase.context.map.sites.keys();
  const scopes = [
    ...[`site=${site}&sites=${site}`, `site=${site}&server=1`, `servers=1&sites=${site}`, 'server=1&servers=1'],
    ...['site=nowhere', `sites=${site},nowhere`, 'server=nowhere', 'server=10.255.255.255', 'site=', 'servers=0'],
  ];
  const paths = [rolePath('esg'), rolePath('ws'), '/rest/v1/master/logicalroles/esg/dashboards/count'];
  for (const [index, scope] of scopes.entries()) {
    const path = `${paths[index % paths.length]}?${scope}`;
    const answer = await useCase.ask(path, { site: useCase.siteAt(index) });
    useCase.expect(`GET ${path}`, answer, expecting(400, { error_code: 1400 }));
  }
  const body = { ip: one, expires: 600 };
  const banning = await useCase.ask(`${rolePath('sg')}?site=nowhere`, { method: 'POST', body });
  useCase.expect('POST at an unknown site', banning, expecting(400, { error_code: 1400 }));
  const lifting = await useCase.ask(`${rolePath('sg')}/${one}?site=${site}&server=1`, { method: 'DELETE' });
  useCase.expect('DELETE in two scopes', lifting, expecting(400, { error_code: 1400 }));
}

/** Exactly these rows, in their order, all online; with the result of a ban, or with the list of bans. */
function rowsOf(instances: readonly InstanceEntry[], isResult = false): Judge {
  return (answer) => {
    const rows = itemsOf(answer).map(({ banned: bans, ...row }) => ({
      ...row,
      ...(Array.isArray(bans) && { banned: [] }),
    }));
    const wanted = instances.map(({ site, node, srvidx, addr }) => ({
      site,
      node,
      srvidx,
      addr,
      online: true,
      ...(isResult ? { result: true } : { banned: [] }),
    }));
    return answer?.status === 200 && isDeepStrictEqual(rows, wanted)
      ? undefined
      : `expected ${JSON.stringify(wanted)}, got ${textOf(answer)}`;
  };
}

/** Exactly these instances list the address. */
function banned(ip: string, instances: readonly InstanceEntry[]): Judge {
  return (answer) => {
    const rows = itemsOf(answer).filter(({ banned: all = [] }) => (all as Item[]).some((each) => each['ip'] === ip));
    const [got, wanted] = [rows, instances].map((each) => each.map(({ srvidx }) => Number(srvidx)).join());
    return answer?.status === 200 && got === wanted ? undefined : `expected ${ip} at ${wanted || 'none'}, got ${got}`;
  };
}
