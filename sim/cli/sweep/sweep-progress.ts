/** What a sweep shows while it runs, and the commands to go on with at its end. */
import { join } from 'node:path';
import { groupsOf, type SeedOutcome } from '../../sweep/outcome.ts';
import { sweepJson, sweepText } from '../../sweep/text.ts';
import { ProgressLine } from '../progress.ts';

/** The commands that replay and shrink a failure, whose artefact is this file of `out`. */
export function howToReplay(file: string | undefined, out: string): string {
  if (file === undefined) return '';
  const artefact = join(out, file);
  const name = file.replace(/\.strowger\.json$/, '');
  return `\nto see the first: npx strowger replay ${artefact} --report ${name}.html\nto make it small: npx strowger shrink ${artefact}\n`;
}

/** The artefact of the fastest failure of the first group, if there is one. */
export function fastestArtefact(outcomes: readonly SeedOutcome[]): string | undefined {
  const [group] = groupsOf(outcomes);
  return group && `${group.scenario}-${group.seeds[0]}.strowger.json`;
}

/** Progress: finished runs, their rate, and the estimated time for the rest. */
export class SweepProgress {
  readonly #total: number;
  readonly #startMs = performance.now();
  readonly #line = new ProgressLine();
  #count = 0;
  #failed = 0;

  constructor(total: number) {
    this.#total = total;
  }

  step(isFailure: boolean): void {
    this.#count += 1;
    if (isFailure) this.#failed += 1;
    this.#line.tell(this.#text());
  }

  end(): void {
    if (this.#count > 0) this.#line.end(this.#text());
  }

  #text(): string {
    const perSecond = (this.#count / (performance.now() - this.#startMs)) * 1_000;
    const leftSeconds = Math.ceil((this.#total - this.#count) / perSecond);
    return `${this.#count} of ${this.#total} runs, ${this.#failed} failed, ${(perSecond * 60).toFixed(0)} a minute, ${leftSeconds} s left`;
  }
}

/** Prints the report of a sweep: as text with `more`, or as JSON, with `more` on standard error. */
export function printSweep(
  outcomes: readonly SeedOutcome[],
  {
    json = false,
    isPart,
    more,
  }: { readonly json?: boolean | undefined; readonly isPart: boolean; readonly more: string },
): void {
  process.stdout.write(json ? sweepJson(outcomes, { isPart }) : sweepText(outcomes, { isPart }) + more);
  if (json) process.stderr.write(more);
}
