/** A participant of a conference refers the party of another call of its to its own place there: an attended transfer. */
import { over } from '../calls/call-judges.ts';
import { hearing, roomNumberOf } from '../conferences/rooms.ts';
import { connect, directedUsers, endedMs, type SteadyUser, uriOf } from '../kit/call.ts';
import { conferences } from '../kit/paths.ts';
import { filterOf, itemsOf, listing, textOf, type UseCase, useCaseOf } from '../kit/use-case.ts';
import { begin } from './phone-calls.ts';

/** Digits of the room: other rooms are those of clients. */
const room = '82';

export const seatsTaken = useCaseOf({
  name: 'seats-taken',
  rule: 'In a quiescent cluster, a participant of a conference that refers the other party of a second call to the conference, in place of its own call there, leaves both calls, and that party takes its place: it hears what the former one heard, and is heard where the topology named the former one.',
  exclusions:
    'Domains without rooms, or with fewer than three phones that are registered, and whose users limit no calls.',
  sender: '10.6.22.4',
  play: async (useCase) => {
    const [x, y, z] = await directedUsers(useCase, 3);
    const number = roomNumberOf(useCase, room);
    if (x === undefined || y === undefined || z === undefined || number === undefined) return;
    const first = await begin(useCase, x, number, 'dialog');
    const [item] = itemsOf(await useCase.ask(`${conferences}?${filterOf({ confroomnum: room })}`));
    if (first === undefined || item === undefined) return;
    const path = `${conferences}/${String(item['confid'])}`;
    if ((await connect(useCase, { from: y.number, to: number })) !== undefined)
      await take(useCase, { path, number }, { x, y, z, replacing: first.placed.callid });
    await useCase.ask(path, { method: 'DELETE', site: useCase.there });
    await useCase.everywhere(path, over, endedMs);
  },
});

interface Parties {
  readonly x: SteadyUser;
  readonly y: SteadyUser;
  readonly z: SteadyUser;
  /** The Call-Id of x at the conference. */
  readonly replacing: string;
}

async function take(
  useCase: UseCase,
  { path, number }: { readonly path: string; readonly number: string },
  { x, y, z, replacing }: Parties,
): Promise<void> {
  const participants = `${path}/participants`;
  const idOf = async (user: SteadyUser) => {
    const list = itemsOf(await useCase.ask(participants));
    return list.find(({ ruri }) => ruri === uriOf(useCase, user))?.['participantid'] as string | undefined;
  };
  const [former, listener] = [await idOf(x), await idOf(y)];
  if (former === undefined || listener === undefined) return;
  // What the former one hears is chosen for it in every other run.
  const heard = useCase.drawn % 2 === 0 ? [] : [listener];
  const hears = { [listener]: [former], ...(heard.length === 0 && { [former]: [] }) };
  const set = await useCase.ask(`${path}/topology`, { method: 'POST', body: { hears } });
  if (set?.status !== 200) return;
  const second = await begin(useCase, x, z.number, 'dialog');
  if (second === undefined) return;
  useCase.context.questions.transfer(second.placed, `sip:${number}@${useCase.domain}`, replacing);
  const isTaken = await useCase.everywhere(
    participants,
    (list) => {
      const uris = itemsOf(list).map(({ ruri }) => String(ruri));
      const isRight =
        uris.toSorted().join() ===
        [y, z]
          .map((user) => uriOf(useCase, user))
          .toSorted()
          .join();
      return isRight ? undefined : `expected ${y.number} and ${z.number}, got ${textOf(list)}`;
    },
    useCase.patienceMs,
  );
  const newcomer = await idOf(z);
  if (!isTaken || newcomer === undefined) return;
  await useCase.everywhere(participants, listing('participantid', former, false));
  await useCase.everywhere(`${path}/topology`, hearing({ [listener]: [newcomer], [newcomer]: heard }));
  await useCase.everywhere(second.path, over, useCase.patienceMs);
  useCase.expect(`the phone of ${x.number} after its transfer`, undefined, () => {
    const left = useCase.callsOf(x);
    return left.length === 0 ? undefined : `has ${JSON.stringify(left)}`;
  });
}
