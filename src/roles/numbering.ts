/**
 * The numbering plan of the domains: what a dialled number leads to. In this order: a SIP user's phone number, a feature
 * code, a SIP user's login, the provider accounts of the domain. `user@domain` asks another domain. (chosen)
 */
import type { AccountRoute, Callee, SipUserRecord } from '../model/protocol/directory.ts';
import type { TopologyDomain, TopologySipUser } from '../model/topology/schema.ts';
import { namedUuid, nilUuid } from '../model/uuid.ts';

interface Plan {
  readonly byLogin: ReadonlyMap<string, SipUserRecord>;
  readonly byNumber: ReadonlyMap<string, SipUserRecord>;
  readonly features: TopologyDomain['features'];
  readonly accounts: readonly AccountRoute[];
}

export class Numbering {
  readonly #plans: ReadonlyMap<string, Plan>;

  constructor(domains: readonly TopologyDomain[]) {
    this.#plans = new Map(domains.map((domain) => [domain.name, planOf(domain)]));
  }

  user(domain: string, login: string): SipUserRecord | undefined {
    return this.#plans.get(domain)?.byLogin.get(login);
  }

  users(domain: string, logins?: readonly string[]): SipUserRecord[] {
    const byLogin = this.#plans.get(domain)?.byLogin;
    if (byLogin === undefined) return [];
    if (logins === undefined) return [...byLogin.values()];
    return logins.map((login) => byLogin.get(login)).filter((user) => user !== undefined);
  }

  calleeOf(domain: string, dialled: string, mode: 'number' | 'sipuser'): Callee {
    const [number = '', other] = dialled.split('@');
    const home = other ?? domain;
    const plan = this.#plans.get(home);
    if (plan === undefined || number === '') return { kind: 'nobody' };
    const login = plan.byLogin.get(number);
    if (mode === 'sipuser') return login === undefined ? { kind: 'nobody' } : { kind: 'sipuser', user: login };
    const user = plan.byNumber.get(number);
    if (user !== undefined) return { kind: 'sipuser', user };
    const feature = featureOf(plan, home, number);
    if (feature !== undefined) return feature;
    if (login !== undefined) return { kind: 'sipuser', user: login };
    // Nobody calls out through the accounts of another domain.
    if (home !== domain || plan.accounts.length === 0) return { kind: 'nobody' };
    return { kind: 'outside', accounts: [...plan.accounts] };
  }
}

/** The longest prefix decides; a conference needs two digits of room behind it. */
function featureOf(plan: Plan, domain: string, number: string): Callee | undefined {
  const fitting = plan.features.filter(({ prefix }) => number.startsWith(prefix));
  const [feature] = fitting.toSorted((a, b) => b.prefix.length - a.prefix.length);
  if (feature === undefined) return undefined;
  const { prefix, type } = feature;
  const rest = number.slice(prefix.length);
  if (type === 'ivr') return { kind: 'ivr', domain, prefix, rest };
  return /^\d\d$/.test(rest) ? { kind: 'conference', domain, prefix, room: rest } : undefined;
}

function planOf(domain: TopologyDomain): Plan {
  const users = domain.sipusers.map((user) => recordOf(domain, user));
  return {
    byLogin: new Map(users.map((user) => [user.login, user])),
    byNumber: new Map(users.map((user) => [user.phonenumber, user])),
    features: domain.features,
    accounts: domain.providers.map(({ code, esg, username, domain: remote, trunks }) => ({
      domain: domain.name,
      code,
      esg,
      username,
      remote,
      trunks,
    })),
  };
}

function recordOf(domain: TopologyDomain, user: TopologySipUser): SipUserRecord {
  const { login, phonenumber, devices, calltimesec, dlgtimesec, trunks, maxexpires, minexpires } = user;
  const bound = domain.users.find((each) => each.login === user.user);
  return {
    id: user.id ?? namedUuid(`${domain.name}/sip/${login}`),
    domain: domain.name,
    login,
    pwd: user.pwd ?? login,
    name: user.name ?? login,
    phonenumber,
    iduser: bound === undefined ? nilUuid : (bound.id ?? namedUuid(`${domain.name}/${bound.login}`)),
    devices,
    calltimesec,
    dlgtimesec,
    trunks,
    maxexpires,
    minexpires,
  };
}
