/** Many requests of one user at the same moment: what they took of the cluster is given back. */
import { limits } from '../../../../../src/model/limits.ts';
import type { QuestionAnswer } from '../../../questions.ts';
import { expecting, textOf, type UseCase, useCaseOf } from '../kit/use-case.ts';

/** More than a front works on at a time for one user. */
const crowd = 5 * limits.listsOfUser;

export const crowdsServed = useCaseOf({
  name: 'crowds-served',
  rule: 'In a quiescent cluster, of many equal requests of one user at once, with an answer of 200 or refused, each is done or refused with 503 and a time to wait; after them the same requests, one after the other, are answered as before.',
  sender: '10.6.21.11',
  play: async (useCase) => {
    for (const [index, [path, status]] of requestsOf(useCase).entries()) await press(useCase, index, { path, status });
  },
});

/** Each of another kind, with the status of its answer. */
function requestsOf({ domain }: UseCase): readonly (readonly [path: string, status: number])[] {
  return [
    ...[
      ...['uc/chatcampaigns', 'uc/sipusers', 'uc/selectors', 'domain/contactgroups', `domain/domains/${domain}/users`],
      ...['uc/sipuser_states', 'uc/calls', 'uc/conferences', 'journal/calls', 'iam/sessions/current'],
    ].map((path) => [path, 200] as const),
    ...['uc/chatcampaigns/none', 'uc/calls/none', 'journal/calls/none'].map((path) => [path, 404] as const),
    // Lists that fail give back what they took as well.
    ...['uc/chatcampaigns?limit=ten', 'uc/selectors/none/participants?limit=ten'].map((path) => [path, 400] as const),
  ];
}

async function press(
  useCase: UseCase,
  index: number,
  { path, status }: { readonly path: string; readonly status: number },
): Promise<void> {
  const site = useCase.siteAt(index);
  const ask = () => useCase.ask(`/rest/v1/${path}`, { site });
  const what = `GET ${path} at ${site}`;
  const before = await ask();
  if (before?.status !== status) return;
  const answers = await Promise.all(Array.from({ length: crowd }, ask));
  const wrong = answers.find((answer) => answer?.status !== status && !isBusy(answer));
  useCase.expect(`${crowd} × ${what}`, wrong, () =>
    wrong === undefined && answers.some((answer) => answer?.status === status)
      ? undefined
      : `expected ${status} or 503, got ${textOf(wrong ?? answers[0])}`,
  );
  for (let count = 0; count <= limits.listsOfUser; count += 1)
    useCase.expect(`${what} after ${crowd} at once`, await ask(), expecting(status));
}

function isBusy(answer: QuestionAnswer | undefined): boolean {
  return answer?.status === 503 && Number(answer.headers.get('retry-after')) >= 1;
}
