/** Servers and role nodes, and the level at which they log. */
import type { QuestionAnswer } from '../../../questions.ts';
import { exactly, isSame, longTextOf, refusing } from '../calls/call-judges.ts';
import { nodes } from '../kit/paths.ts';
import { expecting, filterOf, type Item, itemsOf, type Judge, type UseCase, useCaseOf } from '../kit/use-case.ts';

const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z$/;

export const nodesShown = useCaseOf({
  name: 'nodes-shown',
  rule: 'In a quiescent cluster each front lists each server and each role node of the topology once, with its address, site, server, number and role, active or on standby, and up since its start; a selection has exactly the nodes that it names; the log level of a node can be set, which every front shows of it alone; nothing else of it can be changed.',
  sender: '10.6.21.6',
  isOfMaster: true,
  play: async (useCase) => {
    await useCase.everywhere(nodes, allOf(useCase));
    await selected(useCase);
    await one(useCase);
    await levels(useCase);
  },
});

/** What does not change of each node, servers before their roles. */
function identities({ context }: UseCase): Item[] {
  return context.map.topology.sites.flatMap(({ name: site, nodes: servers }) =>
    servers.flatMap(({ name: server, ip: ipAddress, instances }) => {
      const common = { ipAddress, site, server };
      const own = { ...{ name: server, fullName: `${server}@${ipAddress}` }, ...common, type: 'supervisor' };
      return [
        { ...own, isSystem: true, roles: [], srvIdx: null },
        ...instances.map(({ role, srvidx: srvIdx }) => {
          const name = `${role}-${srvIdx}`;
          return {
            name,
            fullName: `${name}@${ipAddress}`,
            ...common,
            type: 'role',
            isSystem: false,
            roles: [role],
            srvIdx,
          };
        }),
      ];
    }),
  );
}

function allOf(useCase: UseCase): Judge {
  const expected = identities(useCase);
  return (answer) => {
    const rows = itemsOf(answer);
    if (answer?.status !== 200 || rows.length !== expected.length)
      return `expected ${expected.length} nodes, got ${rows.length} in ${longTextOf(answer)}`;
    const wrong = rows
      .map((row, index) => rowProblem(useCase, row, expected[index] ?? {}))
      .find((each) => each !== undefined);
    return wrong;
  };
}

function rowProblem(useCase: UseCase, row: Item, expected: Item): string | undefined {
  const { dtStart, upTimeSec, status, maxLogLevel, ...identity } = row;
  if (!isSame(identity, expected)) return `expected ${JSON.stringify(expected)}, got ${JSON.stringify(row)}`;
  const { type, roles } = expected;
  const isPassive = ['callstore', 'mware', 'sr', 'mdc', 'sdc'].includes(String((roles as string[])[0]));
  if (status !== 'active' && !(type === 'role' && isPassive && status === 'standby'))
    return `status of ${JSON.stringify(row)}`;
  if (!['debug', 'info', 'warn', 'error'].includes(String(maxLogLevel))) return `maxLogLevel of ${JSON.stringify(row)}`;
  const startedMs = Date.parse(String(dtStart));
  // A clock that was set is wrong for a while, and shows another time of start.
  const upMs = useCase.areClocksRight ? useCase.context.now() - startedMs : Number(upTimeSec) * 1_000;
  const isUp =
    timestamp.test(String(dtStart)) &&
    Number.isSafeInteger(upTimeSec) &&
    Math.abs(Number(upTimeSec) * 1_000 - upMs) <= useCase.quickMs;
  return isUp ? undefined : `times of ${JSON.stringify(row)} at ${Math.round(useCase.context.now())}`;
}

