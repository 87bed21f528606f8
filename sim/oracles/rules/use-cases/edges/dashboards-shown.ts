/** The dashboards of the external gates. */
import type { QuestionAnswer } from '../../../questions.ts';
import { differing, exactly, isSame, longTextOf, refusing } from '../calls/call-judges.ts';
import { dashboards, logicalRoles } from '../kit/paths.ts';
import { type Item, type Judge, type UseCase, useCaseOf } from '../kit/use-case.ts';
import { type EdgeEntry, edgesOf, scopesOf, wrongScopesOf } from './edge-instances.ts';

const scopeNames = ['site', 'sites', 'server', 'servers'];
const regstates = ['disabled', 'registered', 'wait_result', 'retry', 'detached'];

interface Counted {
  readonly dlgcount: number;
  readonly callcount: number;
}
interface ShownServer extends Counted {
  readonly srvidx: number;
  readonly regs: readonly Item[];
}
interface ShownSite extends Counted {
  readonly site: string;
  readonly servers: readonly ShownServer[];
}
interface Tree extends Counted {
  readonly sites: readonly ShownSite[];
}

export const dashboardsShown = useCaseOf({
  name: 'dashboards-shown',
  rule: 'In a quiescent cluster the dashboards of esg link to info, count and sites. The tree has exactly the sites and servers in scope, with their fields and the domains of their site, and its sums are right and the same in all three; with regs it has each account at its esg, with the fields of the topology, states that fit these, and what the provider has answered; with a code only those of it.',
  sender: '10.6.21.3',
  isOfMaster: true,
  play: async (useCase) => {
    const links = ['info', 'count', 'sites'].map((name) => ({
      name,
      _links: {
        self: { href: `${dashboards}/${name}`, params: [...scopeNames, ...(name === 'info' ? ['regs', 'code'] : [])] },
      },
    }));
    await useCase.everywhere(dashboards, exactly(200, links), 0);
    for (const [index, { query, isWithin }] of scopesOf(useCase, 'esg').entries()) {
      const within = edgesOf(useCase, 'esg').filter(isWithin);
      if (index % 3 === 0) await treeOf(useCase, query, within, useCase.siteAt(index));
    }
    for (const [index, query] of wrongScopesOf(useCase, 'esg').entries()) {
      const path = `${dashboards}/${['info', 'count', 'sites'][index % 3]}?${query}`;
      useCase.expect(path, await useCase.ask(path, { site: useCase.siteAt(index) }), refusing(400));
    }
    for (const query of ['regs=maybe', 'regs&regs', 'regs&code=a&code=b'])
      useCase.expect(query, await useCase.ask(`${dashboards}/info?${query}`), refusing(400));
    await accounts(useCase);
    for (const role of ['sg', 'ws'])
      useCase.expect(role, await useCase.ask(`${logicalRoles}/${role}/dashboards`), refusing(404));
  },
});

async function treeOf(useCase: UseCase, query: string, within: readonly EdgeEntry[], site: string): Promise<void> {
  const wrong = await useCase.context.questions.eventually(useCase.quickMs, async () => {
    const info = await useCase.ask(`${dashboards}/info?${query}`, { site });
    const problem = treeProblem(info, within);
    if (problem !== undefined) return [`${dashboards}/info?${query}: ${problem}`];
    const { dlgcount, callcount, sites } = (info as QuestionAnswer).body as Tree;
    const bySite = sites.map((each) => ({ site: each.site, dlgcount: each.dlgcount, callcount: each.callcount }));
    const count = await useCase.ask(`${dashboards}/count?${query}`, { site });
    const all = await useCase.ask(`${dashboards}/sites?${query}`, { site });
    const other =
      exactly(200, { dlgcount, callcount })(count) ?? exactly(200, { dlgcount, callcount, sites: bySite })(all);
    return other === undefined ? [] : [`${dashboards}?${query}: ${other}`];
  });
  useCase.expect(`the dashboards of ${query}`, undefined, () => wrong[0]);
}

/** Without regs. */
function treeProblem(answer: QuestionAnswer | undefined, within: readonly EdgeEntry[]): string | undefined {
  const { sites = [], ...sums } = (answer?.body ?? {}) as Partial<Tree>;
  const names = [...new Set(within.map(({ site }) => site))];
  const expected = names.map((site) => ({
    site,
    servers: within
      .filter((each) => each.site === site)
      .map(({ srvidx, node, addr, domains }) => ({ srvidx, node, online: true, addr, domains, regs: [] })),
  }));
  const shown = sites.map(({ dlgcount, callcount, servers, ...site }) => ({
    ...site,
    servers: servers.map(({ dlgcount: _d, callcount: _c, ...server }) => server),
  }));
  if (answer?.status !== 200 || !isSame(shown, expected))
    return `expected ${JSON.stringify(expected)}, got ${longTextOf(answer)}`;
  const isSum = sites.every((site) => isSame(sumOf(site.servers), countsIn(site))) && isSame(sumOf(sites), sums);
  return isSum ? undefined : `sums of ${longTextOf(answer)}`;
}

