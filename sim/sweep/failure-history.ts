/** Failures of earlier builds, from the file of a sweep: which of the present ones are known, and which have passed since. */
import { groupKeyOf, groupsOf, type SeedOutcome } from './outcome.ts';
import { causeText, seedsText } from './text.ts';

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
