/** Tables of faulty files: each is a sound one with some lines changed, and every fault that it has, where it has it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';

/** What is replaced by what, in turn; each must be there, and its first place counts. */
export type Edits = readonly (readonly [from: string, to: string])[];

export interface FaultyFile {
  readonly title: string;
  readonly edits: Edits;
  /** `line:column message`, in order. */
  readonly faults: readonly string[];
}

export function edited(text: string, edits: Edits): string {
  return edits.reduce((before, [from, to]) => {
    if (!before.includes(from)) throw new Error(`"${from}" is not in the file`);
    return before.replace(from, () => to);
  }, text);
}

/** What things end with: a test, or what stands for several. */
export type Owner = Pick<ExecutionContext, 'teardown'>;

/** A folder that goes away with its owner. */
export function makeFolder(t: Owner): string {
  const folder = mkdtempSync(join(tmpdir(), 'strowger-test-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function writeFile(t: Owner, name: string, text: string): string {
  const file = join(makeFolder(t), name);
  writeFileSync(file, text);
  return file;
}
