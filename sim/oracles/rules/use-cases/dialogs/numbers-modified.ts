/** The modifiers of numbers of a SIP user, in calls with providers, within the domain, and from another one. */
import { userOf } from '../../../../../src/model/sip/uri.ts';
import { type AccountEntry, accountsOf, providersOf } from '../../../../outside/population.ts';
import { isSame, longTextOf } from '../calls/call-judges.ts';
import { connect, directedUsers, endCall, endCalls, type SteadyUser } from '../kit/call.ts';
import { calls, dashboards, records, sipUsers } from '../kit/paths.ts';
import { type Item, type UseCase, useCaseOf } from '../kit/use-case.ts';

/** The first rule whose prefix fits counts; `X` is one digit; an empty prefix fits all. */
const modextout = '00/+,0X1/8,0/+49,6XX/3,*/7,/9';
/** What the user dials, and what the provider is asked for. */
const dialled: readonly (readonly [dialled: string, sent: string])[] = [
  ['0077177', '+77177'],
  ['07277177', '+497277177'],
  ['0717177', '87177'],
  ['5877177', '95877177'],
  ['60977177', '377177'],
  ['69077177', '377177'],
];
/** Of a caller from a provider: 4930100200. */
const modextin = '30/1,49X0/+0,4/7';
const [callerNumber, shownNumber] = ['4930100200', '+0100200'];
const answeredMs = 5_000;

export const numbersModified = useCaseOf({
  name: 'numbers-modified',
  rule: 'In a quiescent cluster a provider is asked for what `modextout` of the caller makes of the number, and a phone sees what `modextin` of its user makes of the number of a caller from a provider, each by the first rule that fits, and by none after the modifier was removed; records have the numbers as they were dialled, and within the domain a phone sees the number of its caller. From another domain no number leads to the providers of this one.',
  exclusions:
    'Accounts that are not in service; domains with fewer than two phones that are registered, and whose users limit no calls.',
  sender: '10.6.21.18',
  play: async (useCase) => {
    const { map } = useCase.context;
    const accounts = accountsOf(map).filter(({ domain }) => domain === useCase.domain);
    const [account] = accounts;
    const [x, y] = await directedUsers(useCase, 2);
    if (account === undefined || x === undefined || y === undefined) return;
    const info = await useCase.ask(`${dashboards}/info?regs`, { domain: map.masterDomain });
    const inService = accounts.every((each) => stateOf(info?.body, each) === 'registered');
    if (!inService) return;
    const set = async (opts: Item) => {
      const answer = await useCase.ask(`${sipUsers}/${x.id}`, { method: 'PATCH', body: { opts } });
      await useCase.copied();
      return answer?.status === 200;
    };
    useCase.afterwards(() => set({ modextin: '', modextout: '' }));
    if (!(await set({ modextin, modextout }))) return;
    if (map.domains.get(useCase.domain)?.unknownNumbers === 'provider') await callOut(useCase, [x, y]);
    await comeIn(useCase, account, x, shownNumber);
    if (!(await set({ modextin: '', modextout: '' }))) return;
    await comeIn(useCase, account, x, callerNumber);
    await fromOutside(useCase);
  },
});

function stateOf(info: unknown, { domain, provider }: AccountEntry): unknown {
  const { sites = [] } = (info ?? {}) as { sites?: readonly { servers: readonly { regs?: readonly Item[] }[] }[] };
  const regs = sites.flatMap(({ servers }) => servers.flatMap(({ regs: all = [] }) => all));
  return regs.find(({ code, d }) => code === provider.code && d === domain)?.['regstate'];
}

async function callOut(useCase: UseCase, [x, y]: readonly [SteadyUser, SteadyUser]): Promise<void> {
  const { questions, map } = useCase.context;
  const { uris, stop } = questions.invited(providersOf(map).map(({ endpoint }) => endpoint));
  useCase.afterwards(async () => stop());
  for (const [to, sent] of dialled) {
    const before = uris.length;
    const call = await connect(useCase, { from: x.number, to });
    const asked = uris.slice(before).map(userOf);
    // Of several accounts the next one may be asked.
    if (asked.length > 0)
      useCase.expect(`a call of ${x.number} to ${to}`, undefined, () =>
        asked.every((number) => number === sent) ? undefined : `expected ${sent}, got ${asked.join()}`,
      );
    if (call === undefined) continue;
    if (await endCall(useCase, call)) await judgeRecord(useCase, call.inviteid, x.number, to);
  }
  const near = await connect(useCase, { from: x.number, to: y.number });
  if (near === undefined) return;
  useCase.expect(`a call of ${x.number} within the domain`, undefined, () => {
    const seen = useCase.callsOf(y).map((each) => userOf(each.with));
    return isSame(seen, [x.number]) ? undefined : `expected ${x.number}, got ${seen.join()}`;
  });
  await endCall(useCase, near);
}

async function judgeRecord(useCase: UseCase, inviteid: string, from: string, to: string): Promise<void> {
  const answer = await useCase.ask(`${records}/${inviteid}`);
  const { participations = [] } = (answer?.body ?? {}) as { participations?: readonly Item[] };
  useCase.expect(`the record of a call to ${to}`, answer, () =>
    isSame(
      participations.map(({ number }) => number),
      [from, to],
    )
      ? undefined
      : `expected the numbers ${from} and ${to}, got ${longTextOf(answer)}`,
  );
}

/** A provider calls the user. */
async function comeIn(useCase: UseCase, account: AccountEntry, x: SteadyUser, shown: string): Promise<void> {
  const { questions } = useCase.context;
  const placed = questions.callBy(account.key, x.number);
  if (placed === undefined) return;
  const came = () => useCase.callsOf(x).find(({ direction }) => direction === 'in');
  await questions.eventually(answeredMs, () => (came() === undefined ? ['it does not ring'] : []));
  const seen = came();
  if (seen !== undefined)
    useCase.expect(`what ${x.number} sees of ${callerNumber}`, undefined, () =>
      userOf(seen.with) === shown ? undefined : `expected ${shown}, got ${seen.with}`,
    );
  questions.hangUp(placed);
  await endCalls(useCase, [x]);
  await questions.eventually(useCase.patienceMs, () => (useCase.callsOf(x).length > 0 ? ['it has a call'] : []));
}

/** A user of another domain dials a number that only the providers of this one have. */
async function fromOutside(useCase: UseCase): Promise<void> {
  const { otherDomain, domain } = useCase;
  if (otherDomain === undefined) return;
  const other = useCase.elsewhere(otherDomain);
  const [far] = await directedUsers(other, 1);
  if (far === undefined) return;
  const body = { from: far.number, to: `5877177@${domain}`, response_mode: 3 };
  const answer = await other.ask(calls, { method: 'INVITE', body });
  const { result, last_response: last } = (answer?.body ?? {}) as Item;
  if (answer?.status !== 200 || result !== 'ok') return;
  other.expect(`a call to ${body.to}`, answer, () => (String(last).includes(' 404 ') ? undefined : longTextOf(answer)));
}
