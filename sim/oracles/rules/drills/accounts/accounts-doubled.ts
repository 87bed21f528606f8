/** Two esgs of a site are cut from each other, so that both have a provider account. */
import type { InstanceEntry } from '../../../../../src/model/cluster/cluster-map.ts';
import { type Drill, drillOf } from '../kit/drill.ts';
import { type Account, hasRow, isHome, pathOf, registeredAccounts } from './registered-account.ts';

/** How late the provider gets the requests of the other esgs. */
const latesMs = [0, 600, 1_000] as const;
/** A REGISTER that is not late is over by then. */
const settleMs = 50;
/** An esg waits so long for the answer to it. */
const unregisteredMs = 5_000;

export const accountsDoubled = drillOf({
  name: 'accounts-doubled',
  rule: 'When the esg of a provider account is cut from the others of its site, another one registers the account; after the cut the account is at its own esg again, as each front shows and its provider has it, and stays there, also when the provider gets the un-REGISTER of the other esg late.',
  exclusions: 'Clusters without an account that is registered, and whose site has an esg on another node.',
  sender: '10.6.1.117',
  play: async (drill) => {
    const { masterDomain, domains } = drill.context.map;
    const names = drill.turned([...domains.keys()].filter((name) => name !== masterDomain));
    for (const account of await registeredAccounts(drill, names)) {
      const others = othersOf(drill, account);
      if (others.length === 0) continue;
      for (const lateMs of drill.turned(latesMs)) await cutApart(drill, { account, others, lateMs });
      return;
    }
  },
});

/** The esgs that may have the account while its own one is out of reach. */
function othersOf({ context: { map, statusOf } }: Drill, { home }: Account): readonly InstanceEntry[] {
  return map
    .instancesOf('esg')
    .filter((each) => each.site === home.site && each.node !== home.node && statusOf(each) === 'active');
}

interface Apart {
  readonly account: Account;
  readonly others: readonly InstanceEntry[];
  readonly lateMs: number;
}

/** The cut ends as soon as another esg has the account, which the own one may not have noticed; or while its REGISTER is under way. */
async function cutApart(drill: Drill, { account, others, lateMs }: Apart): Promise<void> {
  const { questions, map } = drill.context;
  const { key, home } = account;
  // No other node of the site passes on what they have for each other.
  const nodes = map.site(home.site).nodes.flatMap(({ name }) => (name === home.node ? [] : name));
  const isTaken = async () => {
    for (const site of drill.sites) {
      const answer = await drill.ask(pathOf(account), { site, domain: map.masterDomain });
      if (others.some((each) => hasRow(answer, account, each))) return true;
    }
    return false;
  };
  let rejoin = () => {};
  await drill.during(
    (faults) => {
      const hurry = faults.delayOutside(lateMs, { from: others.map(({ name }) => name), direction: 'out' });
      rejoin = faults.cut({ from: home.node, to: nodes, oneWay: lateMs === 0 });
      return () => {
        rejoin();
        hurry();
      };
    },
    async () => {
      const missing = await questions.eventually(drill.noticedMs, async () => ((await isTaken()) ? [] : [key]));
      // Nodes of other sites may pass on what the esgs have for each other.
      if (missing.length > 0) return;
      // Not to its first REGISTER, which is challenged, but to its second one.
      await questions.wait(settleMs + 1.5 * lateMs);
      rejoin();
      await questions.wait(unregisteredMs);
    },
  );
  await isHome(drill, account, drill.noticedMs);
}
