/** Lists of the instances of the edge roles, by each kind of scope, and bans by scope. */
import { exactly, longTextOf, refusing } from '../calls/call-judges.ts';
import { logicalRoles } from '../kit/paths.ts';
import { expecting, filterOf, type Item, itemsOf, type Judge, type UseCase, useCaseOf } from '../kit/use-case.ts';
import { type EdgeEntry, type EdgeRoleName, edgesOf, rowsWith, scopesOf, wrongScopesOf } from './edge-instances.ts';

/** Addresses for documentation (RFC 5737): nothing comes from them. */
const [banned, other] = ['198.51.100.7', '198.51.100.8'];
const identity = 'mask=site,node,srvidx,addr,online';

export const edgesScoped = useCaseOf({
  name: 'edges-scoped',
  rule: 'In a quiescent cluster a list of the instances of an edge role has exactly the instances in its scope (a site, several, a server by number, address or name, several), each online with its site, node, number and address, selected and ordered as asked; unknown and several scopes are refused, and change nothing; a ban holds and ends at the instances in scope, never earlier than asked before; ws has no POST.',
  sender: '10.6.21.4',
  isOfMaster: true,
  play: async (useCase) => {
    const roles = ['esg', 'sg', 'ws'] as const;
    // In turn, for the sake of time.
    const turn = useCase.drawn % roles.length;
    for (const [index, role] of roles.entries()) await scoped(useCase, role, index === turn ? 1 : 4);
    await selected(useCase);
    await ownSite(useCase);
    await ban(useCase, turn === 0 ? 'esg' : 'sg');
  },
});

function pathOf(role: EdgeRoleName): string {
  return `${logicalRoles}/${role}/bannedaddrs`;
}

/** With every scope, or each so many. */
async function scoped(useCase: UseCase, role: EdgeRoleName, each: number): Promise<void> {
  const all = edgesOf(useCase, role);
  const path = pathOf(role);
  for (const [index, { query, isWithin }] of scopesOf(useCase, role).entries()) {
    if (index % each !== 0) continue;
    const what = `${path}?${query}`;
    const answer = await useCase.ask(`${path}?${query}&${identity}`, { site: useCase.siteAt(index) });
    useCase.expect(what, answer, rowsWith(all.filter(isWithin)));
  }
  const body = { ip: banned, expires: 60 };
  for (const [index, query] of wrongScopesOf(useCase, role).entries()) {
    if (index % each !== 0) continue;
    const request = { site: useCase.siteAt(index), ...(role !== 'ws' && { method: 'POST', body }) };
    useCase.expect(`${path}?${query}`, await useCase.ask(`${path}?${query}`, request), refusing(400));
  }
  await useCase.everywhere(path, bannedExactly(all, [], banned));
}

/** The parameters of collections. */
async function selected(useCase: UseCase): Promise<void> {
  const path = pathOf('esg');
  const all = edgesOf(useCase, 'esg');
  const [first] = all;
  if (first === undefined) return;
  const numbersOf = (entries: readonly EdgeEntry[]) => entries.map(({ srvidx }) => ({ srvidx }));
  const atSite = all.filter(({ site }) => site === first.site);
  const byNumber = all.toSorted((one, next) => next.srvidx - one.srvidx);
  const order = `order=${encodeURIComponent('[{"srvidx":"desc"}]')}`;
  for (const [index, [query, expected]] of (
    [
      [filterOf({ site: first.site }), numbersOf(atSite)],
      [filterOf({ online: false }), []],
      [filterOf(['!=', ['property', 'srvidx'], first.srvidx]), numbersOf(all.slice(1))],
      [order, numbersOf(byNumber)],
      [`${order}&offset=1&limit=1`, numbersOf(byNumber.slice(1, 2))],
      ['offset=1', numbersOf(all.slice(1))],
      ['limit=1', numbersOf(all.slice(0, 1))],
      ['limit=0', []],
      [`offset=${all.length}`, []],
    ] as const
  ).entries()) {
    const answer = await useCase.ask(`${path}?mask=srvidx,none&${query}`, { site: useCase.siteAt(index) });
    useCase.expect(`${path}?${decodeURIComponent(query)}`, answer, exactly(200, expected));
  }
  const count = await useCase.ask(`${path}?countonly&limit=1&${filterOf({ site: first.site })}`);
  useCase.expect('the count of a site', count, exactly(200, { count: atSite.length }));
  const flat = await useCase.ask(`${path}?flat`);
  useCase.expect('flat', flat, (answer) =>
    itemsOf(answer).length === all.length && itemsOf(answer).every((row) => Array.isArray(row['banned']))
      ? undefined
      : `expected lists of bans, got ${longTextOf(answer)}`,
  );
  for (const query of ['limit=-1', 'limit=10001', 'offset=x', 'filter=x', 'order=%5B%22none%22%5D'])
    useCase.expect(query, await useCase.ask(`${path}?${query}`, { site: useCase.there }), refusing(400));
}

