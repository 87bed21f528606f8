/** The gaps of a long run: how many messages and changes of state were dropped, and where. */

/** Number of messages missing before each row, cumulative. */
const missing = countsBefore(data.messages.length, data.gaps);
const indexes = new Map(data.messages.map((row, i) => [row, i]));

function countsBefore(rows: number, gaps: Data['gaps']): Uint32Array {
  const counts = new Uint32Array(rows + 1);
  for (const [index, count] of gaps) counts[index] = count;
  for (let i = 1; i <= rows; i += 1) counts[i] = (counts[i] ?? 0) + (counts[i - 1] ?? 0);
  return counts;
}

/** Number of messages missing between two rows; without the first: before the second. */
function missingBetween(row: Row | undefined, next: Row): number {
  const [from, until] = [row === undefined ? -1 : indexOf(row), indexOf(next)];
  return (missing[until] ?? 0) - (from < 0 ? 0 : (missing[from] ?? 0));
}

function indexOf(row: Row): number {
  return indexes.get(row) ?? -1;
}

interface GapSpan {
  readonly fromMs: number;
  readonly untilMs: number;
  readonly count: number;
}

const gapSpans: readonly GapSpan[] = data.gaps.map(([index, count]) => {
  const [fromMs, untilMs] = [data.messages[index - 1]?.[0] ?? data.fromMs, data.messages[index]?.[0] ?? data.untilMs];
  return { fromMs, untilMs, count };
});

/** Number of messages missing in a time span, assuming an even rate. */
function missingIn(fromMs: number, untilMs: number): number {
  let sum = 0;
  for (const gap of gapSpans) {
    const span = Math.min(untilMs, gap.untilMs) - Math.max(fromMs, gap.fromMs);
    const whole = gap.untilMs - gap.fromMs;
    if (whole > 0 && span > 0) sum += (gap.count * span) / whole;
    else if (whole === 0 && gap.fromMs >= fromMs && gap.fromMs < untilMs) sum += gap.count;
  }
  return sum;
}

/** The note for a time span with missing messages; `undefined` without any. */
function drawMissing(fromMs: number, untilMs: number): HTMLElement | undefined {
  const count = Math.ceil(missingIn(fromMs, untilMs));
  if (count === 0) return undefined;
  const text = `About ${grouped(count)} messages of this time are not kept: the page has ${keptText()}. `;
  const before = data.messages[firstFrom(data.messages, fromMs) - 1];
  const after = data.messages[firstFrom(data.messages, untilMs)];
  return el(
    'p',
    { class: 'missing' },
    text,
    before && button('◀ kept before', () => lookAt(before[0])),
    ' ',
    after && button('kept after ▶', () => lookAt(after[0])),
  );
}

/** `60,000 of 86,019 messages`. */
function keptText(): string {
  const { messages, said } = data;
  return messages.length < said
    ? `${grouped(messages.length)} of ${grouped(said)} messages`
    : `${grouped(said)} messages`;
}

function grouped(count: number): string {
  return count.toLocaleString('en');
}

/** Number of missing changes of the same machine right after a change. */
const missingAfter = changesMissing();

function changesMissing(): Map<Data['states'][number], number> {
  const counts = new Map(data.stateGaps);
  const found = new Map<Data['states'][number], number>();
  if (counts.size === 0) return found;
  const last = new Map<string, Data['states'][number]>();
  for (const [i, change] of data.states.entries()) {
    const id = machineId(change);
    const before = last.get(id);
    const count = counts.get(i);
    if (before !== undefined && count !== undefined) found.set(before, count);
    last.set(id, change);
  }
  return found;
}
