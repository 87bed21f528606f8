/** The table that a bench prints: what was measured, against which floor, as a ratio, and the aim. */

export interface Row {
  readonly name: string;
  /** What it is measured against, in the same run. */
  readonly floor: string;
  /** Cost against the floor's cost: 1 is as cheap as the floor. Or a factor of speed where `aim` says "at least". */
  readonly ratio: number;
  readonly aim: string;
  readonly isMet: boolean;
  /** Figures behind the ratio, for the curious; they mean little on another machine. */
  readonly detail: string;
}

export function atMost(limit: number, row: Omit<Row, 'aim' | 'isMet'>): Row {
  return { ...row, aim: `at most ${limit}`, isMet: row.ratio <= limit };
}

export function atLeast(limit: number, row: Omit<Row, 'aim' | 'isMet'>): Row {
  return { ...row, aim: `at least ${limit}`, isMet: row.ratio >= limit };
}

export function tableText(rows: readonly Row[]): string {
  const cells = rows.map(({ name, floor, ratio, aim, isMet, detail }) => [
    name,
    floor,
    ratio >= 100 ? ratio.toFixed(0) : ratio.toFixed(2),
    aim,
    isMet ? 'met' : 'missed',
    detail,
  ]);
  const all = [['what', 'against', 'ratio', 'aim', '', 'figures'], ...cells];
  const widths = (all[0] ?? []).map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) => `| ${row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(' | ')} |`;
  const [head = [], ...body] = all;
  return [line(head), `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`, ...body.map(line)].join('\n');
}
