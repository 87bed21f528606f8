/** Names of phones, providers and edges as scenarios have them, for texts and pages that would show addresses. */
import type { ClusterMap } from '../../src/model/cluster/cluster-map.ts';
import { phonesOf, providersOf } from './population.ts';

/** An address with a port by itself: not a part of a URI or of quoted JSON. */
const endpointPattern = /(?<![\w.@:"'([])\d{1,3}(?:\.\d{1,3}){3}:\d+(?![\w.])/g;

interface NamedWorld {
  readonly map: ClusterMap;
  readonly outside: { phones(): readonly { readonly name: string; readonly endpoint: string }[] };
}

export class EndpointNames {
  readonly #names = new Map<string, string>();
  /** Users by `login@domain` and by `number@domain`. */
  readonly #logins = new Map<string, string>();
  readonly #numbers = new Map<string, string>();

  /** Of the phones, providers and edges that there are now. */
  constructor({ map, outside }: NamedWorld) {
    for (const edge of [...map.instancesOf('sg'), ...map.instancesOf('esg')])
      this.#names.set(map.endpointOf(edge), edge.address);
    for (const { endpoint, accounts } of providersOf(map))
      this.#names.set(endpoint, accounts[0]?.provider.domain ?? endpoint);
    for (const { domain, user } of phonesOf(map)) {
      this.#logins.set(`${user.login}@${domain}`, `${domain}/${user.login}`);
      this.#numbers.set(`${user.phonenumber}@${domain}`, `${domain}/${user.login}`);
    }
    for (const { name, endpoint } of outside.phones()) {
      this.#names.set(endpoint, name);
      const [domain = '', login = ''] = name.split('/');
      if (!this.#logins.has(`${login}@${domain}`)) this.#logins.set(`${login}@${domain}`, `${domain}/${login}`);
    }
  }

  /** The name of an endpoint; `undefined`: it has none. */
  of(endpoint: string): string | undefined {
    return this.#names.get(endpoint);
  }

  /** A text in which each endpoint stands behind its name: `acme.root.test/1001 (10.101.1.1:5060)`. */
  inText(text: string): string {
    return text.replace(endpointPattern, (endpoint) => {
      const name = this.#names.get(endpoint);
      return name === undefined ? endpoint : `${name} (${endpoint})`;
    });
  }

  /** The user of a SIP URI as scenarios have it; else its user and host. `role`: a callee is named by a number, a caller by its login. */
  ofUri(uri: string, role: 'caller' | 'callee'): string {
    const user = uri.replace(/^<?sip:/, '').replace(/>$/, '');
    const maps = role === 'caller' ? [this.#logins, this.#numbers] : [this.#numbers, this.#logins];
    return maps[0]?.get(user) ?? maps[1]?.get(user) ?? user;
  }
}
