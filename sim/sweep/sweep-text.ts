/** The report of a sweep: as text, as JSON, and as JUnit XML for CI. */
import { type JunitCase, junitXml } from '../report/junit.ts';
import { type FailureGroup, groupKeyOf, groupsOf, type SeedOutcome, talliesOf, verdictOfAll } from './outcome.ts';

/** `isPart`: the sweep is incomplete here. */
export function sweepText(outcomes: readonly SeedOutcome[], { isPart = false } = {}): string {
  const tallies = talliesOf(outcomes);
  const width = Math.max(8, ...tallies.map(({ scenario }) => scenario.length));
  const row = (cells: readonly (string | number)[]) =>
    `${String(cells[0]).padEnd(width)}${cells
      .slice(1)
      .map((cell) => String(cell).padStart(9))
      .join('')}\n`;
  const table = [
    row(['scenario', 'pass', 'fail', 'unknown']),
    ...tallies.map(({ scenario, pass, fail, unknown }) => row([scenario, pass, fail, unknown])),
  ].join('');
  const unseen = tallies.flatMap(({ scenario, neverSeen }) =>
    neverSeen.map(
      (name) =>
        `\n${scenario}: sometimes "${name}" was ${isPart ? notYet : 'never seen with any seed, so the sweep proves nothing'}\n`,
    ),
  );
  return table + unseen.join('') + unprovedText(outcomes) + groupsOf(outcomes).map(groupText).join('');
}

const notYet = 'not seen so far; the whole sweep decides';

/** Reasons of unknown runs, with counts. */
function unprovedText(outcomes: readonly SeedOutcome[]): string {
  const reasons = new Map<string, number>();
  for (const { scenario, unproved = [] } of outcomes) {
    for (const reason of unproved)
      reasons.set(`${scenario}: ${reason}`, (reasons.get(`${scenario}: ${reason}`) ?? 0) + 1);
  }
  return [...reasons].map(([reason, count]) => `\n${reason} (${count} seeds)\n`).join('');
}

function groupText(group: FailureGroup): string {
  return `\n${causeText(group)}\n  ${group.failure}\n  seeds (${group.seeds.length}), shortest run first: ${seedsText(group.seeds)}\n`;
}

/** The scenario of a failure, and what failed in it. */
export function causeText({ scenario, kind, step, what }: FailureGroup): string {
  return `${scenario}, ${kind === 'step' ? `step ${step}, ${what}` : `${kind} ${what}`}`;
}

/** The first ten. */
export function seedsText(seeds: readonly number[]): string {
  return seeds.slice(0, 10).join(', ') + (seeds.length > 10 ? ', …' : '');
}

/** One line: the verdict of all runs, the counts of each scenario, and the failures by cause with their seeds. */
export function sweepJson(outcomes: readonly SeedOutcome[], part: { readonly isPart?: boolean } = {}): string {
  const [verdict, scenarios, failures] = [verdictOfAll(outcomes, part), talliesOf(outcomes), groupsOf(outcomes)];
  return `${JSON.stringify({ verdict, scenarios, failures })}\n`;
}

/** One test suite for each scenario, one test case for each seed. */
export function sweepJunit(outcomes: readonly SeedOutcome[]): string {
  return junitXml(
    talliesOf(outcomes).map(({ scenario: name }) => ({
      name,
      cases: outcomes.filter(({ scenario }) => scenario === name).map(junitCase),
    })),
  );
}

function junitCase({ seed, verdict, virtualMs, what = '', failure = '', unproved = [] }: SeedOutcome): JunitCase {
  const about = { name: `seed ${seed}`, seconds: virtualMs / 1_000 };
  if (verdict === 'pass') return about;
  if (verdict === 'fail') return { ...about, failure: { message: what, text: failure } };
  return { ...about, skipped: `unknown: ${unproved.join('; ') || 'the run proves nothing'}` };
}

/** What is printed after the failures of a sweep; empty without any. `before`: the outcomes of earlier builds, oldest first. */
export function historyText(outcomes: readonly SeedOutcome[], before: readonly SeedOutcome[]): string {
  const failing = new Set(failuresOf(outcomes).map(groupKeyOf));
  const passed = new Set(outcomes.filter(({ verdict }) => verdict === 'pass').map(runOf));
  const lines = groupsOf(before).flatMap((group) => {
    const key = groupKeyOf(group);
    const failures = failuresOf(before).filter((each) => groupKeyOf(each) === key);
    const isGone = !failing.has(key) && failures.some((each) => passed.has(runOf(each)));
    if (!failing.has(key) && !isGone) return [];
    const builds = [...new Set(failures.map(({ build }) => build))];
    const span = builds.length === 1 ? `build ${builds[0]}` : `builds ${builds[0]} to ${builds.at(-1)}`;
    return [`  ${isGone ? 'passes now' : 'known'}: ${causeText(group)}: seeds ${seedsText(group.seeds)} of ${span}\n`];
  });
  return lines.length === 0 ? '' : `\nfailures of earlier builds:\n${lines.join('')}`;
}

function failuresOf(outcomes: readonly SeedOutcome[]): SeedOutcome[] {
  return outcomes.filter(({ verdict }) => verdict === 'fail');
}

function runOf({ scenario, seed }: SeedOutcome): string {
  return `${scenario} ${seed}`;
}
