/**
 * The provider accounts of an esg instance: each registers with its provider and is checked by OPTIONS. Every esg computes
 * from its own view which accounts it has, takes over new ones and releases others.
 */
import { EntityHost } from '../../actors/entity-host.ts';
import { accountHome } from '../../cluster/membership/instance-choice.ts';
import type { RoleScope } from '../../cluster/role.ts';
import { type PingCommand, pingMachine } from '../../machines/registration/ping.ts';
import { type RegistrationCommand, registrationMachine } from '../../machines/registration/registration.ts';
import type { Pingstate, Regstate } from '../../model/cluster/states.ts';
import type { ProviderAccount } from '../../model/protocol/messages/edge.ts';
import { credentialsFor } from '../../model/sip/digest.ts';
import { type Challenge, type SipResponse, statusLine } from '../../model/sip/message.ts';
import { sipUri } from '../../model/sip/uri.ts';
import type { TopologyProvider } from '../../model/topology/schema.ts';
import type { UserAgent } from '../../sip/user-agent.ts';

export interface ProviderLineOptions {
  readonly provider: TopologyProvider;
  readonly agent: UserAgent;
  /** The endpoint of this esg for the provider. */
  readonly endpoint: string;
}

interface OutgoingRequest {
  /** Seconds that a registration is to last; absent: not a registration. */
  readonly expires?: number;
  readonly withCredentials: boolean;
  readonly timeoutMs: number;
  readonly onAnswer: (response: SipResponse) => void;
  readonly onSilence?: () => void;
}

const wantedSeconds = 3_600;
/** Longer than the timeout of the machine, so that the machine sees no locally generated response first. */
const registerMs = 40_000;
const unregisterMs = 4_000;
const optionsMs = 5_000;

/**
 * The SIP requests of an account to its provider: REGISTER, un-REGISTER, OPTIONS. A provider may have several addresses;
 * the account stays with the first one that accepted its registration, until it is silent.
 */
export class ProviderLine {
  readonly #options: ProviderLineOptions;
  #address = 0;
  #hasTried = false;
  #isRegistered = false;
  /** All REGISTERs of an account have one Call-Id and increasing CSeq. */
  #callid: string | undefined;
  #cseq = 0;
  #round = 0;
  #challenge: Challenge | undefined;

  constructor(options: ProviderLineOptions) {
    this.#options = options;
  }

  /** The endpoint of the provider; `undefined` if it has no address. */
  get endpoint(): string | undefined {
    const { addrs, port } = this.#options.provider;
    const address = addrs[this.#address];
    return address === undefined ? undefined : `${address}:${port}`;
  }

  /** Registers. `onAnswer` receives the response, unless a later REGISTER was sent meanwhile. */
  register(withCredentials: boolean, onAnswer: (response: SipResponse) => void): void {
    if (!withCredentials) this.#chooseAddress();
    this.#round += 1;
    const round = this.#round;
    this.#send('REGISTER', {
      expires: wantedSeconds,
      withCredentials,
      timeoutMs: registerMs,
      onAnswer: (response) => {
        if (round !== this.#round) return;
        if (response.status < 300) this.#isRegistered = true;
        onAnswer(response);
      },
    });
  }

