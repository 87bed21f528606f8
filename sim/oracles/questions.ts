/**
 * The requests of oracles to the fronts of a world. An oracle asks as an administrator, with one session for each
 * domain.
 */

import type { ClusterMap } from '../../src/model/cluster/cluster-map.ts';
import { jsonOr } from '../../src/model/json.ts';
import type { Media, SipResponse } from '../../src/model/sip/message.ts';
import type { Behaviour } from '../../src/model/topology/schema.ts';
import type { CallView } from '../outside/endpoints/endpoint-call.ts';
import type { StubAnswer } from '../outside/http/stub-answer.ts';
import { NoRoute, type PlacedCall } from '../outside/outside-world.ts';
import type { Registration } from '../outside/unknown-devices.ts';
import type { SimulatedSamples } from '../ports/samples.ts';
import { type EventSocket, FrontAway, type SocketListener, type SocketOpener, type World } from '../world/world.ts';

export interface QuestionAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

export interface OracleRequest {
  readonly site: string;
  /** The domain whose administrator asks. */
  readonly domain: string;
  readonly path: string;
  /** Default: GET. */
  readonly method?: string;
  readonly body?: unknown;
  /** A body that is not JSON, with its media type. */
  readonly bytes?: { readonly type: string; readonly text: string };
  /** Besides those of the session and of the body. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The address of the client, in a virtual world: one that is refused often is banned. */
  readonly sender?: string;
}

export interface LoginData {
  readonly login: string;
  readonly pwd: string;
}

/** A session of the oracle's own. */
export interface OwnSession {
  readonly token: string;
}

/** A request of a script, as another system has received it. */
export interface NotedRequest {
  readonly method: string;
  readonly url: string;
  /** With names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly atMs: number;
}

/** Asks without a session. */
export const noSession: OwnSession = { token: '' };

/** Poll interval for a condition that must become true in time. */
const againMs = 1_000;
const path = '/rest/v1/iam/sessions';

export class Questions {
  readonly #world: World;
  readonly #sessions = new Map<string, OwnSession>();

  constructor(world: World) {
    this.#world = world;
  }

  /** Sites whose front is open. */
  get sites(): string[] {
    const open = this.#world.urls();
    const fronts = this.#world.map.instancesOf('ws').filter(({ name }) => open.has(name));
    return [...new Set(fronts.map(({ site }) => site))];
  }

