/** A provider stops responding at one of its addresses, and responds at the other one. */
import { type AccountEntry, accountsOf } from '../../../../outside/population.ts';
import { serversIn } from '../../use-cases/edges/dashboards-counted.ts';
import { call, endCalls, type SteadyUser, steadyUsers } from '../../use-cases/kit/call.ts';
import { dashboards } from '../../use-cases/kit/paths.ts';
import type { Item, Judge } from '../../use-cases/kit/use-case.ts';
import { type Drill, drillOf } from '../kit/drill.ts';

/** A number that leads outside. */
const outside = '4930777178';
/** Three checks of the connection in a row fail, each half a minute after the one before. (docs: edges) */
const noticedMs = 130_000;
/** After a pause of half a minute it registers at the next address. */
const movedMs = 60_000;

export const addressesSilenced = drillOf({
  name: 'addresses-silenced',
  rule: 'When a provider stops responding at the address at which an account is registered, the account is registered at another of its addresses within three and a half minutes, and calls go out there; it may stay when the first one responds again.',
  exclusions:
    'Accounts that are not the only one of their domain, or are not in service; providers with one address, and those whose connection is not checked.',
  sender: '10.6.1.103',
  isOfMaster: true,
  play: async (drill) => {
    const accounts = accountsOf(drill.context.map).filter(isSuited(drill));
    const account = drill.turned(accounts)[0];
    if (account === undefined || (await stateOf(drill, account)) !== 'registered') return;
    await silence(drill, account);
  },
});

function isSuited(drill: Drill): (account: AccountEntry) => boolean {
  const { map, questions } = drill.context;
  return ({ domain, provider: { addrs, ping, registration, trunks } }) =>
    addrs.length > 1 &&
    ping &&
    registration &&
    trunks > 1 &&
    map.domains.get(domain)?.providers.length === 1 &&
    questions.domains.includes(domain);
}

async function silence(drill: Drill, account: AccountEntry): Promise<void> {
  const { questions } = drill.context;
  const { addrs, port } = account.provider;
  const caller = await callerOf(drill, account);
  for (const address of addrs.slice(0, 2)) {
    const endpoint = `${address}:${port}`;
    await drill.during(
      (faults) => {
        faults.silence(endpoint);
        return () => faults.revive(endpoint);
      },
      async () => {
        await questions.wait(noticedMs);
        await drill.everywhere(`${dashboards}/info?regs=true`, registered(account), movedMs);
        if (caller !== undefined) await goesOut(drill, caller, `${endpoint} is silent`);
      },
    );
  }
}

/** A phone of the domain whose calls go out by the account. */
async function callerOf(drill: Drill, { domain }: AccountEntry): Promise<Caller | undefined> {
  const there = drill.elsewhere(domain);
  const [user] = await steadyUsers(there, 1);
  const caller = user && { there, user };
  return caller !== undefined && (await isConnected(caller)) ? caller : undefined;
}

interface Caller {
  readonly there: ReturnType<Drill['elsewhere']>;
  readonly user: SteadyUser;
}

async function isConnected({ there, user }: Caller): Promise<boolean> {
  const made = await call(there, { from: user.number, to: outside });
  await endCalls(there, [user]);
  if (made !== undefined) await there.ask(made.path, { method: 'DELETE' });
  return made !== undefined;
}

async function goesOut(drill: Drill, caller: Caller, what: string): Promise<void> {
  const isOut = await isConnected(caller);
  drill.expect(`a call of ${caller.user.number} to ${outside} while ${what}`, undefined, () =>
    isOut ? undefined : 'it is not connected',
  );
}

function registered(account: AccountEntry): Judge {
  return (answer) => {
    const state = regIn(answer?.body, account)?.['regstate'];
    return state === 'registered' ? undefined : `expected ${account.key} to be registered, it is ${String(state)}`;
  };
}

async function stateOf(drill: Drill, account: AccountEntry): Promise<unknown> {
  return regIn((await drill.ask(`${dashboards}/info?regs=true`))?.body, account)?.['regstate'];
}

function regIn(body: unknown, { domain, provider: { code } }: AccountEntry): Item | undefined {
  const regs = serversIn(body).flatMap((server) => [...(server.regs ?? [])]);
  return regs.find((reg) => reg['d'] === domain && reg['code'] === code);
}
