/**
 * Walks a machine breadth-first, with every possible event and every deadline, until all its states and transitions are
 * reached or a bound is met. It prefers moments in states with untaken transitions, and among these the least expanded
 * state.
 */
import { everyChoice } from '../kit/choices.ts';
import type { Event, Moment } from '../player/moment.ts';
import { canReceive, keyOf, type MachinePlayer, stateOf } from '../player/player.ts';
import type { Coverage } from './coverage.ts';
import type { AnyCheck } from './machine-check.ts';
import { inputOf, makeEvent } from './stimuli.ts';

export interface SurveyBound {
  /** How many moments are expanded. */
  readonly moments: number;
  /** How many variants of an event are tried at each. */
  readonly variants: number;
}

export const surveyBound: SurveyBound = { moments: 600, variants: 48 };

export interface Survey {
  readonly check: AnyCheck;
  readonly player: MachinePlayer;
  readonly coverage: Coverage;
  /** Called with every expanded moment; if present, all states are expanded. */
  readonly visit?: (moment: Moment) => void;
}

interface Shelf {
  readonly waiting: Moment[];
  taken: number;
}

/** Returns the number of expanded moments. */
export function survey({ check, player, coverage, visit }: Survey, bound = surveyBound): number {
  const shelves = new Map<string, Shelf>();
  const known = new Set<string>();
  const add = (moment: Moment) => {
    const key = keyOfMoment(moment);
    if (moment.snapshot.status !== 'active' || known.has(key)) return;
    known.add(key);
    const state = stateOf(moment);
    const shelf = shelves.get(state) ?? { waiting: [], taken: 0 };
    shelves.set(state, shelf);
    shelf.waiting.push(moment);
  };
  for (const input of everyChoice((pick) => inputOf(check, pick), bound.variants)) {
    const reaction = player.start(input);
    coverage.note(reaction);
    add(reaction.moment);
  }
  for (const path of check.far ?? []) go({ check, player, coverage }, path, add);
  let count = 0;
  const isDone = () =>
    coverage.isComplete && (visit === undefined || [...shelves.values()].every(({ taken }) => taken > 0));
  while (count < bound.moments && !isDone()) {
    const moment = nextOf(shelves, coverage);
    if (moment === undefined) break;
    count += 1;
    visit?.(moment);
    for (const event of factsAt(check, moment, bound.variants)) {
      const reaction = player.send(moment, event);
      coverage.note(reaction);
      if (reaction.error === undefined) add(reaction.moment);
    }
    const [due] = moment.deadlines;
    if (due === undefined) continue;
    const reaction = player.fire(moment);
    coverage.note(reaction);
    if (reaction.error === undefined) add(reaction.moment);
  }
  return count;
}

/** Takes a path from every start, and adds the moments on it. */
function go(
  { check, player, coverage }: Survey,
  path: readonly (Event | number)[],
  add: (moment: Moment) => void,
): void {
  for (const input of everyChoice((pick) => inputOf(check, pick), farInputs)) {
    let { moment } = player.start(input);
    for (const step of path) {
      const before = moment;
      if (typeof step === 'number') {
        moment = player.advance(before, before.nowMs + step, () => {});
      } else {
        const reaction = player.send(before, step);
        coverage.note(reaction);
        moment = reaction.moment;
      }
      add(moment);
    }
  }
}

const farInputs = 4;

function factsAt(check: AnyCheck, moment: Moment, variants: number): Event[] {
  const types = Object.keys(check.events).filter((type) => canReceive(moment, { type }));
  return types.flatMap((type) => everyChoice((pick) => makeEvent(check, type, { moment, pick }), variants));
}

function nextOf(shelves: ReadonlyMap<string, Shelf>, coverage: Coverage): Moment | undefined {
  let best: Shelf | undefined;
  let isBestOpen = false;
  for (const shelf of shelves.values()) {
    const [first] = shelf.waiting;
    if (first === undefined) continue;
    const isOpen = coverage.isOpen(first);
    const isBetter = best === undefined || (isOpen !== isBestOpen ? isOpen : shelf.taken < best.taken);
    if (isBetter) [best, isBestOpen] = [shelf, isOpen];
  }
  if (best === undefined) return undefined;
  best.taken += 1;
  return best.waiting.shift();
}

function keyOfMoment({ snapshot, deadlines, nowMs }: Moment): string {
  return `${keyOf(snapshot)} ${deadlines.map(({ id, dueMs }) => `${id} ${dueMs - nowMs}`).join()}`;
}
