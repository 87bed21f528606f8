/** The provider of an account refuses REGISTER, or is silent, once for longer and once again. */
import type { Item } from '../../use-cases/kit/use-case.ts';
import { type Drill, drillOf } from '../kit/drill.ts';
import { type Account, isHome, providerOf, registeredAccounts, shows } from './registered-account.ts';

/** From a REGISTER that fails to the next one, twice as much after each; between two checks by OPTIONS, and how long one may take. (chosen in the interface) */
const [retryMs, roundMs, answerMs] = [30_000, 30_000, 5_000];
/** How long a REGISTER may take. */
const registerMs = 32_000;
/** A silence in which the account is tried again several times, and the longest time to the next one then. */
const [longMs, longestRetryMs] = [300_000, 240_000];
/** So many checks that fail are a loss. */
const rounds = 3;
/** A registration of this time is not refreshed before the checks have failed. */
const lastingSec = 240;
/** A registration of at most this time is refreshed soon. */
const briefSec = 60;
const refusals = [503, 403, 500, 600, 401] as const;
/** After two refusals in a row; and shortly before the third REGISTER. */
const [refusedMs, earlyMs] = [1.5 * retryMs, 2.5 * retryMs];

export const accountsRetried = drillOf({
  name: 'accounts-retried',
  rule: 'When the provider of an account refuses REGISTER, the account is shown in retry with the answer, and asks again after 30 seconds, then after twice as long each time; one that is silent is shown as such after a round of checks, and tried again, later each time. When the provider accepts it, the account is registered, and its next loss begins with 30 seconds again. Where the provider is silent at one of two addresses, its next REGISTER goes to the other one.',
  exclusions:
    'Clusters without an account that is registered, and whose provider is checked or has its registrations refreshed each minute.',
  sender: '10.6.1.114',
  play: async (drill) => {
    const { masterDomain, domains } = drill.context.map;
    const all = await registeredAccounts(
      drill,
      drill.turned([...domains.keys()].filter((name) => name !== masterDomain)),
    );
    const account = all.find(({ ping, maxexpires }) => ping || maxexpires <= briefSec);
    const provider = account && providerOf(drill, account);
    if (account === undefined || provider === undefined) return;
    const isLong = account.ping && drill.drawn % 2 === 0;
    const isBack = await (isLong ? longSilence : twoRefusals)(drill, account, provider);
    if (!isBack) return;
    if (account.ping) await silence(drill, account, provider);
    else await refusalOfRefresh(drill, account, provider);
    const lasting = all.find(({ ping, maxexpires }) => ping && maxexpires >= lastingSec);
    if (lasting !== undefined) await silenceOfOneAddress(drill, lasting);
  },
});

/** The provider refuses two REGISTERs of an esg that has started again: the third one comes after twice the time, and not before. */
async function twoRefusals(drill: Drill, account: Account, provider: string): Promise<boolean> {
  const { now, questions } = drill.context;
  let sinceMs = 0;
  const until = (ms: number) => Math.max(0, sinceMs + ms - now());
  await whileRefused(drill, provider, async (refused) => {
    drill.crash(account.home);
    await shows(drill, account, account.home, refused, drill.noticedMs);
    sinceMs = now();
    await questions.wait(refusedMs);
  });
  await questions.wait(until(earlyMs));
  if (drill.areClocksRight) await shows(drill, account, account.home, { regstate: 'retry' }, 0);
  return isHome(drill, account, until(3 * retryMs + drill.quickMs));
}

/** The provider refuses the refresh of a registration, once. */
async function refusalOfRefresh(drill: Drill, account: Account, provider: string): Promise<void> {
  await whileRefused(drill, provider, async (refused) => {
    await shows(drill, account, account.home, refused, account.maxexpires * 1_000 + drill.quickMs);
  });
  await isHome(drill, account, retryMs + drill.quickMs);
}

/** `refused`: how the account is shown then. */
function whileRefused(drill: Drill, provider: string, work: (refused: Item) => Promise<void>): Promise<void> {
  const [status = 503] = drill.turned(refusals);
  return drill.during(
    (faults) => {
      faults.refuseRegister(provider, status);
      return () => faults.revive(provider);
    },
    () => work({ regstate: 'retry', last_response: `SIP/2.0 ${status}` }),
  );
}

/**
 * The provider does not answer: its check fails, and after some more the registration is tried again, later each time. A refresh of the
 * registration may be due meanwhile, which waits for its answer. When it answers, the account registers.
 */
async function longSilence(drill: Drill, account: Account, provider: string): Promise<boolean> {
  await whileSilent(drill, { account, provider }, () => drill.context.questions.wait(longMs));
  return isHome(drill, account, registerMs + longestRetryMs + drill.quickMs);
}

/** The same, until the first time to wait has begun; the account has just been registered. */
async function silence(drill: Drill, account: Account, provider: string): Promise<void> {
  // One check that fails is no loss yet.
  const regstate = account.maxexpires > briefSec ? 'registered' : '';
  const lostMs = (rounds - 1) * roundMs + answerMs + registerMs + drill.quickMs;
  const isLost = () => shows(drill, account, account.home, { regstate: 'retry' }, lostMs);
  await whileSilent(drill, { account, provider, regstate }, isLost);
  await isHome(drill, account, retryMs + drill.quickMs);
}

/** The provider is silent at the address where the account is registered, and not at the other one: its next REGISTER goes there. */
async function silenceOfOneAddress(drill: Drill, account: Account): Promise<void> {
  // Its provider may have refused it, or been silent to it, together with the account above.
  if (!(await isHome(drill, account, registerMs + longestRetryMs + drill.quickMs))) return;
  const { key } = account;
  const addressesWith = (isWanted: (isRegistered: boolean) => boolean) =>
    drill.context
      .providers()
      .filter(({ accounts }) => accounts.some((each) => each.key === key && isWanted(each.isRegistered)));
  const [current, former] = addressesWith((isRegistered) => isRegistered);
  const other = addressesWith(() => true).find(({ endpoint }) => endpoint !== current?.endpoint)?.endpoint;
  // At an address that it has left the account is registered until that is over.
  if (current === undefined || former !== undefined || other === undefined) return;
  const isThere = () => addressesWith((isRegistered) => isRegistered).some(({ endpoint }) => endpoint === other);
  await drill.during(
    (faults) => {
      faults.silence(current.endpoint);
      return () => faults.revive(current.endpoint);
    },
    async () =>
      void (await drill.holds(
        rounds * roundMs + answerMs + retryMs + drill.quickMs,
        `${key} is registered at ${other}`,
        isThere,
      )),
  );
}

interface Silence {
  readonly account: Account;
  readonly provider: string;
  /** What it begins with, when the first check has failed; default: any. */
  readonly regstate?: string;
}

function whileSilent(
  drill: Drill,
  { account, provider, regstate = '' }: Silence,
  work: () => Promise<unknown>,
): Promise<void> {
  return drill.during(
    (faults) => {
      faults.silence(provider);
      return () => faults.revive(provider);
    },
    async () => {
      const shown = { pingstate: 'error', regstate };
      await shows(drill, account, account.home, shown, roundMs + answerMs + drill.quickMs);
      await work();
    },
  );
}
