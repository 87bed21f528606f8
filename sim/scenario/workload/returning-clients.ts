/**
 * The clients of a workload, who log in again when their session is over: the fronts that knew it may have restarted. Each
 * login is from another address, because an address with too many unknown sessions is banned.
 */
import type { Scenario } from '../language/scenario.ts';
import { type ApiClients, type ApiRequest, byToken, sessionsPath, tokenIn } from '../run/api-clients.ts';
import type { Answer } from '../run/expectations.ts';

export type ApiSender = Pick<ApiClients, 'sendOrNone'>;

interface Renewed {
  readonly token: string;
  readonly sender: string;
}

export class ReturningClients implements ApiSender {
  readonly #apiClients: ApiClients;
  readonly #sessions: Scenario['sessions'];
  /** By session and site: during a cut, sites do not know the new sessions of each other. */
  readonly #renewed = new Map<string, Renewed>();
  /** The clients that log in now. */
  readonly #underWay = new Set<string>();
  #logins = 0;

  constructor(apiClients: ApiClients, sessions: Scenario['sessions']) {
    this.#apiClients = apiClients;
    this.#sessions = sessions;
  }

  /** The answer, or `undefined` if no front answers. `token` overrides the session. */
  async sendOrNone(request: ApiRequest, token?: string): Promise<Answer | undefined> {
    const { as, through } = request;
    if (as === undefined || token !== undefined) return this.#apiClients.sendOrNone(request, token);
    const key = `${as} ${through}`;
    const own = this.#renewed.get(key);
    const sender = request.sender ?? own?.sender;
    const answer = await this.#apiClients.sendOrNone({ ...request, sender }, own?.token);
    if (answer?.status === 401 && own === this.#renewed.get(key)) await this.#logIn(key, { as, through });
    return answer;
  }

  async #logIn(key: string, { as, through }: { as: string; through: string }): Promise<void> {
    const session = this.#sessions[as];
    if (session === undefined || this.#underWay.has(key)) return;
    this.#underWay.add(key);
    this.#logins += 1;
    const sender = `10.8.${this.#logins >> 8}.${this.#logins & 255}`;
    const { domain, login, pwd } = session;
    const body = byToken({ domain, login, pwd });
    const answer = await this.#apiClients.sendOrNone({ through, method: 'POST', path: sessionsPath, body, sender });
    const token = answer && tokenIn(answer);
    if (token !== undefined) this.#renewed.set(key, { token, sender });
    this.#underWay.delete(key);
  }
}
