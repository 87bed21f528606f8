/** Files of one JSON object with a digest of its fields: an edited or damaged file is refused. */
import { createHash } from 'node:crypto';
import type { z } from 'zod';
import { faultText, type InputError, readValue } from '../input/read-value.ts';
import type { SourceFile } from '../topology/load-topology.ts';

/** What a file says of its own format: `strowger-artefact-2`. */
const formatForm = /^(strowger-[a-z]+)-\d+$/;

/** Parses a sealed file. Throws a one-line error if the text is not one, or has another format. `what`: what the file should be. */
export function readSealed<S extends z.ZodType<{ readonly digest: string }>>(
  { file, text }: SourceFile,
  schema: S,
  what: string,
): z.infer<S> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error(`${file}: expected ${what}, got text that is not JSON`);
  }
  const read = readValue(schema, value);
  if (!read.isValid) {
    refuseFormat(file, value, read.faults);
    const [first] = read.faults;
    throw new Error(`${file}: expected ${what}${first === undefined ? '' : `: ${faultText(first, 'file')}`}`);
  }
  if (read.value.digest === digestOf(value as object)) return read.value;
  throw new Error(
    `${file}: its digest does not match its contents: the file was edited or damaged after it was written`,
  );
}

/** Throws if the file has another version of the format. */
function refuseFormat(file: string, value: unknown, faults: readonly InputError[]): void {
  if (!faults.some(({ path }) => path.join('.') === 'format')) return;
  const { format, version } = value as { readonly format?: unknown; readonly version?: unknown };
  if (typeof format !== 'string' || !formatForm.test(format)) return;
  const wrote = typeof version === 'string' ? `version ${version}` : 'another version';
  throw new Error(`${file}: its format is ${format}, written by ${wrote}: use the version of strowger that wrote it`);
}

/** Digest of all fields except `digest`. */
export function digestOf(file: object): string {
  const fields = Object.entries(file).filter(([name]) => name !== 'digest');
  return createHash('sha256').update(JSON.stringify(fields)).digest('hex');
}
