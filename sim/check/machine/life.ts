/** One run of a machine under check: every step is recorded and checked against the rules. */
import { BadCheck, inspected } from '../kit/form.ts';
import { callUser, difference, ruleResult } from '../kit/user-code.ts';
import { eventName, isWithin } from '../player/chart.ts';
import type { Command, Event, MachineReaction, Moment } from '../player/moment.ts';
import { canReceive, type MachinePlayer, stateOf } from '../player/player.ts';
import { type Coverage, isDeclared } from './coverage.ts';
import { type AnyCheck, type Model, nameOf, type Run, type RunStep } from './machine-check.ts';

type Step = RunStep<AnyCheck['machine']>;

/** A rule that does not hold. */
export class BrokenRule extends Error {
  readonly rule: string;

  constructor(rule: string, detail: string) {
    super(detail.replaceAll(/\s*\n\s*/g, ' '));
    this.rule = rule;
  }
}

export interface LifeOptions {
  readonly check: AnyCheck;
  readonly player: MachinePlayer;
  readonly coverage: Coverage;
  readonly input: unknown;
  readonly nowMs: number;
  /** Whether events come in order: then the model must agree. */
  readonly isInOrder: boolean;
}

const dayMs = 86_400_000;

export class Life {
  readonly #options: LifeOptions;
  readonly #steps: Step[] = [];
  /** Which of the steps are deadlines, by index. */
  readonly #dues = new Set<number>();
  readonly #commands: Command[] = [];
  readonly #counts = new Map<string, number>();
  readonly #model: Model<AnyCheck['machine']> | undefined;
  #moment: Moment;

  constructor(options: LifeOptions) {
    this.#options = options;
    const { check, player, input, nowMs, isInOrder } = options;
    this.#model = isInOrder ? modelOf(check, input) : undefined;
    const reaction = player.start(input, nowMs);
    this.#moment = reaction.moment;
    options.coverage.note(reaction);
  }

  /** Records the start as the first step. */
  begin(): void {
    const { player, input, nowMs } = this.#options;
    this.#take({ type: 'start' }, '', player.start(input, nowMs));
  }

  get moment(): Moment {
    return this.#moment;
  }

  get steps(): readonly Step[] {
    return this.#steps;
  }

  /** Whether a step, by its index, is an expired deadline. */
  isDue(step: number): boolean {
    return this.#dues.has(step);
  }

  get isOver(): boolean {
    return this.#moment.snapshot.status !== 'active';
  }

  /** Impossible events are not sent. */
  send(event: Event): void {
    const before = this.#moment;
    if (!canReceive(before, event)) return;
    this.#react(event, before, this.#options.player.send(before, event));
  }

  pass(ms: number): void {
    const { player } = this.#options;
    const untilMs = this.#moment.nowMs + ms;
    for (let [due] = this.#moment.deadlines; due !== undefined && due.dueMs <= untilMs; ) {
      const before = this.#moment;
      this.#dues.add(this.#steps.length);
      this.#react(due.event, before, player.fire(before));
      [due] = this.#moment.deadlines;
    }
    this.#moment = { ...this.#moment, nowMs: Math.max(untilMs, this.#moment.nowMs) };
  }

  /** Brings the run to its end, as the check says. */
  close(): void {
    const ending = this.#options.check.finally;
    if (ending === undefined) return;
    for (const event of ending.events ?? []) if (!this.isOver) this.send(event);
    this.pass(ending.waitMs);
    const state = stateOf(this.#moment);
    const rule = `every run comes to its end (${ending.states.join(' or ')})`;
    if (!ending.states.some((wanted) => isWithin(state, wanted)))
      throw new BrokenRule(rule, `it is in ${state} ${ending.waitMs} ms after the events that end it`);
  }

  #react(event: Event, before: Moment, reaction: MachineReaction): void {
    this.#options.coverage.note(reaction);
    this.#take(event, stateOf(before), reaction);
  }

  #take(event: Event, before: string, { moment, commands, error }: MachineReaction): void {
    this.#moment = moment;
    const step: Step = {
      atMs: moment.nowMs,
      name: eventName(event.type),
      event: event as Step['event'],
      before,
      after: stateOf(moment),
      context: moment.snapshot.context,
      commands,
      deadlines: moment.deadlines.map(({ dueMs, event: { type } }) => ({
        name: eventName(type),
        inMs: dueMs - moment.nowMs,
      })),
      isOver: this.isOver,
    };
    this.#steps.push(step);
    if (error !== undefined) throw new BrokenRule('it throws nothing', `it has thrown ${String(error)}`);
    this.#judgeEnd(step, moment);
    this.#judge(step);
  }

  #judge(step: Step): void {
    const { check } = this.#options;
    for (const command of step.commands) this.#judgeOrder(step, command);
    const { longestMs = dayMs } = check;
    for (const { name, inMs } of step.deadlines) {
      if (inMs > longestMs)
        throw new BrokenRule(`no deadline is longer than ${longestMs} ms`, `${name} is due in ${inMs} ms`);
    }
    const run: Run<AnyCheck['machine']> = {
      steps: this.#steps,
      last: step,
      commands: this.#commands,
      count: (command) => this.#counts.get(command) ?? 0,
    };
    for (const [rule, holds] of Object.entries(check.rules ?? {})) {
      const answer = ruleResult(`rule "${rule}" of ${nameOf(check)}`, () => holds(run));
      if (answer !== true)
        throw new BrokenRule(rule, answer === false ? `after ${eventName(step.event.type)}` : answer);
    }
    const model = this.#model;
    const differs = model && difference(`model of ${nameOf(check)}`, () => model(step));
    if (differs !== undefined) throw new BrokenRule('it agrees with its model', differs);
  }

  /** XState ends a machine that does not handle the failure of an actor. */
  #judgeEnd({ before, event }: Step, { snapshot }: Moment): void {
    if (snapshot.status !== 'error' || isDeclared(this.#options.check, before, event.type)) return;
    const rule = 'every failure of an actor is handled';
    throw new BrokenRule(rule, `${before} does not handle ${event.type}, so XState ends the machine with that error`);
  }

  #judgeOrder({ before, event }: Step, command: Command): void {
    const { check } = this.#options;
    const { once = [], last } = check;
    if (command.type === 'event.unexpected') {
      if (isDeclared(check, before, event.type)) return;
      throw new BrokenRule('every event is decided in every state', `${before} does not expect ${event.type}`);
    }
    if (last !== undefined && (this.#counts.get(last) ?? 0) > 0)
      throw new BrokenRule(`${last} is the last command`, `${command.type} was given after it`);
    const count = (this.#counts.get(command.type) ?? 0) + 1;
    this.#counts.set(command.type, count);
    this.#commands.push(command);
    if (count > 1 && once.includes(command.type))
      throw new BrokenRule(`${command.type} is given once at most`, `it was given ${count} times`);
  }
}

function modelOf(check: AnyCheck, input: unknown): Model<AnyCheck['machine']> | undefined {
  const { model: make } = check;
  if (make === undefined) return undefined;
  const model: unknown = callUser(`model of ${nameOf(check)}`, () => make(input));
  if (typeof model === 'function') return model as Model<AnyCheck['machine']>;
  throw new BadCheck(
    `model of ${nameOf(check)}: expected it to return a function that sees every step, (step) => undefined or a text, got ${inspected(model)}`,
  );
}
