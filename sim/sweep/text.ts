/** A sweep told in texts: for people, and as JUnit XML for CI. */
import { type FailureGroup, groupsOf, type Outcome, talliesOf } from './outcome.ts';

export function sweepText(outcomes: readonly Outcome[]): string {
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
  return table + groupsOf(outcomes).map(groupText).join('');
}

function groupText({ scenario, step, what, failure, seeds }: FailureGroup): string {
  const shown = seeds.slice(0, 10).join(', ') + (seeds.length > 10 ? ', …' : '');
  return `\n${scenario}, step ${step}, ${what}\n  ${failure}\n  seeds (${seeds.length}): ${shown}\n`;
}

/** One test suite a scenario, one test case a seed. */
export function sweepJunit(outcomes: readonly Outcome[]): string {
  const suites = talliesOf(outcomes).map(({ scenario, pass, fail, unknown }) => {
    const cases = outcomes.filter((outcome) => outcome.scenario === scenario).map(junitCase);
    const attributes = `name="${escaped(scenario)}" tests="${pass + fail + unknown}" failures="${fail}" skipped="${unknown}"`;
    return `  <testsuite ${attributes}>\n${cases.join('')}  </testsuite>\n`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${suites.join('')}</testsuites>\n`;
}

function junitCase({ scenario, seed, verdict, virtualMs, what = '', failure = '' }: Outcome): string {
  const head = `    <testcase classname="${escaped(scenario)}" name="seed ${seed}" time="${(virtualMs / 1_000).toFixed(3)}"`;
  if (verdict === 'pass') return `${head}/>\n`;
  const inner =
    verdict === 'fail'
      ? `<failure message="${escaped(what)}">${escaped(failure)}</failure>`
      : '<skipped message="unknown: nothing was proved"/>';
  return `${head}>${inner}</testcase>\n`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[sign] ?? sign);
}
