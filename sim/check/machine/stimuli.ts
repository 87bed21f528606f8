/** Stimuli: lists of numbers that choose the event or the time span of each step. */
import fc from 'fast-check';
import type { AnyStateMachine, AnyStateNode } from 'xstate';
import { Choices, NothingToPick } from '../kit/choices.ts';
import { callUser, eventFields } from '../kit/user-code.ts';
import { actorOf, anySpawned, spawnedIn } from '../player/actors.ts';
import type { Event, Moment } from '../player/moment.ts';
import { canReceive, stateOf } from '../player/player.ts';
import { type AnyCheck, nameOf } from './machine-check.ts';

export interface Stimulus {
  /** The kind of action: an event with an effect, any event, or time. */
  readonly kind: number;
  /** Index of the event. */
  readonly which: number;
  /** Additions: a restart before it; a repeated or late event. */
  readonly fate: number;
  /** Choices for the fields of the event. */
  readonly picks: readonly number[];
}

export type Action = { readonly event: Event } | { readonly passMs: number };

const number = fc.nat(999);

export const stimulusLists: fc.Arbitrary<readonly Stimulus[]> = fc.array(
  fc.record({
    kind: fc.nat(15),
    which: number,
    fate: fc.nat(9),
    picks: fc.array(number, { maxLength: 8, size: 'max' }),
  }),
  { maxLength: 40, size: 'max' },
);

/** The action of a stimulus at this moment; `undefined`: it cannot be executed. */
export function actionOf(stimulus: Stimulus, check: AnyCheck, moment: Moment): Action | undefined {
  const { kind, which } = stimulus;
  const [due] = moment.deadlines;
  const leftMs = due === undefined ? undefined : due.dueMs - moment.nowMs;
  if (kind >= 14) return { passMs: kind === 15 ? (which % 5) * 700 : Math.max(0, (leftMs ?? 1) - 1) };
  if (kind >= 12 && leftMs !== undefined) return { passMs: leftMs };
  const all = Object.keys(check.events).filter((type) => canReceive(moment, { type }));
  const leading = kind < 10 ? leadingEvents(check.machine, moment).filter((event) => all.includes(event)) : all;
  const events = leading.length > 0 ? leading : all;
  const event = eventOf(check, events[which % events.length] ?? '', { moment, picks: stimulus.picks });
  return event === undefined ? undefined : { event };
}

/** Makes an event by choices; `undefined` if there is nothing to pick from. */
export function eventOf(
  check: AnyCheck,
  type: string,
  { moment, picks }: { readonly moment: Moment; readonly picks: readonly number[] },
): Event | undefined {
  try {
    return makeEvent(check, type, { moment, pick: new Choices(picks) });
  } catch (error) {
    if (error instanceof NothingToPick) return undefined;
    throw error;
  }
}

/** The input of a machine. */
export function inputOf(check: AnyCheck, pick: Choices, nowMs = 0): unknown {
  const { input } = check;
  return input && callUser(`input of ${nameOf(check)}`, () => input(pick, nowMs));
}

export function makeEvent(
  check: AnyCheck,
  type: string,
  { moment, pick }: { readonly moment: Moment; readonly pick: Choices },
): Event {
  const maker = (check.events as Readonly<Record<string, true | ((here: object) => object)>>)[type];
  const { nowMs, snapshot } = moment;
  const named = actualType(type, { moment, pick });
  if (maker === undefined || maker === true) return { type: named };
  const here = { pick, nowMs, state: stateOf(moment), context: snapshot.context };
  return { type: named, ...eventFields(`events of ${nameOf(check)}: ${type}`, () => maker(here)) };
}

/** `*` as an id means any running spawned actor. */
function actualType(type: string, { moment, pick }: { readonly moment: Moment; readonly pick: Choices }): string {
  if (actorOf(type) !== anySpawned) return type;
  return `${type.slice(0, -anySpawned.length)}${pick.from(spawnedIn(moment.snapshot))}`;
}

/** Largest number of extra deadlines of a stimulus: states after many failures take a while. */
export function waitsOf({ kind, which }: Stimulus): number {
  return kind === 13 ? which % 6 : 0;
}

const leading = new WeakMap<AnyStateNode, readonly string[]>();

/** The events with an effect in a state, whatever guards decide. */
function leadingEvents(machine: AnyStateMachine, { snapshot }: Moment): readonly string[] {
  return snapshot._nodes.filter((node) => node !== machine.root).flatMap(leadingIn);
}

function leadingIn(node: AnyStateNode): readonly string[] {
  const known = leading.get(node);
  if (known !== undefined) return known;
  const events = [...node.transitions]
    .filter(([, all]) => all.some(({ target, actions }) => target !== undefined || actions.length > 0))
    .map(([event]) => event);
  leading.set(node, events);
  return events;
}
