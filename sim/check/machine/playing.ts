/** Executes the actions of one run: events, time, restarts. The actions can be repeated, or a part of them. */
import { BadCheck, inspected, isObject } from '../kit/form.ts';
import { callUser } from '../kit/user-code.ts';
import { actorsText } from '../player/actors.ts';
import type { Event, Moment, Persisted } from '../player/moment.ts';
import { type MachinePlayer, stateOf } from '../player/player.ts';
import type { Coverage } from './coverage.ts';
import { BrokenRule, Life } from './life.ts';
import { type AnyCheck, nameOf, type RunStep } from './machine-check.ts';

const rule = 'a restored machine continues as if nothing had happened';

/** A second copy of the machine, which is saved as JSON and restored now and then, and must not differ from the first. */
export class Restored {
  readonly #player: MachinePlayer;
  readonly #check: AnyCheck;
  readonly #life: Life;
  #moment: Moment;
  /** Compared steps of the run; the start, which both share, is behind them. */
  #followed = 1;

  /** Begins with the run. */
  constructor(player: MachinePlayer, check: AnyCheck, life: Life) {
    this.#player = player;
    this.#check = check;
    this.#life = life;
    this.#moment = life.moment;
  }

  restart(): void {
    if (this.#moment.snapshot.status !== 'active') return;
    const persisted = orBadCheck('it cannot be saved as JSON', () => this.#player.persist(this.#moment));
    const kept = this.#kept(persisted);
    this.#moment = orBadCheck('it cannot be restored', () => this.#player.restore(kept));
    this.#compare();
  }

  /** What the owner of the machine keeps. */
  #kept(persisted: Persisted): Persisted {
    const { restore } = this.#check;
    if (restore === undefined) return persisted;
    const kept: unknown = callUser(`restore of ${nameOf(this.#check)}`, () => restore(persisted));
    if (isObject(kept) && 'snapshot' in kept && Array.isArray(kept['deadlines'])) return kept as unknown as Persisted;
    const expected = '{ nowMs, snapshot, deadlines }, as it was given';
    throw new BadCheck(`restore of ${nameOf(this.#check)}: expected it to return ${expected}, got ${inspected(kept)}`);
  }

  /** The incarnations of the run since. */
  follow(): void {
    const { steps } = this.#life;
    for (const [index, { event, atMs, commands }] of steps.entries()) {
      if (index < this.#followed) continue;
      const isDue = this.#life.isDue(index);
      const here: Moment = { ...this.#moment, nowMs: Math.max(this.#moment.nowMs, atMs) };
      const reaction = isDue ? this.#player.fire(this.#moment) : this.#player.send(here, event);
      this.#moment = reaction.moment;
      if (reaction.error !== undefined) throw new BrokenRule(rule, `restored it has thrown ${String(reaction.error)}`);
      const [given, wanted] = [ordered(reaction.commands), ordered(commands)];
      if (given !== wanted) throw new BrokenRule(rule, `after ${event.type} it commands ${wanted}; restored: ${given}`);
    }
    this.#followed = steps.length;
    this.#moment = { ...this.#moment, nowMs: this.#life.moment.nowMs };
    this.#compare();
  }

  #compare(): void {
    const [restored, wanted] = [viewOf(this.#moment), viewOf(this.#life.moment)];
    for (const part of ['state', 'context', 'deadlines', 'actors'] as const) {
      if (restored[part] === wanted[part]) continue;
      throw new BrokenRule(rule, `its ${part}: ${wanted[part]}; restored: ${restored[part]}`);
    }
  }
}

function viewOf(moment: Moment): Record<'state' | 'context' | 'deadlines' | 'actors', string> {
  const { nowMs, deadlines, snapshot } = moment;
  return {
    state: stateOf(moment),
    context: orBadCheck('its context cannot be saved as JSON', () => ordered(snapshot.context)),
    deadlines: deadlines.map(({ id, dueMs }) => `${id} in ${dueMs - nowMs} ms`).join(', ') || 'none',
    actors: actorsText(snapshot) || 'none',
  };
}

/** JSON with the keys of each object in order: one that JSON has left out comes back behind the others. */
function ordered(value: unknown): string {
  const inOrder = (_: string, each: unknown) =>
    isObject(each) && !Array.isArray(each) ? Object.fromEntries(Object.entries(each).toSorted()) : each;
  return String(JSON.stringify(value, inOrder));
}

function orBadCheck<T>(what: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new BrokenRule(rule, `${what}: ${String(error)}`);
  }
}

/**
 * `plain`: events in order. `restored`: in between the machine is saved as JSON and restored, and must continue as if
 * nothing had happened. `disordered`: events are repeated or late, so their order changes.
 */
export const ways = ['plain', 'restored', 'disordered'] as const;
export type Way = (typeof ways)[number];

export interface Bench {
  readonly check: AnyCheck;
  readonly player: MachinePlayer;
  readonly coverage: Coverage;
  readonly way: Way;
}

/** An action on the machine. `late`: an event that was made earlier. */
export type StepAction = { readonly event: Event } | { readonly late: Event } | { readonly passMs: number } | 'restart';

export interface RunStart {
  readonly input: unknown;
  readonly nowMs: number;
}

export interface Violation {
  readonly rule: string;
  readonly detail: string;
  readonly steps: readonly RunStep<AnyCheck['machine']>[];
}

export class Playing {
  readonly start: RunStart;
  readonly actions: StepAction[] = [];
  readonly #bench: Bench;
  readonly #life: Life;
  readonly #restored: Restored | undefined;

  /** Throws what the machine throws at its start, and `BrokenRule` from then on. */
  constructor(bench: Bench, start: RunStart) {
    const { check, player, coverage, way } = bench;
    this.start = start;
    this.#bench = bench;
    this.#life = new Life({ check, player, coverage, ...start, isInOrder: way !== 'disordered' });
    this.#restored = way === 'restored' ? new Restored(player, check, this.#life) : undefined;
  }

  get moment(): Moment {
    return this.#life.moment;
  }

  get isOver(): boolean {
    return this.#life.isOver;
  }

  get steps(): Violation['steps'] {
    return this.#life.steps;
  }

  begin(): void {
    this.#life.begin();
  }

  do(action: StepAction): void {
    this.actions.push(action);
    if (action === 'restart') return this.#restored?.restart();
    if (this.isOver) return;
    if ('passMs' in action) this.#life.pass(action.passMs);
    else if ('event' in action) this.#life.send(action.event);
    else this.#life.send(this.#bench.check.stamp?.(action.late, this.moment.nowMs) ?? action.late);
    this.#restored?.follow();
  }

  /** Brings the run to its end, if events come in order. */
  end(): void {
    if (this.#bench.way === 'disordered') return;
    this.#restored?.restart();
    this.#life.close();
    this.#restored?.follow();
  }
}

/** Executes actions from a start; returns the rule that they break, if any. */
export function replay(bench: Bench, start: RunStart, actions: readonly StepAction[]): Violation | undefined {
  const playing = new Playing(bench, start);
  return attempt(playing, () => {
    playing.begin();
    for (const action of actions) playing.do(action);
    playing.end();
  });
}

/** The rule that an action breaks. */
export function attempt(playing: Pick<Playing, 'steps'>, work: () => void): Violation | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    if (!(error instanceof BrokenRule)) throw error;
    return { rule: error.rule, detail: error.message, steps: playing.steps };
  }
}

/** The fewest of these actions that break the same rule: each is left out as long as the rule stays broken. */
export function fewest(bench: Bench, start: RunStart, actions: readonly StepAction[]): Violation | undefined {
  let violation = replay(bench, start, actions);
  if (violation === undefined) return undefined;
  let left = actions;
  for (let index = left.length - 1; index >= 0; index--) {
    const fewer = left.filter((_, each) => each !== index);
    const found = replay(bench, start, fewer);
    if (found?.rule !== violation.rule) continue;
    violation = found;
    left = fewer;
    // Without this one, others may be superfluous too.
    index = left.length;
  }
  return violation;
}
