/** The kinds of files that the commands read and write: a file of another kind than the wanted one is refused by its name. */
import type { z } from 'zod';
import type { InputError } from './read-value.ts';
import { keysOf, readYaml } from './yaml.ts';
import { YamlError } from './yaml-error.ts';

interface Described {
  readonly noun: string;
  /** What takes it. */
  readonly taker: string;
  /** Whether the keys of a YAML file are those of this kind. */
  readonly isLike?: (keys: readonly string[]) => boolean;
  /** The beginning of a file that this product has written. */
  readonly begin?: RegExp;
}

const initialKeys = ['domains', 'borderrules', 'calls'];
const kinds = {
  scenario: {
    noun: 'a scenario',
    taker: '`strowger run`',
    isLike: (keys) => keys.includes('steps') || keys.includes('why'),
  },
  topology: { noun: 'a topology', taker: '`strowger serve --topology`', isLike: (keys) => keys.includes('sites') },
  script: { noun: 'a script', taker: '`strowger script check`', isLike: (keys) => keys.includes('components') },
  scriptTests: {
    noun: 'the tests of a script',
    taker: '`strowger script test`',
    isLike: (keys) => keys.includes('cases'),
  },
  initialData: {
    noun: 'initial data',
    taker: '`strowger serve --initial-data`',
    isLike: (keys) => keys.length > 0 && keys.every((key) => initialKeys.includes(key)),
  },
  artefact: { noun: 'an artefact of a run', taker: '`strowger replay`', begin: formatted('artefact') },
  recording: { noun: 'the recording of a test', taker: '`strowger replay`', begin: formatted('recording') },
  snapshot: { noun: 'a snapshot of a cluster', taker: 'the control interface', begin: formatted('snapshot') },
  domain: { noun: 'the data of a domain', taker: '`strowger import`', begin: formatted('domain') },
  outcomes: {
    noun: 'the outcomes of a sweep',
    taker: '`strowger report merge`',
    begin: /^\{"scenario":"[^"]*","seed":\d+,"build":/,
  },
} satisfies Readonly<Record<string, Described>>;
const described: Readonly<Record<FileKind, Described>> = kinds;

export type FileKind = keyof typeof kinds;

function formatted(name: string): RegExp {
  return new RegExp(`^\\s*\\{\\s*"format":\\s*"strowger-${name}-\\d+"`);
}

/** Throws one line that names the kind of a file if that is another one than the wanted ones. */
export function refuseOtherKind(file: string, text: string, wanted: readonly FileKind[]): void {
  const [found] = kindsOf(text, wanted);
  if (found === undefined) return;
  const { noun, taker } = described[found];
  const nouns = wanted.map((kind) => described[kind].noun).join(' or ');
  throw new Error(`${file}: expected ${nouns}, got ${noun}, which ${taker} takes`);
}

/** The kinds of a file; none if it may be of a wanted one. */
function kindsOf(text: string, wanted: readonly FileKind[]): FileKind[] {
  const begun = listed(({ begin }) => begin?.test(text) === true);
  const keys = begun.length > 0 ? [] : keysOf(text);
  const found = begun.length > 0 ? begun : listed(({ isLike }) => isLike?.(keys) === true);
  return found.some((kind) => wanted.includes(kind)) ? [] : found;
}

function listed(isWanted: (kind: Described) => boolean): FileKind[] {
  return (Object.keys(kinds) as FileKind[]).filter((kind) => isWanted(described[kind]));
}

/** As `readYaml`, for a file of one kind: throws one line if it is of another one, in place of all the fields that it lacks. */
export function readOwnYaml<S extends z.ZodType>(
  { kind, file, text }: { readonly kind: FileKind; readonly file: string; readonly text: string },
  how: { schema: S; checks?: (value: z.infer<S>) => readonly InputError[] },
): z.infer<S> {
  try {
    return readYaml(file, text, how);
  } catch (error) {
    // The checks of a scenario read its topology, which has faults of its own.
    if (error instanceof YamlError && error.file === file) refuseOtherKind(file, text, [kind]);
    throw error;
  }
}
