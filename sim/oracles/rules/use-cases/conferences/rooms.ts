/** Rooms of conferences, and what is shown of one. */
import { reactionOf } from '../../../../outside/behaviour.ts';
import { exactly, isSame } from '../calls/call-judges.ts';
import { connect, type OwnCall, type SteadyUser, uriOf } from '../kit/call.ts';
import { conferences } from '../kit/paths.ts';
import { filterOf, type Item, itemsOf, type Judge, textOf, type UseCase } from '../kit/use-case.ts';

export interface OpenConference {
  readonly confid: string;
  readonly path: string;
  readonly number: string;
  readonly uri: string;
  /** All that a list shows of it, with its first participant. */
  readonly shown: Item;
  /** The call that began it. */
  readonly call: OwnCall;
}

/** Who of the participants hears which others, and no others are there. */
export function hearing(expected: Readonly<Record<string, readonly string[]>>): Judge {
  return (answer) => {
    const { hears = {} } = (answer?.body ?? {}) as { hears?: Readonly<Record<string, readonly string[]>> };
    const isRight =
      answer?.status === 200 &&
      Object.keys(hears).length === Object.keys(expected).length &&
      Object.entries(expected).every(([id, heard]) => hears[id]?.toSorted().join() === heard.toSorted().join());
    return isRight ? undefined : `expected hears ${JSON.stringify(expected)}, got ${textOf(answer)}`;
  };
}

/** The number of a room; `undefined`: the domain has no feature code of this type. */
export function roomNumberOf(useCase: UseCase, room: string, type = 'conference'): string | undefined {
  const { features = [] } = useCase.context.map.domains.get(useCase.domain) ?? {};
  const prefix = features.find((feature) => feature.type === type)?.prefix;
  return prefix === undefined ? undefined : `${prefix}${room}`;
}

/** Connects a user to a room, and judges the conference that this has opened; `undefined` where the call failed. */
export async function openConference(
  useCase: UseCase,
  user: SteadyUser,
  number: string,
): Promise<OpenConference | undefined> {
  const beginMs = useCase.context.now();
  const call = await connect(useCase, { from: user.number, to: number });
  if (call === undefined) return undefined;
  const room = number.slice(-2);
  const uri = `<sip:${number}@${useCase.domain}>`;
  const listed = await useCase.ask(`${conferences}?${filterOf({ confroomnum: room, uri })}`);
  const [item] = itemsOf(listed);
  const { confid, startts } = (item ?? {}) as { confid?: string; startts?: number };
  if (typeof confid !== 'string') return undefined;
  const shown = {
    confid,
    confroomnum: room,
    confnumber: BigInt(number.replace(/\D/g, '')).toString(16),
    uri,
    confuri: uri,
    site: useCase.ownerOf('conf', confid)?.site,
    startts,
    uris: [uri, uriOf(useCase, user)],
  };
  useCase.expect('the list of conferences with one room', listed, exactly(200, [shown]));
  useCase.expect(`startts of ${confid}`, listed, () => {
    const isRight = Number(startts) >= beginMs - 1 && Number(startts) <= useCase.context.now();
    return isRight || !useCase.areClocksRight ? undefined : `${startts} is not after ${beginMs}`;
  });
  return { confid, path: `${conferences}/${confid}`, number, uri, shown, call };
}

/** The ids that a LOOKUP finds; none where it fails. */
export async function foundBy(useCase: UseCase, path: string, body: Item): Promise<readonly string[]> {
  const found = await useCase.ask(path, { method: 'LOOKUP', body });
  return found?.status === 200 ? (found.body as string[]) : [];
}

/** A participant is exactly this; the tags are those of both ends of its leg. */
export function takingPart(expected: Item): Judge {
  return (answer) => {
    const { ltag, rtag, ...rest } = (answer?.body ?? {}) as Item;
    const areTags = [ltag, rtag].every((tag) => typeof tag === 'string' && tag !== '') && ltag !== rtag;
    const isRight = answer?.status === 200 && areTags && isSame(rest, expected);
    return isRight ? undefined : `expected 200 ${JSON.stringify(expected)} and tags, got ${textOf(answer)}`;
  };
}

/** The list has exactly these participants, in this order. */
export function listingIds(ids: readonly unknown[], field = 'participantid'): Judge {
  return (answer) => {
    const found = itemsOf(answer).map((item) => item[field]);
    return answer?.status === 200 && isSame(found, ids) ? undefined : `expected ${ids.join()}, got ${textOf(answer)}`;
  };
}

/** These users take part, each once, and all are active. */
export function meetingOf(useCase: UseCase, users: readonly SteadyUser[]): Judge {
  const wanted = users.map((user) => `${uriOf(useCase, user)} active`).toSorted();
  return (answer) => {
    const had = itemsOf(answer).map(({ ruri, state }) => `${String(ruri)} ${String(state)}`);
    return isSame(had.toSorted(), wanted) ? undefined : `expected ${wanted.join()}, got ${textOf(answer)}`;
  };
}

/** Whether the phone of a user rings from the INVITE until it answers, and for long enough to be seen. */
export function isSeenRinging({ context, domain }: UseCase, { number, answerMs }: SteadyUser): boolean {
  const { numbers = {} } = context.map.domains.get(domain) ?? {};
  const { ringMs, answerMs: lastsMs = 0 } = reactionOf(number, numbers[number]);
  return ringMs === 0 && lastsMs >= 2_500 && answerMs === lastsMs;
}
