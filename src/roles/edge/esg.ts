/**
 * The external SIP gate: a proxy between providers and b2b for the provider accounts of this instance. It registers them,
 * limits their trunks and counts calls.
 */

import type { Role, RoleScope } from '../../cluster/role.ts';
import { done } from '../../model/fault.ts';
import { accountParts, type SipMessage, type SipRequest, type SipResponse } from '../../model/sip/message.ts';
import { hostOf, sipUri, userOf } from '../../model/sip/uri.ts';
import { UserAgent } from '../../sip/user-agent.ts';
import {
  addressOf,
  asFromOutside,
  Edge,
  type EdgePorts,
  type ForwardDecision,
  isEndpoint,
  isServingAt,
  selectB2b,
} from './edge.ts';
import { EdgeCalls, type Trace } from './edge-calls.ts';
import { Accounts } from './provider-accounts.ts';

export function createEsg(scope: RoleScope, ports: EdgePorts): Role<'esg'> {
  const gate = new ProviderGate(scope, ports);
  const { edge, accounts, calls } = gate;
  return {
    handlers: {
      ...edge.handlers,
      'account.released': ({ key }) => accounts.registerAgain(key),
      'edge.figures': ({ code }) =>
        done({
          dlgcount: calls.dialogs,
          callcount: calls.legs,
          domains: [...scope.instance.domains],
          regs: accounts.list((key) => calls.on(key), code),
        }),
    },
    serve: () => gate.serve(),
    drain: () => accounts.drain(),
    stop: () => gate.stop(),
  };
}

class ProviderGate {
  readonly edge: Edge;
  readonly accounts: Accounts;
  readonly calls: EdgeCalls;
  readonly #scope: RoleScope;
  readonly #agent: UserAgent;