  /** Domains with an administrator whose password is in the topology. */
  get domains(): string[] {
    return this.#world.map.topology.domains
      .filter(({ name }) => adminOf(this.#world.map, name))
      .map(({ name }) => name);
  }

  /** The answer; `undefined` if no front answers or no administrator can log in. */
  async ask({ site, domain, ...rest }: OracleRequest): Promise<QuestionAnswer | undefined> {
    const login = async () => {
      const made = await this.login(site, domain, undefined, rest.sender);
      if (made !== undefined) this.#sessions.set(domain, made);
      return made;
    };
    const session = this.#sessions.get(domain) ?? (await login());
    if (session === undefined) return undefined;
    const answer = await this.askAs(session, site, rest);
    if (answer?.status !== 401) return answer;
    // Use cases and drills log in as the same user, and the oldest of many sessions is closed.
    const renewed = await login();
    return renewed === undefined ? answer : this.askAs(renewed, site, rest);
  }

  /** The same, with a session of the oracle's own. */
  async askAs(
    { token }: OwnSession,
    site: string,
    { path: target, method = 'GET', body, bytes, headers, sender }: Omit<OracleRequest, 'site' | 'domain'>,
  ): Promise<QuestionAnswer | undefined> {
    const json = body === undefined ? undefined : JSON.stringify(body);
    const { type, text } = bytes ?? { type: 'application/json', text: json };
    const init = {
      method,
      headers: { ...(token !== '' && { authorization: `Bearer ${token}` }), 'content-type': type, ...headers },
      ...(text !== undefined && { body: text }),
    };
    return this.#send(site, target, init, sender);
  }

  async login(
    site: string,
    domain: string,
    user: LoginData | undefined = adminOf(this.#world.map, domain),
    sender?: string,
  ): Promise<OwnSession | undefined> {
    if (user === undefined) return undefined;
    const body = JSON.stringify({ domain, login: user.login, pwd: user.pwd, session_type: 'token' });
    const headers = { 'content-type': 'application/json' };
    const answer = await this.#send(site, path, { method: 'POST', headers, body }, sender);
    const token = (answer?.body as { session_token?: unknown } | undefined)?.session_token;
    return typeof token === 'string' ? { token } : undefined;
  }

  /** Polls until no problem is left, or the time is over. Returns the remaining problems. */
  async eventually(withinMs: number, look: () => Promise<string[]> | string[]): Promise<string[]> {
    const untilMs = this.#world.now() + withinMs;
    for (;;) {
      const wrong = await look();
      if (wrong.length === 0 || this.#world.now() >= untilMs) return wrong;
      await this.#world.wait(againMs);
    }
  }

  /** Polls until no problem has been there each time, or the time is over. Returns the problems that were there each time. */
  async lasting(withinMs: number, look: () => Promise<string[]>): Promise<string[]> {
    let always: string[] | undefined;
    return this.eventually(withinMs, async () => {
      const found = await look();
      always = always?.filter((problem) => found.includes(problem)) ?? found;
      return always;
    });
  }

  /** A device of the oracle's own registers, or leaves. */
  register(registration: Registration): Promise<SipResponse> {
    return this.#world.during(this.#world.outside.registerAs(registration));
  }

  /** The calls of a device of the oracle's own. */
  callsAt(ip: string): readonly CallView[] {
    return this.#world.outside.callsAt(ip);
  }

  /** A provider calls a number by an account, which has a key; `undefined`: it has no way to the platform. */
  callBy(account: string, number: string): PlacedCall | undefined {
    try {
      return this.#world.outside.call(account, number);
    } catch (error) {
      if (error instanceof NoRoute) return undefined;
      throw error;
    }
  }

  /** Another system answers the requests of scripts at addresses that begin so, until `end` is called. */
  stub(prefix: string, answer: StubAnswer): { end(): void } {
    const { stubs } = this.#world.outside;
    stubs.set(prefix, answer);
    return { end: () => stubs.set(prefix, undefined) };
  }

  /** Another system answers the requests of scripts at addresses that begin so, and notes them with the time, until `end` is called. */
  receiver(
    prefix: string,
    answerTo: (request: NotedRequest) => StubAnswer,
  ): { readonly requests: readonly NotedRequest[]; end(): void } {
    const { stubs } = this.#world.outside;
    const requests: NotedRequest[] = [];
    stubs.handle(prefix, ({ method, url, headers, body }) => {
      const request = { method, url, headers, body, atMs: this.#world.now() };
      requests.push(request);
      return answerTo(request);
    });
    return { requests, end: () => stubs.set(prefix, undefined) };
  }

  hangUp(call: PlacedCall): void {
    this.#world.outside.hangUp(call);
  }

  /** A party of a call puts it on hold, or resumes. */
  hold(call: PlacedCall, isOn: boolean): void {
    if (isOn) this.#world.outside.hold(call);
    else this.#world.outside.talk(call);
  }

  /** A party of a call presses digits. */
  press(call: PlacedCall, digits: string): void {
    this.#world.outside.press(call, digits);
  }

  /** A party of a call refers the other one to a URI; `replacing`: Call-Id of another call of the party, which is replaced. */
  transfer(call: PlacedCall, uri: string, replacing?: string): void {
    this.#world.outside.transfer(call, uri, replacing);
  }

  /** By Call-Id, what re-INVITEs offer to an endpoint from now on: who sends media after each change. Until `stop` is called. */
  offers(endpoint: string): { readonly media: ReadonlyMap<string, readonly Media[]>; stop(): void } {
    const all = new Map<string, Media[]>();
    const stop = this.#world.observe<'outside.sent'>(
      ({ to: receiver, message }) => {
        if (receiver !== endpoint || message.kind !== 'request' || message.to.tag === undefined) return;
        const { callid, media } = message;
        const offered = all.get(callid) ?? [];
        all.set(callid, offered);
        // A message may be sent again, and an offer may change nothing.
        if (media !== undefined && media !== offered.at(-1)) offered.push(media);
      },
      { kinds: ['outside.sent'], types: ['INVITE'] },
    );
    return { media: all, stop };
  }

  /** The Request-URIs of the calls to endpoints from now on, in their order. Until `stop` is called. */
  invited(endpoints: readonly string[]): { readonly uris: readonly string[]; stop(): void } {
    const uris: string[] = [];
    const known = new Set<string>();
    const stop = this.#world.observe<'outside.sent'>(
      ({ to, message }) => {
        if (!endpoints.includes(to) || message.kind !== 'request' || message.to.tag !== undefined) return;
        // A message may be sent again.
        if (known.has(message.callid)) return;
        known.add(message.callid);
        uris.push(message.uri);
      },
      { kinds: ['outside.sent'], types: ['INVITE'] },
    );
    return { uris, stop };
  }

  /** Endpoints that are notified of the end of their registration from now on, once for each request. Until `stop` is called. */
  deactivated(): { readonly endpoints: readonly string[]; stop(): void } {
    const endpoints: string[] = [];
    const known = new Set<string>();
    const stop = this.#world.observe<'outside.sent'>(
      ({ to, message }) => {
        if (message.kind !== 'request' || message.event !== 'reg' || message.reason !== 'deactivated') return;
        // A message may be sent again.
        if (known.has(message.callid)) return;
        known.add(message.callid);
        endpoints.push(to);
      },
      { kinds: ['outside.sent'], types: ['NOTIFY'] },
    );
    return { endpoints, stop };
  }

  /** Sets how a number of a domain reacts to calls; without a behaviour it reacts as the topology says. */
  behave(domain: string, number: string, behaviour?: Behaviour): void {
    this.#world.outside.behave(domain, number, behaviour);
  }

  /** The folder of the audio matchers' samples, in a virtual world. */
  get samples(): SimulatedSamples | undefined {
    return this.#world.samples;
  }

  /** Opens a web socket at a site; the status with which it is refused, or 0 if no front is open, where it is not. */
  openSocket(site: string, opener: SocketOpener, listener: SocketListener): Promise<EventSocket | number> {
    return this.#world.during(this.#world.openSocket(site, opener, listener));
  }

  wait(ms: number): Promise<void> {
    return this.#world.wait(ms);
  }

  async #send(site: string, target: string, init: RequestInit, sender?: string): Promise<QuestionAnswer | undefined> {
    try {
      const sent = typeof init.body === 'string' ? { sent: init.body } : {};
      const request = new Request(`http://${site}${target}`, init);
      const response = await this.#world.request(site, request, { ...sent, sender });
      const text = await response.text();
      return { status: response.status, headers: response.headers, body: text === '' ? undefined : jsonOr(text, text) };
    } catch (error) {
      if (error instanceof FrontAway) return undefined;
      throw error;
    }
  }
}

function adminOf({ topology }: ClusterMap, domain: string) {
  const found = topology.domains.find(({ name }) => name === domain);
  return found?.users.find(({ roles }) => roles.includes('admin'));
}