function countsIn({ dlgcount, callcount }: Counted): Counted {
  return { dlgcount, callcount };
}

function sumOf(all: readonly Counted[]): Counted {
  return all.reduce<Counted>(
    (sum, each) => ({ dlgcount: sum.dlgcount + each.dlgcount, callcount: sum.callcount + each.callcount }),
    { dlgcount: 0, callcount: 0 },
  );
}

async function accounts(useCase: UseCase): Promise<void> {
  const { domains } = useCase.context.map.topology;
  const all = domains.flatMap(({ name: d, providers }) => providers.map((provider) => ({ d, provider })));
  const edges = edgesOf(useCase, 'esg').map(({ srvidx }) => srvidx);
  // Its esg may be out of the topology.
  const homed = all.filter(({ provider }) => edges.includes(provider.esg));
  const fields = homed.map(({ d, provider }) => {
    const { code, username: user, domain, port, proto, addrs } = provider;
    return { provider, shown: { code, d, user, domain, port, proto, addrs } };
  });
  const [{ provider: one } = {}] = homed;
  if (one === undefined) return;
  const shownBy =
    (expected: typeof fields): Judge =>
    (answer) => {
      const servers = ((answer?.body ?? {}) as Partial<Tree>).sites?.flatMap((site) => site.servers) ?? [];
      const regs = servers.flatMap(({ srvidx, regs: own }) => own.map((reg) => ({ srvidx, reg })));
      if (answer?.status !== 200 || regs.length !== expected.length)
        return `expected ${expected.length} accounts, got ${longTextOf(answer)}`;
      for (const { provider, shown } of expected) {
        const found = regs.find(
          ({ srvidx, reg }) => srvidx === provider.esg && reg['code'] === shown.code && reg['d'] === shown.d,
        );
        const wrong = found === undefined ? 'is not at its esg' : accountProblem(provider, shown, found.reg);
        if (wrong !== undefined) return `account ${shown.d}/${shown.code}: ${wrong} in ${longTextOf(answer)}`;
      }
      return undefined;
    };
  const info = `${dashboards}/info`;
  for (const query of ['regs', 'regs=true', 'regs=1']) {
    const sites = [useCase.siteAt(query.length)];
    await useCase.everywhere(`${info}?${query}`, shownBy(fields), useCase.quickMs, { sites });
  }
  const ofOne = fields.filter(({ provider }) => provider.code === one.code);
  await useCase.everywhere(`${info}?regs&code=${one.code}`, shownBy(ofOne));
  const atOne = fields.filter(({ provider }) => provider.esg === one.esg);
  await useCase.everywhere(`${info}?regs=true&server=${one.esg}`, shownBy(atOne));
  for (const query of ['regs=false', 'regs=0', `code=${one.code}`, 'regs&code=none'])
    useCase.expect(query, await useCase.ask(`${info}?${query}`, { site: useCase.there }), shownBy([]));
}

interface AccountRules {
  readonly registration: boolean;
  readonly ping: boolean;
  readonly maxexpires: number;
}

function accountProblem({ registration, ping, maxexpires }: AccountRules, shown: Item, reg: Item): string | undefined {
  const wrong = differing(shown, { status: 200, headers: new Headers(), body: reg });
  if (wrong !== undefined) return wrong;
  const { regstate, pingstate, last_response: last, onlinetrunkcount: trunks } = reg;
  const lines = (Array.isArray(last) ? last : ['none']).map(String);
  if (!regstates.includes(String(regstate)) || (regstate === 'disabled') === registration)
    return `regstate ${String(regstate)}`;
  if (ping ? pingstate !== 'ok' && pingstate !== 'error' : pingstate !== 'disabled')
    return `pingstate ${String(pingstate)}`;
  if (!Number.isSafeInteger(trunks) || Number(trunks) < 0) return `onlinetrunkcount ${String(trunks)}`;
  if (!registration) return lines.length === 0 ? undefined : `last_response ${lines.join('; ')}`;
  if (regstate !== 'registered') return undefined;
  const granted = Number(/^Expires: (\d+)$/m.exec(lines.join('\n'))?.[1]);
  const isRight = lines[0]?.startsWith('SIP/2.0 200 ') === true && granted >= 1 && granted <= maxexpires;
  return isRight ? undefined : `last_response ${lines.join('; ')}`;
}
