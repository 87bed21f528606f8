/** The account of one thing of a workload, in words. */
import type { FailureReason, WorkloadReport } from '../scenario/report.ts';

/** How many reasons are named; of the others only how many failed for them. */
const mostReasons = 3;

/** `calls: 58 begun, 31 acknowledged, 22 failed (503 ×22), 5 open`. */
export function accountText(account: WorkloadReport): string {
  const { started, acknowledged, failed, open, reasons } = account;
  const why = failed === 0 ? '' : ` (${reasonsText(reasons)})`;
  return `${accountName(account)}: ${started} begun, ${acknowledged} acknowledged, ${failed} failed${why}${open === 0 ? '' : `, ${open} open`}`;
}

/** `GET /rest/v1/uc/calls (requests 2)`: of several such parts which one it is. */
export function accountName({ part, name }: Pick<WorkloadReport, 'part' | 'name'>): string {
  return / \d+$/.test(part) ? `${name} (${part})` : name;
}

/** `503 ×22, 480 ×3`: the commonest first. */
export function reasonsText(reasons: readonly FailureReason[]): string {
  const named = reasons.slice(0, mostReasons).map(({ why, count }) => `${why} ×${count}`);
  const others = reasons.slice(mostReasons).reduce((sum, { count }) => sum + count, 0);
  return [...named, ...(others === 0 ? [] : [`others ×${others}`])].join(', ');
}
