/** The command line as a process of its own, which ends with its owner at the latest. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createServer, type Server } from 'node:net';
import type { ExecutionContext } from 'ava';
import { systemClock } from '../../src/adapters/system-clock.ts';
import { bundledMain } from '../kit/bundle.ts';
import type { Owner } from '../topology/edits.ts';

/** Until when something must have come to pass, on a slow and busy machine. */
const patienceMs = 45_000;

export class Running {
  readonly #child: ChildProcess;
  readonly #ended: Promise<number | NodeJS.Signals>;
  out = '';
  err = '';

  /** `inShell`: by a shell that stays its parent, as that of `npx` does. The shell gets the signals. `folder`: where it runs. */
  constructor(
    t: Owner,
    args: readonly string[],
    env: Record<string, string> = {},
    { inShell = false, folder }: { inShell?: boolean; folder?: string } = {},
  ) {
    const { STROWGER_SECRET: _secret, STROWGER_CONTROL_TOKEN: _token, ...inherited } = process.env;
    const command = [process.execPath, bundledMain(), ...args];
    const [file = '', ...rest] = inShell ? ['sh', '-c', '"$0" "$@"; exit $?', ...command] : command;
    this.#child = spawn(file, rest, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...inherited, ...env },
      detached: inShell,
      ...(folder !== undefined && { cwd: folder }),
    });
    if (inShell) t.teardown(() => this.#endGroup());
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.out += text;
    });
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.err += text;
    });
    this.#ended = new Promise((resolve) => {
      this.#child.once('close', (code, signal) => resolve(code ?? signal ?? 'SIGKILL'));
    });
    t.teardown(async () => {
      this.kill('SIGKILL');
      await this.#ended;
    });
  }

  get pid(): number {
    if (this.#child.pid === undefined) throw new Error('it did not start');
    return this.#child.pid;
  }

  /** The exit code, or the signal that ended it. */
  get ended(): Promise<number | NodeJS.Signals> {
    return this.#ended;
  }

  /** Sends a signal to the process that was started here; harmless once it has ended. */
  kill(signal: NodeJS.Signals): void {
    if (this.#child.exitCode === null && this.#child.signalCode === null) this.#child.kill(signal);
  }

  /** Ends what its shell has left behind. */
  #endGroup(): void {
    try {
      process.kill(-this.pid, 'SIGKILL');
    } catch {
      // The group has ended.
    }
  }

  /** What the pattern finds on standard output, or on standard error, as soon as it is there. */
  async says(pattern: RegExp, stream: 'out' | 'err' = 'out'): Promise<RegExpExecArray> {
    let isOver = false;
    const over = () => {
      isOver = true;
    };
    this.#ended.then(over);
    return poll(`${pattern} on std${stream}`, async () => {
      const found = pattern.exec(this[stream]);
      if (found === null && isOver) throw new Error(`it ended without ${pattern}: ${this.out}${this.err}`);
      return found ?? undefined;
    });
  }

  /** Sends the signal; what it ended with. */
  end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals> {
    this.kill(signal);
    return this.#ended;
  }
}

export interface Ended {
  readonly code: number | NodeJS.Signals;
  readonly out: string;
  readonly err: string;
}

/** Runs a command to its end, in a process of its own. */
export async function spawned(t: ExecutionContext, ...args: string[]): Promise<Ended> {
  const running = new Running(t, args);
  const code = await running.ended;
  return { code, out: running.out, err: running.err };
}

/** Asks until there is an answer. Rejects, with what was asked for, when the time for that is over. */
export async function poll<T>(what: string, ask: () => Promise<T | undefined>): Promise<T> {
  const endMs = systemClock.now() + patienceMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (systemClock.now() > endMs) throw new Error(`not within ${patienceMs} ms: ${what}`);
    await new Promise((resolve) => systemClock.setTimer(20, () => resolve(undefined)));
  }
}

/** A port of this machine that is taken while the test runs. */
export async function takenPort(t: ExecutionContext): Promise<number> {
  const server = await listening();
  t.teardown(() => server.close());
  return portOf(server);
}

function listening(): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => resolve(server));
  });
}

function portOf(server: Server): number {
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('it does not listen');
  return address.port;
}

type Ask = (path: string, method?: string, headers?: Readonly<Record<string, string>>) => Promise<Response>;

/** A client of a front, logged in as the administrator of the platform. */
export async function loginAt(url: string): Promise<Ask> {
  const answer = await fetch(`${url}/rest/v1/iam/sessions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ domain: 'root.test', login: 'admin', pwd: 'admin', session_type: 'token' }),
  });
  const { session_token: token } = (await answer.json()) as { session_token?: string };
  if (token === undefined) throw new Error(`no session at ${url}: ${answer.status}`);
  return (path, method = 'GET', headers = {}) =>
    fetch(`${url}${path}`, { method, headers: { ...headers, authorization: `Bearer ${token}` } });
}
