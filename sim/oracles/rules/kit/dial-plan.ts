/** What a dialled number leads to, by the topology alone; and which numbers a client may have given another meaning. */
import type { ClusterMap } from '../../../../src/model/cluster/cluster-map.ts';
import type { TopologyDomain } from '../../../../src/model/topology/schema.ts';
import { type AccountEntry, accountsOf, type PhoneEntry, phonesOf } from '../../../outside/population.ts';
import type { ObservationListeners } from '../../oracle.ts';
import { jsonIn } from './reading.ts';

export type Lead =
  /** A SIP user, with its devices. */
  | { readonly kind: 'user'; readonly domain: string; readonly login: string; readonly devices: readonly PhoneEntry[] }
  | { readonly kind: 'conference' | 'ivr' }
  /** Outside, through one of these accounts. */
  | { readonly kind: 'outside'; readonly accounts: readonly AccountEntry[] }
  | { readonly kind: 'none' };

/** The lists whose items numbers may lead to. */
const lists = /\/(sipusers|ivrscripts)(?:\/([^/?]+))?$/;
const namingFields = ['phonenumber', 'login', 'number', 'code'];

type Item = Readonly<Record<string, unknown>>;

export class DialPlan {
  /** For the owner's subscriptions. */
  readonly listeners: ObservationListeners;
  readonly #map: ClusterMap;
  readonly #phones: readonly PhoneEntry[];
  readonly #accounts: readonly AccountEntry[];
  /** Numbers, logins and codes that clients have used for what they made. */
  readonly #used = new Set<string>();
  readonly #made = new Set<string>();
  readonly #asked = new Set<number>();
  #isAsAtFirst = true;

  constructor(map: ClusterMap) {
    this.#map = map;
    this.#phones = phonesOf(map);
    this.#accounts = accountsOf(map);
    this.listeners = {
      'request.received': ({ id, method, target, sent }) => {
        const [, list, item] = lists.exec(target) ?? [];
        if (list === undefined || method === 'GET' || method === 'LOOKUP') return;
        if (item === undefined) this.#asked.add(id);
        else if (list === 'sipusers' && !this.#made.has(item)) this.#isAsAtFirst = false;
        this.#note(jsonIn(sent));
      },
      'request.answered': ({ id, body }) => {
        if (!this.#asked.delete(id)) return;
        const { id: made } = (jsonIn(body) ?? {}) as Item;
        if (typeof made === 'string') this.#made.add(made);
      },
    };
  }

  /** Whether no client has changed a SIP user of the topology. */
  get isAsAtFirst(): boolean {
    return this.#isAsAtFirst;
  }

  /** Where a number, or `number@domain`, leads that is dialled in a domain. `undefined`: not known, because clients have changed it. */
  leadOf(domain: string, dialled: string): Lead | undefined {
    const [number = '', home = domain] = dialled.split('@');
    const plan = this.#map.domains.get(home);
    if (plan === undefined || !this.#isAsAtFirst) return undefined;
    const byNumber = this.#userOf(plan, 'phonenumber', number);
    if (byNumber !== undefined) return byNumber;
    if (this.#used.has(number) || number.startsWith('conf-')) return undefined;
    if (isScript(plan, number)) return { kind: 'ivr' };
    const feature = plan.features
      .filter(({ prefix }) => number.startsWith(prefix))
      .toSorted((one, other) => other.prefix.length - one.prefix.length)[0];
    if (feature?.type === 'ivr') return { kind: 'ivr' };
    if (feature !== undefined && number.length === feature.prefix.length + 2 && /\d\d$/.test(number))
      return { kind: 'conference' };
    return this.#userOf(plan, 'login', number) ?? this.#beyond(plan, home === domain);
  }

  #userOf(plan: TopologyDomain, field: 'phonenumber' | 'login', value: string): Lead | undefined {
    const user = plan.sipusers.find((each) => each[field] === value);
    if (user === undefined) return undefined;
    const devices = this.#phones.filter((phone) => phone.domain === plan.name && phone.user.login === user.login);
    return { kind: 'user', domain: plan.name, login: user.login, devices };
  }

  #beyond({ name, unknownNumbers }: TopologyDomain, isOwn: boolean): Lead {
    const accounts = this.#accounts.filter(({ domain }) => domain === name);
    if (!isOwn || unknownNumbers === 'refuse' || accounts.length === 0) return { kind: 'none' };
    return { kind: 'outside', accounts };
  }

  #note(body: unknown): void {
    for (const field of namingFields) {
      const value = ((body ?? {}) as Item)[field];
      if (typeof value === 'string') this.#used.add(value);
    }
  }
}

function isScript({ items }: TopologyDomain, number: string): boolean {
  return (items['ivrscript'] ?? []).some(
    ({ number: own, code }) => String(own) === number || `ivr-${String(code)}` === number,
  );
}