/** ws bans addresses only by itself; each front lists the instances of its own site. */
async function ownSite(useCase: UseCase): Promise<void> {
  const path = pathOf('ws');
  const post = await useCase.ask(path, { method: 'POST', body: { ip: banned, expires: 60 } });
  useCase.expect('POST of a ban at ws', post, (answer) => {
    const allowed = (answer?.headers.get('allow') ?? '').split(/, */);
    const isRight = allowed.includes('GET') && allowed.includes('DELETE') && !allowed.includes('POST');
    return refusing(405)(answer) ?? (isRight ? undefined : `Allow: ${allowed.join()}`);
  });
  for (const site of useCase.sites) {
    const own = edgesOf(useCase, 'ws').filter((each) => each.site === site);
    const answer = await useCase.ask(`${path}/site?${identity}`, { site });
    useCase.expect(`${path}/site at ${site}`, answer, rowsWith(own));
  }
  const lifted = await useCase.ask(`${path}/${banned}`, { method: 'DELETE' });
  useCase.expect('DELETE of an address that is not banned at ws', lifted, exactly(204, undefined));
  useCase.expect('DELETE of no address', await useCase.ask(`${path}/none`, { method: 'DELETE' }), refusing(400));
}

async function ban(useCase: UseCase, role: 'esg' | 'sg'): Promise<void> {
  const path = pathOf(role);
  const all = edgesOf(useCase, role);
  const last = all.at(-1);
  if (last === undefined) return;
  const atSite = all.filter(({ site }) => site === last.site);
  const elsewhere = all.filter(({ site }) => site !== last.site);
  const post = (ip: string, expires: unknown, query: string) =>
    useCase.ask(`${path}?${query}`, { method: 'POST', body: { ip, expires }, site: useCase.there });
  const done = { result: true };
  useCase.expect('POST at a site', await post(banned, 600, `site=${last.site}`), rowsWith(atSite, done));
  useCase.expect('POST at all', await post(other, 900, ''), rowsWith(all, done));
  await useCase.everywhere(path, bannedExactly(all, atSite, banned, 600));
  await useCase.everywhere(path, bannedExactly(all, all, other, 900));
  await useCase.everywhere(`${path}?server=${last.srvidx}`, bannedExactly([last], [last], banned, 600));
  await post(other, 5, `site=${last.site}`);
  await useCase.everywhere(path, bannedExactly(all, all, other, 900), 0);
  for (const expires of ['x', 1.5, null, true, ''])
    useCase.expect(`POST with expires ${JSON.stringify(expires)}`, await post(banned, expires, ''), refusing(400));
  useCase.expect('POST of no IPv4 address', await post('::1', 60, ''), refusing(400));
  const lift = (target: string) => useCase.ask(`${path}${target}`, { method: 'DELETE', site: useCase.there });
  useCase.expect('DELETE at two', await lift(`/${other}?servers=${last.srvidx},${last.srvidx}`), expecting(204));
  const rest = all.filter(({ srvidx }) => srvidx !== last.srvidx);
  await useCase.everywhere(path, bannedExactly(all, rest, other, 900));
  if (await isOnly(useCase, path)) {
    useCase.expect('DELETE of all at a site', await lift(`?sites=${last.site}`), exactly(204, undefined));
    await useCase.everywhere(path, bannedExactly(all, [], banned));
    await useCase.everywhere(path, bannedExactly(all, elsewhere, other, 900));
    useCase.expect('DELETE of all', await lift(''), exactly(204, undefined));
  } else for (const ip of [banned, other]) await lift(`/${ip}`);
  await useCase.everywhere(path, bannedExactly(all, [], other));
  await useCase.everywhere(path, bannedExactly(all, [], banned));
}

/** Whether nothing else is banned, which a clearing would end as well. */
async function isOnly(useCase: UseCase, path: string): Promise<boolean> {
  const rows = itemsOf(await useCase.ask(path)) as readonly { banned?: readonly { ip: string }[] }[];
  return rows.every((row) => row.banned?.every(({ ip }) => ip === banned || ip === other));
}

/** What has passed since the ban: a few requests, and clocks that were set run slower or faster for a while. */
const passedSec = 20;

/** These instances answer, and of them exactly some ban the address, for so many seconds. */
function bannedExactly(all: readonly EdgeEntry[], at: readonly EdgeEntry[], ip: string, seconds = 0): Judge {
  const banning = at.map(({ srvidx }) => srvidx);
  return (answer) => {
    const rows = itemsOf(answer) as readonly (Item & { banned?: readonly { ip: string; expires: unknown }[] })[];
    const isRight =
      answer?.status === 200 &&
      rows.length === all.length &&
      rows.every((row) => {
        const own = (row.banned ?? []).filter((each) => each.ip === ip);
        if (row.banned === undefined || row['result'] !== undefined) return false;
        if (!banning.includes(Number(row['srvidx']))) return own.length === 0;
        const [{ expires } = { expires: 0 }] = own;
        return (
          own.length === 1 &&
          Number.isInteger(expires) &&
          Number(expires) <= seconds &&
          Number(expires) > seconds - passedSec
        );
      });
    return isRight
      ? undefined
      : `expected ${ip} banned at ${banning.join() || 'none'} for ${seconds} s, got ${longTextOf(answer)}`;
  };
}
