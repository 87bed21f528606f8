/** Registrations agree everywhere. */
import { coverOf } from '../../../../src/model/domain-tree.ts';
import { boundsOf } from '../../bounds.ts';
import type { ObservationListeners, OracleContext, OracleMaker } from '../../oracle.ts';
import { together, whenLost } from '../kit/shared.ts';

interface State {
  readonly username: string;
  readonly status: 'online' | 'offline';
}

export const registrationsAgree: OracleMaker = {
  name: 'registrations-agree',
  rule: 'In a quiescent cluster all sr instances that serve a domain have the same registrations, every front shows them, and each phone that considers itself registered is.',
  exclusions:
    'A phone whose domain has one sr instance only, which was lost: it is back when the phone registers again.',
  make: (context) => {
    const { map, questions, stableMs, check, fail } = context;
    const copies = new Map<string, Set<string>>();
    /** What the lost instances had. */
    const lost = new Set<string>();
    const listeners: ObservationListeners = {
      'entity.state': {
        binding: ({ owner, key, state }) => {
          const keys = copies.get(owner) ?? new Set<string>();
          copies.set(owner, keys);
          if (state === 'registered') lost.delete(key);
          if (state === 'registered') keys.add(key);
          else keys.delete(key);
        },
      },
    };
    const lose = (owner: string) => {
      for (const key of copies.get(owner) ?? []) lost.add(key);
      copies.delete(owner);
    };
    const atQuiescence = async () => {
      if (stableMs() === 0) return;
      const domains = questions.domains.filter((name) => (map.domains.get(name)?.sipusers.length ?? 0) > 0);
      const wrong = await questions.lasting(boundsOf(map).comparedMs, async () => {
        const found = await Promise.all(domains.map((domain) => differences(context, domain, { copies, lost })));
        return found.flat();
      });
      if (stableMs() === 0) return;
      check(domains.length);
      for (const what of wrong) fail(`quiescent: ${what}`);
    };
    return { listeners: together(whenLost(map, lose), listeners), atQuiescence };
  },
};

async function differences(
  { map, questions, phones }: OracleContext,
  domain: string,
  { copies, lost }: { copies: ReadonlyMap<string, ReadonlySet<string>>; lost: ReadonlySet<string> },
): Promise<string[]> {
  const servers = map.instancesOf('sr').filter((each) => coverOf(domain, each.domains) !== undefined);
  const sets = servers.map(({ name, address }): [string, string[]] => {
    const keys = [...(copies.get(address) ?? [])].filter((key) => key.startsWith(`${domain}/`));
    return [name, keys];
  });
  const shown = await Promise.all(questions.sites.map((site) => onlineAt(site)));
  const seen = shown.filter((each) => each !== undefined);
  // Clients change and remove the users of other phones.
  const own = new Set(map.domains.get(domain)?.sipusers.map(({ login }) => `${domain}/${login}`));
  const there = phones().filter(({ isRegistered, isSilent }) => isRegistered && !isSilent);
  const logins = there.flatMap(({ name }) => {
    const [home, login = ''] = name.split('/');
    const isLost = servers.length === 1 && [...lost].some((key) => key.startsWith(`${home}/${login}/`));
    return own.has(`${home}/${login}`) && !isLost ? [login] : [];
  });
  const missing = seen.flatMap(([site, online]) =>
    logins
      .filter((login) => !online.includes(login))
      .map((login) => `${site} shows ${login} offline, whose phone is registered`),
  );
  return [...unlike(sets), ...unlike(seen), ...missing];

  async function onlineAt(site: string): Promise<[string, string[]] | undefined> {
    const answer = await questions.ask({ site, domain, path: '/rest/v1/uc/sipuser_states?limit=10000' });
    if (answer?.status !== 200) return undefined;
    const states = answer.body as State[];
    return [site, states.filter(({ status }) => status === 'online').map(({ username }) => username)];
  }
}

/** The registrations that only one of two copies has. */
function unlike(sets: readonly [string, readonly string[]][]): string[] {
  const [first, ...others] = sets;
  if (first === undefined) return [];
  const [firstName, firstKeys] = first;
  return others.flatMap(([name, keys]) => [
    ...keys.filter((key) => !firstKeys.includes(key)).map((key) => `${name} has ${key}, and ${firstName} does not`),
    ...firstKeys.filter((key) => !keys.includes(key)).map((key) => `${firstName} has ${key}, and ${name} does not`),
  ]);
}
