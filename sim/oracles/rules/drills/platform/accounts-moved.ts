/** The esg of a provider account is lost with its node, then its provider refuses REGISTER or is silent. */
import type { InstanceEntry } from '../../../../../src/model/cluster/cluster-map.ts';
import type { PlacedCall } from '../../../../outside/outside-world.ts';
import { endedMs, type SteadyUser, steadyUsers } from '../../use-cases/kit/call.ts';
import { calls, dashboards } from '../../use-cases/kit/paths.ts';
import { expecting, type Item, itemsOf, type Judge, textOf } from '../../use-cases/kit/use-case.ts';
import { type Drill, drillOf } from '../kit/drill.ts';
import { gatesOf, isSpare, sitesWithout } from '../kit/nodes.ts';

/** From a refused REGISTER to the next one; between two checks by OPTIONS, and how long one may take. (chosen in the interface) */
const [retryMs, roundMs, answerMs] = [30_000, 30_000, 5_000];
/** How long a REGISTER may take. */
const registerMs = 32_000;
/** A silence in which the account is tried again several times, and the longest time to the next one then. */
const [longMs, longestRetryMs] = [300_000, 240_000];
const refusal = 503;
/** A phone rings at most nine seconds before it answers, and a lost answer comes again. */
const answeredMs = 15_000;

export const accountsMoved = drillOf({
  name: 'accounts-moved',
  rule: 'When the esg of a provider account is lost, the next one of its site registers the account, which is shown once; it is back when the esg is. A call that the provider brings meanwhile goes on when the account is back; it takes one trunk where the account is, as one that comes later does, and none when it is over, also at the next loss. A provider that refuses REGISTER is asked again after 30 seconds, and one that is silent is shown as such after a round of checks.',
  exclusions: 'Domains without an account that registers and is registered.',
  sender: '10.6.1.44',
  play: async (drill) => {
    const { map } = drill.context;
    for (const { code, username, esg, registration, ping } of map.domains.get(drill.domain)?.providers ?? []) {
      const home = map.instanceNamed(`esg-${esg}`);
      if (!registration || home === undefined) continue;
      const account = { key: `${drill.domain}/${code}`, code, username, home, ping };
      if (!isRegisteredAt(drill, account, home)) continue;
      const before = await drill.ask(pathOf(account), { domain: map.masterDomain });
      if (shownAt(drill, account, home, { regstate: 'registered' })(before) !== undefined) continue;
      await move(drill, account);
      if (drill.drawn % 2 === 0) await refuse(drill, account);
      else if (ping) await silence(drill, account);
      return;
    }
  },
});

interface Account {
  readonly key: string;
  readonly code: string;
  readonly username: string;
  /** The esg that it is pinned to. */
  readonly home: InstanceEntry;
  readonly ping: boolean;
}

/** Its node is lost, where it is spare, and then once more; else it crashes alone, and is back soon. */
async function move(drill: Drill, account: Account): Promise<void> {
  const { home } = account;
  const others = drill.context.map.serving('esg', home.site).filter((each) => each !== home);
  const next = others.find((each) => each.node !== home.node && drill.context.statusOf(each) === 'active');
  if (!isSpare(drill, home.node, [])) {
    drill.crash(home);
    await drill.becomesWhole();
    return isHome(drill, account, drill.noticedMs);
  }
  const sites = sitesWithout(drill, home.node);
  const user = await calleeOf(drill, home);
  let carried: CarriedCall | undefined;
  for (const isAgain of [false, true]) {
    if (isAgain && carried === undefined) return;
    await drill.without([home.node], async () => {
      await shows(drill, account, next, { regstate: 'registered' }, drill.noticedMs, sites);
      if (next === undefined) return;
      await drill.holds(0, `${account.key} is registered at ${next.name}`, () => isRegisteredAt(drill, account, next));
      if (user === undefined) return;
      // Each node notices the loss for itself, the one of the b2b perhaps later than the one of the esg.
      await drill.context.questions.wait(drill.noticedMs);
      carried = await callIn(drill, account, { user, at: next, sites });
    });
    await isHome(drill, account, drill.noticedMs);
    if (carried === undefined || user === undefined) continue;
    await drill.everywhere(carried.path, expecting(200, { status: 'dialog' }));
    await hangUp(drill, account, carried);
    const later = await callIn(drill, account, { user, at: home, sites: drill.sites });
    if (later !== undefined) await hangUp(drill, account, later);
  }
}

/** A user whose phone does not need the node; `undefined`: there is none, or the edges of the site have calls still. */
async function calleeOf(drill: Drill, { site, node }: InstanceEntry): Promise<SteadyUser | undefined> {
  const counted = await drill.ask(countOf(site), { domain: drill.context.map.masterDomain });
  if (expecting(200, { dlgcount: 0 })(counted) !== undefined) return undefined;
  const isElsewhere = (name: string) => drill.context.map.instanceNamed(name)?.node !== node;
  return (await steadyUsers(drill, 4)).find((user) => gatesOf(drill, user).every(isElsewhere));
}

interface CarriedCall {
  readonly placed: PlacedCall;
  readonly path: string;
}

interface CallingIn {
  readonly user: SteadyUser;
  /** The esg that has the account. */
  readonly at: InstanceEntry;
  readonly sites: readonly string[];
}

