/**
 * Traffic as steps that can be played again: logins become sessions, ids that later requests use become variables, values that
 * differ from run to run are left out, and secrets are masked.
 */
import type { ProxiedExchange, ProxiedTraffic } from './recording-proxy.ts';

export interface PlayedSession {
  readonly name: string;
  readonly domain: string;
  readonly login: string;
}

export interface PlayedStep {
  readonly method: string;
  readonly target: string;
  /** Name of a session; `undefined`: the request had none, or one from before the recording. */
  readonly as: string | undefined;
  readonly body: unknown;
  readonly status: number;
  /** What the answer must contain; `undefined`: nothing that is the same in every run. */
  readonly expected: unknown;
  /** Variables by name, each with its path in the answer. */
  readonly save: Readonly<Record<string, string>>;
  /** Milliseconds since the answer before, where it was a while. */
  readonly afterMs: number;
}

export interface Played {
  readonly sessions: readonly PlayedSession[];
  readonly steps: readonly PlayedStep[];
  /** Names of events, in the order in which the platform sent the first of each. */
  readonly events: readonly string[];
  /** From the first request to the last answer, in milliseconds. */
  readonly tookMs: number;
  /** Why exchanges were left out. */
  readonly leftOut: readonly string[];
}

const sessionsPath = '/rest/v1/iam/sessions';
export const masked = 'masked';
const secret = /pwd|passw|secret|token|authorization|cookie/i;
const idKey = /(^|_)id$|id$|^uri$|^confuri$/i;
const volatileKey =
  /^(start|answer|end|expire|begin)\w*ts$|^(duration|talk|took|up)\w*ms$|^(ts|ct|lwt|age|expires|cursor|href|date|time|call-?ids?|links?|_links|ext)$|utc$/i;
const volatileText =
  /^[0-9a-f]{8}-[0-9a-f]{4}-|^\d{4}-\d\d-\d\dT|^[0-9a-f]{16,}$|@\d+\.\d+\.\d+\.\d+|:\d{4,5}\b|^[\w-]{24,}$/i;
const leastNumber = 1_000_000;
const pauseMs = 1_000;
const mostItems = 20;

export function playedFrom({ exchanges, events }: ProxiedTraffic): Played {
  const player = new Player();
  for (const exchange of exchanges) player.add(exchange);
  const tookMs = Math.max(0, ...exchanges.map(({ untilMs }) => untilMs)) - (exchanges[0]?.atMs ?? 0);
  return { ...player.result(), tookMs, events: [...new Set(events.map(({ name }) => name))] };
}

interface Known {
  readonly step: number;
  readonly path: string;
  readonly key: string;
  name?: string;
}