  /** Unregisters; `onEnd` is called when it is finished, whatever the response. */
  unregister(onEnd: () => void, withCredentials = false): void {
    this.#round += 1;
    this.#send('REGISTER', {
      expires: 0,
      withCredentials,
      timeoutMs: unregisterMs,
      onAnswer: ({ challenge }) => {
        if (challenge === undefined || withCredentials) onEnd();
        else this.unregister(onEnd, true);
      },
      onSilence: onEnd,
    });
  }

  /** Sends OPTIONS. `onAnswer` is called for any final response, unless the account uses another address meanwhile. */
  check(onAnswer: () => void): void {
    const address = this.#address;
    const onResponse = () => {
      if (address === this.#address) onAnswer();
    };
    this.#send('OPTIONS', { withCredentials: false, timeoutMs: optionsMs, onAnswer: onResponse });
  }

  /** The provider is silent at this address: the next attempt to register is made at the next one. */
  avoidAddress(): void {
    this.#isRegistered = false;
  }

  /** Switches to the next address if the last attempt to register failed. */
  #chooseAddress(): void {
    if (this.#hasTried && !this.#isRegistered) {
      this.#address = (this.#address + 1) % Math.max(1, this.#options.provider.addrs.length);
    }
    this.#hasTried = true;
    this.#isRegistered = false;
  }

  #send(
    method: 'REGISTER' | 'OPTIONS',
    { expires, withCredentials, timeoutMs, onAnswer, onSilence }: OutgoingRequest,
  ): void {
    const { provider, agent, endpoint: own } = this.#options;
    const { username, domain, pwd } = provider;
    const hop = this.endpoint;
    if (hop === undefined) return onSilence?.();
    const uri = `sip:${domain}`;
    const from = { uri: sipUri(username, domain) };
    const isRegister = expires !== undefined;
    if (isRegister) this.#cseq += 1;
    const registering = isRegister ? { expires, contact: sipUri(username, own), cseq: this.#cseq } : {};
    const callid = isRegister && this.#callid !== undefined ? { callid: this.#callid } : {};
    const credentials =
      withCredentials && this.#challenge !== undefined
        ? { credentials: credentialsFor({ username, pwd }, this.#challenge, { method, uri }) }
        : {};
    const to = isRegister ? from : { uri };
    agent.request({ method, uri, from, to, timeoutMs, ...registering, ...callid, ...credentials }, hop, (response) => {
      // The agent generates a 408 when no response arrives.
      if (response.status === 408) return onSilence?.();
      if (isRegister) this.#callid = response.callid;
      this.#challenge = response.challenge ?? this.#challenge;
      onAnswer(response);
    });
  }
}

export interface AccountsOptions {
  readonly scope: RoleScope;
  readonly agent: UserAgent;
  /** The SIP endpoint of this esg outside. */
  readonly endpoint: string;
}

/** An account by its key, `domain/code`. */
interface Pinned {
  readonly key: string;
  readonly domain: string;
  readonly provider: TopologyProvider;
}

interface ServedAccount extends Pinned {
  readonly line: ProviderLine;
}

/** Time that a draining esg waits for the responses to its un-REGISTERs. */
const leaveMs = 2_000;

export class Accounts {
  readonly #options: AccountsOptions;
  readonly #all: readonly Pinned[];
  readonly #served = new Map<string, ServedAccount>();
  /** Released accounts whose un-REGISTER has no response yet. */
  readonly #leaving = new Set<ServedAccount>();
  readonly #registrations: EntityHost<typeof registrationMachine>;
  readonly #pings: EntityHost<typeof pingMachine>;
  #isServing = false;
  /** At the last look: whether another gate of the site was out of reach, and how many nodes of the site were in reach. */
  #isApart = false;
  #reached = Number.POSITIVE_INFINITY;
  #onAllLeft: () => void = () => {};

  constructor(options: AccountsOptions) {
    const { clock, counters, crash, map, onViewChange } = options.scope;
    this.#options = options;
    this.#all = map.topology.domains.flatMap(({ name: domain, providers }) =>
      providers.map((provider) => ({ key: `${domain}/${provider.code}`, domain, provider })),
    );
    const common = { clock, counters, onCrash: crash };
    this.#registrations = new EntityHost({
      ...common,
      machine: registrationMachine,
      onCommand: (key, command) => this.#execute(key, command),
    });
    this.#pings = new EntityHost({
      ...common,
      machine: pingMachine,
      onCommand: (key, command) => this.#check(key, command),
    });
    onViewChange(() => {
      this.#lookForOthers();
      this.#review();
    });
  }

  serve(): void {
    this.#isServing = true;
    this.#review();
  }

  /** Releases every account; resolves when all providers have responded or time is up. */
  drain(): Promise<void> {
    this.#isServing = false;
    this.#review();
    if (this.#leaving.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const patience = this.#options.scope.clock.setTimer(leaveMs, resolve);
      this.#onAllLeft = () => {
        patience.cancel();
        resolve();
      };
    });
  }

  stop(): void {
    this.#registrations.stopAll();
    this.#pings.stopAll();
  }

  has(key: string): boolean {
    return this.#served.has(key);
  }

  providerOf(key: string): TopologyProvider | undefined {
    return this.#all.find((each) => each.key === key)?.provider;
  }

  /** Another instance has had an account of this one: the provider keeps one contact of an account, that of the last REGISTER. */
  registerAgain(key: string): void {
    if (this.#served.has(key)) this.#registrations.send(key, { type: 'contact.replaced' });
  }

  /** The provider endpoint that an account of this instance uses. */
  endpointOf(key: string): string | undefined {
    return this.#served.get(key)?.line.endpoint;
  }

  /** The accounts of this instance whose provider has this address. */
  at(ip: string): string[] {
    return [...this.#served.values()].filter(({ provider }) => provider.addrs.includes(ip)).map(({ key }) => key);
  }

  /** Whether a user name is that of an account with the provider of this address, whichever instance has it. */
  isNameAt(ip: string, username: string): boolean {
    return this.#all.some(({ provider }) => provider.addrs.includes(ip) && provider.username === username);
  }

  /** Whether an address is that of a provider with an account that this instance may take over: one of a gate of its site. */
  mayHaveAt(ip: string): boolean {
    const { map, instance } = this.#options.scope;
    const siteOf = (srvidx: number) => map.instanceNamed(`esg-${srvidx}`)?.site;
    return this.#all.some(({ provider: { addrs, esg } }) => addrs.includes(ip) && siteOf(esg) === instance.site);
  }

  /** The accounts of this instance, optionally of one provider code. `trunksOf`: the number of trunks in use. */
  list(trunksOf: (key: string) => number, code?: string): ProviderAccount[] {
    const leaving = [...this.#leaving].filter(({ key }) => !this.#served.has(key));
    return [...this.#served.values(), ...leaving]
      .filter(({ provider }) => code === undefined || provider.code === code)
      .map((served) => this.#row(served, trunksOf(served.key)));
  }

  #row({ key, domain, provider }: ServedAccount, onlinetrunkcount: number): ProviderAccount {
    const registration = this.#registrations.snapshot(key);
    const ping: string | object = this.#pings.snapshot(key)?.value ?? 'disabled';
    const { code, username: user, domain: remote, port, proto, addrs } = provider;
    return {
      code,
      d: domain,
      user,
      domain: remote,
      port,
      proto,
      addrs,
      regstate: (registration?.value as Regstate | undefined) ?? 'detached',
      pingstate: (typeof ping === 'string' ? ping : (Object.keys(ping)[0] ?? 'disabled')) as Pingstate,
      last_response: [...(registration?.context.lastResponse ?? [])],
      onlinetrunkcount,
    };
  }

  #review(): void {
    const { map, view, instance } = this.#options.scope;
    for (const pinned of this.#all) {
      const isMine = this.#isServing && accountHome(map, view, pinned.provider) === instance;
      if (isMine === this.#served.has(pinned.key)) continue;
      if (isMine) this.#take(pinned);
      else this.#letGo(pinned.key);
    }
  }

  /**
   * Another gate that was out of reach may have had the accounts of this one, and may be lost since, so that it does not release them: they
   * register again when nodes of the site are found.
   */
  #lookForOthers(): void {
    const { map, view, instance } = this.#options.scope;
    if (!view.isFormed) return;
    const gates = map.instancesOf('esg').filter(({ site }) => site === instance.site);
    const isApart = gates.some((each) => view.statusOf(each) === undefined);
    const reached = view.members.reachable.length;
    const mayBeReplaced = reached > this.#reached && (isApart || this.#isApart);
    this.#isApart = isApart;
    this.#reached = reached;
    if (mayBeReplaced) for (const key of this.#served.keys()) this.registerAgain(key);
  }

  #take(pinned: Pinned): void {
    const { key, provider } = pinned;
    const { agent, endpoint, scope } = this.#options;
    scope.log.write('info', 'account.taken', { account: key });
    this.#served.set(key, { ...pinned, line: new ProviderLine({ provider, agent, endpoint }) });
    this.#registrations.start(key, provider);
    this.#pings.start(key, provider);
  }

  #letGo(key: string): void {
    this.#options.scope.log.write('info', 'account.let_go', { account: key });
    this.#pings.send(key, { type: 'account.removed' });
    this.#registrations.send(key, { type: 'account.removed' });
    this.#served.delete(key);
  }

  #execute(key: string, command: RegistrationCommand): void {
    const served = this.#served.get(key);
    if (served === undefined) return;
    if (command.type === 'send.register') {
      const { endpoint } = served.line;
      served.line.register(command.withCredentials, (response) => {
        if (this.#served.get(key) === served) this.#registrations.send(key, answerOf(response));
      });
      if (served.line.endpoint !== endpoint) this.#pings.send(key, { type: 'address.changed' });
    }
    if (command.type === 'send.unregister') this.#unregister(served);
  }

  #unregister(served: ServedAccount): void {
    this.#leaving.add(served);
    served.line.unregister(() => {
      this.#leaving.delete(served);
      this.#reportRelease(served);
      if (this.#leaving.size === 0) this.#onAllLeft();
    });
  }

  /**
   * An instance that takes the account over now registers anyway; one that had it all the time, behind a cut, does not. This one may have it
   * again, with the same contact, which the provider has removed.
   */
  #reportRelease({ key, provider }: ServedAccount): void {
    const { map, view, instance, tell } = this.#options.scope;
    const home = accountHome(map, view, provider);
    if (!this.#isServing || home === undefined) return;
    if (home === instance) this.registerAgain(key);
    else tell(home.address, 'account.released', { key });
  }

  #check(key: string, command: PingCommand): void {
    const served = this.#served.get(key);
    if (command.type === 'report.failed') {
      served?.line.avoidAddress();
      this.#registrations.send(key, { type: 'ping.failed' });
    }
    if (command.type === 'send.options') {
      served?.line.check(() => {
        if (this.#served.get(key) === served) this.#pings.send(key, { type: 'response.received' });
      });
    }
  }
}

function answerOf(response: SipResponse) {
  const { status, expires, contact, challenge } = response;
  const lines = [statusLine(response)];
  if (contact !== undefined) lines.push(`Contact: <${contact}>`);
  if (expires !== undefined) lines.push(`Expires: ${expires}`);
  if (challenge !== undefined) lines.push(`WWW-Authenticate: Digest realm="${challenge.realm}"`);
  const granted = expires === undefined ? {} : { expiresSeconds: expires };
  return { type: 'response.received' as const, status, lines, ...granted };
}
