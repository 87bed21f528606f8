/** How many calls a SIP user may have at a time. */
import { call, connect, endCall } from '../kit/call.ts';
import { sipUsers } from '../kit/paths.ts';
import { filterOf, type Item, itemsOf, type UseCase, useCaseOf } from '../kit/use-case.ts';

/** A limit is free again by then. */
const freeMs = 5_000;

export const usersLimited = useCaseOf({
  name: 'users-limited',
  rule: 'In a quiescent cluster, two SIP users that may have one call at a time have one with each other: neither begins or gets another one meanwhile, and five seconds after its end they can call again.',
  exclusions: 'Domains with fewer than three phones that are registered and answer; calls that other rules end.',
  sender: '10.6.0.8',
  play: async (useCase) => {
    const [from, to, third] = await useCase.willing();
    if (from === undefined || to === undefined || third === undefined) return;
    const [caller, callee] = await Promise.all([from, to].map((number) => userWith(useCase, number)));
    if (caller === undefined || callee === undefined) return;
    const limited = { opts: { trunks: 1 } };
    if ((await change(useCase, caller, limited)) && (await change(useCase, callee, limited)))
      await occupy(useCase, { from, to, third });
    for (const { id, opts } of [caller, callee])
      await useCase.ask(`${sipUsers}/${id}`, {
        method: 'PATCH',
        body: { opts: { trunks: opts['trunks'] } },
      });
  },
});

interface LimitedUser {
  readonly id: string;
  readonly opts: Item;
}

interface Callers {
  readonly from: string;
  readonly to: string;
  readonly third: string;
}

async function occupy(useCase: UseCase, { from, to, third }: Callers): Promise<void> {
  const first = await connect(useCase, { from, to });
  if (first === undefined) return;
  const before = useCase.problems.length;
  for (const numbers of [
    { from: third, to },
    { from, to: third },
  ]) {
    const another = await connect(useCase, numbers);
    useCase.expect(`a second call of ${numbers.from} with ${numbers.to}`, undefined, () =>
      another === undefined ? undefined : `${another.dialogid} was connected beside ${first.dialogid}`,
    );
    if (another !== undefined) await endCall(useCase, another);
  }
  // One that has ended by itself limits nothing.
  if (!(await endCall(useCase, first))) {
    useCase.problems.length = before;
    return;
  }
  // A callstore that has missed the end counts it until it has fetched that.
  await useCase.context.questions.wait(freeMs + useCase.quickMs);
  const willing = await useCase.willing();
  if (!willing.includes(from) || !willing.includes(to)) return;
  const again = await call(useCase, { from, to });
  useCase.expect(`a call of ${from} with ${to} after the first one`, undefined, () =>
    again === undefined ? 'it was not connected' : undefined,
  );
  if (again !== undefined) await useCase.ask(again.path, { method: 'DELETE' });
}

async function userWith(useCase: UseCase, phonenumber: string): Promise<LimitedUser | undefined> {
  const [{ id } = {}] = itemsOf(await useCase.ask(`${sipUsers}?${filterOf({ phonenumber })}`)) as [Item?];
  const shown = await useCase.ask(`${sipUsers}/${String(id)}`);
  return shown?.status === 200 ? (shown.body as LimitedUser) : undefined;
}

/** Changes a user, and waits until each site knows. Returns whether it was changed. */
async function change(useCase: UseCase, { id }: LimitedUser, body: { readonly opts: Item }): Promise<boolean> {
  const answer = await useCase.ask(`${sipUsers}/${id}`, { method: 'PATCH', body });
  await useCase.copied();
  return answer?.status === 200;
}
