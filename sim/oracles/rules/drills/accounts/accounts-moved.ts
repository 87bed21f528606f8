/** The esg of a provider account is lost with its node. */
import type { InstanceEntry } from '../../../../../src/model/cluster/cluster-map.ts';
import type { PlacedCall } from '../../../../outside/outside-world.ts';
import { endedMs, type SteadyUser, steadyUsers } from '../../use-cases/kit/call.ts';
import { calls, dashboards } from '../../use-cases/kit/paths.ts';
import { expecting, itemsOf } from '../../use-cases/kit/use-case.ts';
import { type Drill, drillOf } from '../kit/drill.ts';
import { gatesOf, isSpare, sitesWithout } from '../kit/nodes.ts';
import { type Account, isHome, isRegisteredAt, registeredAccounts, shows } from './registered-account.ts';

/** A phone rings at most nine seconds before it answers, and a lost answer comes again. */
const answeredMs = 15_000;
/** A server that drains ends its calls by then, and its accounts have left. (docs: edges) */
const stoppedMs = 6_000;

export const accountsMoved = drillOf({
  name: 'accounts-moved',
  rule: 'When the esg of a provider account is lost, the next one of its site registers the account, which is shown once; it is back when the esg is, and an esg that stops gracefully leaves no registration at the provider. A call that the provider brings meanwhile goes on when the account is back; it takes one trunk where the account is, as one that comes later does, and none when it is over, also at the next loss.',
  exclusions: 'Domains without an account that registers and is registered.',
  sender: '10.6.1.44',
  play: async (drill) => {
    const [account] = await registeredAccounts(drill, [drill.domain]);
    if (account === undefined) return;
    await move(drill, account);
    await stop(drill, account);
  },
});

/** Its node is lost, where it is spare, and then once more; else it crashes alone, and is back soon. */
async function move(drill: Drill, account: Account): Promise<void> {
  const { home } = account;
  const others = drill.context.map.serving('esg', home.site).filter((each) => each !== home);
  const next = others.find((each) => each.node !== home.node && drill.context.statusOf(each) === 'active');
  if (!isSpare(drill, home.node, [])) {
    drill.crash(home);
    await drill.becomesWhole();
    await isHome(drill, account, drill.noticedMs);
    return;
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

/** The node of its esg stops gracefully: the provider is not left with a registration that leads nowhere. */
async function stop(drill: Drill, account: Account): Promise<void> {
  const { home, key } = account;
  const { faults } = drill.context;
  if (!isSpare(drill, home.node, []) || !isRegisteredAt(drill, account, home)) return;
  await drill.during(
    () => {
      const drained = faults.drainNode(home.node);
      return async () => {
        await drained;
        await faults.restartNode(home.node);
      };
    },
    async () => {
      const hasLeft = () => !isRegisteredAt(drill, account, home);
      await drill.holds(stoppedMs, `${key} is not registered at ${home.name}, which has stopped`, hasLeft);
    },
  );
  await isHome(drill, account, drill.noticedMs);
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
