/** The numbering of a topology, as plainly as tests of calls need it; they change it as they like. */
import type { ClusterMap } from '../../../src/model/cluster/cluster-map.ts';
import { done, type Outcome } from '../../../src/model/fault.ts';
import type { BodyOf, ReplyOf } from '../../../src/model/protocol/catalogue.ts';
import type {
  AccountRoute,
  Callee,
  DomainRules,
  SipUserRecord,
} from '../../../src/model/protocol/messages/directory.ts';
import { namedUuid, nilUuid } from '../../../src/model/uuid.ts';

interface Domain {
  readonly users: SipUserRecord[];
  readonly features: { readonly prefix: string; readonly type: 'conference' | 'videoconference' | 'ivr' }[];
  readonly accounts: AccountRoute[];
}

export class PlayedDirectory {
  readonly domains: ReadonlyMap<string, Domain>;
  /** Record rules, which every answer has with it. */
  recordrules: DomainRules[] = [];

  constructor({ topology }: ClusterMap) {
    this.domains = new Map(
      topology.domains.map(({ name: domain, sipusers, features, providers }) => [
        domain,
        {
          users: sipusers.map(({ login, pwd = login, name = login, phonenumber, ...limits }) => {
            const { devices, calltimesec, dlgtimesec, trunks, maxexpires, minexpires, modextin, modextout } = limits;
            const id = namedUuid(`${domain}/sip/${login}`);
            const who = { id, domain, login, pwd, name, phonenumber, iduser: nilUuid };
            const times = { calltimesec, dlgtimesec, maxexpires, minexpires };
            return { ...who, ...times, devices, trunks, modextin, modextout };
          }),
          features: [...features],
          accounts: providers.map(({ code, esg, username, domain: remote, trunks }) => {
            return { domain, code, esg, username, remote, trunks };
          }),
        },
      ]),
    );
  }

  /** Changes what is known of a SIP user. */
  change(domain: string, login: string, change: Partial<SipUserRecord>): void {
    const users = this.domains.get(domain)?.users ?? [];
    const index = users.findIndex((user) => user.login === login);
    users[index] = { ...(users[index] as SipUserRecord), ...change };
  }

  route({ domain, number, caller }: BodyOf<'directory.route'>): Outcome<ReplyOf<'directory.route'>> {
    const known = this.domains.get(domain)?.users.find((user) => user.login === caller);
    const rules = this.recordrules.length === 0 ? {} : { recordrules: this.recordrules };
    return done({ caller: known ?? null, callee: this.#calleeOf(domain, number), ...rules });
  }

  sipusers({ domain, where }: BodyOf<'directory.sipusers'>): Outcome<ReplyOf<'directory.sipusers'>> {
    const users = this.domains.get(domain)?.users ?? [];
    return done({ users: users.filter((user) => where === undefined || user[where.field] === where.value) });
  }

  #calleeOf(domain: string, dialled: string): Callee {
    const [number = '', home = domain] = dialled.split('@');
    const plan = this.domains.get(home);
    if (plan === undefined) return { kind: 'none' };
    const user = plan.users.find((each) => each.phonenumber === number || each.login === number);
    if (user !== undefined) return { kind: 'sipuser', user };
    const feature = plan.features.find(({ prefix }) => number.startsWith(prefix));
    if (feature !== undefined) {
      const { type, prefix } = feature;
      const rest = number.slice(prefix.length);
      return type === 'ivr'
        ? { kind: 'ivr', domain: home, prefix, rest }
        : { kind: 'conference', domain: home, prefix, room: rest };
    }
    if (plan.accounts.length === 0 || home !== domain) return { kind: 'none' };
    return { kind: 'outside', accounts: plan.accounts };
  }
}
