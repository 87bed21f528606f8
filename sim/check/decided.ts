/** Whether every fact is decided in every state: handled, ignored on purpose, or declared to be unexpected there. */
import type { AnyStateMachine, AnyStateNode } from 'xstate';
import { invokedBy, teller } from './actors.ts';
import { handledEnds, handledFacts, restingStates } from './chart.ts';
import type { Coverage } from './coverage.ts';
import type { AnyCheck } from './machine-check.ts';

export interface Decisions {
  /** States × facts that can come there. */
  readonly pairs: number;
  /** Pairs that are declared to be undecided, on purpose. */
  readonly declared: number;
  /** Pairs that are neither decided nor declared, as `state × fact`. */
  readonly undecided: readonly string[];
  /** Declared to be undecided, and decided all the same, or of no state or fact that there is. */
  readonly stale: readonly string[];
  /** Facts that the machine handles and nothing makes. */
  readonly untold: readonly string[];
}

/** `coverage`: of the runs, for actors that are spawned are there where they were seen. */
export function decisionsOf(check: AnyCheck, coverage: Coverage): Decisions {
  const invoked = new Set(invokedBy(check.machine).map(({ id }) => id));
  const pairs = restingStates(check.machine).flatMap(({ path, decides, runs }) =>
    Object.keys(check.facts)
      .filter((fact) => {
        const id = teller(fact);
        if (id === undefined) return true;
        return invoked.has(id) ? runs.has(id) : coverage.hasSpawned(path, id);
      })
      .map((fact) => ({ path, fact, isDecided: isDecided(fact, decides) })),
  );
  const open = pairs.filter((pair) => !pair.isDecided);
  const missing = open.filter(({ path, fact }) => !isDeclared(check, path, fact));
  const undecided = missing.map(({ path, fact }) => `${path} × ${fact}`);
  const declared = open.length - missing.length;
  const handled = [...handledFacts(check.machine), ...handledEnds(check.machine)];
  const told = Object.keys(check.facts);
  const untold = handled.filter((fact) => !told.some((each) => isLike(each, fact) || isLike(fact, each)));
  return { pairs: pairs.length, declared, undecided, stale: staleIn(check), untold };
}

/** Whether a fact is declared to be unexpected in a state; of parallel ones, in one of them. */
export function isDeclared({ undecided = {} }: AnyCheck, state: string, fact: string): boolean {
  return state.split(' + ').some((path) => {
    const declared = undecided[path]?.facts;
    return declared === '*' || (declared?.some((each) => isLike(fact, each)) ?? false);
  });
}

function staleIn({ machine, facts, undecided = {} }: AnyCheck): string[] {
  const states = new Map(restingStates(machine).map(({ path, decides }) => [path, decides]));
  return Object.entries(undecided).flatMap(([state, { facts: declared }]) => {
    const decides = states.get(state);
    if (decides === undefined) return [`${state}: no such state, there are ${[...states.keys()].join(', ')}`];
    if (declared === '*')
      return Object.keys(facts).every((fact) => isDecided(fact, decides)) ? [`${state} × *: all decided`] : [];
    return declared.flatMap((fact: string) => {
      if (!(fact in facts)) return [`${state} × ${fact}: no such fact, there are ${Object.keys(facts).join(', ')}`];
      return isSurelyDecided(machine, state, fact) ? [`${state} × ${fact}: decided`] : [];
    });
  });
}

/** Whether a fact is decided whatever guards say. */
function isSurelyDecided(machine: AnyStateMachine, state: string, fact: string): boolean {
  const path = state.split('.');
  let node: AnyStateNode | undefined = machine.root;
  for (const name of ['', ...path]) {
    node = name === '' ? machine.root : node?.states[name];
    const definitions = node?.transitions.get(fact) ?? [];
    if (definitions.some(({ guard }) => guard === undefined)) return true;
  }
  return false;
}

/** Descriptors may end in `.*`: `leg.*` decides every fact of a leg. */
/** Whether one of the descriptors of a state (`xstate.done.actor.*` …) decides a type of event. */
export function isDecided(fact: string, decides: ReadonlySet<string>): boolean {
  if (decides.has(fact)) return true;
  return [...decides].some((descriptor) => isLike(fact, descriptor));
}

function isLike(fact: string, descriptor: string): boolean {
  return fact === descriptor || (descriptor.endsWith('.*') && fact.startsWith(descriptor.slice(0, -1)));
}
