/** The progress of a run: on a terminal one line that changes, below the printed lines; elsewhere only the lines. */
import { placeOf } from '../report/run-text.ts';
import type { StepReport } from '../scenario/report.ts';
import type { RunContext } from '../scenario/run/context.ts';
import type { World } from '../world/world.ts';

/** Progress on standard error: on a terminal one line that changes, elsewhere a line at intervals. */
export class ProgressLine {
  readonly #isTerminal = process.stderr.isTTY === true;
  readonly #everyMs = this.#isTerminal ? 200 : 10_000;
  #toldMs = Number.NEGATIVE_INFINITY;
  #last = '';

  /** Prints the progress, at most once in an interval. */
  tell(text: string): void {
    const nowMs = performance.now();
    if (nowMs - this.#toldMs < this.#everyMs) return;
    this.#toldMs = nowMs;
    this.#write(text);
  }

  /** Prints the last state and ends the line. */
  end(text: string): void {
    if (text !== this.#last) this.#write(text);
    if (this.#isTerminal) process.stderr.write('\n');
  }

  #write(text: string): void {
    this.#last = text;
    process.stderr.write(this.#isTerminal ? `\r\u001b[K${text}` : `${text}\n`);
  }
}

const everyMs = 200;

export class RunProgress {
  readonly #world: World;
  /** Number of steps, and the finished ones. */
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

  /** The cluster is ready. The pings between nodes drive the updates, because virtual time needs an event. */
  begin(stage: RunContext): void {
    if (!this.#isOn) return;
    this.#stage = stage;
    this.#startMs = performance.now();
    this.#stop = this.#world.observe(() => this.#look(), { kinds: ['envelope.sent'], types: ['peer.ping'] });
  }

  step(step: StepReport): void {
    if (step.is === undefined) this.#done.add(placeOf(step));
  }

  /** Prints lines that stay. */
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

/** Progress: finished runs, their rate, and the estimated time for the rest. */
export class SweepProgress {
  readonly #total: number;
  readonly #startMs = performance.now();
  readonly #line = new ProgressLine();
  #count = 0;
  #failed = 0;

  constructor(total: number) {
    this.#total = total;
  }

  step(isFailure: boolean): void {
    this.#count += 1;
    if (isFailure) this.#failed += 1;
    this.#line.tell(this.#text());
  }

  end(): void {
    if (this.#count > 0) this.#line.end(this.#text());
  }

  #text(): string {
    const perSecond = (this.#count / (performance.now() - this.#startMs)) * 1_000;
    const leftSeconds = Math.ceil((this.#total - this.#count) / perSecond);
    return `${this.#count} of ${this.#total} runs, ${this.#failed} failed, ${(perSecond * 60).toFixed(0)} a minute, ${leftSeconds} s left`;
  }
}
