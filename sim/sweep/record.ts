/**
 * The file of a sweep: one outcome a line, appended as they come, so that a sweep that was stopped goes on where it was and
 * the files of several shards are one sweep. The last line may be half written: the process may have died of it.
 */
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Outcome, outcomeSchema } from './outcome.ts';

export class SweepRecord {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
    mkdirSync(dirname(file), { recursive: true });
    // A half line at the end would swallow the next one.
    if (existsSync(file) && !readFileSync(file, 'utf8').endsWith('\n')) appendFileSync(file, '\n');
  }

  add(outcome: Outcome): void {
    appendFileSync(this.#file, `${JSON.stringify(outcome)}\n`);
  }
}

/** The outcomes in a file; lines that are none are left out. */
export function readRecord(file: string): Outcome[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line) => {
      const read = outcomeSchema.safeParse(parsed(line));
      return read.success ? [read.data] : [];
    });
}

/** Of several outcomes of one scenario and seed the last. */
export function merged(outcomes: readonly Outcome[]): Outcome[] {
  const bySeed = new Map(outcomes.map((outcome) => [`${outcome.scenario} ${outcome.seed}`, outcome] as const));
  return [...bySeed.values()].sort((a, b) => compare(a.scenario, b.scenario) || a.seed - b.seed);
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
