/** The phones of SIP users and the machines of providers, from the topology. */
import type { ClusterMap, InstanceEntry } from '../../src/model/cluster/cluster-map.ts';
import { sipUserSchema, type TopologyProvider, type TopologySipUser } from '../../src/model/topology/schema.ts';

/** A device of a SIP user. */
export interface PhoneEntry {
  /** `acme.root.test/1001`; the second device of the user is `acme.root.test/1001/2`. */
  readonly name: string;
  readonly domain: string;
  readonly user: TopologySipUser;
  readonly pwd: string;
  /** Its User-Agent header. */
  readonly device: string;
  readonly endpoint: string;
  /** The sg instances through which it can reach the platform: those of its site, then those of the others. */
  readonly gates: readonly InstanceEntry[];
}

/** A provider account, as the provider knows it. */
export interface AccountEntry {
  /** `acme.root.test/acme-telecom`. */
  readonly key: string;
  readonly domain: string;
  readonly provider: TopologyProvider;
  /** The esg instance to which it is pinned. */
  readonly gate: InstanceEntry;
}

/** A provider's machine: accounts that have the same address share it. */
export interface ProviderEntry {
  readonly endpoint: string;
  readonly accounts: readonly AccountEntry[];
}

export function phonesOf(map: ClusterMap): PhoneEntry[] {
  return map.topology.domains.flatMap((domain, d) =>
    domain.sipusers.flatMap((user, u) => {
      const gates = gatesOf(map, domain.name, { site: user.site, turn: u });
      return Array.from({ length: user.phones }, (_, n): PhoneEntry => {
        const { login, pwd = login } = user;
        const name = `${domain.name}/${login}${n === 0 ? '' : `/${n + 1}`}`;
        const place = { endpoint: endpointOf({ d, u, n }), device: `${login}-${n + 1}` };
        return { name, domain: domain.name, user, pwd, ...place, gates };
      });
    }),
  );
}

/** A phone that is added while the cluster runs. */
export interface AddedPhone {
  readonly domain: string;
  readonly login: string;
  /** Default: the login. */
  readonly pwd?: string | undefined;
  /** Whose behaviour its calls follow. Default: the login. */
  readonly number?: string | undefined;
  /** Site whose sg it prefers. Default: in turn. */
  readonly site?: string | undefined;
}

/** `index`: how many were added before; `device`: which device of its user it is, from 1. */
export function addedPhoneOf(map: ClusterMap, phone: AddedPhone, index: number, device: number): PhoneEntry {
  const { domain, login, pwd = login, number = login, site } = phone;
  return {
    name: `${domain}/${login}${device === 1 ? '' : `/${device}`}`,
    domain,
    user: sipUserSchema.parse({ login, phonenumber: number }),
    pwd,
    device: `${login}-${device}`,
    endpoint: `10.99.${1 + (index % 250)}.${1 + Math.floor(index / 250)}:5060`,
    gates: gatesOf(map, domain, { site, turn: index }),
  };
}

/** The accounts whose provider has an address. */
export function accountsOf(map: ClusterMap): AccountEntry[] {
  return map.topology.domains.flatMap(({ name: domain, providers }) =>
    providers.flatMap((provider) => {
      const gate = map.instancesOf('esg').find(({ srvidx }) => srvidx === provider.esg);
      return gate === undefined || provider.addrs.length === 0
        ? []
        : [{ key: `${domain}/${provider.code}`, domain, provider, gate }];
    }),
  );
}

/** Providers, one for each address: each keeps its own registrations, of all accounts that have the address. */
export function providersOf(map: ClusterMap): ProviderEntry[] {
  const accounts = new Map<string, AccountEntry[]>();
  for (const account of accountsOf(map)) {
    const { addrs, port } = account.provider;
    for (const address of addrs) {
      const endpoint = `${address}:${port}`;
      accounts.set(endpoint, [...(accounts.get(endpoint) ?? []), account]);
    }
  }
  return [...accounts].map(([endpoint, held]) => ({ endpoint, accounts: held }));
}

/** Whether a name means this phone: its name, its endpoint, or its user. */
export function isPhoneNamed({ name, endpoint, domain, user }: PhoneEntry, wanted: string): boolean {
  return wanted === name || wanted === endpoint || wanted === `${domain}/${user.login}`;
}

/** Whether a name means this provider: its endpoint, its domain, or the key of an account. */
export function isProviderNamed({ endpoint, accounts }: ProviderEntry, wanted: string): boolean {
  return wanted === endpoint || accounts.some(({ key, provider }) => wanted === key || wanted === provider.domain);
}

/** The shortest name of each phone and provider. */
export function namesOutside(map: ClusterMap): string[] {
  const providers = providersOf(map).flatMap(({ accounts }) => accounts.map(({ provider }) => provider.domain));
  return [...new Set([...phonesOf(map).map(({ name }) => name), ...providers])];
}

export function providersNamed(map: ClusterMap, name: string): ProviderEntry[] {
  return providersOf(map).filter((provider) => isProviderNamed(provider, name));
}

/** The endpoints that a name means. */
export function endpointsNamed(map: ClusterMap, name: string): string[] {
  const phones = phonesOf(map).filter((phone) => isPhoneNamed(phone, name));
  return [...phones, ...providersNamed(map, name)].map(({ endpoint }) => endpoint);
}

/** Why a process of one node does not have the phone or the provider of a name: another node has its gate. */
export function elsewhereText(map: ClusterMap, name: string): string {
  const phones = phonesOf(map).filter((phone) => isPhoneNamed(phone, name));
  const accounts = providersNamed(map, name).flatMap((provider) => provider.accounts);
  const [gate] = [...phones.flatMap(({ gates: [first] }) => first ?? []), ...accounts.map((account) => account.gate)];
  const advice = `ask the control interface of that one (strowger node ${gate?.node} --control PORT)`;
  return `expected a phone or a provider of this process, got "${name}", which another one runs: ${advice}`;
}

/** Whether a name means a phone or provider. */
export function isOutside(map: ClusterMap, name: string): boolean {
  return endpointsNamed(map, name).length > 0;
}

/** Users without a site are spread over the sites, and those of one site over its gates. */
function gatesOf(
  map: ClusterMap,
  domain: string,
  { site, turn }: { site: string | undefined; turn: number },
): InstanceEntry[] {
  const bySite = [...map.sites.keys()].map((name) => map.serving('sg', name, domain));
  const serving = bySite.filter((gates) => gates.length > 0);
  const preferred = site === undefined ? serving[turn % Math.max(1, serving.length)] : serving.find(isAt(site));
  const others = serving.filter((gates) => gates !== preferred);
  return [...rotated(preferred ?? [], turn), ...others.flat()];
}

function isAt(site: string): (gates: readonly InstanceEntry[]) => boolean {
  return ([gate]) => gate?.site === site;
}

function rotated<T>(items: readonly T[], by: number): T[] {
  const start = by % Math.max(1, items.length);
  return [...items.slice(start), ...items.slice(0, start)];
}

/** `10.<100 + domain>.<user>.<device>`; from user 251 on the last part continues in steps of 20. (chosen) */
function endpointOf({ d, u, n }: { d: number; u: number; n: number }): string {
  const high = 100 + d;
  return `${10 + Math.floor(high / 256)}.${high % 256}.${1 + (u % 250)}.${1 + n + 20 * Math.floor(u / 250)}:5060`;
}
