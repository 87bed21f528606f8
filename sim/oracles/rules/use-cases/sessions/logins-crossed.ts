/** Users are removed, or get another password, at the moment when they log in. */

import { noSession } from '../../../questions.ts';
import { current } from '../kit/paths.ts';
import { textOf, type UseCase, useCaseOf } from '../kit/use-case.ts';
import { byToken, logIn, unauthorized, unusedAddress, usersOf } from './own-sessions.ts';

const label = 'logins-crossed';
/** From the logins to the change, in milliseconds: some come before it, some after it. */
const momentsMs = [0, 2, 4, 6, 10, 20, 40];

export const loginsCrossed = useCaseOf({
  name: label,
  rule: 'In a quiescent cluster, a login that crosses the removal of its user, or another password, is refused, or its session ends with that: it is valid at no front afterwards.',
  sender: '10.6.21.17',
  play: async (useCase) => {
    const users = await makeCrossed(useCase, label, momentsMs.length);
    for (const [index, user] of users.entries())
      await cross(useCase, user, { index, afterMs: momentsMs[index] ?? 0, isRemoved: index % 2 === 0 });
  },
});

type Account = Parameters<typeof logIn>[1] & { readonly path: string };

/** Makes so many users that each site knows; none where the master is out of reach. */
export async function makeCrossed(useCase: UseCase, name: string, count: number): Promise<Account[]> {
  const users: Account[] = [];
  for (let index = 0; index < count; index += 1) {
    const account = { login: `${name}-${index}`, pwd: `${name}-1` };
    const made = await useCase.make(usersOf(useCase), { name, ...account, opts: { roles: ['user'] } });
    if (made === undefined) return [];
    users.push({ ...account, domain: useCase.domain, path: made.path });
  }
  await useCase.copied();
  return users;
}

interface Crossing {
  /** Among those of a play: each has addresses of its own. */
  readonly index: number;
  /** From the logins to the change. */
  readonly afterMs: number;
  /** Otherwise the user gets another password. */
  readonly isRemoved: boolean;
}

/** A user logs in at each site, and is removed, or gets another password. */
export async function cross(useCase: UseCase, user: Account, { index, afterMs, isRemoved }: Crossing): Promise<void> {
  const { questions } = useCase.context;
  // None of these addresses fails five times.
  const senderOf = (login: number) => unusedAddress(useCase, 11 + index + login * momentsMs.length);
  const logins = useCase.sites.map((site, login) => logIn(useCase, user, { site, sender: senderOf(login) }));
  await questions.wait(afterMs);
  const request = isRemoved ? { method: 'DELETE' } : { method: 'PATCH', body: { pwd: `${user.pwd}-2` } };
  const changed = await useCase.ask(user.path, request);
  const answers = await Promise.all(logins);
  const what = isRemoved ? 'its user is removed' : 'its user gets another password';
  // The master may be out of reach.
  if (changed?.status !== (isRemoved ? 204 : 200)) return;
  for (const [login, answer] of answers.entries()) {
    if (answer?.status !== 200) {
      useCase.expect(`a login while ${what}`, answer, (given) =>
        given === undefined || [401, 503, 504].includes(given.status) ? undefined : textOf(given),
      );
      continue;
    }
    const own = { session: noSession, headers: byToken(answer), sender: senderOf(login) };
    await useCase.everywhere(current, unauthorized, useCase.quickMs, own);
  }
}