/** The provider calls a user by the account. */
async function callIn(
  drill: Drill,
  account: Account,
  { user, at, sites }: CallingIn,
): Promise<CarriedCall | undefined> {
  const { questions } = drill.context;
  const placed = questions.callBy(account.key, user.number);
  if (placed === undefined) return undefined;
  let path: string | undefined;
  const [site = drill.here] = sites;
  await drill.holds(
    answeredMs + drill.quickMs,
    `a call by ${account.key} is answered, through ${at.name}`,
    async () => {
      const found = itemsOf(await drill.ask(calls, { site })).find(
        ({ esgdlg, status }) => String(esgdlg).startsWith(`${at.srvidx}-`) && status === 'dialog',
      );
      path = found && `${calls}/${String(found['dialogid'])}`;
      return found !== undefined;
    },
  );
  if (path === undefined) questions.hangUp(placed);
  else await shows(drill, account, at, { onlinetrunkcount: 1 }, drill.quickMs, sites);
  return path === undefined ? undefined : { placed, path };
}

/** The provider hangs up, when the account is back. */
async function hangUp(drill: Drill, account: Account, { placed, path }: CarriedCall): Promise<void> {
  drill.context.questions.hangUp(placed);
  await drill.everywhere(path, expecting(404), endedMs);
  await shows(drill, account, account.home, { onlinetrunkcount: 0 }, drill.quickMs);
  const none = expecting(200, { dlgcount: 0, callcount: 0 });
  await drill.everywhere(countOf(account.home.site), none, endedMs, { domain: drill.context.map.masterDomain });
}

function countOf(site: string): string {
  return `${dashboards}/count?site=${site}`;
}

async function isHome(drill: Drill, account: Account, withinMs: number): Promise<void> {
  const { home, key, ping } = account;
  const shown = { regstate: 'registered', pingstate: ping ? 'ok' : 'disabled' };
  await shows(drill, account, home, shown, withinMs);
  await drill.holds(0, `${key} is registered at ${home.name}`, () => isRegisteredAt(drill, account, home));
}

/** The provider refuses a REGISTER, and then would accept it: it comes after the retry time, and not before. */
async function refuse(drill: Drill, account: Account): Promise<void> {
  const name = providerOf(drill, account)?.name;
  if (name === undefined) return;
  await drill.during(
    (faults) => {
      faults.refuseRegister(name, refusal);
      return () => faults.revive(name);
    },
    async () => {
      drill.crash(account.home);
      const lines = { regstate: 'retry', last_response: `SIP/2.0 ${refusal}` };
      await shows(drill, account, account.home, lines, drill.noticedMs);
    },
  );
  await isHome(drill, account, retryMs + drill.quickMs);
}

/**
 * The provider does not answer: its check fails, and after some more the registration is tried again, later each time. A refresh of the
 * registration may be due meanwhile, which waits for its answer. When it answers, the account registers; a second silence begins with the
 * first time to wait.
 */
async function silence(drill: Drill, account: Account): Promise<void> {
  const name = providerOf(drill, account)?.name;
  if (name === undefined) return;
  const silentFor = (extraMs: number) =>
    drill.during(
      (faults) => {
        faults.silence(name);
        return () => faults.revive(name);
      },
      async () => {
        await shows(drill, account, account.home, { pingstate: 'error' }, roundMs + answerMs + drill.quickMs);
        await drill.context.questions.wait(extraMs);
      },
    );
  await silentFor(longMs);
  await isHome(drill, account, registerMs + longestRetryMs + drill.quickMs);
  await silentFor(3 * (roundMs + answerMs));
  await isHome(drill, account, registerMs + retryMs + drill.quickMs);
}

/** Each front shows the account once: at this esg, or nowhere. */
async function shows(
  drill: Drill,
  account: Account,
  at: InstanceEntry | undefined,
  fields: Item,
  withinMs: number,
  sites = drill.sites,
): Promise<void> {
  const { masterDomain } = drill.context.map;
  const judge = shownAt(drill, account, at, fields);
  await drill.everywhere(pathOf(account), judge, withinMs, { sites, domain: masterDomain });
}

function shownAt(drill: Drill, { code }: Account, at: InstanceEntry | undefined, fields: Item): Judge {
  return (answer) => {
    const { sites = [] } = (answer?.body ?? {}) as { sites?: { servers: { srvidx: number; regs?: Item[] }[] }[] };
    const found = sites.flatMap(({ servers }) =>
      servers.flatMap(({ srvidx, regs = [] }) =>
        regs.filter((each) => each['code'] === code && each['d'] === drill.domain).map((each) => ({ srvidx, each })),
      ),
    );
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

function textIn(value: unknown): string {
  return Array.isArray(value) ? value.join() : String(value);
}

function pathOf({ code }: Account): string {
  return `${dashboards}/info?regs&code=${encodeURIComponent(code)}`;
}

function providerOf({ context }: Drill, { key }: Pick<Account, 'key'>) {
  return context.providers().find(({ accounts }) => accounts.some((each) => each.key === key));
}

/** Whether the provider has the account registered, at one of its addresses, with an esg as its contact. */
function isRegisteredAt({ context }: Drill, account: Account, esg: InstanceEntry): boolean {
  const own = context.providers().flatMap(({ accounts }) => accounts.filter(({ key }) => key === account.key));
  return own.some(({ contact }) => contact?.includes(`@${context.map.endpointOf(esg)}`) === true);
}
