/** A node as a process under supervision: it is started, and started again when it ends by itself. */
import { type ChildProcess, spawn } from 'node:child_process';
import { bundled } from '../input/package-folder.ts';
import type { FromNode, ToNode } from './messages.ts';

export interface NodeProcessOptions {
  readonly name: string;
  /** Arguments of `strowger node NAME`. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly restartMs: number;
  /** A line of its output. */
  readonly onLine: (line: string) => void;
  /** It is started: the first messages to it are sent. */
  readonly onSpawned: () => void;
  readonly onMessage: (message: FromNode) => void;
  /** It has ended, and all its messages were received. `isGraceful`: it had finished its work. */
  readonly onEnded: (isGraceful: boolean) => void;
}

/** `down`: it was crashed or drained, and stays away until it is started again. */
export type ProcessState = 'starting' | 'running' | 'paused' | 'restarting' | 'down';

export class NodeProcess {
  readonly #options: NodeProcessOptions;
  #child: ChildProcess | undefined;
  #state: ProcessState = 'down';
  #ready: Promise<void> = Promise.resolve();
  #ended: Promise<void> = Promise.resolve();
  #restart: NodeJS.Timeout | undefined;
  #restarts = 0;
  /** It is to start when its process has ended. */
  #isWanted = false;
  #control: string | undefined;
  /** Its last line. */
  #last = '';

  constructor(options: NodeProcessOptions) {
    this.#options = options;
  }

  get view() {
    const { name } = this.#options;
    const control = this.#control;
    return { node: name, state: this.#state, pid: this.#child?.pid, restarts: this.#restarts, control };
  }

  /** The URL of its control interface, while it runs. */
  get control(): string | undefined {
    return this.#control;
  }

  /** Resolves when it is ready; rejects if it ends before that. No effect while it runs. */
  start(): Promise<void> {
    clearTimeout(this.#restart);
    if (this.#child !== undefined && this.#state === 'down') return this.#startAfterEnd();
    if (this.#child === undefined) this.#spawn();
    return this.#ready;
  }

  /** Its process has received a signal, and has not ended yet. */
  async #startAfterEnd(): Promise<void> {
    this.#isWanted = true;
    await this.#ended;
    if (this.#isWanted && this.#child === undefined) this.#spawn();
    await this.#ready;
  }

  /** SIGKILL. */
  crash(): void {
    this.#leave();
    this.#child?.kill('SIGKILL');
  }

  /** SIGTERM; resolves when it has ended. */
  stop(): Promise<void> {
    if (this.#state === 'paused') this.resume();
    this.#leave();
    this.#child?.kill('SIGTERM');
    return this.#ended;
  }

  /** SIGSTOP. */
  pause(): void {
    if (this.#child?.kill('SIGSTOP') === true) this.#state = 'paused';
  }

  /** SIGCONT. */
  resume(): void {
    if (this.#state === 'paused' && this.#child?.kill('SIGCONT') === true) this.#state = 'running';
  }

  /** No effect while it does not run. */
  send(message: ToNode): void {
    if (this.#child?.connected === true) this.#child.send(message);
  }

  #leave(): void {
    clearTimeout(this.#restart);
    this.#isWanted = false;
    this.#state = 'down';
  }

  #spawn(): void {
    const { name, args, env } = this.#options;
    const child = spawn(process.execPath, [bundled('main'), 'node', name, ...args], {
      // In a group of its own: Ctrl-C of the terminal reaches the supervisor only, which ends all in order.
      detached: true,
      // The channel ends with the supervisor, and the node with the channel: see `endWithSupervisor`.
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      env: { ...process.env, ...env },
    });
    this.#child = child;
    this.#state = 'starting';
    child.on('message', (message) => this.#options.onMessage(message as FromNode));
    this.#options.onSpawned();
    this.#ended = new Promise((resolve) => child.once('close', () => resolve()));
    this.#ready = new Promise((resolve, reject) => {
      child.once('close', (code, signal) => {
        this.#onEnd(child, `${signal ?? `exit code ${code}`}`);
        this.#options.onEnded(code === 0);
        const said = this.#last === '' ? '' : `: ${this.#last}`;
        reject(new Error(`node ${name} ended before it was ready (${signal ?? `exit code ${code}`})${said}`));
      });
      this.#readLines(child, resolve);
    });
    // A node that ends while it starts is started again: without this, the rejection would end the supervisor.
    this.#ready.catch(() => {});
  }

  #readLines(child: ChildProcess, onReady: () => void): void {
    for (const stream of [child.stdout, child.stderr]) {
      let rest = '';
      stream?.setEncoding('utf8').on('data', (text: string) => {
        const lines = (rest + text).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) {
          const [, control] = /^running \S+ control=(\S+)$/.exec(line) ?? [];
          if (control !== undefined) {
            this.#control = control;
            if (this.#state === 'starting') this.#state = 'running';
            onReady();
          }
          if (line !== '') this.#last = line;
          this.#options.onLine(line);
        }
      });
    }
  }

  #onEnd(child: ChildProcess, how: string): void {
    if (this.#child !== child) return;
    this.#child = undefined;
    this.#control = undefined;
    this.#options.onLine(`ended: ${how}`);
    if (this.#state === 'down') return;
    this.#state = 'restarting';
    this.#restarts += 1;
    this.#restart = setTimeout(() => this.#spawn(), this.#options.restartMs);
  }
}
