/** How far a run is: on a terminal one line that changes, under what was printed; elsewhere nothing but the lines. */
import type { Stage } from '../scenario/stage.ts';
import type { World } from '../world/world.ts';

const everyMs = 200;

export class RunProgress {
  readonly #world: World;
  readonly #steps: number;
  readonly #isOn = process.stderr.isTTY === true;
  #stage: Stage | undefined;
  #startMs = 0;
  #toldMs = 0;
  #hasLine = false;
  #stop: () => void = () => {};

  constructor(world: World, steps: number) {
    this.#world = world;
    this.#steps = steps;
  }

  /** The cluster is ready. It looks at the time whenever nodes ping each other, for time may not pass otherwise. */
  begin(stage: Stage): void {
    if (!this.#isOn) return;
    this.#stage = stage;
    this.#startMs = performance.now();
    this.#stop = this.#world.observe(() => this.#look(), { kinds: ['envelope.sent'], types: ['peer.ping'] });
  }

  /** Prints what stays. */
  print(text: string): void {
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
    const step = Math.min(stage.step, this.#steps);
    const text = `${(stage.atMs / 1_000).toFixed(0)} s, ${speed.toFixed(0)} times as fast, step ${step} of ${this.#steps}, ${calls} call legs`;
    process.stderr.write(`\r\u001b[K${text}`);
    this.#hasLine = true;
  }

  #clear(): void {
    if (this.#hasLine) process.stderr.write('\r\u001b[K');
    this.#hasLine = false;
  }
}
