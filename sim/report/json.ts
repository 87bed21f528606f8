/** A run as one line of JSON, for programs: all of its report. */
import type { RunReport } from '../scenario/report.ts';

export function reportJson(report: RunReport): string {
  return `${JSON.stringify(report, inMicroseconds)}\n`;
}

/** Milliseconds have three digits: what binary fractions add says nothing. */
function inMicroseconds(key: string, value: unknown): unknown {
  return typeof value === 'number' && key.endsWith('Ms') ? Math.round(value * 1_000) / 1_000 : value;
}
