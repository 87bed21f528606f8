/** A node as a process under supervision: it is started, and started again when it ends by itself. */
import { type ChildProcess, spawn } from 'node:child_process';
import { type ActorRefFrom, createActor } from 'xstate';
import { bundled } from '../input/package-folder.ts';
import type { FromNode, ToNode } from './messages.ts';
import { nodeProcessMachine, type ProcessState } from './node-process-machine.ts';

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

export class NodeProcess {
  readonly #options: NodeProcessOptions;
  readonly #life: ActorRefFrom<typeof nodeProcessMachine>;
  #child: ChildProcess | undefined;
  #ready: Promise<void> = Promise.resolve();
  #ended: Promise<void> = Promise.resolve();
  #control: string | undefined;
  /** Its last line. */
  #last = '';

  constructor(options: NodeProcessOptions) {
    this.#options = options;
    const machine = nodeProcessMachine.provide({
      actions: {
        spawn: () => this.#spawn(),
        terminate: () => void this.#child?.kill('SIGTERM'),
        kill: () => void this.#child?.kill('SIGKILL'),
        suspend: () => void this.#child?.kill('SIGSTOP'),
        continue: () => void this.#child?.kill('SIGCONT'),
      },
      delays: { restart: options.restartMs },
    });
    this.#life = createActor(machine).start();
  }

  get view() {
    const { tags, context } = this.#life.getSnapshot();
    const [state] = tags as ReadonlySet<ProcessState>;
    const { name: node } = this.#options;
    return { node, state, pid: this.#child?.pid, restarts: context.restarts, control: this.#control };
  }

  /** Resolves when no process of it runs. */
  get ended(): Promise<void> {
    return this.#ended;
  }

  /** The URL of its control interface, while it runs. */
  get control(): string | undefined {
    return this.#control;
  }

  /** Resolves when it is ready; rejects if it ends before that. No effect while it runs. */
  async start(): Promise<void> {
    this.#life.send({ type: 'start' });
    if (this.#life.getSnapshot().matches('awaited')) await this.#ended;
    await this.#ready;
  }

  /** SIGKILL. */
  crash(): void {
    this.#life.send({ type: 'crash' });
  }

  /** SIGTERM; resolves when it has ended. */
  stop(): Promise<void> {
    this.#life.send({ type: 'stop' });
    return this.#ended;
  }

  /** SIGSTOP. No effect while it does not run. */
  pause(): void {
    this.#life.send({ type: 'pause' });
  }

  /** SIGCONT. */
  resume(): void {
    this.#life.send({ type: 'resume' });
  }

  /** No effect while it does not run, or if it ends meanwhile: that is reported by `onEnded`. */
  send(message: ToNode): void {
    if (this.#child?.connected === true) this.#child.send(message, () => {});
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
    // Of a process that could not be started, `close` comes after it.
    child.on('error', ({ message }) => this.#take(message));
    child.on('message', (message) => this.#options.onMessage(message as FromNode));
    this.#options.onSpawned();
    this.#ended = new Promise((resolve) => child.once('close', () => resolve()));
    this.#ready = new Promise((resolve, reject) => {
      child.once('close', (code, signal) => {
        const how = `${signal ?? `exit code ${code}`}`;
        const said = this.#last === '' ? '' : `: ${this.#last}`;
        this.#end(how, code === 0);
        reject(new Error(`node ${name} ended before it was ready (${how})${said}`));
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
            this.#life.send({ type: 'ready' });
            onReady();
          }
          this.#take(line);
        }
      });
    }
  }

  #take(line: string): void {
    if (line !== '') this.#last = line;
    this.#options.onLine(line);
  }

  #end(how: string, isGraceful: boolean): void {
    this.#child = undefined;
    this.#control = undefined;
    this.#options.onLine(`ended: ${how}`);
    // Before the next process is started, which may be at once.
    this.#options.onEnded(isGraceful);
    this.#life.send({ type: 'ended' });
  }
}
