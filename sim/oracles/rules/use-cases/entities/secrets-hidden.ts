/** Secrets of SIP users and channels are for administrators; passwords of users are shown to no client. */
import { isDeepStrictEqual } from 'node:util';
import type { OwnSession } from '../../../questions.ts';
import { being } from '../kit/answers.ts';
import { channels, sipUsers } from '../kit/paths.ts';
import { expecting, filterOf, type Item, type Judge, textOf, type UseCase, useCaseOf } from '../kit/use-case.ts';
import { makeUser, type OwnUser } from '../sessions/own-sessions.ts';

const secret = 'secrets-hidden-secret';

export const secretsHidden = useCaseOf({
  name: 'secrets-hidden',
  rule: 'In a quiescent cluster, the password of a SIP user and the token of a channel are in no answer to a user who is no administrator, whatever its mask, and such a user finds nothing by them: not by a filter, a count or a LOOKUP; an administrator is shown them, and not the passwords of users.',
  sender: '10.6.20.10',
  play: async (useCase) => {
    const user = await makeUser(useCase, 'secrets-hidden');
    const session = user && (await useCase.login(user));
    if (user === undefined || session === undefined) return;
    await hide(useCase, session, { path: sipUsers, field: 'pwd', key: { login: 'secrets-hidden-user' } });
    await hide(useCase, session, { path: channels, field: 'token_local', key: { code: 'secrets-hidden' } });
    await maskUser(useCase, user, session);
  },
});

interface Hidden {
  readonly path: string;
  /** The secret. */
  readonly field: string;
  readonly key: Item;
}

async function hide(useCase: UseCase, session: OwnSession, { path, field, key }: Hidden): Promise<void> {
  const made = await useCase.make(path, { ...key, [field]: secret });
  if (made === undefined) return;
  useCase.expect(`POST ${path}`, made.answer, expecting(200, { [field]: secret }));
  await useCase.copied();
  const { id, path: target } = made;
  const bySecret = { ...key, [field]: secret };
  const byPart = ['&&', ['==', ['property', 'id'], id], ['like', ['property', field], 'secrets-hidden%']];
  for (const asUser of [true, false]) {
    const request = asUser ? { session } : {};
    const ask = async (to: string, judge: Judge, index: number) => {
      const site = useCase.siteAt(index);
      useCase.expect(
        `GET ${decodeURIComponent(to)} as ${asUser ? 'a user' : 'an administrator'} at ${site}`,
        await useCase.ask(to, { ...request, site }),
        judge,
      );
    };
    const isFound = listed(asUser ? [] : [id]);
    await useCase.everywhere(target, asUser ? without(field) : expecting(200, { [field]: secret }), 0, request);
    await ask(`${target}?mask=${field}`, being(asUser ? {} : { [field]: secret }), 0);
    await ask(`${target}?flat=true`, asUser ? without(field) : expecting(200, { [field]: secret }), 1);
    // A list does not have the field.
    await ask(`${path}?${filterOf(key)}&mask=id,${field}`, being([{ id }]), 2);
    await ask(`${path}?${filterOf({ [field]: secret })}&mask=id`, isFound, 0);
    await ask(`${path}?${filterOf(bySecret)}&mask=id`, isFound, 1);
    await ask(`${path}?${filterOf(byPart)}&mask=id`, isFound, 2);
    await ask(`${path}?${filterOf(bySecret)}&countonly=true`, being({ count: asUser ? 0 : 1 }), 0);
    const found = await useCase.ask(path, { ...request, method: 'LOOKUP', body: secret });
    useCase.expect(`LOOKUP ${path} by a secret`, found, expecting(404, { error_code: 1404 }));
  }
}

async function maskUser(useCase: UseCase, { path, pwd, id }: OwnUser, session: OwnSession): Promise<void> {
  const users = path.slice(0, path.lastIndexOf('/'));
  for (const request of [{}, { session }]) {
    await useCase.everywhere(path, expecting(200, { pwd: '*' }), 0, request);
    const found = await useCase.ask(`${users}?${filterOf({ id, pwd })}`, request);
    useCase.expect('a filter by the password of a user', found, listed([]));
    const row = await useCase.ask(`${users}?${filterOf({ id })}&mask=id,pwd`, request);
    useCase.expect('the password in a list', row, being([{ id }]));
  }
}

function without(field: string): Judge {
  return (answer) =>
    answer?.status === 200 && !JSON.stringify(answer.body).includes(secret) && !(field in (answer.body as Item))
      ? undefined
      : `expected no ${field}, got ${textOf(answer)}`;
}

function listed(ids: readonly unknown[]): Judge {
  return (answer) => {
    const got = Array.isArray(answer?.body) ? (answer.body as Item[]).map(({ id }) => id) : textOf(answer);
    return isDeepStrictEqual(got, ids) ? undefined : `expected ${ids.join() || 'none'}, got ${String(got) || 'none'}`;
  };
}
