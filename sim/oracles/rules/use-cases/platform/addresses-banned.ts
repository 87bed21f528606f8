/** Bans of addresses by the administrator of the platform. */
import type { QuestionAnswer } from '../../../questions.ts';
import { expecting, type Item, itemsOf, type Judge, textOf, type UseCase, useCaseOf } from '../kit/use-case.ts';

/** Addresses for documentation (RFC 5737): nothing comes from them. */
const banned = '192.0.2.77';
const other = '192.0.2.78';

interface Row {
  readonly site: string;
  readonly node: string;
  readonly srvidx: number;
  readonly online: boolean;
  readonly result?: boolean;
  readonly banned?: readonly { readonly ip: string; readonly expires: number }[];
}

export const addressesBanned = useCaseOf({
  name: 'addresses-banned',
  rule: 'In a quiescent cluster, an address that is banned at esg or sg instances is listed by each of those in scope at each front, with the seconds that are left, and by no other one; again prolongs its ban, by then; it ends at its time, or with DELETE at the instances in scope, and other addresses stay, unless it names none.',
  sender: '10.6.0.6',
  isOfMaster: true,
  play: async (useCase) => {
    for (const role of ['esg', 'sg'] as const) await ban(useCase, role);
  },
});

async function ban(useCase: UseCase, role: 'esg' | 'sg'): Promise<void> {
  const base = `/rest/v1/master/logicalroles/${role}/bannedaddrs`;
  const instances = useCase.context.map.instancesOf(role).map(({ srvidx }) => srvidx);
  const [first, ...others] = instances.toSorted((one, next) => one - next);
  if (first === undefined) return;
  const post = (body: Item, query = '', site = useCase.here) =>
    useCase.ask(`${base}${query}`, { site, method: 'POST', body });
  const remove = (path: string, site = useCase.here) => useCase.ask(`${base}${path}`, { site, method: 'DELETE' });
  const wait = (seconds: number) => useCase.context.questions.wait(seconds * 1_000);
  const refused = async (what: string, body: Item, query = '') =>
    useCase.expect(what, await post(body, query), expecting(400, { error_code: 1400 }));
  await refused('no address', { expires: 10 });
  await refused('no IPv4 address', { ip: '192.0.2.256', expires: 10 });
  await refused('0 seconds', { ip: banned, expires: 0 });
  await refused('more than a year', { ip: banned, expires: 31_536_001 });
  await refused('two scopes', { ip: banned, expires: 10 }, `?site=${useCase.here}&server=${first}`);
  await useCase.everywhere(base, bannedAt(banned, []));
  useCase.expect('POST', await post({ ip: banned, expires: '6' }), rowsOf(instances));
  await useCase.everywhere(base, bannedAt(banned, instances, 6));
  await post({ ip: other, expires: 600 });
  await wait(3);
  useCase.expect(
    `POST again at ${useCase.there}`,
    await post({ ip: banned, expires: 6 }, '', useCase.there),
    rowsOf(instances),
  );
  await wait(4);
  // Six seconds after the first one, and two before the end.
  await useCase.everywhere(base, bannedAt(banned, instances, 3), 0);
  await wait(3);
  await useCase.everywhere(base, bannedAt(banned, []), 0);
  await useCase.everywhere(base, bannedAt(other, instances, 600), 0);
  useCase.expect('DELETE of one', await remove(`/${other}?server=${first}`, useCase.there), expecting(204));
  await useCase.everywhere(base, bannedAt(other, others, 600));
  await useCase.everywhere(`${base}?server=${first}`, rowsOf([first]));
  useCase.expect('POST at one', await post({ ip: banned, expires: 600 }, `?server=${first}`), rowsOf([first]));
  await useCase.everywhere(base, bannedAt(banned, [first], 600));
  useCase.expect('DELETE of another', await remove(`/${banned}`), expecting(204));
  await useCase.everywhere(base, bannedAt(banned, []));
  await useCase.everywhere(base, bannedAt(other, others, 600));
  useCase.expect('DELETE of the rest', await remove(`/${other}`), expecting(204));
  await useCase.everywhere(base, bannedAt(other, []));
  // Without an address, all at the instances in scope.
  for (const ip of [banned, other]) await post({ ip, expires: 600 });
  useCase.expect('DELETE of all at one', await remove(`?server=${first}`), expecting(204));
  for (const ip of [banned, other]) await useCase.everywhere(base, bannedAt(ip, others, 600));
  useCase.expect('DELETE of all', await remove('', useCase.there), expecting(204));
  for (const ip of [banned, other]) await useCase.everywhere(base, bannedAt(ip, []));
}

export function rowsIn(answer: QuestionAnswer | undefined): readonly Row[] {
  return itemsOf(answer) as unknown as readonly Row[];
}

/** The answer has a row for each of the instances, in their order, and each has done it. */
export function rowsOf(instances: readonly number[]): Judge {
  return (answer) => {
    const rows = rowsIn(answer);
    const isComplete = rows
      .map(({ srvidx }) => srvidx)
      .toSorted((one, next) => one - next)
      .join();
    const isDone = rows.every(({ online, result }) => online && result !== false);
    const wanted = instances.toSorted((one, next) => one - next).join();
    return isComplete === wanted && isDone ? undefined : `expected ${wanted}, got ${textOf(answer)}`;
  };
}

/** Exactly these instances list the address, with at most so many seconds left. */
export function bannedAt(ip: string, instances: readonly number[], mostSeconds = 0): Judge {
  return (answer) => {
    const bans = rowsIn(answer).flatMap(({ srvidx, banned: all = [] }) =>
      all.filter((each) => each.ip === ip).map(({ expires }) => ({ srvidx, expires })),
    );
    const at = bans
      .map(({ srvidx }) => srvidx)
      .toSorted((one, next) => one - next)
      .join();
    const isInTime = bans.every(({ expires }) => expires >= 0 && expires <= mostSeconds);
    const wanted = instances.toSorted((one, next) => one - next).join();
    const isRight = answer?.status === 200 && at === wanted && isInTime;
    return isRight
      ? undefined
      : `expected ${ip} at ${wanted || 'none'}, at most ${mostSeconds} s, got ${textOf(answer)}`;
  };
}
