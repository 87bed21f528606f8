/** What the dashboards of esg count while calls of providers are there. */
import { reactionOf } from '../../../../outside/behaviour.ts';
import type { PlacedCall } from '../../../../outside/outside-world.ts';
import { type AccountEntry, accountsOf } from '../../../../outside/population.ts';
import { isSame, longTextOf } from '../calls/call-judges.ts';
import { endedMs } from '../kit/call.ts';
import { calls, dashboards } from '../kit/paths.ts';
import { type Item, itemsOf, type Judge, type UseCase, useCaseOf } from '../kit/use-case.ts';
import { edgesOf } from './edge-instances.ts';

/** A number that leads outside. */
const outside = '4930777179';
/** A phone rings at most nine seconds before it answers, and a lost answer comes again. */
const answeredMs = 15_000;

/** Dialogs, legs and trunks of an account. */
interface Figures {
  readonly dialogs: number;
  readonly legs: number;
}

export interface Placed {
  readonly account: AccountEntry;
  readonly call: PlacedCall;
  readonly figures: Figures;
}

export const dashboardsCounted = useCaseOf({
  name: 'dashboards-counted',
  rule: 'In a quiescent cluster the dashboards count each dialog and each leg of the calls of providers at the esg of the account, and the trunks of the account, by server, site and in all; a call that comes from a provider and goes out to one is one dialog of two legs. None is counted when the calls are over.',
  exclusions: 'Accounts that are not in service, and domains without phones that answer.',
  sender: '10.6.21.2',
  isOfMaster: true,
  play: async (useCase) => {
    const accounts = await inService(useCase);
    if (accounts.length === 0 || !(await isIdle(useCase))) return;
    const placed: Placed[] = [];
    try {
      for (const account of accounts) placed.push(...(await answered(useCase, account)));
      if (placed.length > 0) await judge(useCase, placed);
      const [first] = placed;
      const through = first && (await passThrough(useCase, first.account));
      if (through !== undefined) {
        placed.push(through);
        await judge(useCase, placed);
      }
    } finally {
      for (const { call } of placed) useCase.context.questions.hangUp(call);
    }
    if (placed.length > 0) await judge(useCase, []);
  },
});

/** The only account of a domain, at most one of an esg, that calls may use. */
export async function inService(useCase: UseCase): Promise<AccountEntry[]> {
  const { map, questions } = useCase.context;
  const shown = await useCase.ask(`${dashboards}/info?regs`);
  const regs = serversIn(shown?.body).flatMap(({ srvidx, regs: own }) => own.map((reg) => ({ srvidx, reg })));
  const found = new Map<number, AccountEntry>();
  for (const account of accountsOf(map)) {
    const { domain, provider } = account;
    const isOnly = map.domains.get(domain)?.providers.length === 1 && questions.domains.includes(domain);
    const known = regs.find(
      ({ srvidx, reg }) => srvidx === provider.esg && reg['d'] === domain && reg['code'] === provider.code,
    );
    const { regstate, pingstate } = known?.reg ?? {};
    if (isOnly && regstate === 'registered' && pingstate !== 'error' && provider.trunks > 2)
      found.set(provider.esg, account);
  }
  return [...found.values()].slice(0, 2);
}

/** No call is counted. An edge counts a leg whose end it has missed for as long as a session lasts. */
export async function isIdle(useCase: UseCase): Promise<boolean> {
  return counted([])(await useCase.ask(`${dashboards}/info?regs=true`)) === undefined;
}

/** A call from the provider of an account that a phone has answered; none where that fails. */
export async function answered(useCase: UseCase, account: AccountEntry): Promise<Placed[]> {
  const number = await numberOf(useCase, account.domain);
  const call = number === undefined ? undefined : await place(useCase, account, number);
  return call === undefined ? [] : [{ account, call, figures: { dialogs: 1, legs: 1 } }];
}

async function numberOf(useCase: UseCase, domain: string): Promise<string | undefined> {
  const { numbers = {} } = useCase.context.map.domains.get(domain) ?? {};
  const all = await useCase.willing(domain);
  return all.find((number) => reactionOf(number, numbers[number]).hangupMs === undefined);
}