async function selected(useCase: UseCase): Promise<void> {
  const all = identities(useCase);
  const namesOf = (rows: readonly Item[]) => rows.map(({ name }) => ({ name }));
  const encoded = (value: unknown) => encodeURIComponent(JSON.stringify(value));
  const [{ site } = {}] = all.slice(-1);
  const supervisors = all.filter(({ type }) => type === 'supervisor');
  const byName = all.toSorted((one, next) => (String(one['name']) < String(next['name']) ? 1 : -1));
  const rows: readonly (readonly [string, readonly Item[]])[] = [
    [filterOf({ site }), all.filter((row) => row['site'] === site)],
    [filterOf({ type: 'supervisor' }), supervisors],
    [filterOf({ roles: ['ws'] }), all.filter(({ roles }) => isSame(roles, ['ws']))],
    [filterOf({ status: 'unreachable' }), []],
    [`filter=${encoded(['in', ['property', 'name'], [supervisors[0]?.['name']]])}`, supervisors.slice(0, 1)],
    [`order=${encoded([{ name: 'desc' }])}&limit=3`, byName.slice(0, 3)],
    ['offset=2&limit=2', all.slice(2, 4)],
  ];
  for (const [index, [query, expected]] of rows.entries()) {
    const answer = await useCase.ask(`${nodes}?mask=name&${query}`, { site: useCase.siteAt(index) });
    useCase.expect(`${nodes}?${decodeURIComponent(query)}`, answer, exactly(200, namesOf(expected)));
  }
  const count = await useCase.ask(`${nodes}?countonly&${filterOf({ type: 'supervisor' })}`);
  useCase.expect('the count of servers', count, exactly(200, { count: supervisors.length }));
}

async function one(useCase: UseCase): Promise<void> {
  const all = identities(useCase);
  for (const [index, type] of ['supervisor', 'role'].entries()) {
    const expected = all.filter((row) => row['type'] === type).at(index === 0 ? 0 : -1) ?? {};
    await useCase.everywhere(`${nodes}/${String(expected['name'])}`, (answer) =>
      answer?.status === 200 ? rowProblem(useCase, answer.body as Item, expected) : `got ${longTextOf(answer)}`,
    );
    const { name, site } = expected;
    const masked = await useCase.ask(`${nodes}/${String(name)}?mask=site,name,none`, { site: useCase.there });
    useCase.expect(`a mask of ${String(name)}`, masked, exactly(200, { name, site }));
  }
  for (const method of ['GET', 'PATCH', 'DELETE']) {
    const request = { method, ...(method === 'PATCH' && { body: { maxLogLevel: 'info' } }) };
    useCase.expect(`${method} of no node`, await useCase.ask(`${nodes}/ws-65000`, request), refusing(404));
  }
}

async function levels(useCase: UseCase): Promise<void> {
  const all = identities(useCase);
  // Of the last site: also through other fronts.
  const role = all.filter(({ type }) => type === 'role').at(-1);
  const server = all.find(({ type, name }) => type === 'supervisor' && name === role?.['server']);
  for (const node of [role, server]) {
    const { name = '' } = node ?? {};
    const path = `${nodes}/${String(name)}`;
    const before = (await useCase.ask(path))?.body as Item | undefined;
    const level = before?.['maxLogLevel'] === 'error' ? 'warn' : 'error';
    const patch = (body: Item, site = useCase.there) => useCase.ask(path, { method: 'PATCH', body, site });
    for (const body of [
      { maxLogLevel: 'loud' },
      { maxLogLevel: level, status: 'active' },
      { name: 'x' },
      {},
      { maxLogLevel: null },
    ])
      useCase.expect(`PATCH of ${path} with ${JSON.stringify(body)}`, await patch(body), refusing(400));
    await useCase.everywhere(path, expecting(200, { maxLogLevel: before?.['maxLogLevel'] }), 0);
    const others = levelsOf(await useCase.ask(nodes), name);
    const changed = await patch({ maxLogLevel: level });
    useCase.expect(`PATCH of ${path}`, changed, (answer) =>
      answer?.status === 200 ? rowProblem(useCase, answer.body as Item, node ?? {}) : `got ${longTextOf(answer)}`,
    );
    useCase.expect(`PATCH of ${path}`, changed, expecting(200, { name, maxLogLevel: level }));
    await useCase.everywhere(path, expecting(200, { name, maxLogLevel: level }), 0);
    useCase.expect(`the levels of other nodes than ${String(name)}`, await useCase.ask(nodes), (answer) =>
      isSame(levelsOf(answer, name), others)
        ? undefined
        : `expected ${JSON.stringify(others)}, got ${JSON.stringify(levelsOf(answer, name))}`,
    );
    const back = await patch({ maxLogLevel: before?.['maxLogLevel'] }, useCase.here);
    useCase.expect(`PATCH of ${path} back`, back, expecting(200, { maxLogLevel: before?.['maxLogLevel'] }));
  }
}

function levelsOf(answer: QuestionAnswer | undefined, except: unknown): Item {
  const rows = itemsOf(answer).filter(({ name }) => name !== except);
  return Object.fromEntries(rows.map(({ name, maxLogLevel }) => [String(name), maxLogLevel]));
}
