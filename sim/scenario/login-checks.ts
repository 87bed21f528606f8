/** Whether somebody can log in: the domain, the login and the password that a scenario says are those of its topology. */
import type { ClusterMap } from '../../src/model/cluster-map.ts';
import { knownText } from '../nearest.ts';

interface Login {
  readonly domain: string;
  readonly login: string;
  readonly pwd: string;
}

/** The first field that is wrong, and how. */
export function loginProblem(
  { domain, login, pwd }: Login,
  map: ClusterMap,
): { readonly field: keyof Login; readonly message: string } | undefined {
  const { users } = map.domains.get(domain) ?? {};
  if (users === undefined) {
    const known = knownText(domain, map.domains.keys());
    return { field: 'domain', message: `expected a domain ${known}, got "${domain}"` };
  }
  const logins = users.map((user) => user.login);
  const user = users.find((each) => each.login === login);
  if (user === undefined) {
    return { field: 'login', message: `expected a user of ${domain} ${knownText(login, logins)}, got "${login}"` };
  }
  if (user.pwd === pwd) return undefined;
  return {
    field: 'pwd',
    message: `expected the password that the topology has for ${login} of ${domain}, got "${pwd}"`,
  };
}
