/** A served cluster in a process of its own, under attack: its fronts, and the most memory and the longest block of it. */
import { type ChildProcess, fork } from 'node:child_process';
import type { ExecutionContext } from 'ava';
import { bundledMain } from '../kit/bundle.ts';
import type { Measured } from './measure.ts';

/** With a small heap garbage is collected before it counts as memory, and what is kept without a bound ends the process. */
const heapMebibytes = 256;
const measure = new URL('./measure.js', import.meta.url).href;

export class Served {
  readonly #child: ChildProcess;
  out = '';
  /** The first front. */
  url = '';
  nowBytes = 0;
  mostBytes = 0;
  longestBlockMs = 0;
  isOver = false;

  private constructor(args: readonly string[]) {
    this.#child = fork(bundledMain(), ['serve', '--port', '0', '--quiet', ...args], {
      execArgv: [`--max-old-space-size=${heapMebibytes}`, '--import', measure],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.out += text;
      });
    }
    this.#child.on('message', ({ rssBytes, blockMs }: Measured) => {
      this.nowBytes = rssBytes;
      this.mostBytes = Math.max(this.mostBytes, rssBytes);
      this.longestBlockMs = Math.max(this.longestBlockMs, blockMs);
    });
    this.#child.once('close', () => {
      this.isOver = true;
    });
  }

  static async start(t: ExecutionContext, ...args: string[]): Promise<Served> {
    const served = new Served(args);
    t.teardown(() => served.#child.kill('SIGKILL'));
    await until(() => served.isOver || /^ready /m.test(served.out));
    const [, url] = /^ready \w+=(\S+)/m.exec(served.out) ?? [];
    if (url === undefined) throw new Error(`it did not start: ${served.out}`);
    served.url = url;
    await until(() => served.nowBytes > 0);
    served.measureAnew();
    return served;
  }

  get port(): number {
    return Number(new URL(this.url).port);
  }

  measureAnew(): void {
    this.mostBytes = this.nowBytes;
    this.longestBlockMs = 0;
  }

  /** `ok` where the front answers and nothing of the cluster has ended; else what is wrong. */
  async health(): Promise<string> {
    if (this.isOver || this.out.includes('instance.crashed')) return this.out;
    const response = await fetch(`${this.url}/healthz`);
    const text = await response.text();
    return response.status === 200 ? 'ok' : `${response.status} ${text}`;
  }

  async token(domain = 'acme.root.test'): Promise<string> {
    const response = await fetch(`${this.url}/rest/v1/iam/sessions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ domain, login: 'admin', pwd: 'admin', session_type: 'token' }),
    });
    return ((await response.json()) as { session_token: string }).session_token;
  }

  /** Memory and block since the last `measureAnew`, for the log of a test. */
  figures(): string {
    const mebibytes = (bytes: number) => Math.round(bytes / 1024 / 1024);
    return `at most ${mebibytes(this.mostBytes)} MiB, now ${mebibytes(this.nowBytes)} MiB, loop blocked for at most (processor time) ${Math.round(this.longestBlockMs)} ms`;
  }
}

/** Waits until something is so. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await pass(20);
}

export function pass(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
