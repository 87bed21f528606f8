/** The account of one thing of a workload, in words. */
import type { FailureReason, WorkloadReport } from '../scenario/report.ts';

/** How many reasons are named; of the others only how many failed for them. */
const mostReasons = 3;

/** `calls: 58 begun, 31 acknowledged, 22 failed (503 ×22), 5 open`. */
export function accountText({ name, started, acknowledged, failed, open, reasons }: WorkloadReport): string {
  const why = failed === 0 ? '' : ` (${reasonsText(reasons)})`;
  return `${name}: ${started} begun, ${acknowledged} acknowledged, ${failed} failed${why}${open === 0 ? '' : `, ${open} open`}`;
}

/** `503 ×22, 480 ×3`: the commonest first. */
export function reasonsText(reasons: readonly FailureReason[]): string {
  const named = reasons.slice(0, mostReasons).map(({ why, count }) => `${why} ×${count}`);
  const others = reasons.slice(mostReasons).reduce((sum, { count }) => sum + count, 0);
  return [...named, ...(others === 0 ? [] : [`others ×${others}`])].join(', ');
}
