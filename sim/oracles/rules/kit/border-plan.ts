/** The border rules as clients have made them, and what they say to a request from outside. */
import type { ClusterMap } from '../../../../src/model/cluster/cluster-map.ts';
import type { ObservationListeners } from '../../oracle.ts';
import { jsonIn } from './reading.ts';

/** A rule as the interface shows it. */
interface Rule {
  readonly priority: number;
  readonly site: string;
  readonly domain: string;
  readonly username: string;
  readonly useragent: string;
  readonly remoteipmask: string;
  readonly action: BorderAction;
  readonly enabled: 0 | 1;
}

export type BorderAction = 'allow' | 'deny' | 'drop';

export interface BorderSender {
  readonly site: string;
  readonly ip: string;
  readonly domain: string;
  readonly username: string;
  readonly useragent: string;
}

const rules = /^\/rest\/v1\/master\/borderrules(?:\/([^/?]+))?$/;
const patterns = ['domain', 'username', 'useragent'] as const;

export class BorderPlan {
  /** For the owner's subscriptions. */
  readonly listeners: ObservationListeners;
  readonly #rules = new Map<string, Rule>();
  /** The requests that change rules, by their id, with the id of the rule. */
  readonly #open = new Map<number, string | undefined>();
  #isKnown: boolean;
  /** When a rule was last changed. */
  changedMs = Number.NEGATIVE_INFINITY;
  /** When a change was last asked for. */
  askedMs = Number.NEGATIVE_INFINITY;

  constructor({ topology }: ClusterMap) {
    // Rules of the topology have ids that no answer has shown.
    this.#isKnown = topology.borderrules.length === 0;
    this.listeners = {
      'request.received': ({ id, method, target, atMs }) => {
        const [path, rule] = rules.exec(target) ?? [];
        if (path === undefined || method === 'GET' || method === 'LOOKUP') return;
        this.#open.set(id, rule);
        this.askedMs = atMs;
        if (rule !== undefined && !this.#rules.has(rule) && method !== 'DELETE') this.#isKnown = false;
      },
      'request.answered': ({ id, method, status, body, atMs }) => {
        if (!this.#open.has(id)) return;
        const rule = this.#open.get(id);
        this.#open.delete(id);
        if (status >= 400 && status < 500) return;
        this.changedMs = atMs;
        const shown = jsonIn(body) as (Rule & { readonly id: string }) | undefined;
        // Whether it was done is not known.
        if (status >= 500 || status === 0 || (method !== 'DELETE' && shown === undefined)) this.#isKnown = false;
        else if (method === 'DELETE' && rule !== undefined) this.#rules.delete(rule);
        else if (shown !== undefined) this.#rules.set(shown.id, shown);
      },
    };
  }

  /** What the rules say to a request; `undefined`: not known. */
  actionFor(sender: BorderSender): BorderAction | undefined {
    if (!this.#isKnown || this.#open.size > 0) return undefined;
    const here = [...this.#rules.values()]
      .filter(({ enabled, site }) => enabled === 1 && ['', '*', sender.site].includes(site))
      .toSorted((one, other) => one.priority - other.priority);
    const ofAddress = here.filter((rule) => rule.remoteipmask !== '' && patterns.every((field) => rule[field] === ''));
    const first = ofAddress.find((rule) => isWithin(sender.ip, rule.remoteipmask))?.action ?? 'allow';
    if (first !== 'allow') return first;
    const meant = here.filter((rule) => isWithin(sender.ip, rule.remoteipmask) && isNamed(sender, rule));
    const deciding = meant.filter(({ priority }) => priority === meant[0]?.priority).map(({ action }) => action);
    return new Set(deciding).size > 1 ? undefined : (deciding[0] ?? 'allow');
  }
}

function isNamed(sender: BorderSender, rule: Rule): boolean {
  return patterns.every((field) => {
    const [, expression] = /^\/(.+)\/$/.exec(rule[field]) ?? [];
    if (expression !== undefined) return new RegExp(expression).test(sender[field]);
    return rule[field] === '' || rule[field] === sender[field];
  });
}

/** `mask`: an address, `address/prefix` or `address+N`; empty: any. */
function isWithin(ip: string, mask: string): boolean {
  if (mask === '') return true;
  const [, address = '', sign, digits] = /^([\d.]+)(?:([/+])(\d+))?$/.exec(mask) ?? [];
  const [own, first] = [numberOf(ip), numberOf(address)];
  if (sign === '/') {
    const size = 2 ** (32 - Number(digits));
    return Math.floor(own / size) === Math.floor(first / size);
  }
  return own >= first && own <= first + Number(digits ?? 0);
}

function numberOf(ip: string): number {
  return ip.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
}
