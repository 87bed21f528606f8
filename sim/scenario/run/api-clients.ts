/** Sends HTTP requests to the fronts of a world with the sessions of a scenario. */
import { jsonOr } from '../../../src/model/json.ts';
import { FrontAway, type World } from '../../world/world.ts';
import type { Scenario } from '../language/scenario.ts';
import type { Answer } from './expectations.ts';

/** A request to a front. */
export interface ApiRequest {
  readonly through: string;
  /** Name of a session of the scenario. */
  readonly as?: string | undefined;
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  /** A body that is not JSON. */
  readonly bytes?: { readonly type: string; readonly text: string } | undefined;
  /** Further headers. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The address of the client. */
  readonly sender?: string | undefined;
}

/** A session that could not be opened, with the reason. */
export interface FailedLogin {
  readonly session: string;
  readonly text: string;
}

export class ApiClients {
  readonly #world: World;
  readonly #tokens = new Map<string, string>();

  constructor(world: World) {
    this.#world = world;
  }

  /** Opens all sessions. Returns the failed logins, each with its reason in one line. */
  async openSessions(sessions: Scenario['sessions']): Promise<FailedLogin[]> {
    const failed: FailedLogin[] = [];
    for (const [name, { through, ...credentials }] of Object.entries(sessions)) {
      const body = byToken(credentials);
      const answer = await this.sendOrNone({ through, method: 'POST', path: sessionsPath, body });
      const token = answer && tokenIn(answer);
      if (token !== undefined) this.#tokens.set(name, token);
      else failed.push({ session: name, text: failedLoginText(through, credentials, answer) });
    }
    return failed;
  }

  /** Throws `FrontAway` if no front answers. `token` overrides the session. */
  async send(
    { through, as, method, path, body, bytes, sender, headers: given }: ApiRequest,
    token = this.#tokens.get(as ?? ''),
  ): Promise<Answer> {
    const headers: Record<string, string> = { ...given };
    if (token !== undefined) headers['authorization'] = `Bearer ${token}`;
    const sent = bytes?.text ?? (body === undefined ? undefined : JSON.stringify(body));
    if (sent !== undefined) headers['content-type'] = bytes?.type ?? 'application/json';
    const request = new Request(`http://${through}${path}`, {
      method,
      headers,
      ...(sent !== undefined && { body: sent }),
    });
    const response = await this.#world.request(through, request, { sent, sender });
    const answer = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: answer === '' ? undefined : jsonOr(answer, answer),
    };
  }

  /** The answer, or `undefined` if no front answers. */
  async sendOrNone(request: ApiRequest, token?: string): Promise<Answer | undefined> {
    try {
      return await this.send(request, token);
    } catch (error) {
      if (error instanceof FrontAway) return undefined;
      throw error;
    }
  }
}

export const sessionsPath = '/rest/v1/iam/sessions';

/** The body of a login that returns a token. */
export function byToken(credentials: { domain: string; login: string; pwd: string }): Record<string, unknown> {
  return { ...credentials, session_type: 'token' };
}

function failedLoginText(
  through: string,
  { login, domain }: { login: string; domain: string },
  answer?: Answer,
): string {
  const attempt = `the login of ${login} at ${domain} through ${through}`;
  return answer === undefined
    ? `no answer to ${attempt}`
    : `${attempt} was refused: ${answer.status} ${JSON.stringify(answer.body)}`;
}

export function tokenIn({ body }: Answer): string | undefined {
  return (body as { session_token?: string } | undefined)?.session_token;
}
