/**
 * The provider accounts that are on an esg instance now: each registers with its provider and is checked by OPTIONS.
 * Accounts move by themselves: every esg works out from its own view which are its own, takes those up and lets others go.
 */
import { type PingOrder, pingMachine } from '../../machines/ping.ts';
import { type RegistrationOrder, registrationMachine } from '../../machines/registration.ts';
import type { Account } from '../../model/protocol/edge.ts';
import { type SipResponse, statusLine } from '../../model/sip/message.ts';
import type { Pingstate, Regstate } from '../../model/states.ts';
import type { TopologyProvider } from '../../model/topology/schema.ts';
import { accountHome } from '../../runtime/account-home.ts';
import { EntityHost } from '../../runtime/entity-host.ts';
import type { RoleScope } from '../../runtime/role.ts';
import type { UserAgent } from '../../runtime/sip/user-agent.ts';
import { ProviderLine } from './provider-line.ts';

export interface AccountsOptions {
  readonly scope: RoleScope;
  readonly agent: UserAgent;
  /** Where this esg speaks SIP outside. */
  readonly endpoint: string;
}

/** An account by its key, `domain/code`. */
interface Pinned {
  readonly key: string;
  readonly domain: string;
  readonly provider: TopologyProvider;
}

interface Held extends Pinned {
  readonly line: ProviderLine;
}

/** How long an esg that drains waits for the answers to its un-REGISTERs. */
const leaveMs = 2_000;

export class Accounts {
  readonly #options: AccountsOptions;
  readonly #all: readonly Pinned[];
  readonly #held = new Map<string, Held>();
  /** Let go, and their un-REGISTER is not answered yet. */
  readonly #leaving = new Set<Held>();
  readonly #registrations: EntityHost<typeof registrationMachine>;
  readonly #pings: EntityHost<typeof pingMachine>;
  #isServing = false;
  #onAllLeft: () => void = () => {};

  constructor(options: AccountsOptions) {
    const { clock, counters, crash, map, onView } = options.scope;
    this.#options = options;
    this.#all = map.topology.domains.flatMap(({ name: domain, providers }) =>
      providers.map((provider) => ({ key: `${domain}/${provider.code}`, domain, provider })),
    );
    const common = { clock, counters, onCrash: crash };
    this.#registrations = new EntityHost({
      ...common,
      machine: registrationMachine,
      onOrder: (key, order) => this.#obey(key, order),
    });
    this.#pings = new EntityHost({
      ...common,
      machine: pingMachine,
      onOrder: (key, order) => this.#check(key, order),
    });
    onView(() => this.#review());
  }

  serve(): void {
    this.#isServing = true;
    this.#review();
  }

  /** Lets every account go; resolves when the providers know, or won't in time. */
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
    return this.#held.has(key);
  }

  providerOf(key: string): TopologyProvider | undefined {
    return this.#all.find((each) => each.key === key)?.provider;
  }

  /** The endpoint of the provider that an account here talks to. */
  endpointOf(key: string): string | undefined {
    return this.#held.get(key)?.line.endpoint;
  }

  /** The accounts here whose provider has an address. */
  at(ip: string): string[] {
    return [...this.#held.values()].filter(({ provider }) => provider.addrs.includes(ip)).map(({ key }) => key);
  }

  /** The accounts that are on this instance now, or those with a provider code. `trunksOf`: how many trunks are in use. */
  list(trunksOf: (key: string) => number, code?: string): Account[] {
    const leaving = [...this.#leaving].filter(({ key }) => !this.#held.has(key));
    return [...this.#held.values(), ...leaving]
      .filter(({ provider }) => code === undefined || provider.code === code)
      .map((held) => this.#row(held, trunksOf(held.key)));
  }

  #row({ key, domain, provider }: Held, onlinetrunkcount: number): Account {
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
      if (isMine === this.#held.has(pinned.key)) continue;
      if (isMine) this.#take(pinned);
      else this.#letGo(pinned.key);
    }
  }

  #take(pinned: Pinned): void {
    const { key, provider } = pinned;
    const { agent, endpoint, scope } = this.#options;
    scope.log.write('info', 'account.taken', { account: key });
    this.#held.set(key, { ...pinned, line: new ProviderLine({ provider, agent, endpoint }) });
    this.#registrations.start(key, provider);
    this.#pings.start(key, provider);
  }

  #letGo(key: string): void {
    this.#options.scope.log.write('info', 'account.let_go', { account: key });
    this.#pings.send(key, { type: 'account.removed' });
    this.#registrations.send(key, { type: 'account.removed' });
    this.#held.delete(key);
  }

  #obey(key: string, order: RegistrationOrder): void {
    const held = this.#held.get(key);
    if (held === undefined) return;
    if (order.type === 'send.register') {
      held.line.register(order.withCredentials, (response) => {
        if (this.#held.get(key) === held) this.#registrations.send(key, answerOf(response));
      });
    }
    if (order.type === 'send.unregister') this.#unregister(held);
  }

  #unregister(held: Held): void {
    this.#leaving.add(held);
    held.line.unregister(() => {
      this.#leaving.delete(held);
      if (this.#leaving.size === 0) this.#onAllLeft();
    });
  }

  #check(key: string, order: PingOrder): void {
    const held = this.#held.get(key);
    if (order.type === 'report.failed') this.#registrations.send(key, { type: 'ping.failed' });
    if (order.type === 'send.options') {
      held?.line.check(() => {
        if (this.#held.get(key) === held) this.#pings.send(key, { type: 'response.received' });
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
