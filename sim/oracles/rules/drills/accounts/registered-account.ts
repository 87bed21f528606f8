/** A provider account that is registered, and what the dashboards and its provider have of it. */
import type { InstanceEntry } from '../../../../../src/model/cluster/cluster-map.ts';
import type { QuestionAnswer } from '../../../questions.ts';
import { dashboards } from '../../use-cases/kit/paths.ts';
import { type Item, type Judge, textOf } from '../../use-cases/kit/use-case.ts';
import type { Drill } from '../kit/drill.ts';

export interface Account {
  readonly key: string;
  readonly code: string;
  readonly domain: string;
  /** The esg that it is pinned to. */
  readonly home: InstanceEntry;
  readonly ping: boolean;
  /** How long a registration lasts at its provider, in seconds. */
  readonly maxexpires: number;
}

/** Those of these domains that are registered, as the dashboards show and their providers have it. */
export async function registeredAccounts(drill: Drill, domains: readonly string[]): Promise<Account[]> {
  const { map } = drill.context;
  const found: Account[] = [];
  for (const domain of domains) {
    for (const { code, esg, registration, ping, maxexpires } of map.domains.get(domain)?.providers ?? []) {
      const home = map.instanceNamed(`esg-${esg}`);
      if (!registration || home === undefined) continue;
      const account = { key: `${domain}/${code}`, code, domain, home, ping, maxexpires };
      if (!isRegisteredAt(drill, account, home)) continue;
      const answer = await drill.ask(pathOf(account), { domain: map.masterDomain });
      if (shownAt(account, home, { regstate: 'registered' })(answer) === undefined) found.push(account);
    }
  }
  return found;
}

/** It is registered at its own esg. */
export async function isHome(drill: Drill, account: Account, withinMs: number): Promise<boolean> {
  const { home, key, ping } = account;
  const shown = { regstate: 'registered', pingstate: ping ? 'ok' : 'disabled' };
  const isShown = await shows(drill, account, home, shown, withinMs);
  const isThere = () => isRegisteredAt(drill, account, home);
  return (await drill.holds(0, `${key} is registered at ${home.name}`, isThere)) && isShown;
}

/** Each front shows the account once: at this esg, or nowhere. */
export function shows(
  drill: Drill,
  account: Account,
  at: InstanceEntry | undefined,
  fields: Item,
  withinMs: number,
  sites = drill.sites,
): Promise<boolean> {
  const { masterDomain } = drill.context.map;
  return drill.everywhere(pathOf(account), shownAt(account, at, fields), withinMs, { sites, domain: masterDomain });
}

function shownAt(account: Account, at: InstanceEntry | undefined, fields: Item): Judge {
  return (answer) => {
    const { code } = account;
    const found = rowsOf(answer, account);
    const isRight = at === undefined ? found.length === 0 : found.length === 1 && found[0]?.srvidx === at.srvidx;
    const wrong = Object.entries(fields).filter(
      ([name, value]) => !textIn(found[0]?.each[name]).startsWith(String(value)),
    );
    if (answer?.status === 200 && isRight && (at === undefined || wrong.length === 0)) return undefined;
    const rows = found.map(({ srvidx, each }) => `${srvidx} ${textIn(each['regstate'])} ${textIn(each['pingstate'])}`);
    return answer?.status === 200
      ? `expected ${code} once, at ${at?.name ?? 'no esg'} ${JSON.stringify(fields)}, got ${rows.join('; ')}`
      : textOf(answer);
  };
}

/** Whether the answer shows the account at an esg, perhaps at others as well; `regstate`: in this one; default: in any. */
export function hasRow(
  answer: QuestionAnswer | undefined,
  account: Account,
  { srvidx }: InstanceEntry,
  regstate?: string,
): boolean {
  const isIn = (row: Item) => regstate === undefined || row['regstate'] === regstate;
  return rowsOf(answer, account).some((row) => row.srvidx === srvidx && isIn(row.each));
}

function rowsOf(answer: QuestionAnswer | undefined, { code, domain }: Account) {
  const { sites = [] } = (answer?.body ?? {}) as { sites?: { servers: { srvidx: number; regs?: Item[] }[] }[] };
  return sites.flatMap(({ servers }) =>
    servers.flatMap(({ srvidx, regs = [] }) =>
      regs.filter((each) => each['code'] === code && each['d'] === domain).map((each) => ({ srvidx, each })),
    ),
  );
}

function textIn(value: unknown): string {
  return Array.isArray(value) ? value.join() : String(value);
}

export function pathOf({ code }: Account): string {
  return `${dashboards}/info?regs&code=${encodeURIComponent(code)}`;
}

/** Whether the provider has the account registered, at one of its addresses, with an esg as its contact. */
export function isRegisteredAt({ context }: Drill, account: Account, esg: InstanceEntry): boolean {
  const own = context.providers().flatMap(({ accounts }) => accounts.filter(({ key }) => key === account.key));
  return own.some(({ contact }) => contact?.includes(`@${context.map.endpointOf(esg)}`) === true);
}

/** The name of the provider of an account, as faults have it. */
export function providerOf({ context }: Drill, { key }: Account): string | undefined {
  return context.providers().find(({ accounts }) => accounts.some((each) => each.key === key))?.name;
}
