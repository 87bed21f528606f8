/** Calls that come at once for one free trunk of a SIP user. */
import type { QuestionAnswer } from '../../../questions.ts';
import { place } from '../dialogs/phone-calls.ts';
import { connect, directed, directedUsers, endCalls, limit, type SteadyUser, uriOf } from '../kit/call.ts';
import { calls } from '../kit/paths.ts';
import { type Item, itemsOf, textOf, type UseCase, useCaseOf } from '../kit/use-case.ts';

/** A limit is free again by then. */
const freeMs = 5_000;
/** Calls that come while X of another one answers, and the time between two of them. */
const [crowd, paceMs] = [30, 4];
/** A phone is called by then, or not at all. */
const calledMs = 2_000;

export const trunksContended = useCaseOf({
  name: 'trunks-contended',
  rule: 'In a quiescent cluster, where calls to or from a SIP user with one free trunk begin at once, by clients, by its own phone or by others, or many while X of another one answers, one of them is connected, whether the user has another call or not; each other one is connected too, by another b2b, or is refused, with 403 or 486.',
  exclusions: 'Domains with fewer than three phones that are registered, and whose users limit no calls.',
  sender: '10.6.3.40',
  play: async (useCase) => {
    const [x, y, z] = await directedUsers(useCase, 3);
    if (x === undefined || y === undefined || z === undefined) return;
    for (const trunks of [1, 2]) {
      if (!(await limit(useCase, [x], trunks))) return;
      for (const contention of contentions(useCase, [x, y, z])) {
        // Another b2b has it, where there is one.
        const numbers = { from: y.number, to: x.number };
        const held = trunks === 1 ? undefined : await connect(useCase, numbers, { site: useCase.there });
        if (trunks === 1 || held !== undefined)
          await contend(useCase, [x, y, z], { ...contention, trunks, held: held?.dialogid });
      }
    }
  },
});

type Three = readonly [SteadyUser, SteadyUser, SteadyUser];
type Answers = readonly (QuestionAnswer | undefined)[];

interface Contention {
  readonly what: string;
  /** Returns the answers to the clients. */
  begin(): Promise<Answers>;
}

function contentions(useCase: UseCase, [x, y, z]: Three): readonly Contention[] {
  const { here, there } = useCase;
  const begun = (to: SteadyUser, site = here) => {
    const body = { from: x.number, to: to.number, response_mode: 3 };
    return useCase.ask(calls, { method: 'INVITE', site, body });
  };
  const placed = (from: SteadyUser, to: SteadyUser) => void place(useCase, from, to.number);
  const both = (...pairs: readonly (readonly [SteadyUser, SteadyUser])[]) => {
    for (const [from, to] of pairs) placed(from, to);
    return Promise.resolve([]);
  };
  const withPhone = () => {
    const answer = begun(y);
    placed(z, x);
    return Promise.all([answer]);
  };
  return [
    { what: 'two of clients', begin: () => Promise.all([begun(y), begun(z, there)]) },
    { what: 'two of clients at one site', begin: () => Promise.all([begun(y), begun(z)]) },
    { what: 'two of other phones', begin: () => both([y, x], [z, x]) },
    { what: 'one of its phone and one of another phone', begin: () => both([x, y], [z, x]) },
    { what: 'one of a client and one of another phone', begin: withPhone },
    { what: 'one of a client, and many while X answers', begin: () => crowded(useCase, x, () => begun(z)) },
  ];
}

async function crowded(
  useCase: UseCase,
  x: SteadyUser,
  ask: () => Promise<QuestionAnswer | undefined>,
): Promise<Answers> {
  const { questions, now } = useCase.context;
  const before = useCase.callsOf(x).length;
  const all = [ask()];
  const untilMs = now() + calledMs;
  while (useCase.callsOf(x).length === before && now() < untilMs) await questions.wait(paceMs);
  await questions.wait(directed.answerMs - (crowd * paceMs) / 2);
  for (let count = 0; count < crowd; count += 1) {
    all.push(ask());
    await questions.wait(paceMs);
  }
  return Promise.all(all);
}

interface Trunks {
  readonly trunks: number;
  /** The call that has one of them. */
  readonly held: string | undefined;
}

async function contend(
  useCase: UseCase,
  [x, y, z]: Three,
  { what, begin, trunks, held }: Contention & Trunks,
): Promise<void> {
  const { questions } = useCase.context;
  const named = `of calls of ${x.number} with one of ${trunks} trunks free, ${what} at once`;
  const answers = await begin();
  const wrong = await questions.eventually(useCase.patienceMs, () => {
    const found = useCase.callsOf(x);
    const talking = found.filter(({ state }) => state === 'talking').length;
    const isRight = talking === found.length && (isAlone(useCase) ? talking === trunks : talking >= trunks);
    return isRight ? [] : [`it is in ${talking} calls of ${found.length}`];
  });
  useCase.expect(named, undefined, () => wrong[0]);
  const listed = await useCase.ask(calls);
  useCase.expect(`${named}, the calls of each b2b`, listed, () => {
    const own = itemsOf(listed).filter(({ uris }) => (uris as string[]).includes(uriOf(useCase, x)));
    const ids = own.map(({ dialogid }) => String(dialogid)).filter((id) => id !== held);
    const at = ids.map((id) => useCase.ownerOf('b2b', id)?.name);
    return new Set(at).size === at.length ? undefined : `expected one each at most, got ${ids.join()}`;
  });
  useCase.expect(`${named}, the answers`, undefined, () => {
    const odd = answers.find((answer) => !isDoneOrRefused(answer));
    return answers.every(isDoneOrRefused) ? undefined : textOf(odd);
  });
  await endCalls(useCase, [x, y, z]);
  // A callstore that has missed an end counts the call until it has fetched that.
  await questions.wait(freeMs + useCase.quickMs);
}

/** Whether one b2b has all calls of the domain: each other one learns of a call when it is too late for the trunk. */
function isAlone({ context: { map }, domain }: UseCase): boolean {
  return [...map.sites.keys()].flatMap((site) => map.serving('b2b', site, domain)).length === 1;
}

/** X is not called, or is but may not call Y; or both talk. */
function isDoneOrRefused(answer: QuestionAnswer | undefined): boolean {
  const { result, last_response: last } = (answer?.body ?? {}) as Item;
  if (answer?.status !== 200) return false;
  return result === 'failed' || (result === 'ok' && /^SIP\/2\.0 (200|403|486) /.test(String(last)));
}
