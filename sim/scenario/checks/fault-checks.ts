/** Checks that the names in a fault exist in the cluster and fit its verb. */

import { expectedText } from '../../../src/model/shapes/nearest.ts';
import { unknownMessage, unknownSipMessage } from '../../faults/message-patterns.ts';
import { membersOf } from '../../faults/places.ts';
import { edgesAt } from '../../faults/traffic.ts';
import type { InputError } from '../../input/read-value.ts';
import type { ScenarioFault } from '../language/fault-schema.ts';
import { listed, type WrittenPlace } from '../language/places.ts';
import type { Names } from './names.ts';

type Path = InputError['path'];

/** Names in a fault that the cluster does not have. `activeFaults`: names of the faults that are active by then. */
export function checkFault(
  fault: ScenarioFault,
  { names, activeFaults, path }: { names: Names; activeFaults: ReadonlySet<string>; path: Path },
): InputError[] {
  const checks = new FaultChecks(names);
  checks.check(fault);
  if (fault.mend !== undefined && fault.mend !== '*' && !activeFaults.has(fault.mend)) {
    checks.report(['mend'], expectedText('the name of an earlier fault', fault.mend, activeFaults));
  }
  return checks.problems.map((problem) => ({ ...problem, path: [...path, ...problem.path] }));
}

export const trafficVerbs = ['cut', 'hold', 'delay', 'lose', 'duplicate', 'flap'] as const;
const outsideTraffic = ['loseOutside', 'duplicateOutside', 'delayOutside', 'cutOutside'] as const;

class FaultChecks {
  readonly problems: InputError[] = [];
  readonly #names: Names;

  constructor(names: Names) {
    this.#names = names;
  }

  report(path: Path, message: string): void {
    this.problems.push({ path, message });
  }

  check(fault: ScenarioFault): void {
    for (const verb of ['crash', 'restart'] as const) this.#place(fault[verb], [verb]);
    for (const verb of ['wipe', 'drain', 'pause', 'resume'] as const) this.#nodes(fault[verb], [verb]);
    for (const verb of trafficVerbs) {
      const between = fault[verb];
      this.#place(between?.from, [verb, 'from']);
      this.#place(between?.to, [verb, 'to']);
      this.#messages(between?.messages, [verb, 'messages'], unknownMessage);
    }
    this.#place(fault.swizzle?.among, ['swizzle', 'among']);
    this.#place(fault.halfOpen?.from, ['halfOpen', 'from']);
    this.#place(fault.halfOpen?.to, ['halfOpen', 'to']);
    for (const verb of ['skew', 'slowStore', 'fillStore'] as const) this.#place(fault[verb]?.at, [verb, 'at']);
    this.#checkOutside(fault);
  }

  #checkOutside(fault: ScenarioFault): void {
    for (const verb of ['silence', 'revive'] as const) this.#outside(fault[verb], [verb]);
    this.#outside(fault.flapOutside?.who, ['flapOutside', 'who']);
    this.#providers(fault.refuseRegister?.who, ['refuseRegister', 'who']);
    for (const verb of outsideTraffic) {
      const beyond = fault[verb];
      this.#edges(beyond?.from, [verb, 'from']);
      this.#outside(beyond?.who, [verb, 'who']);
      this.#messages(beyond?.messages, [verb, 'messages'], unknownSipMessage);
    }
  }

  /** Returns whether the place exists, and reports it if not. */
  #place(place: WrittenPlace | undefined, path: Path): boolean {
    if (place === undefined) return false;
    const problem = this.#names.place(place);
    this.#reportIf(path, problem);
    return problem === undefined;
  }

  #nodes(place: WrittenPlace | undefined, path: Path): void {
    if (place === undefined || !this.#place(place, path)) return;
    const [instance] = membersOf(this.#names.map, this.#names.coveredBy(place)).instances;
    if (instance !== undefined) this.report(path, `expected nodes, got the role instance ${instance.name}`);
  }

  #edges(place: WrittenPlace | undefined, path: Path): void {
    if (place === undefined || !this.#place(place, path) || this.#names.isOpen(place)) return;
    try {
      edgesAt(this.#names.map, this.#names.coveredBy(place));
    } catch (error) {
      this.report(path, error instanceof Error ? error.message : String(error));
    }
  }

  #outside(who: string | readonly string[] | undefined, path: Path): void {
    for (const name of listed(who)) this.#reportIf(path, this.#names.outside(name));
  }

  #providers(who: string | readonly string[] | undefined, path: Path): void {
    for (const name of listed(who)) this.#reportIf(path, this.#names.provider(name));
  }

  #reportIf(path: Path, problem: string | undefined): void {
    if (problem !== undefined) this.report(path, problem);
  }

  #messages(
    patterns: readonly string[] | undefined,
    path: Path,
    unknown: (pattern: string) => string | undefined,
  ): void {
    for (const [i, pattern] of (patterns ?? []).entries()) {
      const expected = unknown(pattern);
      if (expected !== undefined) this.report([...path, i], `expected ${expected}, got "${pattern}"`);
    }
  }
}
