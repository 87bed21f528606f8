import { placeOf } from '../report/text.ts';
import type { StepReport } from '../scenario/report.ts';
import type { RunContext } from '../scenario/run/context.ts';
import type { World } from '../world/world.ts';

/** Progress on standard error: on a terminal one line that changes, elsewhere a line at first and then now and then. */
export class ProgressLine {
  readonly #isTerminal = process.stderr.isTTY === true;
  readonly #everyMs = this.#isTerminal ? 200 : 10_000;
  #toldMs = Number.NEGATIVE_INFINITY;
  #last = '';

  /** Tells it, unless something was told a moment ago. */
  tell(text: string): void {
    const nowMs = performance.now();
    if (nowMs - this.#toldMs < this.#everyMs) return;
    this.#toldMs = nowMs;
    this.#write(text);
  }

  /** Tells the last, if it was not, and leaves it there. */
  end(text: string): void {
    if (text !== this.#last) this.#write(text);
    if (this.#isTerminal) process.stderr.write('\n');
  }

  #write(text: string): void {
    this.#last = text;
    process.stderr.write(this.#isTerminal ? `\r\u001b[K${text}` : `${text}\n`);
  }
}

/** How far a run is: on a terminal one line that changes, under what was printed; elsewhere nothing but the lines. */

const everyMs = 200;

export class RunProgress {
  readonly #world: World;
  /** How many steps there are, and those that were done. */
  readonly #steps: number;
  readonly #done = new Set<string>();
  readonly #isOn = process.stderr.isTTY === true;
  #stage: RunContext | undefined;
  #startMs = 0;
  #toldMs = 0;
  #hasLine = false;
  #stop: () => void = () => {};

  constructor(world: World, steps: number) {
    this.#world = world;
    this.#steps = steps;
  }

  /** The cluster is ready. It looks at the time whenever nodes ping each other, for time may not pass otherwise. */
  begin(stage: RunContext): void {
    if (!this.#isOn) return;
    this.#stage = stage;
    this.#startMs = performance.now();
    this.#stop = this.#world.observe(() => this.#look(), { kinds: ['envelope.sent'], types: ['peer.ping'] });
  }

  step(step: StepReport): void {
    if (step.is === undefined) this.#done.add(placeOf(step));
  }

  /** Prints what stays. */
  print(text: string): void {
    if (text === '') return;
    this.#clear();
    process.stdout.write(text);
  }

  end(): void {
    this.#stop();
    this.#clear();
  }

  #look(): void {
    const nowMs = performance.now();
    const stage = this.#stage;
    if (stage === undefined || nowMs - this.#toldMs < everyMs) return;
    this.#toldMs = nowMs;
    const speed = stage.atMs / Math.max(1, nowMs - this.#startMs);
    const calls = this.#world.outside.calls;
    const text = `${(stage.atMs / 1_000).toFixed(0)} s, ${speed.toFixed(0)} times as fast, ${this.#done.size} of ${this.#steps} steps, ${calls} call legs`;
    process.stderr.write(`\r\u001b[K${text}`);
    this.#hasLine = true;
  }

  #clear(): void {
    if (this.#hasLine) process.stderr.write('\r\u001b[K');
    this.#hasLine = false;
  }
}
