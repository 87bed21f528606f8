/** Asks the fronts of a world in the name of the sessions of a scenario. */
import { FrontAway, type World } from '../world/world.ts';
import type { Answer } from './expecting.ts';
import type { Scenario } from './schema.ts';

/** What is asked. */
export interface Asked {
  readonly through: string;
  /** Name of a session. */
  readonly as?: string | undefined;
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

export class Desk {
  readonly #world: World;
  readonly #tokens = new Map<string, string>();

  constructor(world: World) {
    this.#world = world;
  }

  /** Throws an error in one line where a login is refused. */
  async openSessions(sessions: Scenario['sessions']): Promise<void> {
    for (const [name, { through, ...credentials }] of Object.entries(sessions)) {
      const answer = await this.ask({ through, method: 'POST', path: sessionsPath, body: byToken(credentials) });
      const token = tokenIn(answer);
      if (token === undefined) throw new Error(`session ${name}: login at ${through} gave ${JSON.stringify(answer)}`);
      this.#tokens.set(name, token);
    }
  }

  /** Throws `FrontAway` where nobody answers. `token`: of a session that has no name. */
  async ask({ through, as, method, path, body }: Asked, token = this.#tokens.get(as ?? '')): Promise<Answer> {
    const headers: Record<string, string> = {};
    if (token !== undefined) headers['authorization'] = `Bearer ${token}`;
    if (body !== undefined) headers['content-type'] = 'application/json';
    const text = body === undefined ? {} : { body: JSON.stringify(body) };
    const request = new Request(`http://${through}${path}`, { method, headers, ...text });
    const response = await this.#world.request(through, request);
    const answer = await response.text();
    return { status: response.status, headers: response.headers, body: answer === '' ? undefined : parsed(answer) };
  }

  /** The answer, or `undefined` where nobody gives one. */
  async askOrNone(asked: Asked, token?: string): Promise<Answer | undefined> {
    try {
      return await this.ask(asked, token);
    } catch (error) {
      if (error instanceof FrontAway) return undefined;
      throw error;
    }
  }
}

export const sessionsPath = '/rest/v1/iam/sessions';

/** The body of a login that is answered with a token. */
export function byToken(credentials: { domain: string; login: string; pwd: string }): Record<string, unknown> {
  return { ...credentials, session_type: 'token' };
}

export function tokenIn({ body }: Answer): string | undefined {
  return (body as { session_token?: string } | undefined)?.session_token;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
