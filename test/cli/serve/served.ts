/** A cluster of one node, served by a process of its own. */
import type { ExecutionContext } from 'ava';
import { Running } from '../command.ts';

const users = '/rest/v1/domain/domains/root.test/users';

/** One node, so that it starts fast. */
export const oneNode = `name: one
sites:
  - name: east
    type: master_communication
    domains: [root.test]
    nodes:
      - name: e1
        ip: 10.1.0.1
        instances:
          - { role: ws, srvidx: 11 }
          - { role: rpco, srvidx: 12 }
          - { role: mdc, srvidx: 14, group: 14, order: 1 }
domains:
  - name: root.test
    users:
      - { login: admin, pwd: admin, roles: [admin] }
`;

/** A cluster that is served, and a client of it. */
export class Served {
  readonly running: Running;
  readonly url: string;
  readonly #token: string;

  private constructor(running: Running, url: string, token: string) {
    this.running = running;
    this.url = url;
    this.#token = token;
  }

  static async start(t: ExecutionContext, args: readonly string[]): Promise<Served> {
    const running = new Running(t, ['serve', '--port', '0', '--quiet', ...args]);
    const [, url = ''] = await running.says(/^ready east=(\S+)/m);
    const login = { domain: 'root.test', login: 'admin', pwd: 'admin', session_type: 'token' };
    const answer = await fetch(`${url}/rest/v1/iam/sessions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(login),
    });
    const { session_token: token } = (await answer.json()) as { session_token: string };
    return new Served(running, url, token);
  }

  ask(method: string, path: string, json?: unknown): Promise<Response> {
    const headers = { authorization: `Bearer ${this.#token}`, 'content-type': 'application/json' };
    return fetch(`${this.url}${path}`, { method, headers, ...(json !== undefined && { body: JSON.stringify(json) }) });
  }

  /** Makes users until the process is gone. Adds the login of each that was acknowledged. */
  async makeUsers(prefix: string, acknowledged: Set<string>): Promise<void> {
    for (let i = 0; ; i += 1) {
      const login = `${prefix}-${i}`;
      try {
        const answer = await this.ask('POST', users, {
          name: login,
          login,
          pwd: 'x',
          opts: { comment: login.repeat(50) },
        });
        if (answer.status !== 200) return;
        acknowledged.add(login);
      } catch {
        return;
      }
    }
  }

  /** The users that were made here, in the order of their creation. */
  async users(): Promise<{ id: string; login: string }[]> {
    const filter = encodeURIComponent(JSON.stringify(['like', ['property', 'login'], '%-%-%']));
    const answer = await this.ask('GET', `${users}?filter=${filter}&limit=10000`);
    if (answer.status !== 200) throw new Error(`users: ${answer.status} ${await answer.text()}`);
    return answer.json() as Promise<{ id: string; login: string }[]>;
  }

  async commentOf(id: string): Promise<string> {
    return ((await (await this.ask('GET', `${users}/${id}`)).json()) as { opts: { comment: string } }).opts.comment;
  }
}
