/**
 * A provider: an endpoint at which provider accounts register. It takes calls to any number and makes calls into the
 * cluster.
 */
import { matches } from '../../../src/model/sip/digest.ts';
import type { Challenge, SipRequest } from '../../../src/model/sip/message.ts';
import { hostOf, sipUri, userOf } from '../../../src/model/sip/uri.ts';
import type { LegView } from '../../../src/sip/user-agent.ts';
import type { CallReaction } from '../behaviour.ts';
import type { AccountEntry, ProviderEntry } from '../population.ts';
import type { CallView } from './endpoint-call.ts';
import type { EndpointOwner, OutsideEndpoint } from './outside-endpoint.ts';
import { type EndpointContext, newParty } from './parties.ts';
import type { Placing } from './party-machine.ts';

/** @internal */
export interface ProviderOptions extends EndpointContext {
  readonly entry: ProviderEntry;
  /** Called once for each registering account, when its first attempt has ended. */
  readonly onSettled: (account: string) => void;
}

export interface ProviderView {
  /** `sip.telecom.test`: the domain of its first account. */
  readonly name: string;
  readonly endpoint: string;
  readonly isSilent: boolean;
  /** Status of its refusal of every REGISTER. */
  readonly refusal: number | undefined;
  readonly accounts: readonly { readonly key: string; readonly isRegistered: boolean; readonly contact?: string }[];
  readonly calls: readonly CallView[];
}

interface Registration {
  readonly contact: string;
  readonly untilMs: number;
}

/** @internal */
export class Provider implements EndpointOwner {
  readonly entry: ProviderEntry;
  readonly party: OutsideEndpoint;
  /** Status of its refusal of every REGISTER. */
  refusal: number | undefined;
  readonly #options: ProviderOptions;
  /** One nonce for the whole run: the simulation has no eavesdroppers. */
  readonly #nonce: string;
  readonly #registrations = new Map<string, Registration>();
  /** Last source of a request from each account that does not register. */
  readonly #seen = new Map<string, string>();
  readonly #settled = new Set<string>();

  constructor(options: ProviderOptions) {
    const { entry, ids } = options;
    this.#options = options;
    this.entry = entry;
    this.#nonce = Buffer.from(ids.bytes(16)).toString('hex');
    this.party = newParty(options, this, { endpoint: entry.endpoint, is: 'provider' });
  }

  view(): ProviderView {
    return {
      name: this.entry.accounts[0]?.provider.domain ?? this.entry.endpoint,
      endpoint: this.entry.endpoint,
      isSilent: this.party.isSilent,
      refusal: this.refusal,
      accounts: this.entry.accounts.map((account) => {
        const contact = this.#contactOf(account);
        return { key: account.key, isRegistered: contact !== undefined, ...(contact !== undefined && { contact }) };
      }),
      calls: this.party.calls(),
    };
  }

  /**
   * Calls from `caller`, an outside number, to a number of an account's domain: to the contact of a registered account,
   * else to its home edge. `undefined`: the account is not registered.
   */
  placing(account: AccountEntry, to: string, caller: string): Placing | undefined {
    const contact = this.#contactOf(account);
    if (contact === undefined) return undefined;
    const { domain } = account.provider;
    const from = { uri: sipUri(caller, domain) };
    return { uri: contact, from, to: { uri: sipUri(numberIn(to), domain) }, hop: hostOf(contact) };
  }

  /**
   * A call by the account of this name, or of the domain in `to` (`1001@acme.root.test`), else by the first account
   * that can call.
   */
  placingBy(name: string, to: string, caller: string): Placing | undefined {
    const [, domain] = to.split('@');
    const { accounts } = this.entry;
    const named = accounts.filter((account) => account.key === name);
    const ofDomain = accounts.filter((account) => account.domain === domain);
    for (const account of [named, ofDomain, accounts].find(({ length }) => length > 0) ?? []) {
      const placing = this.placing(account, to, caller);
      if (placing !== undefined) return placing;
    }
    return undefined;
  }

  /** The transfer call uses the number, account and gate of the first call. */
  placingTo(uri: string, { local, remote, hop }: LegView, placing: Placing | undefined): Placing {
    const username = userOf(placing?.uri ?? remote.uri);
    return { uri: sipUri(username, hop), from: { uri: local.uri }, to: { uri }, hop };
  }

  reactionTo({ uri, from }: SipRequest): CallReaction {
    const account = this.#accountNamed(userOf(from.uri)) ?? this.entry.accounts[0];
    const { domain = '', provider } = account ?? {};
    return this.#options.behaviours.reactionTo(domain, userOf(uri), provider?.domain ?? hostOf(uri));
  }

  take(request: SipRequest): void {
    const username = userOf(request.from.uri);
    const account = this.#accountNamed(username);
    if (request.method === 'OPTIONS') {
      if (account !== undefined && request.contact !== undefined) this.#seen.set(account.key, request.contact);
      return this.party.respond(request, 200);
    }
    if (account === undefined) return this.party.respond(request, 404);
    if (this.refusal !== undefined) {
      this.party.respond(request, this.refusal);
      return this.#settle(account);
    }
    const challenge: Challenge = { realm: account.provider.domain, nonce: this.#nonce };
    const { credentials } = request;
    if (credentials === undefined || credentials.nonce !== challenge.nonce || credentials.realm !== challenge.realm) {
      return this.party.respond(request, 401, { challenge });
    }
    const isRight = credentials.username === username && matches(credentials, 'REGISTER', account.provider.pwd);
    if (isRight) this.#register(request, account);
    else this.party.respond(request, 403);
    this.#settle(account);
  }

  #register(request: SipRequest, { key, provider: { maxexpires } }: AccountEntry): void {
    const { contact = '', expires: asked = maxexpires } = request;
    const expires = Math.min(Math.max(asked, 0), maxexpires);
    const untilMs = this.#options.clock.now() + expires * 1_000;
    if (expires > 0) this.#registrations.set(key, { contact, untilMs });
    // A gate removes its own registration, not that of the gate to which the account has moved.
    else if (this.#registrations.get(key)?.contact === contact) this.#registrations.delete(key);
    this.party.respond(request, 200, { expires, contact });
  }

  /**
   * The edge at which an account takes calls. Without a registration it is the last known source, else its home edge.
   */
  #contactOf({ key, provider, gate }: AccountEntry): string | undefined {
    if (!provider.registration) {
      return this.#seen.get(key) ?? sipUri(provider.username, this.#options.map.endpointOf(gate));
    }
    const registration = this.#registrations.get(key);
    const isOver = registration === undefined || registration.untilMs <= this.#options.clock.now();
    return isOver ? undefined : registration.contact;
  }

  #accountNamed(username: string): AccountEntry | undefined {
    return this.entry.accounts.find(({ provider }) => provider.username === username);
  }

  #settle({ key }: AccountEntry): void {
    if (this.#settled.has(key)) return;
    this.#settled.add(key);
    this.#options.onSettled(key);
  }
}

/** The number without its domain. */
function numberIn(to: string): string {
  return to.startsWith('sip:') ? userOf(to) : (to.split('@')[0] ?? to);
}
