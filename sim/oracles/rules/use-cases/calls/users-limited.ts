/** How many calls a SIP user may have at a time. */
import { call, connect, endCall } from '../kit/call.ts';
import { sipUsers } from '../kit/paths.ts';
import { filterOf, type Item, itemsOf, type UseCase, useCaseOf } from '../kit/use-case.ts';

/** A limit is free again by then. */
const freeMs = 5_000;

export const usersLimited = useCaseOf({
  name: 'users-limited',
  rule: 'In a quiescent cluster, two SIP users that may have one call at a time have one with each other: neither begins or gets another one meanwhile, and five seconds after its end they can call again. So does one that is an analog line, whatever its limit; and one that may have no call has none.',
  exclusions: 'Domains with fewer than three phones that are registered and answer; calls that other rules end.',
  sender: '10.6.0.8',
  play: async (useCase) => {
    const [from, to, third] = await useCase.willing();
    if (from === undefined || to === undefined || third === undefined) return;
    const [caller, callee] = await Promise.all([from, to].map((number) => userWith(useCase, number)));
    if (caller === undefined || callee === undefined) return;
    const limited = { opts: { trunks: 1 } };
    useCase.afterwards(async () => {
      for (const { id, opts } of [caller, callee]) {
        const { trunks, agat_chassis_id, agat_lm_id, agat_port_id } = opts;
        const body = { opts: { trunks, agat_chassis_id, agat_lm_id, agat_port_id } };
        await useCase.ask(`${sipUsers}/${id}`, { method: 'PATCH', body });
      }
    });
    if ((await change(useCase, caller, limited)) && (await change(useCase, callee, limited)))
      await occupy(useCase, { from, to, third });
    await useCase.context.questions.wait(freeMs);
    if ((await change(useCase, caller, unlimited)) && (await change(useCase, callee, analog)))
      await occupyLine(useCase, { from, to, third });
    await useCase.context.questions.wait(freeMs);
    if (await change(useCase, caller, { opts: { trunks: 0 } }))
      await refuse(useCase, 'of a user that may have none', [
        { from, to: third },
        { from: third, to: from },
      ]);
  },
});

const unlimited = { opts: { trunks: -1 } };
/** A port of a gateway. */
const analog = { opts: { trunks: -1, agat_chassis_id: 'users', agat_lm_id: 'limited', agat_port_id: '1' } };

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
  await isConnected(useCase, { from, to }, 'after the first one');
}

async function isConnected(useCase: UseCase, { from, to }: Omit<Callers, 'third'>, what: string): Promise<void> {
  const willing = await useCase.willing();
  if (!willing.includes(from) || !willing.includes(to)) return;
  const made = await call(useCase, { from, to });
  useCase.expect(`a call of ${from} with ${to}, ${what}`, undefined, () =>
    made === undefined ? 'it was not connected' : undefined,
  );
  if (made !== undefined) await useCase.ask(made.path, { method: 'DELETE' });
}

/** None of these calls is connected. */
async function refuse(
  useCase: UseCase,
  what: string,
  all: readonly { readonly from: string; readonly to: string }[],
): Promise<void> {
  for (const numbers of all) {
    const made = await connect(useCase, numbers, { site: useCase.there });
    useCase.expect(`a call of ${numbers.from} with ${numbers.to}, ${what}`, undefined, () =>
      made === undefined ? undefined : `${made.dialogid} was connected`,
    );
    if (made !== undefined) await endCall(useCase, made);
  }
}

async function occupyLine(useCase: UseCase, { from, to, third }: Callers): Promise<void> {
  const first = await connect(useCase, { from, to });
  if (first === undefined) return isConnected(useCase, { from, to }, 'of an analog line without one');
  const before = useCase.problems.length;
  await refuse(useCase, 'of an analog line with a call', [
    { from: third, to },
    { from: to, to: third },
  ]);
  if (!(await endCall(useCase, first))) useCase.problems.length = before;
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
