/** `strowger serve --data`: what was acknowledged is there after a restart, and after a kill at any moment. */
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { makeFolder, writeFile } from '../topology/edits.ts';
import { smallYaml } from '../topology/small.ts';
import { Running } from './command.ts';

const domains = '/rest/v1/domain/domains';
const users = `${domains}/acme.root.test/users`;
const kills = 4;

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

  async users(): Promise<{ login: string; comment: string }[]> {
    const filter = encodeURIComponent(JSON.stringify(['like', ['property', 'login'], '%-%-%']));
    const items: { id: string; login: string }[] = [];
    for (let isMore = true; isMore; ) {
      const answer = await this.ask('GET', `${users}?filter=${filter}&offset=${items.length}&limit=1000`);
      const page = (await answer.json()) as { id: string; login: string }[];
      items.push(...page);
      isMore = page.length === 1_000;
    }
    const last = items.at(-1);
    const whole =
      last && ((await (await this.ask('GET', `${users}/${last.id}`)).json()) as { opts: { comment: string } });
    return items.map(({ login }) => ({
      login,
      comment: login === last?.login ? (whole?.opts.comment ?? '') : login.repeat(50),
    }));
  }
}

test.serial('a kill in the middle of writes, again and again, loses nothing that was acknowledged', async (t) => {
  const folder = join(makeFolder(t), 'data');
  const args = ['--topology', writeFile(t, 'small.yaml', smallYaml), '--data', folder];
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
    t.true(
      there.every(({ login, comment }) => comment === login.repeat(50)),
      'nothing is there by half',
    );
  }
  t.is((await served.running.end('SIGTERM')).code, 0);
  t.is(served.running.err, '');
});
