/** Stops a run at components, and lets its author look at variables, step and continue. Virtual time stands meanwhile. */
import type { Breakpoints, ScriptLocation } from '../../src/ports/instrumentation/breakpoints.ts';

export interface DebuggerOptions {
  /** Names of components. */
  readonly breakpoints: readonly string[];
  /** The next command; `undefined`: there are no more. */
  readonly ask: () => Promise<string | undefined>;
  readonly print: (text: string) => void;
}

interface Stop {
  readonly location: ScriptLocation;
  readonly resume: () => void;
}

const help = 'commands: vars, print NAME, step, continue, quit';

export class ScriptDebugger implements Breakpoints {
  readonly #options: DebuggerOptions;
  #stop: Stop | undefined;
  /** Whether it stops at the next component. */
  #isStepping = false;
  #isOver = false;

  constructor(options: DebuggerOptions) {
    this.#options = options;
  }

  get isStopped(): boolean {
    return this.#stop !== undefined;
  }

  reached(location: ScriptLocation): Promise<void> | undefined {
    const isWanted = this.#isStepping || this.#options.breakpoints.includes(location.component);
    if (!isWanted || this.#isOver || this.isStopped) return undefined;
    return new Promise((resume) => {
      this.#stop = { location, resume };
    });
  }

  /** Executes commands until the run goes on. Without a further command it runs to its end. */
  async talk(): Promise<void> {
    const { ask, print } = this.#options;
    const stop = this.#stop;
    if (stop === undefined) return;
    const { script, component, type } = stop.location;
    print(`stopped before ${component} (${type}) of ${script}\n`);
    this.#isStepping = false;
    while (this.#stop === stop) {
      const line = await ask();
      if (line === undefined) this.#isOver = true;
      this.#execute(line ?? 'continue', stop);
    }
  }

  #execute(line: string, { location, resume }: Stop): void {
    const { print } = this.#options;
    const [command = '', name = ''] = line.trim().split(/\s+/);
    switch (command) {
      case '':
        return;
      case 'vars':
        return print(`${JSON.stringify(location.variables)}\n`);
      case 'print':
        return print(`${name} = ${JSON.stringify(location.variables[name]) ?? 'undefined'}\n`);
      case 'quit':
        this.#isOver = true;
        break;
      case 'step':
        this.#isStepping = true;
        break;
      case 'continue':
        break;
      default:
        return print(`expected a command, got ${JSON.stringify(command)}; ${help}\n`);
    }
    this.#stop = undefined;
    resume();
  }
}
