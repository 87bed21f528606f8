/** The trunk of a SIP user that may have one call at a time is free again, however a call has ended. */
import { foundBy } from '../conferences/rooms.ts';
import { place } from '../dialogs/phone-calls.ts';
import { call, connect, directed, directedUsers, endCalls, limit, type SteadyUser } from '../kit/call.ts';
import { calls, conferences } from '../kit/paths.ts';
import { type Item, type UseCase, useCaseOf } from '../kit/use-case.ts';

/** A limit is free again by then. */
const freeMs = 5_000;
/** No SIP user, room or script has it. */
const nowhere = '*990099';
const busy = { reject: 486 } as const;
const ringing = { ringMs: 0 } as const;

export const trunksReturned = useCaseOf({
  name: 'trunks-returned',
  rule: 'In a quiescent cluster, two SIP users that may have one call at a time can call each other two seconds after a call that the callee or the caller refuses, and five seconds after one that leads nowhere or to a provider, that its caller or a client takes back while it rings, that is transferred away from one of them, or that becomes a conference which ends; and one that has redirected a call can be called while that goes on.',
  exclusions: 'Domains with fewer than three phones that are registered, and whose users limit no calls.',
  sender: '10.6.21.14',
  play: async (useCase) => {
    const [x, y, z] = await directedUsers(useCase, 3);
    if (x === undefined || y === undefined || z === undefined || !(await limit(useCase, [x, y]))) return;
    for (const { what, afterMs = freeMs, end } of endsOf(useCase, [x, y, z])) {
      await end();
      for (const { number } of [x, y]) useCase.context.questions.behave(useCase.domain, number, directed);
      await endCalls(useCase, [x, y, z]);
      await isFree(useCase, [x, y], { what, afterMs });
    }
    await redirect(useCase, [x, y, z]);
  },
});

type Pair = readonly [SteadyUser, SteadyUser];

interface Ending {
  readonly what: string;
  /** Default: 5 s. A b2b keeps an ended call for some seconds, and with it what it has published. */
  readonly afterMs?: number;
  end(): Promise<unknown>;
}

function endsOf(useCase: UseCase, [x, y, z]: readonly [SteadyUser, SteadyUser, SteadyUser]): readonly Ending[] {
  const { questions } = useCase.context;
  const pair = { from: x.number, to: y.number };
  const behave = ({ number }: SteadyUser, how: Parameters<typeof questions.behave>[2]) =>
    questions.behave(useCase.domain, number, how);
  const refusedBy = (user: SteadyUser) => {
    behave(user, busy);
    return call(useCase, pair);
  };
  const rings = async () => {
    behave(y, ringing);
    const placed = place(useCase, x, y.number);
    await questions.wait(useCase.quickMs);
    return placed;
  };
  const command = async (method: string, body: Item) => {
    const made = await connect(useCase, pair);
    if (made !== undefined) await useCase.ask(made.path, { method, body, site: useCase.there });
    await questions.wait(useCase.quickMs);
  };
  return [
    { what: 'is refused by the callee', afterMs: 0, end: () => refusedBy(y) },
    { what: 'is refused by the caller', afterMs: 0, end: () => refusedBy(x) },
    {
      what: 'leads nowhere, or to a provider',
      end: async () => {
        const made = await call(useCase, { from: x.number, to: nowhere });
        if (made !== undefined) await useCase.ask(made.path, { method: 'DELETE', site: useCase.there });
      },
    },
    {
      what: 'its caller takes back',
      end: async () => {
        const placed = await rings();
        if (placed !== undefined) questions.hangUp(placed);
      },
    },
    {
      what: 'a client takes back',
      end: async () => {
        await rings();
        const [callid] = useCase.callsOf(x).map((each) => each.callid);
        const found = await useCase.ask(calls, { method: 'LOOKUP', body: { callid } });
        const [id] = Array.isArray(found?.body) ? found.body : [];
        await useCase.ask(`${calls}/${String(id)}`, { method: 'DELETE' });
      },
    },
    {
      what: 'is transferred away',
      end: () => command('REFER', { by: 'a', referto: z.number, response_mode: 3 }),
    },
    {
      what: 'becomes a conference',
      end: async () => {
        await command('SWITCHCONF', {});
        for (const confid of await foundBy(useCase, conferences, { sipuserid: x.id }))
          await useCase.ask(`${conferences}/${confid}`, { method: 'DELETE' });
      },
    },
  ];
}

/** Y has redirected a call, which goes on: it can be called. */
async function redirect(useCase: UseCase, users: readonly [SteadyUser, SteadyUser, SteadyUser]): Promise<void> {
  const { questions } = useCase.context;
  const [x, y, z] = users;
  questions.behave(useCase.domain, y.number, { redirect: z.number });
  const made = await call(useCase, { from: x.number, to: y.number });
  questions.behave(useCase.domain, y.number, directed);
  await questions.wait(freeMs + useCase.quickMs);
  const goesOn = [x, z].every((user) => useCase.callsOf(user).length === 1) && useCase.callsOf(y).length === 0;
  if (made !== undefined && goesOn) {
    const again = await call(useCase, { from: z.number, to: y.number });
    useCase.expect(`a call to ${y.number}, which has redirected one that goes on`, undefined, () =>
      again === undefined ? 'it was not connected' : undefined,
    );
  }
  await endCalls(useCase, users);
}

async function isFree(useCase: UseCase, [x, y]: Pair, { what, afterMs }: Required<Omit<Ending, 'end'>>): Promise<void> {
  const { questions } = useCase.context;
  // A callstore that has missed the end counts it until it has fetched that.
  await questions.wait(afterMs + useCase.quickMs);
  if ([x, y].some((user) => useCase.callsOf(user).length > 0)) return;
  const again = await call(useCase, { from: x.number, to: y.number });
  useCase.expect(`a call of ${x.number} with ${y.number} after one that ${what}`, undefined, () =>
    again === undefined ? 'it was not connected' : undefined,
  );
  await endCalls(useCase, [x, y]);
  await questions.wait(freeMs + useCase.quickMs);
}
