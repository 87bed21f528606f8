/** Sessions that clients open for themselves: used, bound anew and closed, or ended with their user. */
import { limits } from '../../../../src/model/limits.ts';
import { passed } from '../../../../src/ports/clock.ts';
import { byToken, sessionsPath, tokenIn } from '../../run/api-clients.ts';
import type { Answer } from '../../run/expectations.ts';
import type { RequestsContext } from '../load-parts.ts';
import { oneOf } from '../tally.ts';

/** The user of a session of the scenario. */
export interface SessionOwner {
  readonly session: string;
  readonly domain: string;
  readonly login: string;
  readonly pwd: string;
}

export const ownSession = `${sessionsPath}/current`;
export const meetings = '/rest/v1/uc/selectors';
/** How long no front need know to which domain a session was bound. */
const boundMs = 2_500;
/** After this time it must, whatever was lost. */
const surelyBoundMs = 26_000;
/** How long no front need know of a logout. */
const knownMs = 6_000;
/** How often the session is that of a user who is removed, or given another password, while it is open. */
const revokedShare = 1 / 4;
/** How often a user has as many sessions as a user may have, and opens one more; times between their uses (ms). */
const manyShare = 1 / 5;
const [restMs, usesMs] = [2_500, 2_000];

export class OwnSessions {
  readonly #context: RequestsContext;
  readonly #fronts: () => readonly string[];
  #senders = 0;

  constructor(context: RequestsContext, fronts: () => readonly string[]) {
    this.#context = context;
    this.#fronts = fronts;
  }

  use(owner: SessionOwner): Promise<void> {
    const draw = this.#context.random.float();
    if (draw < revokedShare) return this.#useOfRevoked(owner);
    return draw < revokedShare + manyShare ? this.#useMany(owner) : this.#useOwn(owner);
  }

  /** Opened, used at several fronts, bound anew, closed, and used once more. */
  async #useOwn({ domain, ...credentials }: SessionOwner): Promise<void> {
    const { clock, random } = this.#context;
    const { send } = this.#newSender();
    const token = await open(send, { domain, ...credentials });
    if (token === undefined) return;
    const lookEverywhere = () =>
      Promise.all(this.#fronts().map((front) => send('GET', ownSession, { token, at: front })));
    await passed(clock, random.integer(0, 3_000));
    const shown = await send('GET', ownSession, { token });
    const to = oneOf(domainsIn(shown), random) ?? domain;
    await send('PATCH', ownSession, { token, body: { domain: to } });
    await send('GET', meetings, { token });
    await passed(clock, boundMs);
    await lookEverywhere();
    if (random.float() < 0.2) {
      await passed(clock, surelyBoundMs);
      await lookEverywhere();
    }
    const closed = await send('DELETE', ownSession, { token });
    if (closed === undefined || closed.status >= 300) return;
    await passed(clock, knownMs);
    await send('GET', ownSession, { token });
  }

  /** The session of a new user, who is removed or given another password while it is used. */
  async #useOfRevoked({ session, domain }: SessionOwner): Promise<void> {
    const { clock, random } = this.#context;
    const { send, name: login } = this.#newSender();
    const users = usersOf(domain);
    const id = await this.#newUser(send, { session, domain, login });
    if (id === undefined) return;
    const token = await open(send, { domain, login, pwd: login });
    if (token !== undefined) await send('GET', ownSession, { token });
    await passed(clock, random.integer(0, 3_000));
    const isKept = random.float() < 1 / 2;
    if (isKept) await send('PATCH', `${users}/${id}`, { as: session, body: { pwd: `${login}-2` } });
    else await send('DELETE', `${users}/${id}`, { as: session });
    await passed(clock, knownMs);
    if (token !== undefined) for (const at of this.#fronts()) await send('GET', ownSession, { token, at });
    if (isKept) await send('DELETE', `${users}/${id}`, { as: session });
  }

  /** The user opens all sessions at one front, uses most of them again, then opens one more, and looks which of them go on. */
  async #useMany({ session, domain }: SessionOwner): Promise<void> {
    const { clock, random } = this.#context;
    const { send, name: login } = this.#newSender();
    const at = oneOf(this.#fronts(), random) ?? '';
    const id = await this.#newUser(send, { session, domain, login });
    if (id === undefined) return;
    const opened: string[] = [];
    const openOne = async () => {
      const token = await open(send, { domain, login, pwd: login }, at);
      if (token !== undefined) opened.push(token);
    };
    const look = (tokens: readonly string[]) =>
      Promise.all(tokens.map((token) => send('GET', ownSession, { token, at })));
    for (let n = 0; n < limits.sessionsPerUser; n += 1) await openOne();
    const idle = oneOf(opened.slice(1), random);
    await passed(clock, restMs);
    await look(opened.filter((token) => token !== idle));
    await passed(clock, usesMs);
    await openOne();
    await look(opened);
    await send('DELETE', `${usersOf(domain)}/${id}`, { as: session });
  }

  /** The id of a new user, whose password is the login. */
  async #newUser(send: Send, { session, domain, login }: NewUser): Promise<string | undefined> {
    const body = { login, name: login, pwd: login };
    const made = await send('POST', usersOf(domain), { as: session, body });
    const id = (made?.body as { readonly id?: unknown } | undefined)?.id;
    return typeof id === 'string' ? id : undefined;
  }

  /** Requests from an address of their own, so that a ban is of no other client, and a name that no other sender has. */
  #newSender(): { readonly send: Send; readonly name: string } {
    const { apiClients, random } = this.#context;
    this.#senders += 1;
    const sender = `10.9.${this.#senders >> 8}.${this.#senders & 255}`;
    const send: Send = (method, path, { body, as, token, at }) => {
      const through = at ?? oneOf(this.#fronts(), random) ?? '';
      return apiClients.sendOrNone({ through, method, path, body, as, sender }, token);
    };
    return { send, name: `guest-${this.#senders}` };
  }
}

interface Sending {
  readonly body?: unknown;
  /** A session of the scenario, or a token. */
  readonly as?: string;
  readonly token?: string;
  /** A front; default: any. */
  readonly at?: string;
}

type Send = (method: string, path: string, more: Sending) => Promise<Answer | undefined>;

interface NewUser {
  /** The session of an administrator. */
  readonly session: string;
  readonly domain: string;
  readonly login: string;
}

function usersOf(domain: string): string {
  return `/rest/v1/domain/domains/${domain}/users`;
}

/** `at`: a front; default: any. */
async function open(
  send: Send,
  { domain, login, pwd }: Omit<SessionOwner, 'session'>,
  at?: string,
): Promise<string | undefined> {
  const body = byToken({ domain, login, pwd });
  const opened = await send('POST', sessionsPath, { body, ...(at !== undefined && { at }) });
  return opened && tokenIn(opened);
}

/** The domains to which a session may be bound. */
function domainsIn(shown: Answer | undefined): string[] {
  const { domains = [] } = (shown?.body ?? {}) as { readonly domains?: readonly { readonly domain: string }[] };
  return domains.map(({ domain }) => domain);
}
