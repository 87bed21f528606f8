/** Which faults of a scenario stand: those that were inflicted and neither mended nor undone. */
import type { ScenarioFault } from './fault-schema.ts';

/** Verbs that undo another one, for the same thing. */
const opposites: Readonly<Record<string, string>> = { restart: 'crash', resume: 'pause', revive: 'silence' };

/** Whether it breaks something; else it mends. */
export function isBreaking(fault: ScenarioFault): boolean {
  const [verb] = verbOf(fault);
  return verb !== 'mend' && opposites[verb] === undefined;
}

/** A role instance that has crashed is not among them: its supervisor starts it again. */
export class StandingFaults {
  readonly #isInstance: (name: string) => boolean;
  readonly #standing = new Map<string, ScenarioFault>();
  #count = 0;

  constructor(isInstance: (name: string) => boolean) {
    this.#isInstance = isInstance;
  }

  get size(): number {
    return this.#standing.size;
  }

  clear(): void {
    this.#standing.clear();
  }

  add(fault: ScenarioFault): void {
    const [verb, on] = verbOf(fault);
    const undone = opposites[verb];
    if (verb === 'crash' && this.#isInstance(on)) return;
    if (undone !== undefined) this.#standing.delete(`${undone} ${on}`);
    else if (verb === 'mend') this.#mend(fault.mend ?? '*');
    else this.#standing.set(this.#keyOf(fault), fault);
  }

  /** Lifts those of the traffic, by name or all; what was crashed, paused or silenced stays so. */
  #mend(name: string): void {
    for (const [key, fault] of this.#standing) {
      const [verb] = verbOf(fault);
      if (Object.values(opposites).includes(verb)) continue;
      if (name === '*' || fault.name === name) this.#standing.delete(key);
    }
  }

  #keyOf(fault: ScenarioFault): string {
    const [verb, on] = verbOf(fault);
    if (Object.values(opposites).includes(verb)) return `${verb} ${on}`;
    this.#count += 1;
    return fault.name === undefined ? `#${this.#count}` : `named ${fault.name}`;
  }
}

function verbOf(fault: ScenarioFault): [verb: string, on: string] {
  const [verb, on] = Object.entries(fault).find(([key, value]) => key !== 'name' && value !== undefined) ?? ['', ''];
  return [verb, String(on)];
}
