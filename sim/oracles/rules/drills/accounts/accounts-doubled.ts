/** Two esgs of a site are cut from each other, so that both have a provider account. */
import type { InstanceEntry } from '../../../../../src/model/cluster/cluster-map.ts';
import type { QuestionAnswer } from '../../../questions.ts';
import { type Drill, drillOf } from '../kit/drill.ts';
import { type Account, hasRow, isHome, pathOf, registeredAccounts } from './registered-account.ts';

/** How late the provider gets the requests of the other esgs; or the last ones are lost, and then the esgs themselves. */
const releases = [0, 600, 1_000, 3_000, 'lost'] as const;
/** A REGISTER that is not late is over by then. */
const settleMs = 50;
/** An esg waits so long for the answer to it. */
const unregisteredMs = 5_000;
/** A REGISTER that is challenged, and the one with credentials. */
const registeredMs = 1_000;

export const accountsDoubled = drillOf({
  name: 'accounts-doubled',
  rule: 'When the esg of a provider account is cut from the others of its site, another one registers the account; after the cut the account is at its own esg again, as each front shows and its provider has it, and stays there, also when the provider gets the un-REGISTER of the other esg late, or never, as that esg crashes.',
  exclusions: 'Clusters without an account that is registered, and whose site has an esg on another node.',
  sender: '10.6.1.117',
  play: async (drill) => {
    const { masterDomain, domains } = drill.context.map;
    const names = drill.turned([...domains.keys()].filter((name) => name !== masterDomain));
    const accounts = await registeredAccounts(drill, names);
    // What is refreshed late shows longest that the provider has lost it.
    for (const account of accounts.toSorted((one, other) => other.maxexpires - one.maxexpires)) {
      const others = othersOf(drill, account);
      if (others.length === 0) continue;
      for (const release of drill.turned(releases)) {
        if (release === 'lost') await releaseLost(drill, { account, others });
        else await cutApart(drill, { account, others, lateMs: release });
      }
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

interface Doubled {
  readonly account: Account;
  readonly others: readonly InstanceEntry[];
}

interface Apart extends Doubled {
  readonly lateMs: number;
}

/** The cut ends as soon as another esg has the account, which the own one may not have noticed; or while its REGISTER is under way. */
async function cutApart(drill: Drill, { account, others, lateMs }: Apart): Promise<void> {
  const { questions } = drill.context;
  const { home } = account;
  let rejoin = () => {};
  await drill.during(
    (faults) => {
      const hurry = faults.delayOutside(lateMs, { from: others.map(({ name }) => name), direction: 'out' });
      rejoin = faults.cut({ from: home.node, to: nodesBeside(drill, home), oneWay: lateMs === 0 });
      return () => {
        rejoin();
        hurry();
      };
    },
    async () => {
      if (!(await isTaken(drill, { account, others }))) return;
      // Not to its first REGISTER, which is challenged, but to its second one.
      await questions.wait(settleMs + 1.5 * lateMs);
      rejoin();
      await questions.wait(unregisteredMs);
    },
  );
  await isHome(drill, account, drill.noticedMs);
}

/** Another esg has the account until the cut ends; the provider does not get its un-REGISTER, and it crashes before it has given that up. */
async function releaseLost(drill: Drill, { account, others }: Doubled): Promise<void> {
  const { questions } = drill.context;
  const { home } = account;
  let rejoin = () => {};
  let lose = () => {};
  await drill.during(
    (faults) => {
      const lifts: (() => void)[] = [];
      rejoin = faults.cut({ from: home.node, to: nodesBeside(drill, home) });
      lose = () => lifts.push(faults.loseOutside(1, { from: others.map(({ name }) => name), direction: 'out' }));
      return () => {
        rejoin();
        for (const lift of lifts) lift();
      };
    },
    async () => {
      if (!(await isTaken(drill, { account, others }))) return;
      // Its REGISTER with credentials is answered by then.
      await questions.wait(registeredMs);
      lose();
      rejoin();
      await drill.holds(drill.noticedMs, `${account.key} is released by other esgs`, async () => {
        const answers = await answersAbout(drill, account);
        return !answers.some((answer) => others.some((each) => hasRow(answer, account, each, 'registered')));
      });
      for (const each of others) drill.crash(each);
    },
  );
  await isHome(drill, account, drill.noticedMs);
}

/** The other nodes of a site: none of them passes on what two esgs have for each other. */
function nodesBeside({ context: { map } }: Drill, { site, node }: InstanceEntry): string[] {
  return map.site(site).nodes.flatMap(({ name }) => (name === node ? [] : name));
}

/** Whether others take the account over: nodes of other sites may pass on what the esgs have for each other. */
async function isTaken(drill: Drill, { account, others }: Doubled): Promise<boolean> {
  const missing = await drill.context.questions.eventually(drill.noticedMs, async () => {
    const answers = await answersAbout(drill, account);
    return answers.some((answer) => others.some((each) => hasRow(answer, account, each))) ? [] : [account.key];
  });
  return missing.length === 0;
}

function answersAbout(drill: Drill, account: Account): Promise<(QuestionAnswer | undefined)[]> {
  const { masterDomain: domain } = drill.context.map;
  return Promise.all(drill.sites.map((site) => drill.ask(pathOf(account), { site, domain })));
}