/** A call that is answered; `undefined`: rules or phones refuse it. */
async function place(useCase: UseCase, account: AccountEntry, number: string): Promise<PlacedCall | undefined> {
  const { questions } = useCase.context;
  const { domain } = account;
  const listed = async () =>
    itemsOf(await useCase.ask(calls, { domain })).filter(({ esgdlg, status }) => esgdlg !== '' && status === 'dialog');
  const before = (await listed()).length;
  const call = questions.callBy(account.key, number);
  if (call === undefined) return undefined;
  const wrong = await questions.eventually(answeredMs + useCase.quickMs, async () =>
    (await listed()).length > before ? [] : ['not answered yet'],
  );
  if (wrong.length === 0) return call;
  questions.hangUp(call);
  await questions.wait(useCase.quickMs);
  return undefined;
}

/** A call from a provider that goes out again, by the only account of the domain. */
export async function passThrough(useCase: UseCase, account: AccountEntry): Promise<Placed | undefined> {
  const call = await place(useCase, account, outside);
  return call && { account, call, figures: { dialogs: 1, legs: 2 } };
}

interface ShownServer extends Item {
  readonly srvidx: number;
  readonly regs: readonly Item[];
}
interface ShownSite {
  readonly site: string;
  readonly servers: readonly ShownServer[];
}

/** The servers in an answer with the tree of dashboards. */
export function serversIn(body: unknown): ShownServer[] {
  return ((body ?? {}) as { sites?: readonly ShownSite[] }).sites?.flatMap(({ servers }) => [...servers]) ?? [];
}

/** Each dashboard counts these calls, and no others. */
export async function judge(useCase: UseCase, placed: readonly Placed[], withinMs = endedMs): Promise<void> {
  await useCase.everywhere(`${dashboards}/info?regs=true`, counted(placed), withinMs);
  const sum = (all: readonly Placed[]) => ({
    dlgcount: all.reduce((total, { figures }) => total + figures.dialogs, 0),
    callcount: all.reduce((total, { figures }) => total + figures.legs, 0),
  });
  const edges = edgesOf(useCase, 'esg');
  const sites = [...new Set(edges.map(({ site }) => site))];
  const bySite = sites.map((site) => ({ site, ...sum(placed.filter(({ account }) => account.gate.site === site)) }));
  const same =
    (expected: unknown): Judge =>
    (answer) =>
      answer?.status === 200 && isSame(answer.body, expected)
        ? undefined
        : `expected ${JSON.stringify(expected)}, got ${longTextOf(answer)}`;
  await useCase.everywhere(`${dashboards}/count`, same(sum(placed)));
  await useCase.everywhere(`${dashboards}/sites`, same({ ...sum(placed), sites: bySite }));
  const [one] = placed;
  if (one === undefined) return;
  const { srvidx, site } = one.account.gate;
  const own = placed.filter(({ account }) => account.gate.srvidx === srvidx);
  await useCase.everywhere(`${dashboards}/count?server=${srvidx}`, same(sum(own)));
  await useCase.everywhere(
    `${dashboards}/sites?sites=${site}`,
    same({
      ...sum(placed.filter(({ account }) => account.gate.site === site)),
      sites: bySite.filter((each) => each.site === site),
    }),
  );
}

/** Each server, and each account, has the calls of it, and no other. */
function counted(placed: readonly Placed[]): Judge {
  const legsOf = (all: readonly Placed[]) => all.reduce((total, { figures }) => total + figures.legs, 0);
  return (answer) => {
    for (const { srvidx, dlgcount, callcount, regs } of serversIn(answer?.body)) {
      const own = placed.filter(({ account }) => account.gate.srvidx === srvidx);
      const dialogs = own.reduce((total, { figures }) => total + figures.dialogs, 0);
      if (dlgcount !== dialogs || callcount !== legsOf(own))
        return `expected ${dialogs} dialogs and ${legsOf(own)} legs at ${srvidx}, got ${String(dlgcount)} and ${String(callcount)}`;
      const wrong = regs.find((reg) => {
        const ofIt = own.filter(({ account }) => account.domain === reg['d'] && account.provider.code === reg['code']);
        return reg['onlinetrunkcount'] !== legsOf(ofIt);
      });
      if (wrong !== undefined) return `trunks of ${JSON.stringify(wrong)}`;
    }
    return answer?.status === 200 ? undefined : `got ${longTextOf(answer)}`;
  };
}
