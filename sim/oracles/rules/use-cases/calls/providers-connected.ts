/** Calls with providers, in both directions, and what the dashboards of the edges say of them. */
import type { PlacedCall } from '../../../../outside/outside-world.ts';
import { type AccountEntry, accountsOf } from '../../../../outside/population.ts';
import type { QuestionAnswer } from '../../../questions.ts';
import { connect, endCall, endedMs, type SteadyUser, steadyUsers } from '../kit/call.ts';
import { calls, dashboards, records } from '../kit/paths.ts';
import { expecting, type Item, itemsOf, type Judge, textOf, type UseCase, useCaseOf } from '../kit/use-case.ts';

/** A number that leads outside. */
const outside = '4930777177';
/** A phone rings at most nine seconds before it answers, and a lost answer comes again. */
const answeredMs = 15_000;
/** Accounts with more trunks are not used up. */
const mostTrunks = 2;

interface Reg {
  readonly code: string;
  readonly d: string;
  readonly regstate: string;
  readonly pingstate: string;
  readonly onlinetrunkcount: number;
}

/** Accounts are pinged every 30 s. (chosen) */
const pingedMs = 35_000;

export const providersConnected = useCaseOf({
  name: 'providers-connected',
  rule: 'In a quiescent cluster, a call that a provider brings to an account in service comes to the phone with its number: it is shown with the dialog of the edge, and one that goes out to a provider without. While it is there, and only then, each front shows one dialog at the edge of the account and one trunk in use. A call beyond the trunks of the account is refused.',
  exclusions: 'Accounts that are not in service, domains without phones that answer, and calls that rules end.',
  sender: '10.6.0.9',
  play: async (useCase) => {
    const { map } = useCase.context;
    const accounts = accountsOf(map);
    const account = accounts.find(({ domain }) => domain === useCase.domain);
    const users = await steadyUsers(useCase, mostTrunks);
    const [user] = users;
    if (account === undefined || user === undefined) return;
    const { regstate, pingstate } = regIn(await useCase.ask(`${dashboards}/info?regs`, master(useCase)), account) ?? {};
    if ((regstate !== 'registered' && regstate !== 'disabled') || pingstate === 'error') return;
    // Without a registration a provider knows by a ping that the account is at another edge.
    if (regstate === 'disabled' && pingstate !== 'ok') return;
    if (regstate === 'disabled') await useCase.context.questions.wait(pingedMs);
    if (!(await show(useCase, account, 0))) return;
    await callIn(useCase, account, user.number);
    await callOut(useCase, account, user.number);
    await useAll(useCase, account, users);
  },
});

async function callIn(useCase: UseCase, account: AccountEntry, number: string): Promise<void> {
  const { questions } = useCase.context;
  const placed = questions.callBy(account.key, number);
  if (placed === undefined) return;
  let found: Item | undefined;
  await questions.eventually(answeredMs + useCase.quickMs, async () => {
    const live = itemsOf(await useCase.ask(calls));
    found = live.find(({ esgdlg, status }) => esgdlg !== '' && status !== 'init' && status !== 'ending');
    return found === undefined ? ['not answered yet'] : [];
  });
  useCase.expect(`a call of ${account.key} for ${number}`, undefined, () =>
    found === undefined ? 'no front shows it' : undefined,
  );
  if (found !== undefined) {
    const { dialogid, inviteid, esgdlg, acallid } = found;
    const path = `${calls}/${String(dialogid)}`;
    await useCase.everywhere(
      path,
      expecting(200, { dialogid, inviteid, esgdlg, acallid, status: 'dialog' }),
      answeredMs + useCase.quickMs,
    );
    await show(useCase, account, 1);
  }
  questions.hangUp(placed);
  if (found === undefined) return;
  await useCase.everywhere(`${calls}/${String(found['dialogid'])}`, expecting(404), endedMs);
  await useCase.everywhere(`${records}/${String(found['inviteid'])}`, expecting(200), endedMs);
  await show(useCase, account, 0);
}

/** The provider brings as many calls as the account has trunks, and one more, which is refused. */
async function useAll(useCase: UseCase, account: AccountEntry, users: readonly SteadyUser[]): Promise<void> {
  const { questions } = useCase.context;
  const { trunks } = account.provider;
  const [first] = users;
  if (first === undefined || trunks > users.length) return;
  const placed: PlacedCall[] = [];
  const bring = ({ number }: SteadyUser) => {
    const call = questions.callBy(account.key, number);
    if (call !== undefined) placed.push(call);
  };
  const answered = async () =>
    itemsOf(await useCase.ask(calls)).filter(({ esgdlg, status }) => esgdlg !== '' && status === 'dialog').length;
  try {
    for (const [before, user] of users.slice(0, trunks).entries()) {
      bring(user);
      const wrong = await questions.eventually(answeredMs + useCase.quickMs, async () =>
        (await answered()) > before ? [] : ['not answered yet'],
      );
      // A phone or a rule has refused it.
      if (wrong.length > 0) return;
    }
    if (!(await show(useCase, account, trunks))) return;
    bring(first);
    await questions.wait(useCase.quickMs);
    await show(useCase, account, trunks);
  } finally {
    for (const call of placed) questions.hangUp(call);
  }
  await show(useCase, account, 0);
}

async function callOut(useCase: UseCase, account: AccountEntry, number: string): Promise<void> {
  const call = await connect(useCase, { from: number, to: outside });
  if (call === undefined) return;
  const before = useCase.problems.length;
  await useCase.everywhere(call.path, expecting(200, { esgdlg: '', inviteid: call.inviteid }));
  // With several accounts it is by one of them.
  const isOnly = useCase.context.map.domains.get(useCase.domain)?.providers.length === 1;
  if (isOnly) await show(useCase, account, 1);
  if (!(await endCall(useCase, call))) useCase.problems.length = before;
  else await show(useCase, account, 0);
}

/** Each front shows so many dialogs at the edge of the account, and so many of its trunks in use. */
async function show(useCase: UseCase, account: AccountEntry, count: number): Promise<boolean> {
  const as = master(useCase);
  const { site } = account.gate;
  const counted = await useCase.everywhere(`${dashboards}/count?site=${site}`, counting(count), endedMs, as);
  const used: Judge = (answer) => {
    const { onlinetrunkcount } = regIn(answer, account) ?? {};
    return onlinetrunkcount === count ? undefined : `expected ${count} trunks in use, got ${onlinetrunkcount}`;
  };
  const code = encodeURIComponent(account.provider.code);
  return (await useCase.everywhere(`${dashboards}/info?regs&code=${code}`, used, useCase.quickMs, as)) && counted;
}

function counting(count: number): Judge {
  return (answer) => {
    const { dlgcount, callcount } = (answer?.body ?? {}) as { dlgcount?: number; callcount?: number };
    const isRight = answer?.status === 200 && dlgcount === count && (count === 0) === (callcount === 0);
    return isRight ? undefined : `expected ${count} dialogs, got ${textOf(answer)}`;
  };
}

function master({ context: { map } }: UseCase) {
  return { domain: map.masterDomain };
}

function regIn(answer: QuestionAnswer | undefined, { domain, provider }: AccountEntry): Reg | undefined {
  const { sites = [] } = (answer?.body ?? {}) as { sites?: { servers: { regs?: Reg[] }[] }[] };
  const regs = sites.flatMap(({ servers }) => servers.flatMap(({ regs: all = [] }) => all));
  return regs.find(({ code, d }) => code === provider.code && d === domain);
}