  constructor(scope: RoleScope, ports: EdgePorts) {
    this.#scope = scope;
    this.calls = new EdgeCalls(scope);
    this.edge = new Edge({
      scope,
      ...ports,
      inward: (request, from) => this.#inward(request, from),
      outward: (request, from) => this.#outward(request, from),
      onResponse: (response, from) => this.#passed(response, from),
      onOwnResponse: (response, from) => this.#agent.receive(response, from),
    });
    const { endpoint } = this.edge;
    this.#agent = this.#makeAgent(endpoint);
    this.accounts = new Accounts({ scope, agent: this.#agent, endpoint });
  }

  async serve(): Promise<void> {
    await this.edge.open();
    if (this.edge.isOpen) this.accounts.serve();
  }

  stop(): void {
    this.accounts.stop();
    this.#agent.stop();
    this.edge.stop();
    this.calls.stop();
  }

  /** For requests of the gate itself; it has no calls. */
  #makeAgent(endpoint: string): UserAgent {
    const { clock, random, counters, map, crash } = this.#scope;
    const agent = new UserAgent({
      sentBy: endpoint,
      host: endpoint,
      clock,
      random: random.stream('ids'),
      counters,
      userAgent: 'strowger esg',
      send: (message: SipMessage, hop: string) => this.edge.send(message, hop),
      isLossy: () => true,
      session: { does: 'watch', expiresMs: map.topology.timings.sessionExpiresMs },
      onReport: (leg) => void agent.control(leg, { type: 'end', status: 503 }),
      onRequest: (request) => agent.respond(request, request.method === 'OPTIONS' ? 200 : 403),
      onCrash: crash,
    });
    return agent;
  }

  /**
   * Accepts requests from the address of an account of this instance, or in a known call. Any other sender is an intruder, except a provider
   * whose account another gate of the site has: a ban would keep the account from moving here.
   */
  #inward(request: SipRequest, from: string): ForwardDecision | undefined {
    const { callid, method } = request;
    const isNew = request.to.tag === undefined;
    const trace = this.calls.trace(callid);
    const here = this.accounts.at(addressOf(from));
    if (trace === undefined && here.length === 0) {
      if (!this.accounts.mayHaveAt(addressOf(from))) this.edge.suspect(from);
      return { status: 403 };
    }
    if (isNew && (method === 'OPTIONS' || method === 'REGISTER')) {
      this.#agent.receive(request, from);
      return undefined;
    }
    if (isNew && method === 'INVITE') return this.#inwardCall(request, from, here);
    const account = trace?.account ?? this.#accountFor(request, from, here);
    const domain = account && accountParts(account)[0];
    const to = trace?.b2b ?? selectB2b(this.#scope, request, domain);
    if (to === undefined || !isServingAt(this.#scope, to)) return { status: 503 };
    this.calls.observe(request);
    return { to, request: { ...asFromOutside(request), source: from } };
  }

  #inwardCall(request: SipRequest, from: string, here: readonly string[]): ForwardDecision {
    const call = this.calls.get(request.callid);
    const account = call?.account ?? this.#accountFor(request, from, here);
    // The provider calls an account that another gate has by now.
    if (account === undefined) return { status: 503 };
    const provider = this.accounts.providerOf(account);
    if (provider === undefined) return { status: 404 };
    if (call === undefined && this.calls.on(account) >= provider.trunks) return { status: 486 };
    const [domain] = accountParts(account);
    const to = call?.b2b ?? selectB2b(this.#scope, request, domain);
    if (to === undefined || !isServingAt(this.#scope, to)) return { status: 503 };
    const esgdlg = call?.esgdlg ?? this.calls.beginInward(request, account, to);
    this.calls.observe(request);
    // A provider calls the account and puts the number into To, or calls the number.
    const called = userOf(request.uri);
    const number = called === provider.username ? userOf(request.to.uri) : called;
    const uri = sipUri(number, domain);
    return { to, request: { ...asFromOutside(request), uri, source: from, account, esgdlg } };
  }

  /** Of several accounts with one provider, the one whose name was called; `undefined`: that is one which this instance does not have. */
  #accountFor({ uri, to }: SipRequest, from: string, here: readonly string[]): string | undefined {
    const names = [userOf(uri), userOf(to.uri)];
    const called = names.map((name) => here.find((key) => this.accounts.providerOf(key)?.username === name));
    const isElsewhere = names.some((name) => this.accounts.isNameAt(addressOf(from), name));
    return called.find((key) => key !== undefined) ?? (isElsewhere ? undefined : here[0]);
  }

  #outward(request: SipRequest, from: string): ForwardDecision {
    const { callid, method } = request;
    const isInDialog = request.to.tag !== undefined;
    const trace = this.calls.trace(callid);
    const account = trace?.account ?? request.account;
    const provider = account === undefined ? undefined : this.accounts.providerOf(account);
    if (account === undefined || provider === undefined) return { status: 404 };
    const to = this.#hopTo(account, request, trace);
    if (to === undefined) return { status: 503 };
    const isNewCall = !isInDialog && method === 'INVITE' && this.calls.get(callid) === undefined;
    if (isNewCall && this.calls.on(account) >= provider.trunks) return { status: 503 };
    if (isNewCall) this.calls.beginOutward(request, { account, b2b: from, target: to });
    else if (isInDialog) this.calls.adopt(request, account, from);
    this.calls.observe(request);
    return { to, request: asOurs(request, sipUri(provider.username, provider.domain)) };
  }

  /** A provider does not say which of its accounts a call is on; a b2b that accepts what it asks does. */
  #passed(response: SipResponse, from: string): void {
    const { account, status } = response;
    if (account !== undefined && status >= 200 && status < 300) this.calls.adopt(response, account, from);
    this.calls.observe(response);
  }

  /** The provider's endpoint: in a dialog the one it gave, else that of the INVITE (RFC 3261, 9.1), or the one that the account uses. */
  #hopTo(account: string, { uri }: SipRequest, trace: Trace | undefined): string | undefined {
    const host = hostOf(uri);
    return isEndpoint(host) ? host : (trace?.target ?? this.accounts.endpointOf(account));
  }
}

/** The request as the provider gets it: from the account, without internal fields. */
function asOurs({ account, esgdlg, label, domain, ...request }: SipRequest, uri: string): SipRequest {
  return { ...request, from: { ...request.from, uri } };
}
