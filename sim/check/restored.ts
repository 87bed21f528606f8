/** The same machine once more, which is kept as JSON and made anew now and then, and must not differ from the first. */
import { actorsText } from './actors.ts';
import { called } from './answers.ts';
import { BadCheck, isObject, shown } from './form.ts';
import { BrokenRule, type Life } from './life.ts';
import { type AnyCheck, nameOf } from './machine-check.ts';
import { type Moment, type Persisted, type Player, stateOf } from './player.ts';

const rule = 'a machine that is restored goes on as if nothing had happened';

export class Restored {
  readonly #player: Player;
  readonly #check: AnyCheck;
  readonly #life: Life;
  #moment: Moment;
  /** Steps of the life that were followed; the start, which both have in common, is behind them. */
  #followed = 1;

  /** Begins where the life has begun. */
  constructor(player: Player, check: AnyCheck, life: Life) {
    this.#player = player;
    this.#check = check;
    this.#life = life;
    this.#moment = life.moment;
  }

  restart(): void {
    if (this.#moment.snapshot.status !== 'active') return;
    const persisted = attempt('it can not be kept as JSON', () => this.#player.persist(this.#moment));
    const kept = this.#kept(persisted);
    this.#moment = attempt('it can not be restored', () => this.#player.restore(kept));
    this.#compare();
  }

  /** What whoever runs the machine keeps of it. */
  #kept(persisted: Persisted): Persisted {
    const { restore } = this.#check;
    if (restore === undefined) return persisted;
    const kept: unknown = called(`restore of ${nameOf(this.#check)}`, () => restore(persisted));
    if (isObject(kept) && 'snapshot' in kept && Array.isArray(kept['deadlines'])) return kept as unknown as Persisted;
    const expected = '{ nowMs, snapshot, deadlines }, as it was given';
    throw new BadCheck(`restore of ${nameOf(this.#check)}: expected it to answer ${expected}, got ${shown(kept)}`);
  }

  /** Lives through what the life has lived through since. */
  follow(): void {
    const { steps } = this.#life;
    for (const [index, { fact, atMs, orders }] of steps.entries()) {
      if (index < this.#followed) continue;
      const isDue = this.#life.isDue(index);
      const here: Moment = { ...this.#moment, nowMs: Math.max(this.#moment.nowMs, atMs) };
      const reaction = isDue ? this.#player.fire(this.#moment) : this.#player.tell(here, fact);
      this.#moment = reaction.moment;
      if (reaction.error !== undefined) throw new BrokenRule(rule, `restored it has thrown ${String(reaction.error)}`);
      const [given, wanted] = [JSON.stringify(reaction.orders), JSON.stringify(orders)];
      if (given !== wanted) throw new BrokenRule(rule, `after ${fact.type} it orders ${wanted}; restored: ${given}`);
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
    context: attempt('its context can not be kept as JSON', () => JSON.stringify(snapshot.context)),
    deadlines: deadlines.map(({ id, dueMs }) => `${id} in ${dueMs - nowMs} ms`).join(', ') || 'none',
    actors: actorsText(snapshot) || 'none',
  };
}

function attempt<T>(what: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new BrokenRule(rule, `${what}: ${String(error)}`);
  }
}
