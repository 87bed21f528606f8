/** Runs a list of commands against the rules of a machine, in one of three ways. */
import { Choices } from './choices.ts';
import { type Action, actionOf, type Command } from './commands.ts';
import type { Coverage } from './coverage.ts';
import { BrokenRule, Life } from './life.ts';
import type { AnyCheck, RunStep } from './machine-check.ts';
import type { Fact, Player } from './player.ts';
import { Restored } from './restored.ts';

/**
 * `plain`: facts as they were made. `restored`: between them the machine is kept as JSON and made anew from it, and must go
 * on as if nothing had happened. `disordered`: facts come twice, late, and so in another order.
 */
export const ways = ['plain', 'restored', 'disordered'] as const;
export type Way = (typeof ways)[number];

export interface Bench {
  readonly check: AnyCheck;
  readonly player: Player;
  readonly coverage: Coverage;
  readonly way: Way;
}

export interface Ran {
  readonly generated: number;
  readonly executed: number;
  readonly violation?: Violation;
}

export interface Violation {
  readonly rule: string;
  readonly detail: string;
  /** The life in which it was broken. */
  readonly steps: readonly RunStep<AnyCheck['machine']>[];
}

export function runCommands(bench: Bench, commands: readonly Command[]): Ran {
  const running = new Running(bench);
  try {
    for (const command of commands) running.execute(command);
    running.end();
  } catch (error) {
    if (!(error instanceof BrokenRule)) throw error;
    return { ...running.counts, violation: { rule: error.rule, detail: error.message, steps: running.steps } };
  }
  return running.counts;
}

class Running {
  readonly #bench: Bench;
  #life: Life | undefined;
  #restored: Restored | undefined;
  /** Facts that come late, and after how many commands. */
  #late: { readonly fact: Fact; after: number }[] = [];
  #generated = 0;
  #executed = 0;

  constructor(bench: Bench) {
    this.#bench = bench;
  }

  get counts(): { generated: number; executed: number } {
    return { generated: this.#generated, executed: this.#executed };
  }

  get steps(): Violation['steps'] {
    return this.#life?.steps ?? [];
  }

  execute(command: Command): void {
    const { check, way } = this.#bench;
    this.#generated += 1;
    const life = this.#life === undefined || this.#life.isOver ? this.#begin(command) : this.#life;
    const action = actionOf(command, check, life.moment);
    if (action === undefined) return;
    this.#executed += 1;
    if (command.fate % 2 === 1) this.#restored?.restart();
    if (way === 'disordered') this.#doDisordered(action, command.fate);
    else this.#do(action);
  }

  end(): void {
    const { way } = this.#bench;
    if (way === 'disordered') {
      for (const { fact } of this.#late) this.#tellLate(fact);
      return;
    }
    if (this.#life === undefined) return;
    this.#restored?.restart();
    this.#life.close();
    this.#restored?.follow();
  }

  #begin({ which, picks }: Command): Life {
    const { check, player, coverage, way } = this.#bench;
    const nowMs = this.#life?.moment.nowMs ?? 0;
    const input = check.input?.(new Choices([which, ...picks]), nowMs);
    const life = new Life({ check, player, coverage, input, nowMs, isInOrder: way !== 'disordered' });
    this.#life = life;
    this.#late = [];
    life.begin();
    this.#restored = way === 'restored' ? new Restored(player, check, life) : undefined;
    return life;
  }

  #do(action: Action): void {
    if (this.#life === undefined) return;
    if ('passMs' in action) this.#life.pass(action.passMs);
    else this.#life.tell(action.tell);
    this.#restored?.follow();
  }

  #doDisordered(action: Action, fate: number): void {
    if ('tell' in action && fate >= 6) this.#late.push({ fact: action.tell, after: fate % 3 });
    if (!('tell' in action && fate >= 8)) this.#do(action);
    const due = this.#late.filter(({ after }) => after <= 0);
    this.#late = this.#late.filter(({ after }) => after > 0).map(({ fact, after }) => ({ fact, after: after - 1 }));
    for (const { fact } of due) this.#tellLate(fact);
  }

  #tellLate(fact: Fact): void {
    const life = this.#life;
    if (life === undefined || life.isOver) return;
    life.tell(this.#bench.check.stamp?.(fact, life.moment.nowMs) ?? fact);
  }
}
