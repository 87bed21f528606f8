/** Runs a list of commands: facts and times are chosen by them, life after life. */
import { Choices } from './choices.ts';
import { type Action, actionOf, type Command, inputOf, waitsOf } from './commands.ts';
import type { Fact } from './player.ts';
import { attempt, type Bench, fewest, Playing, type Violation } from './playing.ts';

export interface Ran {
  readonly generated: number;
  readonly executed: number;
  readonly violation: Violation | undefined;
}

export function runCommands(bench: Bench, commands: readonly Command[]): Ran {
  const running = new Running(bench);
  const violation = attempt(running, () => {
    for (const command of commands) running.execute(command);
    running.end();
  });
  return { ...running.counts, violation };
}

/** The fewest deeds that break the same rule as these commands do. */
export function violationOf(bench: Bench, commands: readonly Command[]): Violation | undefined {
  const running = new Running(bench);
  const violation = attempt(running, () => {
    for (const command of commands) running.execute(command);
    running.end();
  });
  const { playing } = running;
  if (violation === undefined || playing === undefined) return violation;
  return fewest(bench, playing.birth, playing.deeds) ?? violation;
}

class Running {
  readonly #bench: Bench;
  /** Facts that come late, and after how many commands. */
  #late: { readonly fact: Fact; readonly after: number }[] = [];
  #generated = 0;
  #executed = 0;
  playing: Playing | undefined;

  constructor(bench: Bench) {
    this.#bench = bench;
  }

  get counts(): { generated: number; executed: number } {
    return { generated: this.#generated, executed: this.#executed };
  }

  get steps(): Violation['steps'] {
    return this.playing?.steps ?? [];
  }

  execute(command: Command): void {
    const { check, way } = this.#bench;
    this.#generated += 1;
    const playing = this.playing === undefined || this.playing.isOver ? this.#begin(command) : this.playing;
    const action = actionOf(command, check, playing.moment);
    if (action === undefined) return;
    this.#executed += 1;
    if (way === 'restored' && command.fate % 2 === 1) playing.do('restart');
    if (way === 'disordered') this.#doDisordered(playing, action, command.fate);
    else playing.do(action);
    for (let left = waitsOf(command); left > 0; left--) this.#wait(playing);
  }

  /** Goes to the next deadline, if there is one. */
  #wait(playing: Playing): void {
    const [due] = playing.moment.deadlines;
    if (due !== undefined) playing.do({ passMs: due.dueMs - playing.moment.nowMs });
  }

  end(): void {
    for (const { fact } of this.#late) this.playing?.do({ late: fact });
    this.playing?.end();
  }

  #begin({ which, picks }: Command): Playing {
    const nowMs = this.playing?.moment.nowMs ?? 0;
    const input = inputOf(this.#bench.check, new Choices([which, ...picks]), nowMs);
    this.playing = new Playing(this.#bench, { input, nowMs });
    this.#late = [];
    this.playing.begin();
    return this.playing;
  }

  #doDisordered(playing: Playing, action: Action, fate: number): void {
    const isFact = 'tell' in action;
    if (isFact && fate >= 6) this.#late.push({ fact: action.tell, after: fate % 3 });
    if (!(isFact && fate >= 8)) playing.do(action);
    const due = this.#late.filter(({ after }) => after <= 0);
    this.#late = this.#late.filter(({ after }) => after > 0).map(({ fact, after }) => ({ fact, after: after - 1 }));
    for (const { fact } of due) playing.do({ late: fact });
  }
}
