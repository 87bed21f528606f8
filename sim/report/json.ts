/** A run as one line of JSON, for programs: all of its report. */
import type { RunReport } from '../scenario/report.ts';

export function reportJson(report: RunReport): string {
  return `${JSON.stringify(report)}\n`;
}
