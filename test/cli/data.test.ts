/** `strowger serve --data`: what was acknowledged is there after a restart, and after a kill at any moment. */
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { makeFolder, writeFile } from '../topology/edits.ts';
import { Running } from './command.ts';

const users = '/rest/v1/domain/domains/root.test/users';
const kills = 4;

/** One node, so that it starts fast. */
const topology = `name: one
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

class Served {
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
    return (await this.ask('GET', `${users}?filter=${filter}&limit=10000`)).json() as Promise<
      { id: string; login: string }[]
    >;
  }

  async commentOf(id: string): Promise<string> {
    return ((await (await this.ask('GET', `${users}/${id}`)).json()) as { opts: { comment: string } }).opts.comment;
  }
}

test.serial('a kill in the middle of writes, again and again, loses nothing that was acknowledged', async (t) => {
  const folder = join(makeFolder(t), 'data');
  const args = ['--topology', writeFile(t, 'one.yaml', topology), '--data', folder];
  const acknowledged = new Set<string>();
  let served = await Served.start(t, args);
  for (let round = 0; round < kills; round += 1) {
    const before = acknowledged.size;
    const writing = Promise.all(['a', 'b', 'c'].map((writer) => served.makeUsers(`r${round}-${writer}`, acknowledged)));
    while (acknowledged.size < before + 20 + 17 * round) await new Promise((resolve) => setImmediate(resolve));
    served.running.kill('SIGKILL');
    await writing;
    await served.running.ended;
    served = await Served.start(t, args);
    const there = await served.users();
    const logins = new Set(there.map(({ login }) => login));
    t.deepEqual(
      [...acknowledged].filter((login) => !logins.has(login)),
      [],
    );
    t.is(logins.size, there.length, 'nothing twice');
    t.true(
      there.length <= acknowledged.size + 3 * (round + 1),
      'at most what was under way is there without an answer',
    );
    const { id = '', login = '' } = there.at(-1) ?? {};
    t.is(await served.commentOf(id), login.repeat(50), 'nothing is there by half');
  }
  t.is(await served.running.end('SIGTERM'), 0);
  t.is(served.running.err, '');
});