class Player {
  readonly #sessions: (PlayedSession & { readonly id: string })[] = [];
  readonly #steps: {
    exchange: ProxiedExchange;
    as: string | undefined;
    save: Record<string, string>;
    afterMs: number;
  }[] = [];
  readonly #leftOut: string[] = [];
  /** Texts of answers that requests may refer to. */
  readonly #known = new Map<string, Known>();
  readonly #names = new Set<string>();
  #untilMs: number | undefined;

  add(exchange: ProxiedExchange): void {
    const { method, target, status, hasOtherBody } = exchange;
    const title = `${method} ${target.split('?')[0]}`;
    if (method === 'POST' && target.split('?')[0] === sessionsPath && status < 300) return this.#logIn(exchange);
    if (hasOtherBody) return void this.#leftOut.push(`${title}: its body is not JSON`);
    const as = this.#sessions.find(({ id }) => id === exchange.session)?.name;
    const afterMs = exchange.atMs - (this.#untilMs ?? exchange.atMs);
    this.#untilMs = exchange.untilMs;
    for (const text of textsUsedBy(exchange)) this.#capture(text);
    this.#steps.push({ exchange, as, save: {}, afterMs: afterMs < pauseMs ? 0 : afterMs });
    this.#learn(exchange.answer, this.#steps.length - 1);
  }

  result(): Omit<Played, 'events' | 'tookMs'> {
    for (const { name, step, path } of this.#known.values()) {
      if (name !== undefined) Object.assign(this.#steps[step]?.save ?? {}, { [name]: path });
    }
    const steps = this.#steps.map(({ exchange, as, save, afterMs }, step): PlayedStep => {
      const { method, target, sent, status, answer } = exchange;
      const body = this.#referring(withoutSecrets(sent), step);
      const expected = stable(this.#referring(answer, step));
      return { method, target: this.#referringPath(target, step), as, body, status, expected, save, afterMs };
    });
    return { sessions: this.#sessions.map(({ id: _id, ...session }) => session), steps, leftOut: this.#leftOut };
  }

  #logIn({ sent, opened }: ProxiedExchange): void {
    const { domain = '', login = '' } = (sent ?? {}) as { domain?: string; login?: string };
    if (opened === undefined) return void this.#leftOut.push(`POST ${sessionsPath}: its answer has no session`);
    const count = this.#sessions.filter((session) => session.login === login).length;
    const stem = login.replaceAll(/\W/g, '_');
    const name = count === 0 ? stem : `${stem}${count + 1}`;
    this.#sessions.push({ id: opened, name, domain, login });
  }

  #capture(text: string): void {
    const known = this.#known.get(text);
    if (known === undefined || known.name !== undefined) return;
    const stem = known.key.replaceAll(/\W/g, '') || 'id';
    let name = /^[A-Za-z]/.test(stem) ? stem : 'id';
    for (let n = 2; this.#names.has(name); n += 1) name = `${stem}${n}`;
    this.#names.add(name);
    known.name = name;
  }

  #learn(answer: unknown, step: number): void {
    for (const { path, value } of leavesOf(answer)) {
      if (typeof value !== 'string' || value.length < 4 || this.#known.has(value)) continue;
      const key = path.findLast((part) => typeof part === 'string') ?? 'id';
      if (!idKey.test(String(key)) && !volatileText.test(value)) continue;
      this.#known.set(value, { step, path: path.join('.'), key: String(key) });
    }
  }

  /** The variable of a value that a step before this one has saved. */
  #variable(text: string, step: number): string | undefined {
    const known = this.#known.get(text);
    return known?.name !== undefined && known.step < step ? `$${known.name}` : undefined;
  }

  #referring(value: unknown, step: number): unknown {
    if (typeof value === 'string') return this.#variable(value, step) ?? value;
    if (Array.isArray(value)) return value.map((each) => this.#referring(each, step));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, this.#referring(each, step)]));
  }

  #referringPath(target: string, step: number): string {
    const [path = '', query] = target.split('?', 2);
    const parts = path.split('/').map((part) => this.#variable(decodeURIComponent(part), step) ?? part);
    return `${parts.join('/')}${query === undefined ? '' : `?${query}`}`;
  }
}

/** Parts of the path, and texts of the body, that may come from an answer before. */
function textsUsedBy({ target, sent }: ProxiedExchange): string[] {
  const parts = (target.split('?')[0] ?? '').split('/').map((part) => decodeURIComponent(part));
  return [...parts, ...leavesOf(sent).flatMap(({ value }) => (typeof value === 'string' ? [value] : []))];
}

interface Leaf {
  readonly path: readonly (string | number)[];
  readonly value: unknown;
}

function leavesOf(value: unknown, path: Leaf['path'] = []): Leaf[] {
  if (Array.isArray(value)) return value.flatMap((each, i) => leavesOf(each, [...path, i]));
  if (typeof value !== 'object' || value === null) return value === undefined ? [] : [{ path, value }];
  return Object.entries(value).flatMap(([key, each]) => leavesOf(each, [...path, key]));
}

function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([key, each]) => {
    const isSecret = secret.test(key) && typeof each === 'string';
    return [key, isSecret ? masked : withoutSecrets(each)] as const;
  });
  return Object.fromEntries(fields);
}

/** The part of an answer that is the same in every run; `undefined` if there is none. */
function stable(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) {
    if (value.length > mostItems) return undefined;
    const items = value.map((each) => stable(each, key) ?? (typeof each === 'object' ? {} : undefined));
    return items.includes(undefined) ? undefined : items;
  }
  if (typeof value === 'object' && value !== null) {
    const fields = Object.entries(value).flatMap(([name, each]) => {
      const isLeftOut = secret.test(name) || volatileKey.test(name);
      const part = isLeftOut ? undefined : stable(each, name);
      return part === undefined ? [] : [[name, part] as const];
    });
    return fields.length === 0 ? undefined : Object.fromEntries(fields);
  }
  if (typeof value === 'string') {
    if (value.startsWith('$')) return /^\$\w+$/.test(value) ? value : undefined;
    return idKey.test(key) || volatileText.test(value) || value.includes('$') || key === 'error_message'
      ? undefined
      : value;
  }
  return typeof value === 'number' && value >= leastNumber ? undefined : value;
}
