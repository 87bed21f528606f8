/** The verdict of a run, and why it is unknown where nothing failed: what was not put to the test. */
import type { OracleVerdict } from '../oracles/oracle.ts';
import type { Failure, PromiseReport, SeenReport, StepReport, VerdictWord, WorkloadReport } from './report.ts';
import type { Scenario } from './schema.ts';

export interface Findings {
  readonly failures: readonly Failure[];
  readonly steps: readonly StepReport[];
  readonly oracles: readonly OracleVerdict[];
  readonly sometimes: readonly SeenReport[];
  readonly promises: readonly PromiseReport[];
  readonly workload: readonly WorkloadReport[];
  /** Requests and calls of steps. */
  readonly demands: number;
}

export function verdictOf({ failures }: Findings, unproved: readonly string[]): VerdictWord {
  if (failures.length > 0) return 'fail';
  return unproved.length > 0 ? 'unknown' : 'pass';
}

/** What was not put to the test; of a run that failed nothing is said. */
export function unprovedOf(scenario: Scenario, findings: Findings): string[] {
  if (findings.failures.length > 0) return [];
  const { steps, demands, workload, sometimes } = findings;
  if (!expectsAnything(scenario, steps)) return [nothingExpected];
  const reasons: string[] = [];
  const done = workload.reduce((sum, { acknowledged }) => sum + acknowledged, 0);
  if (demands + done === 0) reasons.push('nothing was asked of the cluster');
  reasons.push(...fruitless(workload));
  reasons.push(...unexercised(scenario, findings.oracles));
  for (const { name } of sometimes.filter(({ count }) => count === 0)) reasons.push(neverSeen(name));
  if (scenario.promise !== undefined && findings.promises.length === 0) {
    reasons.push('nothing broke of which the promise speaks');
  }
  return reasons;
}

/** Of a part of the workload at least something must have come; not each thing of its mix need have had its turn. */
function fruitless(workload: readonly WorkloadReport[]): string[] {
  return [...new Set(workload.map(({ part }) => part))].flatMap((part) => {
    const own = workload.filter((report) => report.part === part);
    if (own.some(({ acknowledged }) => acknowledged > 0)) return [];
    const begun = own.reduce((sum, { started }) => sum + started, 0);
    return [`the workload "${part}" came to nothing (${begun} begun)`];
  });
}

const nothingExpected = 'nothing was expected, so nothing was proved';

/** Of a sweep it is enough that it was seen with one of the seeds. */
export function neverSeen(name: string): string {
  return `sometimes "${name}" was never seen`;
}

function expectsAnything(scenario: Scenario, steps: readonly StepReport[]): boolean {
  const { always, eventually, sometimes, promise } = scenario;
  const isTold = always !== undefined && always.length > 0;
  const more = eventually.length + sometimes.length > 0 || promise !== undefined;
  return isTold || more || steps.some(({ isExpectation }) => isExpectation);
}

/** An oracle that a scenario names must have had something to say; of all oracles at least one. */
function unexercised({ always }: Scenario, oracles: readonly OracleVerdict[]): string[] {
  if (always === undefined) return [];
  const idle = oracles.filter(({ verdict }) => verdict === 'unknown');
  if (always === 'all') return oracles.length > 0 && idle.length === oracles.length ? ['no oracle was exercised'] : [];
  return idle.map(({ name }) => `oracle ${name} was never exercised`);
}
